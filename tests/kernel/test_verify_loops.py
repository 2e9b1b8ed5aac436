"""Programs with loops and sums of products that are wrong in one place: each is refuted, or refused, unemitted."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from layoutalg.index import TRUE, as_expr, simplify, var
from layoutalg.kernel.emit import NotProvedError, emit
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.convolution import convolution
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.epilogues import Epilogue, ProductD
from layoutalg.kernel.library.plans import Plan
from layoutalg.kernel.library.reduce import reduction
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.program import (
    Barrier,
    Clear,
    Elementwise,
    Fold,
    Load,
    LoadShared,
    Loop,
    Multiply,
    Program,
    Registers,
    Statement,
    Store,
    StoreShared,
    Tensor,
)
from layoutalg.kernel.program.fragments import Outer, encoded, fragment_tile
from layoutalg.kernel.verify import requirements, verify
from layoutalg.layout import (
    LayoutError,
    TensorDescriptor,
    TileDistribution,
    TileDistributionEncoding,
    make_naive_tensor_descriptor,
)
from layoutalg.prove import Limits, Refuted, Unknown, prove
from layoutalg.target.matrix import matrix_instruction
from tests.fuzzing import few
from tests.matrix import some

SMALL_MFMA = Plan(matrix_instruction("mfma_f32_32x32x8f16"), (1, 1), (2, 2), 32, 32, "gfx942")
BASES = {
    "gemm": contraction(parse_einsum("mk,kn->mn"), epilogue=Epilogue("AddRelu", (ProductD(("n",), "f32", "bias"),))),
    "two letters": contraction(parse_einsum("ijk,kjn->in")),
    "mfma": contraction(parse_einsum("ik,jk->ij"), "f16", plan=SMALL_MFMA, widths=(4, 4, 1)),
    "conv": convolution(Windows((3, 3), (2, 2), (1, 1), (1, 1))),
    "reduce": reduction("kr"),
    "greatest": reduction("rk", "max"),
}

Change = Callable[[Statement], Sequence[Statement] | None]


def changed(body: Sequence[Statement], change: Change) -> tuple[Statement, ...]:
    """The body with each statement that `change` answers for replaced by what it says."""
    found: list[Statement] = []
    for s in body:
        new = change(s)
        if new is not None:
            found += new
        elif isinstance(s, Loop):
            found.append(replace(s, body=changed(s.body, change)))
        else:
            found.append(s)
    return tuple(found)


def at(program: Program, number: int, change: Change) -> Program:
    """The program with one statement, by its number, changed."""
    wanted = dict(program.statements())[number]
    done: list[bool] = []

    def once(s: Statement) -> Sequence[Statement] | None:
        if s is wanted and not done:
            done.append(True)
            return change(s)
        return None

    mutant = replace(program, body=changed(program.body, once))
    assert done
    return mutant


def turned(distribution: TileDistribution, first: int, second: int, p: int) -> TileDistribution:
    """Two factors of a P swapped: lanes hold each other's elements."""
    e = distribution.encoding
    majors, minors = list(map(list, e.ps_major)), list(map(list, e.ps_minor))
    for side in (majors[p], minors[p]):
        side[first], side[second] = side[second], side[first]
    return TileDistribution(TileDistributionEncoding(e.rs, e.hs, majors, minors, e.ys_major, e.ys_minor))


def moved_origin(s: Load | Store, dimension: int, by: int) -> list[Statement]:
    origin = tuple(o + by if d == dimension else o for d, o in enumerate(s.origin))
    return [replace(s, origin=origin)]


def of_statement(program: Program, number: int, s: Statement) -> Iterator[tuple[str, Callable[[], Program]]]:
    """The mutants of one statement, by what is done to it."""

    def one(change: Change) -> Callable[[], Program]:
        return lambda: at(program, number, change)

    match s:
        case Barrier():
            yield "dropped", one(lambda s: [])
        case Load() | Store():
            for d in range(len(s.origin)):
                yield f"origin {d} off by one", one(lambda s, d=d: moved_origin(s, d, 1))
            yield "not guarded", one(lambda s: [replace(s, guarded=False)])
            yield "dropped", one(lambda s: [])
        case StoreShared() | LoadShared():
            yield "other slot", one(lambda s: [replace(s, slot=(s.slot + 1) % 2)])
            yield "one slot too far", one(lambda s: [replace(s, slot=s.slot + 2)])
            yield "transposed layout", one(lambda s: [replace(s, descriptor=packed(s.descriptor))])
            small = replace(s.shared, elements=s.shared.elements // 2)
            yield "half a buffer", one(lambda s: [replace(s, shared=small)])
            yield "dropped", one(lambda s: [])
        case Multiply():
            yield "operands swapped", one(lambda s: [replace(s, a=s.b, b=s.a)])
            yield "twice", one(lambda s: [s, s])
            yield "dropped", one(lambda s: [])
        case Fold():
            yield "the other way", one(lambda s: [replace(s, how="max" if s.how == "sum" else "sum")])
            yield "twice", one(lambda s: [s, s])
        case Clear():
            yield "to the other neutral", one(lambda s: [replace(s, how="max" if s.how == "sum" else "sum")])
            yield "dropped", one(lambda s: [])
        case Elementwise():
            other = {"add": "relu", "relu": "add"}
            yield "another function", one(lambda s: [replace(s, function=other[s.function])])
            yield "dropped", one(lambda s: [])
        case Loop():
            index = s.index.value
            if index.extent is not None:
                short = var(index.name, index.extent + 1)
                yield "begins at one", one(lambda s: [put(s, s.index + 1)])
                yield "a shorter count", one(lambda s: [put(s, short, var(short.value.name, half(index.extent)))])


def half(extent: object) -> object:
    """One tile less, but where there is one only."""
    return (extent + 1) // 2  # type: ignore[operator]


def put(loop: Loop, value: object, index: object = None) -> Loop:
    """The loop whose body takes another value of its index."""
    from layoutalg.index import substitute

    def inside(s: Statement) -> Statement:
        fields = {}
        for name in ("origin", "slot"):
            if hasattr(s, name):
                given = getattr(s, name)
                new = index if index is not None else value
                fields[name] = (
                    tuple(substitute(o, {loop.index: new}) for o in given)
                    if isinstance(given, tuple)
                    else substitute(given, {loop.index: new})
                )
        return replace(s, **fields) if fields else s

    body = changed(loop.body, lambda s: None if isinstance(s, Loop) else [inside(s)])
    return replace(loop, body=body, index=index if index is not None else loop.index)


def packed(descriptor: TensorDescriptor) -> TensorDescriptor:
    """A plain layout with the dimensions the other way: the first one fastest, or the last where it is that already."""
    lengths = list(map(int, descriptor.lengths))
    for order in (range(len(lengths)), reversed(range(len(lengths)))):
        strides, step = [0] * len(lengths), 1
        for d in order:
            strides[d] = step
            step *= lengths[d]
        made = make_naive_tensor_descriptor(lengths, strides)
        if simplify(made.offset(made.index)) is not simplify(descriptor.offset(made.index)):
            return made
    raise AssertionError("a layout is not both")


def of_program(program: Program) -> Iterator[tuple[str, Callable[[], Program]]]:
    """Mutants of what is around the statements."""
    yield "no limit on the sizes", lambda: replace(program, requires=TRUE)
    for n, tensor in enumerate(program.tensors):
        for d, (label, view) in itertools.product(range(tensor.descriptor.rank), VIEWS.items()):
            yield (
                f"{tensor.name}: {label} in dimension {d}",
                lambda n=n, d=d, view=view: with_tensor(program, n, view(program.tensors[n], d)),
            )
    for d, n in enumerate(program.tile):
        if n > 1:
            tile = tuple(t * 2 if e == d else t for e, t in enumerate(program.tile))
            yield f"tile {d} twice as long", lambda tile=tile: replace(program, tile=tile)
    for registers in program.registers:
        e = registers.distribution.encoding
        for p, majors in enumerate(e.ps_major):
            for first, second in itertools.combinations(range(len(majors)), 2):
                lengths = [e.length(f) for f in (e.ps[p][first], e.ps[p][second])]
                if as_expr(1) not in lengths and matters(program, registers):
                    other = replace(registers, distribution=turned(registers.distribution, first, second, p))
                    yield (
                        f"{registers.name}: factors {first} and {second} of P{p} swapped",
                        lambda registers=registers, other=other: with_registers(program, registers, other),
                    )


def matters(program: Program, registers: Registers) -> bool:
    """Whether which lane holds what is fixed by an operation; tiles that only move may lie in any way."""
    fixed = [r for _, s in program.statements() if isinstance(s, Multiply | Fold) for r in operands(s)]
    return registers in fixed


def operands(s: Multiply | Fold) -> tuple[Registers, ...]:
    return (s.c, s.a, s.b) if isinstance(s, Multiply) else (s.c, s.a)


def longer(tensor: Tensor, d: int) -> Tensor:
    """A stride off by one: the naive descriptor below everything."""
    adaptor = tensor.descriptor.adaptor
    embed = adaptor.transforms[0]
    strides = tuple(s + 1 if n == d % len(embed.strides) else s for n, s in enumerate(embed.strides))
    transforms = (replace(embed, strides=strides), *adaptor.transforms[1:])
    descriptor = TensorDescriptor(replace(adaptor, transforms=transforms), tensor.descriptor.element_space_size)
    return replace(tensor, descriptor=descriptor)


VIEWS: dict[str, Callable[[Tensor, int], Tensor]] = {"a stride off by one": longer}


def with_tensor(program: Program, number: int, tensor: Tensor) -> Program:
    """Another tensor in the place of one, everywhere."""
    old = program.tensors[number]

    def change(s: Statement) -> list[Statement] | None:
        return [replace(s, tensor=tensor)] if isinstance(s, Load | Store) and s.tensor == old else None

    new = [tensor if t == old else t for t in program.tensors]
    return replace(
        program, source=new[0], inputs=tuple(new[1:-1]), target=new[-1], body=changed(program.body, change),
        meaning=renamed(program.meaning, old, tensor),
        element_maps=tuple(replace(s, tensor=tensor) if s.tensor == old else s for s in program.element_maps),
    )  # fmt: skip


def renamed(meaning: object, old: Tensor, new: Tensor) -> object:
    """A meaning that speaks of another tensor."""
    if meaning == old:
        return new
    if isinstance(meaning, tuple):
        return tuple(renamed(m, old, new) for m in meaning)
    if hasattr(meaning, "__dataclass_fields__") and not isinstance(meaning, Tensor):
        return replace(meaning, **{f: renamed(getattr(meaning, f), old, new) for f in meaning.__dataclass_fields__})
    return meaning


def with_registers(program: Program, old: Registers, new: Registers) -> Program:
    """Another register tile in the place of one, where an operation takes it; loads keep the old one."""

    def change(s: Statement) -> list[Statement] | None:
        fields = {f: new for f in ("c", "a", "b", "registers") if getattr(s, f, None) == old}
        if isinstance(s, Load | LoadShared | Clear | Store | Multiply | Fold) and fields:
            return [replace(s, **fields)]
        if isinstance(s, Elementwise):
            given = tuple(new if r == old else r for r in s.operands)
            return [replace(s, registers=new if s.registers == old else s.registers, operands=given)]
        return None

    return replace(program, body=changed(program.body, change))


def mutants(program: Program) -> Iterator[tuple[str, Callable[[], Program]]]:
    for number, s in program.statements():
        for what, make in of_statement(program, number, s):
            yield f"{number} {type(s).__name__}: {what}", make
    yield from of_program(program)


EQUIVALENT = {"conv": {"b: a stride off by one in dimension 0", "target: a stride off by one in dimension 0"}}
"""Where a dimension has length 1, its stride is nothing."""


def verdict(program: Program) -> str:
    """What stops the mutant: an obligation that is refuted, or that the program makes no sense."""
    unknown = []
    try:
        for r in requirements(program):
            found = prove(r.claim, limits=Limits(seconds=2))
            if isinstance(found, Refuted):
                assert found.witness.text or found.witness.points
                return f"refuted: {r.about}"
            if isinstance(found, Unknown):
                unknown.append(r.about)
    except (LayoutError, ValueError) as error:
        return f"refused: {error}"
    return f"unknown: {unknown[0]}" if unknown else "proved"


@pytest.mark.parametrize("base", some(list(BASES), 1))
def test_every_mutant_is_refuted_or_refused(base: str) -> None:
    made = tuple(mutants(BASES[base]))
    found = {what: verdict(make()) for what, make in few(made, 40)}
    passed = {what for what, said in found.items() if not said.startswith(("refuted", "refused"))}
    assert passed <= EQUIVALENT.get(base, set()), {what: found[what] for what in passed}
    assert len(dict(made)) > 30


def test_there_are_hundreds_of_mutants() -> None:
    assert sum(len(list(mutants(program))) for program in BASES.values()) >= 300


def test_the_bases_are_proved() -> None:
    for program in BASES.values():
        assert verify(program).failures == ()


def test_a_mutant_is_not_emitted() -> None:
    base = BASES["two letters"]
    mutant = at(base, next(n for n, s in base.statements() if isinstance(s, Barrier)), lambda s: [])
    with pytest.raises(NotProvedError, match="no race in a_lds"):
        emit(verify(mutant))


# --- single faults, each by the obligation that must find it ----------------------------------------------------------


def refuted_by(program: Program) -> set[str]:
    return {about for about, v in verify(program).failures if isinstance(v, Refuted)}


def test_contracted_letters_in_another_order_than_the_other_operands() -> None:
    """The classic wrong answer: a's (j, k) against b's (k, j)."""
    right = contraction(parse_einsum("ijk,kjn->in"))
    wrong = contraction(parse_einsum("ijk,jkn->in"))
    sizes = {s.value.name: s for s in right.sizes}
    assert {s.value.name for s in wrong.sizes} == set(sizes)
    mutant = with_tensor(right, 1, replace(wrong.inputs[0]))
    assert "b at (i_k, i_j, i_n): its element is N_j * N_n * i_k + N_n * i_j + i_n" in refuted_by(mutant)


def test_an_operand_map_of_another_instruction() -> None:
    program = BASES["mfma"]
    number, s = next((n, s) for n, s in program.statements() if isinstance(s, Multiply))
    other = fragment_tile(matrix_instruction("mfma_f32_32x32x16_f16").a, "a", Outer(1, 2), Outer(2), 2, 8)
    held = Registers("a_held", s.a.dtype, other)
    with pytest.raises(LayoutError, match="fragments of 8 elements a lane; the instruction takes 4"):
        verify(with_registers(program, s.a, held))
    rows = encoded([2], [[], [1, 2, 32], [4, 4, 2]], [[(2, 1), (0, 0)], [(2, 2), (3, 2)]], [(2, 0), (3, 0), (3, 1)])
    found = refuted_by(with_registers(program, s.a, Registers("a_held", s.a.dtype, rows)))
    assert f"{number}: sums += a_held·b_held: a_held lies as mfma_f32_32x32x8f16 takes it" in found


def test_a_barrier_at_the_end_of_the_body_only() -> None:
    program = BASES["gemm"]

    def last(s: Statement) -> list[Statement] | None:
        if isinstance(s, Loop) and isinstance(s.body[0], Barrier):
            return [replace(s, body=(*s.body[1:], s.body[0]))]
        return None

    assert "3 and 9: no race in a_lds" in refuted_by(replace(program, body=changed(program.body, last)))


def test_one_copy_of_the_buffers_needs_a_second_barrier() -> None:
    program = BASES["gemm"]

    def single(s: Statement) -> list[Statement] | None:
        return [replace(s, slot=as_expr(0))] if isinstance(s, StoreShared | LoadShared) else None

    assert any(
        "no race in a_lds" in about for about in refuted_by(replace(program, body=changed(program.body, single)))
    )


def test_a_tile_that_is_not_filled_before_the_loop() -> None:
    program = BASES["gemm"]
    number = next(n for n, s in program.statements() if isinstance(s, Load))
    late = at(program, number, lambda s: moved_origin(s, 2, 16))
    assert "5: a_lds is filled before the loop" in refuted_by(late)


def test_lds_over_the_budget_is_refuted() -> None:
    plan = replace(SMALL_MFMA, repeats=(4, 4), k=64, step=64)
    found = refuted_by(contraction(parse_einsum("ik,jk->ij"), "f16", plan=plan, widths=(4, 4, 1)))
    assert {about.split(":")[0] for about in found} == {"LDS", "occupancy"}
    assert "LDS: 131072 bytes of 65536" in found


def test_more_blocks_at_a_time_than_a_unit_holds_are_refuted() -> None:
    found = refuted_by(replace(BASES["gemm"], resident=1000))
    assert {about.split(":")[0] for about in found} == {"occupancy"}

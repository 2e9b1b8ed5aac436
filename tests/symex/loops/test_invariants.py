"""Binaries with loops, proved for every count; and the same with one thing wrong in the loop, never proved."""

import functools
from dataclasses import replace

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import var
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.plans import Plan
from layoutalg.kernel.library.reduce import reduction
from layoutalg.kernel.library.views import cast, slices
from layoutalg.kernel.program import Loop
from layoutalg.kernel.program.fragments import FMA
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case, small_sizes
from tests.isa.assembly import NOP, mutant
from tests.matrix import each, some


@functools.cache
def product():
    """A matrix product with little in a thread: two buffers in LDS, each of two slots in turns."""
    return contraction(parse_einsum("mk,kn->mn"), "f32", plan=Plan(FMA, (4, 4), (16, 16), 4, 4))


KERNELS = {
    "product": product,
    "sum": functools.cache(lambda: reduction("kr")),
    "cast": functools.cache(lambda: cast("f32", "bf16", 4)),
    "slice": functools.cache(lambda: slices((1, 2))),
}


@functools.cache
def compiled(kernel, target, opt_level=3):
    program = KERNELS[kernel]()
    code = compile_source(emit_unverified(program), target, opt_level=opt_level)
    return decode_kernel(read_kernels(code.payload)[program.name])


@pytest.mark.parametrize(
    ("kernel", "target", "opt_level"),
    [
        ("product", "gfx942", 3), pytest.param("product", "gfx1201", 1, marks=pytest.mark.slow), ("sum", "gfx942", 3),
        *each([("sum", "gfx1100", 1), *(("cast", target, 3) for target in ("gfx90a", "gfx950", "gfx1100"))],
              ("cast", "gfx1100", 3)),
        pytest.param("slice", "gfx942", 3, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_loops_sums_and_conversions_are_proved(kernel, target, opt_level):
    verdict = prove_binary(compiled(kernel, target, opt_level), KERNELS[kernel]())
    assert verdict.proved, verdict.failures[:2]
    kinds = " ".join(about for about, _ in verdict.verdicts)
    assert ("as many iterations" in kinds) == (kernel in ("product", "sum"))
    assert ("is carried" in kinds) == (kernel in ("product", "sum"))


def loop(program):
    """The instructions from the loop's barrier to the branch back before it, in the order of their addresses."""
    (barrier,) = (i for i in program.instructions if i.name == "S_BARRIER")
    (block,) = (b for b in program.blocks.values() if barrier in b.instructions)
    head = block.instructions[0].address
    before = [start for start, b in program.blocks.items() if head in b.successors and start < head]
    first = max(start for start in before if any(i.name == "DS_READ_B128" for i in program.blocks[start].instructions))
    return [i for i in program.instructions if first <= i.address]


def the(program, name, number=0):
    return [i for i in loop(program) if i.name == name][number]


@pytest.mark.parametrize(
    ("name", "number", "bits", "verdict"),
    some(
        [
            ("S_XOR_B32", 0, (32, 63, 0), "refuted"),  # the other slot is this one
            ("S_AND_B32", 0, (32, 63, 0x80), "refuted"),  # slots in turns of another size
            ("S_ADDK_I32", 0, (0, 15, 0x200), "refuted"),  # never the other slot
            ("DS_READ_B128", 2, (0, 7, 0x28), "refuted"),  # another row
            ("DS_WRITE_B32", 0, (0, 7, 4), "refuted"),
            ("S_CMP_EQ_U32", 0, (8, 15, 128 + 1), "refuted"),  # one iteration too few
            ("S_ADD_I32", 0, (8, 15, 192 + 2), "refuted"),  # the counter goes by two
            ("S_BARRIER", 0, (0, 31, NOP), "refuted"),
            ("V_LSHL_ADD_U64", 0, (50, 58, 128 + 32), "refuted"),  # a's next tile is the one after
        ],
        2,
    ),
)
def test_what_is_wrong_in_a_loop_is_refuted(name, number, bits, verdict):
    program = compiled("product", "gfx942")
    changed = mutant(program, the(program, name, number), bits)
    found = prove_binary(changed, product())
    assert found.name == verdict, found.failures[:1]


@pytest.mark.usefixtures("unrun")
@pytest.mark.parametrize(
    ("name", "number", "bits"),
    some(
        [
            ("S_WAITCNT", 0, (0, 31, NOP)),
            ("S_WAITCNT", 1, (0, 31, NOP)),
            ("V_OR_B32", 0, (9, 16, 27)),  # a's fragments from b's buffer
            ("V_ADD_U32", 1, (9, 16, 24)),  # b's tile where a's is
            ("V_MOV_B32", 0, (0, 8, 256 + 32)),  # another element of a fragment
        ],
        1,
    ),
)
def test_what_is_wrong_in_a_loop_is_not_proved(name, number, bits):
    program = compiled("product", "gfx942")
    changed = mutant(program, the(program, name, number), bits)
    assert str(changed.by_address[the(program, name, number).address]) != str(the(program, name, number))
    assert prove_binary(changed, product()).name != "proved"


def test_a_sum_of_other_numbers_is_not_proved():
    """The sums are compared as chains of the same operations: an operand more, or another, is seen."""
    program = compiled("sum", "gfx942")
    adds = [i for i in program.instructions if i.name == "V_ADD_F32"]
    for add in (adds[0], adds[-1]):
        changed = mutant(program, add, (9, 16, (add.operands["b"].index + 1) % 64))
        assert prove_binary(changed, KERNELS["sum"]()).name != "proved"


def test_a_rounding_with_another_constant_is_not_proved():
    program = compiled("cast", "gfx942")
    half = next(i for i in program.instructions if i.name == "V_ADD3_U32")
    other = mutant(program, half, (9, 10, 1))
    assert str(other.by_address[half.address]) != str(half)
    assert prove_binary(other, KERNELS["cast"]()).name != "proved"


@pytest.mark.slow
def test_a_rounding_that_is_none_is_refuted_by_a_number_and_seen_in_a_run():
    """As some compilers have it: the low half is cut off."""
    program, kernel = compiled("cast", "gfx942"), KERNELS["cast"]()
    chosen = next(i for i in program.instructions if i.name == "V_CNDMASK_B32")  # into the register that was loaded
    changed = mutant(program, chosen, (0, 63, NOP << 32 | NOP))
    found = prove_binary(changed, kernel)
    assert found.name == "refuted", found.failures[:1]
    assert "want" in found.failures[0][1].reason  # a number that was loaded
    assert not attempt(changed, kernel, make_case(kernel, small_sizes(kernel))).exact


def written_out():
    """A conversion whose blocks do two tiles, one after the other."""
    whole = cast("f32", "bf16", 4)
    block, passes = var("b0", (whole.sizes[0] + 8191) // 8192), var("u", 2)
    each = tuple(replace(statement, origin=(block * 8192 + passes * 4096,)) for statement in whole.body)
    return replace(whole, grid=(block,), body=(Loop(passes, each, unroll=True),))


@pytest.mark.slow
def test_each_pass_of_a_loop_that_is_written_out_has_its_stores():
    program = written_out()
    code = compile_source(emit_unverified(program), "gfx942")
    whole = decode_kernel(read_kernels(code.payload)[program.name])
    assert prove_binary(whole, program).proved
    stores = [i for i in whole.instructions if i.name == "GLOBAL_STORE_DWORDX2"]
    assert len(stores) == 8
    for store in (stores[0], stores[-1]):
        changed = mutant(whole, store, (0, 63, NOP << 32 | NOP))
        size = program.sizes[0]
        assert not attempt(changed, program, make_case(program, {size: 8192})).exact
        assert prove_binary(changed, program).name == "refuted"

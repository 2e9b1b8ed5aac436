"""The page on which a layout is typed reads, refuses and prices what the library does, in a real Chromium."""

from __future__ import annotations

import random
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

from layoutalg.draw import DrawError, LaneAccess, down, in_order, operand
from layoutalg.draw.typed import ROWS, SWIZZLED, TRITON, examples, typed_page
from layoutalg.errors import LayoutError
from layoutalg.index import const, parse, var
from layoutalg.index.evaluate import grids
from layoutalg.interop import cute, triton
from layoutalg.layout import TensorDescriptor, ck
from layoutalg.memory.banks import AccessError
from layoutalg.target import target, target_names
from layoutalg.target.dtypes import DTYPES
from tests.fuzzing import FIRST, count

MOST = 1 << 18
"""What a page draws at most."""

PAGE = Path(__file__).parents[2] / "docs" / "pages" / "try.html"
READ = """(all) => all.map(([text, shape]) => {
  try {
    const made = readLayout(text, shape);
    return [made.lengths, made.space, [...made.offsets], [...made.valid].map(Number)];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.message;
  }
})"""
PRICED = """(all) => all.map(([text, shape, bits, start, number, gpu, how]) => {
  const made = typed.entry(readLayout(text, shape), bits, null);
  const lengths = made.lengths();
  const pattern = start === null ? made.accesses[number] : { ...made.accesses[0], index: readLanes(start, lengths) };
  const found = access(made, [], tile(made, []), pattern, TARGETS[gpu], TARGETS[gpu].instructions[how]);
  return found.problem ? null : found.phases.map((p) => [p.cycles, p.lanes, p.worst < 0 ? 0 : p.worst]);
})"""


@pytest.fixture(scope="module")
def tab(opened):
    tab = opened(typed_page())
    yield tab
    tab.close()


def library(text: str, shape: tuple[int, ...] = ()) -> TensorDescriptor:
    """What the library reads: Python is executed, its last line the descriptor."""
    if text.startswith("#"):
        found = triton.from_triton(text, shape)
        assert isinstance(found, TensorDescriptor)
        return found
    if "make_" not in text:
        return cute.descriptor(cute.parse(text))
    *before, last = text.split("\n")
    names = dict(ck.CK_TILE)
    exec("\n".join(before), names)
    found = eval(last.partition(" = ")[2] or last, names)
    assert isinstance(found, TensorDescriptor)
    return found


def table(made: TensorDescriptor) -> list:
    offset, valid = grids([made.offset(made.index), made.valid(made.index)], made.index, {})
    return [
        [int(n) for n in made.lengths], int(made.element_space_size),
        offset.ravel().tolist(), valid.ravel().astype(int).tolist(),
    ]  # fmt: skip


def agree(tab, texts: list[tuple[str, tuple[int, ...]]]) -> int:
    """Both read each text as one table, or both refuse it; how many were read."""
    found = tab.evaluate(READ, [[text, list(shape)] for text, shape in texts])
    read = 0
    for (text, shape), here in zip(texts, found, strict=True):
        expected = drawn(text, shape)
        if isinstance(expected, str) or isinstance(here, str):
            assert isinstance(expected, str), (text, shape, here)
            assert isinstance(here, str), (text, shape, expected)
            continue
        data = np.array(here[3], dtype=bool)  # what padding's offset is means nothing
        assert here[:2] == expected[:2], (text, shape)
        assert here[3] == expected[3], (text, shape)
        assert np.array_equal(np.array(here[2])[data], np.array(expected[2])[data]), (text, shape)
        read += 1
    return read


def drawn(text: str, shape: tuple[int, ...]) -> list | str:
    """The library's table, or why there is none to draw."""
    try:
        made = library(text, shape)
    except (LayoutError, ValueError) as error:
        return str(error)
    if not made.rank or int(made.element_count) > MOST or int(made.element_space_size) > 4 * MOST:
        return "nothing that the page could draw"
    return table(made)


def a_cute(draw: random.Random) -> str:
    def tree(depth: int) -> tuple:
        if depth == 0 or draw.random() < 0.5:
            return draw.choice([1, 2, 3, 4, 5, 8]), draw.choice([0, 1, 1, 2, 3, 8, 16, 64, -1])
        parts = [tree(depth - 1) for _ in range(draw.randint(1, 3))]
        return tuple(a for a, _ in parts), tuple(b for _, b in parts)

    def text(one: object) -> str:
        return f"({','.join(map(text, one))})" if isinstance(one, tuple) else str(one)

    shape, stride = tree(2)
    plain = text(shape) + (f":{text(stride)}" if draw.random() < 0.8 else "")
    bits = draw.randint(0, 3)
    offset = draw.choice(["0", "0", "5", "64", "smem_ptr[16b](unset)"])
    swizzle = f"Sw<{bits},{draw.randint(0, 4)},{draw.choice([-3, -2, 1, 2, 3])}> o {offset} o "
    return (swizzle if draw.random() < 0.6 else "") + plain


def a_triton(draw: random.Random) -> tuple[str, tuple[int, ...]]:
    shape = tuple(1 << draw.randint(0, 5) for _ in range(draw.randint(1, 3)))
    order = list(range(len(shape)))
    draw.shuffle(order)
    kind = draw.choice(["swizzled_shared", "amd_rotating_shared", "padded_shared", "shared_linear"])
    if kind == "padded_shared":
        pads = ", ".join(f"{1 << draw.randint(2, 6)}:+{1 << draw.randint(0, 4)}" for _ in range(draw.randint(1, 2)))
        return f"#ttg.padded_shared<[{pads}] {{order = {order}, shape = {list(shape)}}}>", shape
    if kind == "shared_linear":
        bases = [
            [1 << bit if n == d else 0 for n in range(len(shape))]
            for d, size in enumerate(shape)
            for bit in range(size.bit_length() - 1)
        ]
        draw.shuffle(bases)
        for a in range(len(bases)):  # stays a bijection: a later one is added to an earlier one
            for b in range(a + 1, len(bases)):
                if draw.random() < 0.3:
                    bases[a] = [x ^ y for x, y in zip(bases[a], bases[b], strict=True)]
        if draw.random() < 0.2 and bases:
            bases[0] = bases[-1]
        return f"#ttg.shared_linear<{{offset = {bases}}}, alignment = 16>", shape
    numbers = (1 << draw.randint(0, 3) for _ in range(3))
    fields = ", ".join(f"{key} = {n}" for key, n in zip(("vec", "perPhase", "maxPhase"), numbers, strict=True))
    return f"#ttg.{kind}<{{{fields}, order = {order}}}>", shape


def a_chain(draw: random.Random) -> str:
    """CK's names in Python: a descriptor over memory, and a few rounds of transforms, some of which do not fit."""
    lengths = [draw.choice([2, 3, 4, 6, 8]) for _ in range(draw.randint(1, 3))]
    kind = draw.randint(0, 3)
    strides = [draw.choice([1, 2, 8, 24, 64]) for _ in lengths]
    lines = [
        [
            f"d0 = make_naive_tensor_descriptor({lengths}, {strides})",
            f"d0 = make_naive_tensor_descriptor_packed({lengths})",
            f"d0 = make_naive_tensor_descriptor_aligned({lengths}, {draw.randint(1, 8)})",
            f"d0 = make_naive_tensor_descriptor_with_offset({lengths}, {strides}, {draw.randint(0, 40)})",
        ][kind]
    ]
    for step in range(draw.randint(1, 4)):
        transforms, lower, upper, next_lengths = [], [], [], []
        left = list(range(len(lengths)))
        draw.shuffle(left)
        while left:
            made, taken, above = _a_transform(draw, lengths, left)
            transforms.append(made)
            lower.append(taken)
            upper.append(list(range(len(next_lengths), len(next_lengths) + len(above))))
            next_lengths += above
        if transforms and draw.random() < 0.08:
            lower[0] = [*lower[0], 0]
        places = list(range(len(next_lengths)))
        draw.shuffle(places)
        upper = [[places[n] for n in group] for group in upper]
        lengths = [0] * len(places)
        for n, place in enumerate(places):
            lengths[place] = next_lengths[n]
        lines.append(f"d{step + 1} = transform_tensor_descriptor(d{step}, [{', '.join(transforms)}], {lower}, {upper})")
        if not lengths or min(lengths) < 1 or np.prod(lengths, dtype=object) > 4096 or len(lengths) > 5:
            break
    return "\n".join(lines)


def _a_transform(draw: random.Random, lengths: list[int], left: list[int]) -> tuple[str, list[int], list[int]]:
    d = left.pop()
    n = lengths[d]
    wrong = draw.random() < 0.02
    if left and draw.random() < 0.45:
        e = left.pop()
        m = lengths[e]
        name = draw.choice(["merge", "merge", "xor", "cyclic_shift", "inverse_cyclic_shift", "merge_v3"])
        if name.startswith("merge"):
            suffix = "_v3_division_mod" if name == "merge_v3" else ""
            return f"make_merge_transform{suffix}(({n}, {m + wrong}))", [d, e], [n * m]
        return f"make_{name}_transform(({n}, {m + wrong}))", [d, e], [n, m]
    a, b = draw.randint(0, 3), draw.randint(0, 3)
    choices = [
        (f"make_pass_through_transform({n + wrong})", [n]),
        (f"make_pad_transform({n}, {a}, {b})", [n + a + b]),
        (f"make_left_pad_transform({n}, {a})", [n + a]),
        (f"make_right_pad_transform({n}, {b})", [n + b]),
        (f"make_slice_transform({n}, {a}, {n - b})", [n - a - b]),
        (f"make_unmerge_transform(({n // 2}, 2))", [n // 2, 2]),
        (f"make_freeze_transform({draw.randint(0, n)})", []),
        (f"make_modulo_transform({n}, {2 * n})", [2 * n]),
        (f"make_embed_transform((2, {n}), ({a}, 1))", [2, n]),
        (f"make_offset_transform({n}, 0)", [n]),
    ]
    made, above = draw.choice(choices)
    return made, [d], above


def test_the_page_on_disk_is_what_is_generated() -> None:
    assert PAGE.read_text(encoding="utf-8") == typed_page(), "python docs/generate/typed.py makes it anew"


def test_the_examples_open_and_are_priced_and_an_own_text_is_shared_by_its_address(tab) -> None:
    assert tab.locator("#checked").text_content().endswith("sample points equal the library's.")
    assert tab.locator("#verdict").text_content() == "64 cycles, 8 without conflicts"
    for number, one in enumerate(examples()):
        tab.locator("#example").select_option(str(number))
        expected = sum(p.cycles for p in LaneAccess.of(one.descriptor, operand(32, 8)).phases)
        assert tab.locator("#verdict").text_content() == f"{expected} cycles, 8 without conflicts"
        assert tab.locator("#problem").text_content() == ""
    tab.locator("#text").fill("Sw<3,3,3> o 0 o (64,64):(64,1)")
    tab.locator("#type").select_option("f32")
    tab.locator("#start").fill("lane // 16, lane % 16 * 4")
    tab.wait_for_function(
        "() => state.access === 0 && pattern().name === 'as typed' && location.hash.includes('start')"
    )
    verdict, address = tab.locator("#verdict").text_content(), tab.url
    swizzled = cute.descriptor(cute.parse("Sw<3,3,3> o 0 o (64,64):(64,1)"))
    known = LaneAccess.of(swizzled, lambda lane, _: (lane // 16, lane % 16 * 4), dtype="f32")
    assert verdict == f"{sum(p.cycles for p in known.phases)} cycles, 8 without conflicts"
    tab.goto("about:blank")
    tab.goto(address)
    assert tab.locator("#text").input_value() == "Sw<3,3,3> o 0 o (64,64):(64,1)"
    assert tab.locator("#verdict").text_content() == verdict
    tab.locator("#text").fill("Sw<3,3,3> o 0 o (64,64:(64,1)")
    tab.wait_for_selector(".stale")
    assert tab.locator("#problem").text_content().startswith("Column 17: this parenthesis is not closed.")
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    "text",
    [
        "(4,8:(1,4)", "(4,8):(1)", "(0,4)", "Sw<3,3,1> o 0 o 8", "8:-1", "(2,(3,4)):((1,2),8)", "M", "()", "4/2",
        "make_naive_tensor_descriptor((8, 8), (8,))", "make_naive_tensor_descriptor((8, 8), (8, 1)",
        "make_nothing(3)", "make_naive_tensor_descriptor((8, pad), (8, 1))", "(((", "8:1:2",
    ],
)  # fmt: skip
def test_what_is_no_layout_is_refused_with_its_place(tab, text: str) -> None:
    with pytest.raises((LayoutError, ValueError, SyntaxError, NameError)):
        library(text)
    assert isinstance(tab.evaluate(READ, [[text, []]])[0], str)


@pytest.mark.parametrize(
    "text", ["Layout<Shape<_64,_64>,Stride<_64,_1>>{}", "make_layout(make_shape(Int<64>{}, Int<64>{}), LayoutRight{})",
             "composition(Swizzle<3,3,3>{}, Layout<Shape<_64,_64>>{})"],
)  # fmt: skip
def test_cutes_cpp_is_told_what_is_read(tab, text: str) -> None:
    assert "write the layout as CuTe prints it" in tab.evaluate(READ, [[text, []]])[0]


def test_a_line_of_tritons_ir_is_read_with_its_name(tab) -> None:
    layout = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
    alone, named = tab.evaluate(READ, [[layout, [64, 64]], [f"#shared = {layout}", [64, 64]]])
    assert alone == named
    assert not isinstance(alone, str)


def test_cpp_is_read_as_python_is(tab) -> None:
    cpp = """
        // a comment; with a semicolon
        constexpr index_t kRow = 64, kVec = 0x8; /* and another */
        static constexpr auto rows = ck_tile::make_naive_tensor_descriptor(
            make_tuple(Number<kRow>{}, number<kRow / kVec>{}, number<kVec>{}), make_tuple(kRow, kVec, I1), I8, I1);
        constexpr auto swizzled = transform_tensor_descriptor(rows,
            make_tuple(make_xor_transform(make_tuple(kRow, kRow / kVec)), make_pass_through_transform(number<kVec>{})),
            make_tuple(sequence<0, 1>{}, sequence<2>{}), make_tuple(sequence<0, 1>{}, sequence<2>{}));
        return transform_tensor_descriptor(swizzled,
            make_tuple(make_pass_through_transform(kRow), make_merge_transform(make_tuple(kRow / kVec, kVec))),
            make_tuple(Sequence<0>{}, Sequence<1, 2>{}), make_tuple(Sequence<0>{}, Sequence<1>{}));"""
    assert tab.evaluate(READ, [[cpp, []]])[0] == table(library(SWIZZLED.replace("\n    ", "")))


@pytest.mark.fuzz
def test_layouts_of_cute_are_the_librarys(tab) -> None:
    draw = random.Random(FIRST + 7)
    fixed = ["Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "SW_2_0_3 o 0 o (_4,_8):(_8,_1)", "(8):(1)", "8"]
    fixed += ["(8)", "((2))", "!fly.layout<(4,2):(2,1)>", "(2+2,4*2):(8,1)", "((1 + 1) * 2,3):(3,1)", "4:-1"]
    texts = [(text, ()) for text in (*fixed, *(a_cute(draw) for _ in range(count(80))))]
    assert agree(tab, texts) > len(texts) // 2


@pytest.mark.fuzz
def test_layouts_of_triton_are_the_librarys(tab) -> None:
    draw = random.Random(FIRST + 8)
    texts = [(text, (64, 64)) for text in TRITON] + [a_triton(draw) for _ in range(count(50))]
    assert agree(tab, texts) > len(texts) // 2


@pytest.mark.fuzz
def test_chains_of_cks_transforms_are_the_librarys(tab) -> None:
    draw = random.Random(FIRST + 9)
    texts = [(ROWS, ())] + [(a_chain(draw), ()) for _ in range(count(80))]
    assert agree(tab, texts) > len(texts) // 2


@pytest.mark.fuzz
def test_accesses_cost_what_the_library_says(tab) -> None:
    """A layout, an element type, lanes as offered or typed, a target and an instruction, all drawn."""
    draw = random.Random(FIRST + 10)
    patterns = [in_order, down, lambda v: operand(32, v), lambda v: operand(16, v)]
    typed = ["lane % 32, lane // 32 * vector", "lane // 8, lane % 8 * vector", "lane ^ lane >> 3 & 7, 0", "0, 0"]
    typed += ["lane % L0, lane // L0 * vector % L1", "(lane & 15) | 16, max(0, lane // 16 - 1) * vector"]
    layouts = ["(64,64):(64,1)", "(64,64):(72,1)", "Sw<3,3,3> o 0 o (64,64):(64,1)", "(64,64):(65,1)", ROWS, *TRITON]
    asked, expected = [], []
    for _ in range(count(150)):
        text, bits = draw.choice(layouts), draw.choice(["f16", "f32", "f8", "f64", "f4"])
        gpu = draw.choice(target_names())
        how = draw.choice(list(target(gpu).instructions))
        start, number = draw.choice([None, *typed]), draw.randrange(4)
        asked.append([text, [64, 64], DTYPES[bits].bits, start, number, gpu, how])
        made = library(text, (64, 64))
        try:
            vector, rest = divmod(8 * target(gpu).instruction(how).bytes, DTYPES[bits].bits)
            lane = var("lane", target(gpu).wave_size)
            names = {"lane": lane, "vector": const(vector), "L0": const(64), "L1": const(64)}
            index = [parse(part, names) for part in _parts(start)] if start else []
            pattern = (lambda _, __, index=index: index) if start else patterns[number](vector)
            if rest or not vector:
                raise DrawError("no whole elements")
            reached = LaneAccess.of(made, pattern, gpu, how, bits)
            if index:
                reached = LaneAccess(made, tuple(index), lane, reached.target, reached.instruction, DTYPES[bits])
            expected.append([[p.cycles, list(p.lanes), p.worst.bank] for p in reached.phases])
        except (DrawError, AccessError, LayoutError):
            expected.append(None)
    found = tab.evaluate(PRICED, asked)
    for question, here, there in zip(asked, found, expected, strict=True):
        assert here == there, question
    assert sum(one is not None for one in expected) > len(asked) // 4


def _parts(start: str) -> list[str]:
    """The expressions of a list: at its commas that are in no bracket."""
    parts, level = [""], 0
    for letter in start:
        level += {"(": 1, ")": -1}.get(letter, 0)
        parts = [*parts, ""] if letter == "," and not level else [*parts[:-1], parts[-1] + letter]
    return parts


def test_a_text_in_the_address_that_is_none_is_told_and_something_is_shown(opened) -> None:
    tab = opened(typed_page(), f"#text={quote('nothing at all')}&type=f99")
    assert "no name 'nothing'" in tab.locator("#problem").text_content()
    assert tab.locator("#verdict").text_content() == "64 cycles, 8 without conflicts"
    tab.close()

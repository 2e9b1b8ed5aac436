"""A kernel's data flow: every statement a column, every piece of data a bar, every move an arrow."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from layoutalg.draw import DrawError, dataflow
from layoutalg.index import symbol, var
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.program import (
    Barrier,
    Clear,
    Elementwise,
    Fold,
    Load,
    LoadShared,
    Loop,
    Multiply,
    Registers,
    Shared,
    Store,
    StoreShared,
)
from layoutalg.kernel.program.fragments import encoded
from layoutalg.target.matrix import matrix_instruction

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def product():
    """A sketch of a product of matrices: it is drawn, not proved; tensors and registers share names."""
    base = lds_transpose("f16", "xor", 8)
    tile = encoded([], [[4, 16], [8, 8]], [[(1, 1)], [(2, 0)]], [(1, 0), (2, 1)])
    kind, layout, origin = base.source.dtype, base.body[1].descriptor, base.origin
    a, b, c = (replace(base.source, name=name) for name in "abc")
    ra, rb, fa, fb, acc, out = (Registers(n, kind, tile) for n in ("a", "b", "a_part", "b_part", "acc", "out"))
    la, lb = Shared("a_lds", kind, 4096), Shared("b_lds", kind, 4096)
    body = (
        Load(ra, a, origin, 1), Load(rb, b, origin, 1), StoreShared(la, layout, ra, 1), StoreShared(lb, layout, rb, 1),
        Barrier(), LoadShared(fa, la, layout, 1), LoadShared(fb, lb, layout, 1),
        Multiply(acc, fa, fb, matrix_instruction("mfma_f32_32x32x8f16")), Barrier(),
    )  # fmt: skip
    loop = Loop(var("k", symbol("K", max=1024)), body)
    return replace(
        base, name="product", body=(Clear(acc), loop, Elementwise(out, "relu", (acc,)), Store(c, out, origin))
    )


def arrows(root) -> int:
    """Arrow heads: paths of the frame's colour."""
    return sum(path.get("class") == "frame" for path in root.iter(f"{SVG}path"))


@pytest.mark.parametrize("make", [lds_transpose, register_transpose])
def test_a_transposition_has_a_column_a_statement_and_an_arrow_a_move(make, texts, parsed):
    program = make()
    picture = dataflow(program)
    moves = sum(not isinstance(statement, Barrier) for statement in program.body)
    assert picture.title == f"{program.name}: {len(program.body)} statements"
    assert arrows(parsed(picture)) == moves
    assert {program.source.name, program.target.name} <= set(texts(picture))


def test_a_loop_is_bracketed_with_its_extent(product, texts):
    shown = texts(dataflow(product))
    assert "for each k below K" in shown
    assert [text for text in shown if text.startswith("9  ")] == ["9  multiply"]


def test_a_statement_has_the_number_that_its_obligations_have(product, texts):
    numbers = {text.partition("  ")[0] for text in texts(dataflow(product)) if "  " in text}
    assert numbers == {str(n) for n, statement in product.statements() if not isinstance(statement, Loop)}


def test_each_operand_has_its_arrow(product, parsed):
    assert arrows(parsed(dataflow(product))) == 2 + 2 + 2 + 2 + 1 + 1


def test_data_of_one_name_in_two_memories_are_two_bars(product, texts):
    shown = texts(dataflow(product))
    assert shown.count("a") == 2
    assert shown.count("b") == 2


def test_bars_of_one_memory_do_not_overlap(product, parsed):
    bars = [
        tuple(float(rect.get(key)) for key in ("x", "y", "width"))
        for rect in parsed(dataflow(product)).iter(f"{SVG}rect")
        if rect.get("class") in ("memory", "ball", "box")
    ]
    assert len(bars) == 3 + 6 + 2
    for n, (x, y, width) in enumerate(bars):
        for other, height, extent in bars[n + 1 :]:
            assert y != height or x + width <= other or other + extent <= x


def test_every_statement_has_a_picture(product):
    loop = product.body[1]
    drawn = {type(s) for s in (*product.body, *loop.body) if s.words[0]}
    assert drawn == {Load, Store, StoreShared, LoadShared, Barrier, Clear, Multiply, Elementwise}
    folded = replace(product, body=(Fold(product.body[0].registers, product.body[2].registers, "max"),))
    assert dataflow(folded).title == "product: 1 statement"


def test_an_unknown_statement_is_refused(product):
    @dataclass(frozen=True)
    class Prefetch:
        pass

    with pytest.raises(DrawError, match="no picture of Prefetch"):
        dataflow(replace(product, body=(Prefetch(),)))

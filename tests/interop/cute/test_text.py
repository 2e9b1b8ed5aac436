"""CuTe's notation in and out: what is read is what is written, and what is no layout is refused with its column."""

from types import SimpleNamespace

import pytest

from layoutalg.errors import LayoutError
from layoutalg.index import ParseError, symbol
from layoutalg.interop.cute import Layout, parse, tile_to_shape, upcast

WRITTEN = [
    "4:1", "(4,8):(8,1)", "((4,2),8):((2,1),16)", "(4):(1)", "((4),(3,(2))):((1),(4,(12)))", "(4,8):(0,-1)",
    "Sw<3,4,3> o 0 o (8,64):(64,1)", "Sw<2,0,-3> o 16 o 8:1",
]  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN)
def test_what_is_written_is_what_was_read(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("(_4,_8):(_8,_1)", "(4,8):(8,1)"),  # CuTe C++'s compile-time integers
        ("(4,(2,8))", "(4,(2,8)):(1,(4,8))"),
        (" ( 4 , 8 ) : ( 1 , 4 ) ", "(4,8):(1,4)"),
        ("SW_3_4_3 o 0 o 8:1", "Sw<3,4,3> o 0 o 8:1"),  # pycute's
        ("S<3,4,3> o 0 o 8:1", "Sw<3,4,3> o 0 o 8:1"),
        ("!fly.layout<(4,2):(2,1)>", "(4,2):(2,1)"),  # FlyDSL's type
        ("!fly.composed_layout<S<3,4,3> o 0 o (8,64):(64,1)>", "Sw<3,4,3> o 0 o (8,64):(64,1)"),
        ("(2*4,8):(8,1)", "(8,8):(8,1)"),
        ("Swizzle<3,4,3> o 0 o 8:1", "Sw<3,4,3> o 0 o 8:1"),
        ("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"),
        ("Sw<3,4,3> o smem_ptr[32b](unset) o (_8,_32):(_32,_1)", "Sw<3,2,3> o 0 o (8,32):(32,1)"),
        ("Swizzle<2,4,3> o smem_ptr[8b](unset) o (8,64):(64,1)", "Sw<2,4,3> o 0 o (8,64):(64,1)"),
        ("Sw<3,4,3> o smem_ptr[4b](unset) o (8,256):(256,1)", "Sw<3,5,3> o 0 o (8,256):(256,1)"),
    ],
)
def test_other_ways_of_writing(text: str, same: str) -> None:
    assert str(parse(text)) == same


def test_names_are_sizes() -> None:
    m, n = symbol("M"), symbol("N")
    assert parse("(M,(N+1)*8):((N+1)*8,1)", {"M": m, "N": n}) == Layout((m, (n + 1) * 8), ((n + 1) * 8, 1))
    assert parse("((M+1),2):(1,2)", {"M": m}) == Layout((m + 1, 2), (1, 2))


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("", 1, "a number, a size or a tuple"),
        ("(4,8:(1,4)", 5, "',' or ')' is wanted here"),
        ("(4,8):(1,4", 7, "not closed"),
        ("(4,8)):(1,4)", 7, "the end of the layout"),
        ("(4,,8):(1,4,5)", 4, "a number, a size or a tuple"),
        ("(4,x):(1,2)", 4, "no symbol 'x'"),
        ("(4,8):(1,4):3", 12, "the layout ends here"),
        ("(4,8):", 7, "a number, a size or a tuple"),
        ("(1.5):1", 2, "1.5 is not an integer"),
        ("(4,8):(1,4,2)", 1, "stride (1,4,2) for shape (4,8): they are trees of one form"),
        ("(4,0):(1,1)", 1, "a shape of 0: it is at least 1"),
        ("():()", 1, "a shape without modes"),
        ("Sw<3,4,2> o 0 o 8:1", 1, "the shift at least as great as the bits"),
        ("Sw<3,4,3> o (8,64):(64,1)", 13, "followed by an offset and a layout"),
        ("Sw<3,60,3> o 0 o 8:1", 1, "beyond 62 bits"),
        ("(" * 50 + "1" + ")" * 50, 34, "nested more than 32 deep"),
        ("(4,8)(1,4)", 1, "cannot be called"),
        ("!fly.layout<(4,?):(1,4)>", 16, "'?' is a size without a name"),
        ("1" * 11_000, 10_000, "at most 10000 characters"),
    ],
)
def test_what_is_no_layout_is_refused_where_it_is_not(text: str, column: int, reason: str) -> None:
    with pytest.raises(ParseError) as refused:
        parse(text)
    assert refused.value.column == column
    assert reason in str(refused.value)


def test_objects_of_other_packages() -> None:
    layout = SimpleNamespace(shape=(4, (2, 8)), stride=(2, (1, 8)))
    assert str(parse(layout)) == "(4,(2,8)):(2,(1,8))"
    swizzle = SimpleNamespace(bits=3, base=4, shift=3)
    composed = SimpleNamespace(layoutB=swizzle, offset=0, layoutA=layout)
    assert str(parse(composed)) == "Sw<3,4,3> o 0 o (4,(2,8)):(2,(1,8))"
    assert parse(parse(layout)) == parse(layout)


@pytest.mark.parametrize("given", [None, 3.5, object(), SimpleNamespace(shape=(4, 8), stride=(1,))])
def test_other_objects_are_refused(given: object) -> None:
    with pytest.raises(LayoutError):
        parse(given)


def test_an_atom_of_bits_is_what_a_pointer_of_elements_says() -> None:
    """CUTLASS: GMMA's atoms are laid out in bits, upcast to elements, and swizzled by the byte."""
    atom = upcast(parse("(8,1024):(1024,1)"), 16)
    assert str(parse(f"Sw<3,4,3> o smem_ptr[16b](unset) o {atom}")) == "Sw<3,3,3> o 0 o (8,64):(64,1)"
    of_bits = upcast(parse("Sw<3,7,3> o 0 o (8,1024):(1024,1)"), 16)
    assert of_bits == parse("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)")
    tile = tile_to_shape(of_bits, (128, 64))
    assert str(tile) == "Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))"


def test_a_pointer_of_odd_elements_is_refused() -> None:
    with pytest.raises(ParseError, match="powers of two are wanted"):
        parse("Sw<3,4,3> o smem_ptr[6b](unset) o 8:1")

"""A `[launch]` table: what it says comes out as data, and what is wrong in one has its line and a remedy."""

from __future__ import annotations

import json
import tomllib

import pytest

from layoutalg.formats import SpecError, dump, loads
from layoutalg.formats.launch import Given, Number, Pointer, Struct, Unused

TEXT = """
symbols = { M = { min = 1, max = 20000 }, N = { min = 1, max = 20000 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "naive", lengths = ["M", "N"], strides = ["N", 1] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "naive", lengths = ["N", "M"], strides = ["M", 1] }
[launch]
grid = ["(M + 63) // 64", "(N + 63) // 64"]
block = [256]
arguments = ["x", "o", "M", { fields = ["x", { name = "alpha", dtype = "f32" }] }, { unused = true }, { bytes = 4 }]
writes = ["o"]
assume = ["x[i, j] <= N - 1"]
initially = ["o[i, j] == 0"]
"""


def test_a_launch_is_data() -> None:
    file = loads(TEXT)
    launch = file.launch
    assert launch
    alpha = Given("alpha", dtype="f32")
    assert launch.arguments == (
        Pointer("x"), Pointer("o"), Number(file.symbols["M"]), Struct((Pointer("x"), alpha)), Unused(), Given("5", 4),
    )  # fmt: skip
    assert (launch.tensors, launch.writes, launch.kernel, launch.lds) == (("x", "o"), ("o",), None, 0)
    assert launch.given == (alpha, Given("5", 4))
    assert [one.text for one in launch.assume] == ["x[i, j] <= N - 1"]
    assert [one.text for one in launch.initially] == ["o[i, j] == 0"]
    assert launch.line == 11


def test_json_says_the_same() -> None:
    again = loads(json.dumps(tomllib.loads(TEXT)), is_json=True)
    assert dump(again) == dump(loads(TEXT))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("block = [256]", "", "11:1: launch: the key 'block' is missing: a list"),
        ("block = [256]", "block = [8, 8, 2, 2]", "13:1: launch.block: a list of 1…3 entries is expected, not of 4"),
        ("block = [256]", "blocks = [256]", "launch.blocks: unknown key 'blocks'; did you mean 'block'?"),
        ('"o", "M"', '"q", "M"', "launch.arguments[1]: 'q' is no descriptor, and as an expression: .*are x"),
        ('"o", "M"', '"o", "M +"', "launch.arguments[2]: 'M \\+' is no descriptor, and as an expression: "),
        ('writes = ["o"]', 'writes = ["out"]', "'out' is not a descriptor among the arguments; give one of x, o"),
        ('writes = ["o"]', 'writes = ["o"]\neach = ["o"]', "launch.each[0]: 'o' is not a size of this file"),
        ('writes = ["o"]', "writes = [3]", "launch.writes[0]: a name .* is expected, not 3"),
        ('"x[i, j] <= N - 1"', '"beta[0, 0] <= N - 1"', "beta is no tensor of the launch; .'x', 'o'. are"),
        ('"x[i, j] <= N - 1"', '{ of = "x", max = 3 }', "a text is expected, not a table"),
        ('"x[i, j] <= N - 1"', '"x[i, j] != x[k, l] for i != k"', "of fractions one by itself is assumed"),
        ('"x[i, j] <= N - 1"', '"x[i, 0, 1] <= N"', "assume.0.: 'x.i, 0, 1. <= N', column 1: x has 2 dim"),
        ('"x[i, j] <= N - 1"', '"x[i, 2 * j] <= N"', "a subscript is an index and a number, such as i . 1"),
        ('"x[i, j] <= N - 1"', '"x[i, x[0, 0]] <= N"', "in a subscript stand indices, sizes and numbers"),
        ('"x[i, j] <= N - 1"', '"y[i, 0] <= N"', "no symbol 'i'"),
        ('"x[i, j] <= N - 1"', '"x[i, 0] + N"', "is a number; a condition is wanted, such as 0 <= x"),
        ('"x[i, j] <= N - 1"', '"M <= N"', "speaks of no element x.i. and of no named value"),
        ('"x[i, j] <= N - 1"', '"x[i, 0] > 0 for i < 4 for i > 2"', "one `for` says where it holds"),
        ('"x[i, j] <= N - 1"', '"x[i, 0] <= k"', "no symbol 'k'; known here: M, N, alpha, 5, i"),
        ('"o[i, j] == 0"', '"x[i, j] == 0"', "speaks of no tensor of `writes`: say it in `assume`"),
        ('writes = ["o"]', 'writes = ["o"]\npoints = { q = "o" }', "'q' is not a descriptor among the arguments"),
        ('writes = ["o"]', 'writes = ["o"]\npoints = { x = "o" }', "x holds addresses: its dtype is u64 or i64"),
        ("{ unused = true }", "{ unused = false }", "an argument that is used is a descriptor or a value"),
        ("{ unused = true }", "{}", "a table with one of the keys 'fields', .* is expected, not an empty one"),
        ("{ unused = true }", '{ byte = 4 }', "is expected, not 'byte'"),
        ("{ bytes = 4 }", '{ bytes = 4, dtype = "f32" }', "unknown key 'dtype'"),
        ("{ bytes = 4 }", '{ name = "b", bytes = 4, dtype = "f32" }', "dtype = 'f32' says how many bytes; leave one"),
        ("{ bytes = 4 }", '{ dtype = "f33" }', "'f33' is none of .* did you mean 'f32'"),
        ('{ name = "alpha", dtype = "f32" }', '"N"', 'a field of a struct says its size: { value = "N", bytes = 4 }'),
        ('{ name = "alpha", dtype = "f32" }', "{ bytes = 4 }", "a value in a struct is given by its name"),
        ('{ name = "alpha", dtype = "f32" }', "{ unused = true }", "a field of a struct says its size"),
        ('dtype = "f32"\nbase', "base", "3:1: descriptor.0.: x is an argument of the launch, and needs a dtype"),
        ('dtype = "f32"\nbase', 'dtype = "i4"\nbase', "x is an argument of the launch, and needs a dtype"),
        ('kind = "naive", lengths = ["N", "M"], strides = ["M", 1]', 'kind = "descriptor", name = "x"',
         "o is built on x: a kernel's tensor has its own memory; give its base in full"),
        ('name = "x"', 'name = "M"', "M is both a descriptor and a symbol of this file"),
    ],
)  # fmt: skip
def test_what_is_wrong_has_a_line_and_a_remedy(old: str, new: str, message: str) -> None:
    text = TEXT.replace(old, new, 1).replace('"x", "o"', '"M", "o"') if new == 'name = "M"' else TEXT.replace(old, new)
    assert text != TEXT
    pattern = message.replace("[", r"\[").replace("{", r"\{").replace("}", r"\}")
    with pytest.raises(SpecError, match=pattern) as caught:
        loads(text, "bad.toml")
    assert caught.value.file == "bad.toml"
    assert caught.value.line

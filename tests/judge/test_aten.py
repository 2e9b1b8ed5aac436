"""Equations of PyTorch's operations, beside what PyTorch gave (`recorded_graphs`)."""

import json
import math

import numpy as np
import pytest

from layoutalg.audit.meaning.evaluation import Content, evaluated
from layoutalg.formats.equations import EquationNames, equation
from layoutalg.index import symbol
from layoutalg.index.parse import parse
from layoutalg.judge.aten import OPERATIONS
from layoutalg.judge.exported import weight
from layoutalg.judge.graph import Graph, NodeName, TensorNode, UnsaidError
from tests.judge.recorded_graphs import CASES, FILE, SIZES, arrays, lengths, read, shape

RECORDED = json.loads(FILE.read_text())

#: What no equation says, and how that is told.
UNSAID = {
    "torch.lgamma(x)": "aten.lgamma.default",
    "x.argmax(1)": "aten.argmax.default",
    "F.avg_pool1d(x, 3, padding=1, count_include_pad=False)": "with count_include_pad = False",
    "F.max_pool2d(x, 2, ceil_mode=True)": "with ceil_mode = True",
}


def said(text: str) -> str:
    (found,) = read(RECORDED[text]["graph"]).equations(OPERATIONS, SIZES)
    return found


def test_each_is_recorded() -> None:
    assert [*RECORDED] == [*CASES]


@pytest.mark.parametrize("text", [text for text in CASES if text not in UNSAID])
def test_an_equation_gives_what_pytorch_gives(text: str) -> None:
    taken, gives = CASES[text]
    symbols = {name: symbol(name, min=1, max=1000) for name in SIZES}
    tensors = {
        name: ("f32", tuple(parse(one, symbols) for one in lengths(of))) for name, of in [*taken.items(), ("o", gives)]
    }
    values = {name: "f32" for name, of in taken.items() if not of}
    named = EquationNames({name: one for name, one in tensors.items() if name not in values}, symbols, values)
    given = arrays(taken)
    contents = {
        name: Content(one, np.ones(one.shape, bool))
        for name, one in [*given.items(), ("o", np.zeros(shape(gives), "f4"))]
    }
    wanted, defined = evaluated(equation(said(text), named), contents, SIZES, {name: given[name] for name in values})
    assert defined.all()
    assert wanted.shape == shape(gives)
    assert np.allclose(wanted.flatten(), RECORDED[text]["gives"], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("text", "why"), UNSAID.items())
def test_what_no_equation_says_is_named(text: str, why: str) -> None:
    with pytest.raises(UnsaidError, match=why.replace(".", r"\.")):
        said(text)


def test_a_weight_is_the_tensor_of_its_name() -> None:
    assert weight("layers.0.weight", ["x", "layers_0_weight", "weight"]) == "layers_0_weight"


@pytest.mark.parametrize(
    ("operation", "operands", "types", "why"),
    [
        ("aten.sum.dim_IntList", {"self": NodeName("x"), "dim": [0], "dtype": "int64"}, ("f32", "f32", "i64"),
         "aten.sum.dim_IntList of f32 as i64"),
        ("aten.lt.Tensor", {"self": NodeName("x"), "other": NodeName("y")}, ("i32", "f32", "bool"),
         "aten.lt.Tensor of f32 and i32"),
        ("aten.sum.dim_IntList", {"self": NodeName("x"), "dim": [0], "dtype": "float16"}, ("f32", "f32", "f16"),
         "aten.sum.dim_IntList of f32 as f16"),
        ("aten.add.Tensor", {"self": NodeName("x"), "other": 1 << 31}, ("i32", "f32", "i32"), "2147483648 of i32"),
        ("aten.leaky_relu.default", {"self": NodeName("x"), "negative_slope": 1e-8}, ("f16", "f32", "f16"),
         "1e-08 of f16"),
        ("aten.leaky_relu.default", {"self": NodeName("x"), "negative_slope": 7e4}, ("f16", "f32", "f16"),
         "70000.0 of f16"),
        ("aten.select.int", {"self": NodeName("x"), "dim": 0, "index": NodeName("half")}, ("f32", "f32", "f32"),
         "the element at half"),
        ("aten.add.Tensor", {"self": NodeName("x"), "other": math.inf}, ("i32", "f32", "i32"), "inf of i32"),
    ],
)  # fmt: skip
def test_what_another_type_would_cut_is_not_said(
    operation: str, operands: dict[str, object], types: tuple[str, str, str], why: str
) -> None:
    lengths = ("m",) if types[2] == "bool" or operation.startswith(("aten.add", "aten.leaky")) else ()
    node = TensorNode("s", operation, operands, lengths, types[2])
    taken = {name: TensorNode(name, "", {}, ("m",), own) for name, own in zip("xy", types[:2], strict=True)}
    with pytest.raises(UnsaidError, match=f"no equation says {why}"):
        Graph((node,), taken, {"o": "s"}).equations(OPERATIONS)


@pytest.mark.parametrize(
    ("operation", "other", "types", "wanted"),
    [
        ("aten.eq.Scalar", 16777216.0, ("i32", "bool"), "f32(x[i0]) == 16777216.0"),  # of 16777217, too
        ("aten.eq.Scalar", 16777216, ("i32", "bool"), "x[i0] == 16777216"),
        ("aten.lt.Scalar", 0.5, ("i32", "bool"), "f32(x[i0]) < 0.5"),
        ("aten.lt.Scalar", 0.1, ("f16", "bool"), "x[i0] < 0.1"),
        ("aten.mul.Tensor", NodeName("y"), ("f16", "f16"), "f32(x[i0]) * y"),
        ("aten.mul.Tensor", 70000.0, ("f16", "f16"), "f32(x[i0]) * 70000.0"),
        ("aten.mul.Tensor", 0.1, ("f16", "f16"), "f32(x[i0]) * 0.1"),
        ("aten.mul.Tensor", 0.5, ("f16", "f16"), "x[i0] * 0.5"),
    ],
)
def test_what_is_done_in_f32_is_said_so(
    operation: str, other: float | NodeName, types: tuple[str, str], wanted: str
) -> None:
    node = TensorNode("s", operation, {"self": NodeName("x"), "other": other}, ("m",), types[1])
    taken = {"x": TensorNode("x", "", {}, ("m",), types[0]), "y": TensorNode("y", "", {}, (), "f32")}
    (found,) = Graph((node,), taken, {"o": "s"}).equations(OPERATIONS)
    narrowed = f"f16(({wanted}))" if types[1] == "f16" and "f32" in wanted else f"({wanted})"
    assert found == f"o[i0] = {narrowed}"


def test_a_number_that_sizes_make_is_not_said() -> None:
    node = TensorNode("s", "aten.mul.Tensor", {"self": NodeName("x"), "other": NodeName("truediv")}, ("m",), "f32")
    with pytest.raises(UnsaidError, match="no equation says truediv, which is no tensor"):
        Graph((node,), {"x": TensorNode("x", "", {}, ("m",), "f32")}, {"o": "s"}).equations(OPERATIONS)

"""References in PyTorch, where it is installed: `pip install torch` beside the tests; `test_aten` needs none."""

import json
from pathlib import Path

import pytest

from layoutalg.errors import LaunchError
from layoutalg.formats import loads
from layoutalg.judge.exported import TakenTensor
from layoutalg.judge.function import ReferenceFunction
from layoutalg.judge.graph import UnsaidError
from tests.cli.command import refused, run

torch = pytest.importorskip("torch", reason="PyTorch is no part of layoutalg")

KERNELS = Path(__file__).parent / "kernels"
CONVOLUTION = (
    "--shape", "x=c,m+2,n+2", "--shape", "w=f,c,3,3", "--shape", "bias=f", "--shape", "o=f,m,n",
    "--given", "c <= 64", "--given", "f <= 64", "--given", "m <= 1000", "--given", "n <= 1000",
)  # fmt: skip
MODULE = """
import torch

class Model(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels, 5, 3)

    def forward(self, x):
        return self.conv(x[None])[0]

def get_init_inputs():
    return [4]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "model.py"
    path.write_text(text)
    return path


def test_a_convolution_is_proved_for_all_sizes(tmp_path: Path) -> None:
    model = written(tmp_path, "import torch\ndef reference(x, w, bias):\n"
                    "    return torch.nn.functional.conv2d(x[None], w, bias)[0]\n")  # fmt: skip
    done = run("judge", KERNELS / "conv2d.hip", "--reference", model, *CONVOLUTION, "--json")
    found = json.loads(done.stdout)
    assert found["verdict"] == "proved", found["rows"]
    assert found["contract"]["launch"]["computes"][0].startswith("o[i0, i1, i2] = ((sum[r0 < c, r1 < 3, r2 < 3] x[")


def test_a_module_has_the_weights_that_the_kernel_takes(tmp_path: Path) -> None:
    shapes = ("--shape", "x=4,m+2,n+2", "--shape", "w=5,4,3,3", "--shape", "bias=5", "--shape", "o=5,m,n")
    given = ("--given", "c == 4", "--given", "f == 5", "--given", "m <= 1000", "--given", "n <= 1000")
    model = written(tmp_path, MODULE)
    done = run("judge", KERNELS / "conv2d.hip", "--reference", model, *shapes, *given, "--grid", "(n + 63) // 64, m, 5",
               "--json")  # fmt: skip
    found = json.loads(done.stdout)
    assert found["verdict"] == "proved", found["rows"]


def test_a_reference_of_one_size_is_refused(tmp_path: Path) -> None:
    model = written(tmp_path, "import torch\ndef reference(x):\n    return x.reshape(4, 16).sum(1)\n")
    done = run("judge", KERNELS / "sums.hip", "--reference", model, "--shape", "x=m,k", "--shape", "o=m")
    refused(done, "model.py raises RuntimeError: shape '[4, 16]' is invalid")


def test_what_no_equation_says_is_tried(tmp_path: Path) -> None:
    model = written(tmp_path, "import torch\ndef reference(x, alpha):\n    return x * alpha + 0 * torch.lgamma(x)\n")
    done = run("judge", KERNELS / "scale.hip", "--reference", model, "--shape", "x=n", "--shape", "o=n", "--json")
    found = json.loads(done.stdout)
    assert {row["row"]: row["verdict"] for row in found["rows"]}["result"] == "tried"
    assert "the reference is only tried: no equation says aten.lgamma.default" in found["notes"]


FILE = loads("symbols = { m = { min = 1, max = 4096 }, n = { min = 1, max = 4096 } }")
SQUARE = {name: TakenTensor("f32", ("m", "n")) for name in ("x", "o")}


def said(
    folder: Path, body: str, tensors: dict[str, TakenTensor] = SQUARE, writes: tuple[str, ...] = ("o",)
) -> tuple[str, ...]:
    taken = ", ".join(name for name in tensors if name not in writes)
    path = written(folder, f"import torch\ndef reference({taken}):\n    {body}\n")
    return ReferenceFunction.of(path).equations(tensors, writes, FILE)


def test_an_equation_of_all_sizes_is_tried_at_one(tmp_path: Path) -> None:
    assert said(tmp_path, "return x * 2") == ("o[i0, i1] = (x[i0, i1] * 2.0)",)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("x.shape[0] > 3", "at m = 1, n = 11: the reference says something else"),
        ("x.shape[0] == 1", "at m = 1, n = 11: the reference says something else"),
        ("x.shape[1] != 20", "at m = 1, n = 20: the reference says something else"),
        ("x.shape[0] != 1 or x.shape[1] <= 100", r"else where not \(n\) <= 100, at m = 1"),
        ("x.shape[0] != 3 or x.shape[1] % 11 != 3", r"else where not .*, at m = 3"),
        ("x.shape[0] < 20", "something else where not"),
        ("x.shape[0] % 2 == 0", "something else where not"),
        ("x.shape[0] < x.shape[1]", "something else where not"),
        ("x.squeeze().dim() == 2", "at m = 1, n = 11: the reference says something else"),
    ],
)
def test_a_branch_by_a_size_is_no_equation(tmp_path: Path, asked: str, why: str) -> None:
    with pytest.raises(UnsaidError, match=why):
        said(tmp_path, f"return x * 2 if {asked} else x")


def test_sizes_without_results_are_none(tmp_path: Path) -> None:
    lengths = {"x": ("1", "m", "n"), "w": ("1", "1", "3", "3"), "o": ("1", "m-2", "n-2")}
    tensors = {name: TakenTensor("f32", own) for name, own in lengths.items()}
    (found,) = said(tmp_path, "return torch.nn.functional.conv2d(x[None], w)[0]", tensors)
    assert found == "o[i0, i1, i2] = (sum[r0 < 3, r1 < 3] x[0, i1 + r0, i2 + r1] * w[i0, 0, r0, r1])"


def test_a_number_made_of_sizes_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(UnsaidError, match=r"no equation says sym_size.* as a number"):
        said(tmp_path, "return x.clamp(max=x.shape[0])")


def test_what_is_given_by_name_has_its_own_equation(tmp_path: Path) -> None:
    tensors = {name: TakenTensor("f32", ("m",)) for name in ("x", "o", "p")}
    found = said(tmp_path, "return {'p': x + 1, 'o': x - 1}", tensors, ("o", "p"))
    assert found == ("p[i0] = (x[i0] + 1.0)", "o[i1] = (x[i1] - 1.0)")


def test_a_reference_that_changes_what_it_takes_is_no_equation(tmp_path: Path) -> None:
    with pytest.raises(UnsaidError, match="changes x"):
        said(tmp_path, "x.mul_(2); return x + 1")


def test_two_weights_are_not_one_tensor(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = torch.nn.Linear(4, 4, bias=False), torch.nn.Linear(4, 4, bias=False)

    def forward(self, x):
        return self.two(self.one(x))
""",
    )
    tensors = {"x": TakenTensor("f32", ("m", "4")), "w": TakenTensor("f32", ("4", "4"))}
    with pytest.raises(LaunchError, match="several tensors that are w here"):
        ReferenceFunction.of(path).equations({**tensors, "o": tensors["x"]}, ("o",), FILE)

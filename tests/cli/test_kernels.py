"""`run`, `emit` and `compile` of every kernel: right against numpy, and every bad input one line with exit code 3."""

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from layoutalg.kernel.library import kernels
from layoutalg.target.elements import from_bits, to_bits
from tests.cli.command import refused, run

VIEWS = "".join(
    f'[[descriptor]]\nname = "{name}"\nbase = {{ kind = "naive", lengths = {lengths}, strides = {strides} }}\n'
    for name, lengths, strides in (
        ("rows", [33, 20], [20, 1]), ("over", [33, 20], [10, 1]), ("turned", [20, 33], [33, 1]),
    )
)  # fmt: skip


@pytest.fixture
def arrays(tmp_path: Path) -> Path:
    random = np.random.default_rng(6)
    shapes = {"x": (3, 5, 7, 9), "a": (20, 5, 7), "b": (7, 5, 6, 11), "image": (2, 9, 10, 4), "filter": (6, 3, 3, 2),
              "m": (33, 20), "bias": (20,), "q": (20, 20)}  # fmt: skip
    for name, shape in shapes.items():
        np.save(tmp_path / f"{name}.npy", random.standard_normal(shape).astype(np.float32))
    np.save(tmp_path / "empty.npy", np.zeros((0, 4), np.float32))
    np.save(tmp_path / "double.npy", np.zeros((4, 4)))
    np.save(tmp_path / "half.npy", random.standard_normal((20, 20)).astype(np.float16))
    np.save(tmp_path / "bits.npy", to_bits(random.standard_normal((20, 20)).astype(np.float32)))
    return tmp_path


def loaded(folder: Path, name: str) -> Any:
    return np.load(folder / f"{name}.npy")


def test_every_kernel_of_the_library_is_a_command_of_both() -> None:
    for group in ("run", "emit"):
        shown = run(group, "--help").stdout
        assert all(f" {name} " in shown for name in kernels())


def test_permute_as_the_readme_says(arrays: Path) -> None:
    out = arrays / "y.npy"
    result = run("run", "permute", "--axes", "0,2,3,1", "--input", arrays / "x.npy", "--output", out, "--device", "cpu")
    assert result.returncode == 0, result.stderr
    assert "exact against numpy" in result.stdout
    assert np.array_equal(np.load(out), loaded(arrays, "x").transpose(0, 2, 3, 1))


def test_a_contraction_reports_its_error(arrays: Path) -> None:
    out = arrays / "d.npy"
    result = run("run", "contraction", "--einsum", "ijk,kjmn->imn", "--a", arrays / "a.npy", "--b", arrays / "b.npy",
                 "--output", out, "--device", "cpu", "--json")  # fmt: skip
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["max_error"] <= report["allowed_error"] == 1e-5
    wanted = np.einsum("ijk,kjmn->imn", loaded(arrays, "a"), loaded(arrays, "b"))
    assert np.allclose(np.load(out), wanted, atol=1e-4)


dear = functools.partial(pytest.param, marks=pytest.mark.slow)


@pytest.mark.parametrize("arguments", [
    ("gemm", "--a", "m", "--b", "q", "--bias", "bias", "--relu"),
    dear(("gemm", "--a", "bits", "--b", "bits")),
    dear(("gemm", "--a", "half", "--b", "half", "--result", "f32")),
    ("conv", "--stride", "2", "--pad", "1", "--groups", "2", "--input", "image", "--weight", "filter"),
    dear(("reduce", "--axes", "0,2", "--how", "max", "--input", "x")),
    dear(("reduce", "--axes", "1", "--input", "bits")),
    ("pad", "--left", "1,0,2,0", "--right", "1", "--input", "x"),
    dear(("slice", "--begin", "1,0,2,3", "--end", "3,4,7,5", "--input", "x")),
    dear(("im2col", "--filter", "3,2", "--pad", "1", "--input", "image")),
    ("batched_transpose", "--input", "a"),
], ids=" ".join)  # fmt: skip
def test_gemm_convolution_and_reduction(arguments: tuple[str, ...], arrays: Path) -> None:
    files = {path.stem: path for path in arrays.glob("*.npy")}
    given = [files.get(part, part) for part in arguments]
    result = run("run", *given, "--output", arrays / "y.npy", "--device", "cpu")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "against numpy" in result.stdout


@pytest.mark.parametrize(("to", "given"), [("bf16", "m"), dear("f32", "bits")])
def test_a_conversion_is_that_of_the_elements(to: str, given: str, arrays: Path) -> None:
    run("run", "cast", "--to", to, "--input", arrays / f"{given}.npy", "--output", arrays / "y.npy", "--device", "cpu")
    convert = {"bf16": to_bits, "f32": from_bits}[to]
    assert np.array_equal(np.load(arrays / "y.npy"), convert(loaded(arrays, given)))


def test_a_copy_between_two_descriptors_of_a_file(arrays: Path) -> None:
    spec = arrays / "views.toml"
    spec.write_text(
        "symbols = { M = { min = 1, max = 4096 } }\n"
        '[[descriptor]]\nname = "rows"\nbase = { kind = "naive", lengths = ["M", 20], strides = [20, 1] }\n'
        '[[descriptor]]\nname = "columns"\nbase = { kind = "naive", lengths = ["M", 20], strides = [1, "M"] }\n'
    )
    common = ("--spec", spec, "--from", "rows", "--to", "columns", "--input", arrays / "m.npy", "--output",
              arrays / "y.npy", "--device", "cpu")  # fmt: skip
    refused(run("run", "copy", *common), "M", "-D NAME=VALUE")
    result = run("run", "copy", *common, "-D", "M=33")
    assert result.returncode == 0, result.stderr
    assert np.array_equal(np.load(arrays / "y.npy"), loaded(arrays, "m").T.ravel())


@pytest.mark.parametrize(
    "arguments",
    [
        dear(("contraction", "--einsum", "ik,kj->ij", "--dtype", "f16")),
        dear(("gemm", "--bias", "--relu")),
        dear(("conv", "--filter", "3,3", "--pad", "1", "--dtype", "bf16", "--vector", "8")),
        dear(("permute", "--axes", "2,0,1")),
        ("reduce", "--kinds", "rk", "--how", "max"),
        dear(("im2col", "--filter", "3")),
        ("pad", "--left", "1,1", "--right", "0,2"),
        dear(("slice", "--begin", "1,2")),
        ("cast", "--to", "f16", "--vector", "4"),
    ],
)
def test_emit_then_compile(arguments: tuple[str, ...], tmp_path: Path) -> None:
    source = tmp_path / "k.hip"
    emitted = run("emit", *arguments, "--target", "gfx942", "-o", source)
    assert emitted.returncode == 0, emitted.stderr
    assert "every obligation below is proved" in source.read_text()
    result = run("compile", source, "--target", "gfx942", "-o", tmp_path / "k.co", "--json")
    (kernel,) = json.loads(result.stdout)["kernels"].values()
    assert kernel["spills"] == 0


def test_an_error_is_shown_at_its_line_and_every_one_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path below the working folder is named from there; JSON has the one line."""
    monkeypatch.chdir(tmp_path)
    text = '#include "layoutalg_device.h"\n__global__ void k(int* a) {\n  a[0] = one;\n  a[1] = two;\n}\n'
    (tmp_path / "k.hip").write_text(text)
    result = run("compile", tmp_path / "k.hip", "--json")
    line = "k.hip:3:10: error: use of undeclared identifier 'one'"
    assert json.loads(result.stdout) == {"error": line, "exit": 3}
    shown = ["    3 |   a[0] = one;", "      |          ^~~"]
    assert result.stderr.splitlines() == [
        f"layoutalg: {line}", *shown, "1 more error: --all-errors shows every one"
    ]  # fmt: skip
    every = run("compile", "k.hip", "--all-errors").stderr.splitlines()
    assert every[:3] == [f"layoutalg: {line}", *shown]
    assert every[3] == "k.hip:4:10: error: use of undeclared identifier 'two'"
    assert not (tmp_path / "k.co").exists()


def test_a_source_may_be_of_a_later_standard(tmp_path: Path) -> None:
    kernel = "__global__ void k(int* a) { a[0] = []<int N>() { return N; }.operator()<2>(); }\n"
    (tmp_path / "k.hip").write_text('#include "layoutalg_device.h"\n' + kernel)
    assert run("compile", tmp_path / "k.hip", "--std", "c++20", "-o", tmp_path / "k.co").stdout.startswith("k for")
    result = run("compile", tmp_path / "k.hip", "--std", "c++1999")
    assert result.stderr.startswith(
        f"layoutalg: {tmp_path / 'k.hip'}: error: invalid value 'c++1999' in '-std=c++1999'"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("contraction", "--einsum", "ik,kj->ij", "--a", "m", "--b", "m"), ("'k' is 20 in the first operand and 33",)),
        (("contraction", "--einsum", "ik,kj", "--a", "m", "--b", "q"), ("two operands and a result",)),
        (("contraction", "--einsum", "ii,ij->j", "--a", "q", "--b", "q"), ("twice",)),
        (("contraction", "--einsum", "ij,jk->ik", "--a", "m", "--b", "half"), ("f16", "give one type")),
        (("gemm", "--a", "m", "--b", "q", "--bias", "half"), ("2 dimensions",)),
        (("permute", "--axes", "0,1,2", "--input", "x"), ("0,1,2,3",)),
        (("permute", "--axes", "0,one", "--input", "x"), ("integers with commas",)),
        (("reduce", "--axes", "4", "--input", "x"), ("give each once",)),
        (("reduce", "--axes", "0", "--how", "mean", "--input", "x"), ("sum or max",)),
        (("conv", "--input", "image", "--weight", "filter"), ("want a filter of 4 channels; it has 2",)),
        (("conv", "--input", "image", "--weight", "filter", "--groups", "2", "--stride", "0"), ("at least 1",)),
        (("slice", "--begin", "0,0,0,9", "--end", "1,1,1,9", "--input", "x"), ("dimension 3",)),
        (("pad", "--left", "1,1", "--input", "x"), ("one number, or one for each",)),
        (("cast", "--to", "f8", "--input", "m"), ("f8", "bf16")),
        (("contraction", "--einsum", "ik;kj", "--a", "m", "--b", "q"), ("two operands and a result",)),
        (("reduce", "--axes", "0", "--input", "empty"), ("shape (0, 4) has no elements",)),
        (("gemm", "--a", "double", "--b", "double"), ("float64", "float32 (f32)")),
        (
            ("copy", "--spec", "views", "--from", "rows", "--to", "over", "--input", "m"),
            ("no element has two coordinates",),
        ),
        (("copy", "--spec", "views", "--from", "rows", "--to", "turned", "--input", "m"), ("shapes agree is refuted",)),
        (("nothing", "--input", "m"), ("nothing", "contraction")),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], words: tuple[str, ...], arrays: Path) -> None:
    (arrays / "views.toml").write_text(VIEWS)
    files = {path.stem: path for path in (*arrays.glob("*.npy"), arrays / "views.toml")}
    given = [files.get(part, part) for part in arguments]
    out = arrays / "y.npy"
    refused(run("run", *given, "--output", out, "--device", "cpu"), *words)
    assert not out.exists()


def test_a_vector_beyond_16_bytes_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "k.hip"
    refused(
        run("emit", "gemm", "--dtype", "f16", "--vector", "16", "-o", source), "vectors of 16 f16", "up to 16 bytes"
    )
    assert not source.exists()

"""Epilogues of contractions: CK's example 26 and its kin, proved, exact on the CPU and in machine code."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit
from layoutalg.kernel.library import kernels
from layoutalg.kernel.library.contraction import contraction, contraction_task
from layoutalg.kernel.library.einsum import merged, parse_einsum
from layoutalg.kernel.library.epilogues import EPILOGUES, Epilogue, d_tensors, epilogue_named, finished, scalars_of
from layoutalg.kernel.program import Compute, Contract, Program, Read
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import report
from tests.matrix import turns

EXAMPLE = "ijk,kjmn->imn"
SHAPES = (20, 5, 7), (7, 5, 6, 11)


def example(name: str, target: str, dtype: str = "f32") -> Program:
    letters = merged(parse_einsum(EXAMPLE))
    return contraction(letters, dtype, target=target, epilogue=Epilogue(name, d_tensors(letters.result, name, dtype)))


@pytest.mark.parametrize("name", [n if n == "Bilinear" else pytest.param(n, marks=pytest.mark.slow) for n in EPILOGUES])
def test_every_epilogue_is_proved_for_all_sizes(name: str) -> None:
    for target in ("cpu", "gfx942"):
        assert verify(example(name, target)).failures == ()


@pytest.mark.parametrize("letters", [*(pytest.param(d, marks=pytest.mark.slow) for d in ("in,m", "nmi,i")), "n,mi"])
def test_ds_that_lack_letters_are_proved(letters: str) -> None:
    einsum = parse_einsum(EXAMPLE)
    ds = d_tensors(einsum.result, "AddMultiply", "f16", letters)
    assert verify(contraction(einsum, "f16", target="gfx942", epilogue=Epilogue("AddMultiply", ds))).failures == ()


def test_scalars_in_each_others_place_are_not_what_is_meant() -> None:
    program = example("Bilinear", "gfx942")
    alpha, beta = (Read(t) for t in program.inputs[2:])
    meant = EPILOGUES["Bilinear"].meaning(
        Contract(program.source, program.inputs[0]), Read(program.inputs[1]), beta, alpha
    )
    assert isinstance(meant, Compute)
    assert verify(program).proved
    assert not verify(replace(program, meaning=meant)).proved


def test_a_d_whose_elements_are_others_is_not_what_is_meant() -> None:
    einsum = parse_einsum("ik,kj->ij")
    made = [
        contraction(einsum, epilogue=Epilogue("Add", d_tensors(einsum.result, "Add", "f32", d))) for d in ("ij", "ji")
    ]
    maps = [{m.tensor.name: m for m in program.element_maps} for program in made]
    wrong = [replace(maps[1][name], tensor=m.tensor) for name, m in maps[0].items()]
    assert verify(made[0]).proved
    assert not verify(replace(made[0], element_maps=tuple(wrong))).proved


def small(*shape: int) -> np.ndarray:
    """Multiples of a quarter, so small that every sum of products is exact."""
    return np.random.default_rng(sum(shape)).integers(-8, 9, shape).astype(np.float32) / 4


@pytest.mark.parametrize(("name", "letters"), [("Bilinear", ""), ("AddMultiply", "n,mi")])
def test_the_cpu_computes_what_numpy_does_to_the_bit(name: str, letters: str, launch: Callable[..., Any]) -> None:
    size = dict(zip("imn", (20, 6, 11), strict=True))
    ds = d_tensors(("i", "m", "n"), name, "f32", letters)
    a, b = (small(*shape) for shape in SHAPES)
    held = [small(*(size[x] for x in d.letters)) for d in ds]
    scalars = scalars_of(name, "1.5,-0.25" if name == "Bilinear" else "")
    task = contraction_task(EXAMPLE, *SHAPES, "f32", epilogue=Epilogue(name, ds))
    sums = np.einsum(EXAMPLE, a.astype(np.float64), b)
    wide = held if not letters else [held[0], held[1].T[:, :, None]]
    wanted = finished(name, [sums, *wide, *scalars]).astype(np.float32)
    assert np.array_equal(launch(task, a, b, *held, *scalars), wanted)


@pytest.mark.parametrize(
    ("name", "target", "dtype"), turns([("Bilinear", "gfx942", "f32"), ("Scale", "gfx90a", "f32")])
)
def test_machine_code_is_proved_and_exact(name: str, target: str, dtype: str) -> None:
    program = example(name, target, dtype)
    (kernel,) = read_kernels(compile_source(emit(verify(program), target), target).payload).values()
    code = decode_kernel(kernel)
    assert report(code, program)["exact"] is True
    found = prove_binary(code, program, 300)
    assert found.proved, found.failures


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: epilogue_named("FastGelu"), "no epilogue 'FastGelu'; there are PassThrough, Scale"),
        (lambda: d_tensors(("i", "j"), "Bilinear", "f32", "ij,ij"), "Bilinear takes 1 D tensors, not 2"),
        (lambda: d_tensors(("i", "j"), "Add", "f32", "ik"), "each letter once, of the result's 'ij'"),
        (lambda: d_tensors(("i", "j"), "Add", "f32", "ii"), "each letter once"),
        (lambda: scalars_of("Bilinear", "1"), "Bilinear takes 2 scalars .alpha, beta., not 1"),
        (lambda: scalars_of("Scale", "much"), "scalars 'much': numbers, by commas"),
        (lambda: Epilogue("Add"), "Add takes 1 D tensors, not 0"),
    ],
)
def test_what_makes_no_epilogue_is_told(call: Callable[[], object], reason: str) -> None:
    with pytest.raises(LayoutError, match=reason):
        call()


def test_a_d_of_another_shape_is_told() -> None:
    a, b = small(4, 3), small(3, 5)
    given = {"einsum": "ik,kj->ij", "a": a, "b": b, "result": None, "epilogue": "Add", "ds": "", "scalars": ""}
    with pytest.raises(LayoutError, match=r"d0 has shape .5, 4.; its letters 'ij' are .4, 5. long"):
        kernels()["contraction"].run.made(target="cpu", dtype="f32", d0=small(5, 4), d1=None, **given)

"""Whole GEMMs of CK Tile: a kernel for each way in which the loop over K may turn, and how each is launched.

CK's host code counts the turns, and launches the template that is of this count: whether the loop's hot part runs, and
how it ends.  Which counts are of one kernel, and what sizes must be multiples of, its headers say (`asked`):

| kernel of compv3 | turns   | K, without padding |
|------------------|---------|--------------------|
| `gemm_1`         | 1       | a tile's           |
| `gemm_2`         | 2       | two tiles'         |
| `gemm_3`         | 3 and more | so many tiles'  |

Source: gemm_instance_builder.py of Tile Engine; `IsSupportedArgument` of universal_gemm_kernel.hpp.

| kind                  | is                                                              | named by            |
|-----------------------|-----------------------------------------------------------------|---------------------|
| `""`                  | one product                                                     | a tile, `gemm_…`    |
| `batched_gemm`        | B products, their matrices one after the other                  | this before a tile  |
| `batched_contraction` | the same, of tensors with one dimension of G, M, N and K each   | this before a tile  |
| `gemm_multi_d`        | a product, to which one D of C's type is added                  | this before a tile  |
| `gemm_multi_abd`      | the product of two A's sum and two B's, times two D of C's type | this before a tile  |

What it cannot represent: k_batch above 1, persistent kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import lcm
from pathlib import Path
from typing import cast

from layoutalg.ck.instances import ACCUMULATED, CPP_TYPES, RESULTS
from layoutalg.ck.kernels import defined
from layoutalg.ck.space import SCHEDULERS, Configuration, named
from layoutalg.device.constants import constants
from layoutalg.errors import LayoutError
from layoutalg.formats.cpp import CppError, CppUnit, CppUnitError
from layoutalg.records import dataclass

MOST_TURNS = 128
"""Turns of the loop over K at most; of each count CK was asked."""

_PIPELINES = {"compv3": "CompV3", "compv4": "CompV4", "mem": "Mem", "comp_async": "CompAsync"}
_UNIVERSAL = "UniversalGemmKernel::KernelArgs"
_LAYOUTS = {"r": "Row", "c": "Column"}


@dataclass(frozen=True)
class GemmKind:
    """A kernel of CK's of a product: how many A, B and D it takes, and what is done with D, in C++ and equations."""

    kernel: str
    batched: bool = False
    inputs: int = 1
    ds: int = 0
    combined: tuple[str, str] = ("PassThrough", "")


KINDS = {
    "": GemmKind("GemmKernel"),
    "batched_gemm": GemmKind("BatchedGemmKernel", batched=True),
    "batched_contraction": GemmKind("Contraction", batched=True),
    "gemm_multi_d": GemmKind("GemmKernelMultiD", ds=1, combined=("MultiDAdd", "+")),
    "gemm_multi_abd": GemmKind("GemmKernelMultiABD", inputs=2, ds=2, combined=("MultiDMultiply", "*")),
}
"""CK's kernels of a product, by the names of kinds."""


@dataclass(frozen=True)
class Gemm:
    """A configuration, and what else makes its kernel: the scheduler, whether M, N and K are padded, and its kind.

    >>> Gemm.named("gemm_bf16_rcr_mem_cshuffle_interwave_True_True_False_False_64x64x32_2x2x1_32x32x16", "", "").padded
    (True, True, False)
    """

    configuration: Configuration
    scheduler: str = "intrawave"
    padded: tuple[bool, bool, bool] = (False, False, False)
    kind: str = ""

    @classmethod
    def named(cls, text: str, dtype: str, layout: str, pipeline: str = "compv3", pads: str = "") -> Gemm:
        """By an instance's whole name, or by its tile alone with these choices; LayoutError where it is neither."""
        for kind in filter(None, KINDS):
            if text.startswith(f"{kind}_"):
                return replace(cls.named(text.removeprefix(f"{kind}_"), dtype, layout, pipeline, pads), kind=kind)
        found, words = named(text, dtype, layout), text.removeprefix("gemm_").split("_")[:-3]
        if not words:
            if set(pads) - set("mnk"):
                raise LayoutError(f"pads {pads!r}: of m, n and k, such as mnk")
            found = Configuration(dtype, layout, found.tile, pipeline)
            return cls(found, padded=("m" in pads, "n" in pads, "k" in pads))
        flags = [word == "True" for word in words[5:]]
        if any(flags[3:]):
            raise LayoutError(f"{text!r}: a persistent kernel is not audited")
        m, n, k, *_ = (*flags, False, False, False)
        return cls(found, words[4], (m, n, k))

    def __post_init__(self) -> None:
        tile = self.configuration.tile
        for side, block, warps, warp in zip("MNK", tile.block, (*tile.warps[:2], 1), tile.warp, strict=True):
            if block % (warps * warp):
                raise LayoutError(f"{tile}: {block} along {side} is no multiple of {warps * warp}, what its warps take")
        if self.scheduler not in SCHEDULERS:
            raise LayoutError(f"{self.scheduler!r} is no scheduler that is known: {', '.join(SCHEDULERS)}")

    def __str__(self) -> str:
        one = self.configuration
        pads = "_".join(str(flag) for flag in self.padded)
        choices = f"{one.dtype}_{one.layout}_{one.pipeline}_{one.epilogue}_{self.scheduler}"
        return f"{self.kind or 'gemm'}_{choices}_{pads}_{one.tile}"

    @property
    def text(self) -> str:
        """The C++ of all of its kernels' templates."""
        one = self.configuration
        tile, pipeline = one.tile, _PIPELINES[one.pipeline]
        choices = {
            "TYPE": CPP_TYPES[one.dtype],
            "ACCUMULATED": ACCUMULATED.get(one.dtype, "float"),
            "RESULT": self.result,
            "A": _LAYOUTS[one.layout[0]], "B": _LAYOUTS[one.layout[1]], "C": _LAYOUTS[one.layout[2]],
            "BLOCK": _listed(tile.block), "WARPS": _listed(tile.warps), "WARP": _listed(tile.warp),
            "PADS": _listed(str(flag).lower() for flag in self.padded),
            "TWICE": str(one.twice).lower(),
            "BASE": f"BaseGemmPipelineAgBgCr{pipeline}", "PIPELINE": f"GemmPipelineAgBgCr{pipeline}",
            "SCHEDULER": self.scheduler.capitalize(),
        }  # fmt: skip
        of = self.of_kind
        choices |= {"KERNEL": of.kernel, "ARGUMENTS": "KernelArgs" if of.batched else _UNIVERSAL}
        choices |= {
            "TYPES": _tuple("T", of.inputs, of.inputs > 1), "AS": _tuple("A", of.inputs, of.inputs > 1),
            "BS": _tuple("B", of.inputs, of.inputs > 1), "ADDED": "AddScale" if of.inputs > 1 else "PassThrough",
            "DS": _tuple("Out", of.ds), "DS_LAYOUTS": _tuple("C", of.ds), "COMBINED": of.combined[0],
        }  # fmt: skip
        if one.epilogue == "cshuffle":
            choices["CSHUFFLE"] = ""
        return defined("gemm", {f"GEMM_{name}": value for name, value in choices.items()})

    @property
    def of_kind(self) -> GemmKind:
        """What its kind says."""
        return KINDS[self.kind]

    @property
    def result(self) -> str:
        """C's element type, as C++ has it."""
        dtype = self.configuration.dtype
        return RESULTS.get(dtype, CPP_TYPES[dtype])

    @property
    def whole(self) -> bool:
        """Whether K is of whole tiles: it is asked for along A's or B's rows."""
        return not self.padded[2] and not self.configuration.layout.startswith("cr")

    def multiples(self, vectors: tuple[int, int, int]) -> dict[str, int]:
        """What `IsSupportedArgument` asks of M, N and K, but for K of whole tiles."""
        one, found = self.configuration, {"M": 1, "N": 1, "K": 1}
        a, b, c = vectors
        for along, vector in (
            ("K" if one.layout[0] == "r" else "M", a),
            ("N" if one.layout[1] == "r" else "K", b),
            ("N", c),
        ):
            found[along] = lcm(found[along], vector)
        for along, pad, tile in zip("MN", self.padded, one.tile.block, strict=False):
            if not pad and (along == "N" or one.layout[0] == "c"):
                found[along] = lcm(found[along], tile)
        return found


@dataclass(frozen=True)
class Turns:
    """Counts of the loop's turns that one kernel is of: `first`, and `step` more each time, `more` times."""

    first: int
    step: int = 1
    more: int = 0

    @property
    def kernel(self) -> str:
        """The name of the kernel."""
        return f"gemm_{self.first}"

    @property
    def counts(self) -> range:
        """All of them."""
        return range(self.first, self.first + self.step * self.more + 1, self.step)

    @property
    def counted(self) -> str:
        """As an expression of J."""
        if not self.more:
            return str(self.first)
        return f"{self.first} + J" if self.step == 1 else f"{self.first} + {self.step} * J"

    def __str__(self) -> str:
        more = [str(count) for count in self.counts[1:3]]
        return f"{', '.join([str(self.first), *more])} …" if self.more else str(self.first)


@dataclass(frozen=True)
class GemmAnswers:
    """What CK says of a GEMM: the vectors of A, B and C, a block's threads, the counts of turns that a kernel is of."""

    vectors: tuple[int, int, int]
    threads: int
    turns: tuple[Turns, ...]


def asked(gemm: Gemm, target: str, include: Sequence[Path]) -> GemmAnswers:
    """What CK's headers say; LayoutError in their words where they refuse it.

    Raises `CompileError` where there is no compiler.
    """
    unit = CppUnit(target, (), tuple(include), gemm.text)
    questions = {
        "sizes": "layoutalg_gemm::sizes()",
        "kinds": f"layoutalg_gemm::kinds(std::make_integer_sequence<ck_tile::index_t, {MOST_TURNS}>{{}})",
    }
    try:
        found = constants(unit, questions)
    except CppUnitError as error:
        raise LayoutError(f"{gemm}: CK does not compile: {error}") from error
    sizes, kinds = found["sizes"], found["kinds"]
    for answer in (sizes, kinds):
        if isinstance(answer, CppError):
            raise LayoutError(f"{gemm}: CK does not compile: {answer.reason}")
    a, b, c, threads = cast(Sequence[int], sizes)
    return GemmAnswers((a, b, c), threads, tuple(turns_alike(cast(Sequence[int], kinds))))


def turns_alike(kinds: Sequence[int]) -> Iterator[Turns]:
    """Counts of one kind (of 1, 2, …) as `Turns`; LayoutError where they do not lie a step apart.

    >>> list(turns_alike([4, 5, 7, 6, 7, 6]))
    [Turns(first=1, step=1, more=0), Turns(first=2, step=1, more=0), Turns(first=3, step=2, more=1), Turns(first=4, step=2, more=1)]
    """  # noqa: E501
    for kind in dict.fromkeys(kinds):
        counts = [count for count, one in enumerate(kinds, 1) if one == kind]
        step = counts[1] - counts[0] if len(counts) > 1 else 1
        if counts != [*range(counts[0], counts[-1] + 1, step)]:
            raise LayoutError(f"turns {counts[0]}, {counts[1]} … are of one kernel, and lie no step apart")
        yield Turns(counts[0], step, len(counts) - 1)


def _tuple(of: str, count: int, always: bool = True) -> str:
    """C++ of a tuple of so many alike, or of one where it stands for itself."""
    return f"tuple<{', '.join([of] * count)}>" if always else of


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))

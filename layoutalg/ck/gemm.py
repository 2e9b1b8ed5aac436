"""Whole GEMMs of CK Tile: a kernel for each way in which the loop over K may turn, and how each is launched.

CK's host code counts the turns, and launches the template that is of this count: whether the loop's hot part runs, and
how it ends.  Which counts are of one kernel, and what sizes must be multiples of, its headers say (`asked`):

| kernel of compv3 | turns   | K, without padding |
|------------------|---------|--------------------|
| `gemm_1`         | 1       | a tile's           |
| `gemm_2`         | 2       | two tiles'         |
| `gemm_3`         | 3 and more | so many tiles'  |

Source: gemm_instance_builder.py of Tile Engine; `IsSupportedArgument` of universal_gemm_kernel.hpp.
| kind            | is                                            | named                                      |
|-----------------|-----------------------------------------------|--------------------------------------------|
| `""`            | one product                                   | by a tile, or `gemm_fp16_rcr_…`            |
| `batched_gemm`  | B products, their matrices one after the other | `batched_gemm_` before a tile, or a name   |
| `gemm_multi_d`  | a product, to which one D of C's type is added | `gemm_multi_d_` before                     |

What it cannot represent: k_batch above 1, persistent kernels, several D tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import lcm
from pathlib import Path
from typing import cast

from layoutalg.ck.instances import ACCUMULATED, CPP_TYPES, RESULTS
from layoutalg.ck.kernels import KernelSource, defined, launch_text
from layoutalg.ck.space import SCHEDULERS, Configuration, named
from layoutalg.device.constants import constants
from layoutalg.errors import LayoutError
from layoutalg.formats.cpp import CppError, CppUnit, CppUnitError
from layoutalg.target.dtypes import DTYPES

MOST_TURNS = 128
"""Turns of the loop over K at most; of each count CK was asked."""

MOST = 8192
"""M and N at most."""

APART = 1024
"""Vectors by which rows lie further apart than they are long, at most."""

_PIPELINES = {"compv3": "CompV3", "compv4": "CompV4", "mem": "Mem", "comp_async": "CompAsync"}
_UNIVERSAL = "UniversalGemmKernel::KernelArgs"
_LAYOUTS = {"r": "Row", "c": "Column"}
_DTYPES = {name: one.name for one in DTYPES.values() for name in one.ck}


KINDS = {"": "GemmKernel", "batched_gemm": "BatchedGemmKernel", "gemm_multi_d": "GemmKernelMultiD"}
"""CK's kernels of a product, by the names of kinds."""

BATCHES, MOST_BATCHED = 64, 2048
"""Batches at most, and M and N of each: CK counts the elements of all of them in 32 bits."""


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
        choices |= {"KERNEL": KINDS[self.kind], "ARGUMENTS": "KernelArgs" if self.batched else _UNIVERSAL}
        choices |= {name: "" for name, is_so in (("CSHUFFLE", one.epilogue == "cshuffle"), ("D", self.adds)) if is_so}
        return defined("gemm", {f"GEMM_{name}": value for name, value in choices.items()})

    @property
    def batched(self) -> bool:
        """Whether it is of B products."""
        return self.kind == "batched_gemm"

    @property
    def adds(self) -> bool:
        """Whether a D is added."""
        return self.kind == "gemm_multi_d"

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


@dataclass(frozen=True)
class Launched:
    """What a launch has beside what CK admits.

    C's rows at most; whether rows may lie further apart than need be; M, N and K, where it is of these alone.
    """

    rows: int = MOST
    apart: bool = False
    sizes: tuple[int, int, int] | None = None


def gemm_source(
    gemm: Gemm, said: GemmAnswers, turns: int | None = None, launched: Launched = Launched()
) -> KernelSource:
    """The source of its kernels, or of the one that is for so many turns, and how each is launched.

    LayoutError where no kernel is for these turns, or CK admits no such sizes.
    """
    if launched.sizes is not None:
        turns = -(-launched.sizes[2] // gemm.configuration.tile.block[2])
    chosen = [one for one in said.turns if turns is None or turns in one.counts]
    if not chosen:
        raise LayoutError(f"{turns} turns: the loop over K makes 1 to {MOST_TURNS}")
    kernels = "".join(
        f'\nextern "C" __global__ void __launch_bounds__({said.threads}, 1) {one.kernel}(\n'
        f"    layoutalg_gemm::Of<{one.first}>::Arguments arguments) {{\n"
        "#if defined(__HIP_DEVICE_COMPILE__)\n"
        f"    layoutalg_gemm::Of<{one.first}>::Kernel{{}}(arguments);\n"
        "#endif\n}\n"
        for one in chosen
    )
    return KernelSource(
        str(gemm), gemm.text + kernels, {one.kernel: _launch(gemm, said, one, launched) for one in chosen}
    )


def _launch(gemm: Gemm, said: GemmAnswers, turns: Turns, launched: Launched) -> str:
    """The launch of one kernel: M, N, K and strides as symbols, as `IsSupportedArgument` admits them."""
    one, of, whole = gemm.configuration, gemm.multiples(said.vectors), gemm.whole
    tile_k = one.tile.block[2]
    if tile_k % of["K"]:
        raise LayoutError(f"{gemm}: K of a tile is {tile_k}, no multiple of {of['K']}")
    rows, columns, more = launched.rows, MOST, turns.more
    if gemm.batched:
        rows, columns = min(rows, MOST_BATCHED), MOST_BATCHED
        more = min(more, max(MOST_BATCHED // tile_k - turns.first, 0) // turns.step)
    symbols = {"M": (of["M"], max(rows, of["M"]), of["M"]), "N": (of["N"], max(columns, of["N"]), of["N"])}
    if more:
        symbols["J"] = (0, more, 1)
    if gemm.batched:
        symbols["B"] = (1, BATCHES, 1)
    multiples = {**of, "K": tile_k} if whole else of
    admitted = ", ".join(f"{name} a multiple of {number}" for name, number in multiples.items() if number > 1) or "all"
    depth = f"({turns.counted}) * {tile_k}"
    if not whole:
        symbols["R"] = (1, tile_k // of["K"], 1)
        depth = f"({turns.counted} - 1) * {tile_k} + {of['K']} * R"
    a_rows, b_rows = (letter == "r" for letter in one.layout[:2])
    strides = {"a": depth if a_rows else "M", "b": "N" if b_rows else depth, "c": "N"}
    if launched.apart:
        for name, vector in zip("abc", said.vectors, strict=True):
            symbols[f"P{name}"] = (0, APART, 1)
            strides[name] += f" + {vector} * P{name}"
    if launched.sizes is not None:
        fixed = dict(zip("MNK", launched.sizes, strict=True))
        if any(size < 1 or size % multiples[name] for name, size in fixed.items()):
            raise LayoutError(f"{gemm}: IsSupportedArgument does not admit {fixed}: {admitted}")
        number, rest = divmod(fixed["K"] - 1, tile_k)
        fixed |= {"J": (number + 1 - turns.first) // turns.step, "R": (rest + 1) // of["K"]}
        symbols = {name: (fixed.get(name, low), fixed.get(name, high), 1 if name in fixed else step)
                   for name, (low, high, step) in symbols.items()}  # fmt: skip
    m, n, _ = one.tile.block
    lengths = {
        "a": ("M", depth) if a_rows else (depth, "M"),
        "b": (depth, "N") if b_rows else ("N", depth),
        "c": ("M", "N"),
    }
    apart = {name: f"({lengths[name][0]}) * ({stride})" for name, stride in strides.items()}
    outer = {name: ("B", apart[name]) for name in lengths} if gemm.batched else {}
    of_batches = [*apart.values(), "B"] if gemm.batched else []
    shaped = {name: _texts([*outer.get(name, ())[:1], *each]) for name, each in lengths.items()}
    strided = {name: f"{_texts([*outer.get(name, ())[1:], strides[name]])}, 1" for name in lengths}
    tensor = f'''
[[descriptor]]
name = "d"
dtype = "{_DTYPES[gemm.result]}"
base = {{ kind = "naive", lengths = [{shaped["c"]}], strides = [{strided["c"]}] }}
'''
    return launch_text("gemm", {
        "name": str(gemm), "said": str(turns), "admitted": admitted, "kernel": turns.kernel,
        "symbols": ", ".join(f"{name} = {_limits(*limits)}" for name, limits in symbols.items()),
        "dtype": _DTYPES[CPP_TYPES[one.dtype]], "result": _DTYPES[gemm.result],
        "tried": _product(gemm), "depth": depth, "tile_m": str(m), "tile_n": str(n), "threads": str(said.threads),
        "tensor_d": tensor if gemm.adds else "", "argument_d": '"d"' if gemm.adds else "{ unused = true, bytes = 8 }",
        "argument_stride_d": _argument(strides["c"]) if gemm.adds else "{ unused = true, bytes = 4 }",
        "grid_y": ', "B"' if gemm.batched else "", "arguments_batch": "".join(f" {_argument(e)}," for e in of_batches),
        **{f"stride_{name}": stride for name, stride in strides.items()},
        **{f"lengths_{name}": text for name, text in shaped.items()},
        **{f"strides_{name}": text for name, text in strided.items()},
    })  # fmt: skip


def _texts(each: Iterable[str]) -> str:
    return ", ".join(f'"{one}"' for one in each)


def _argument(value: str) -> str:
    return f'{{ value = "{value}", bytes = 4 }}'


def _product(gemm: Gemm) -> str:
    """What C holds, as an equation; of floats of 8 bits none, whose formats are each target's own."""
    one = gemm.configuration
    element, result, sums = (
        _DTYPES[name] for name in (CPP_TYPES[one.dtype], gemm.result, ACCUMULATED.get(one.dtype, "float"))
    )
    if element.startswith(("f8", "bf8")):
        return ""
    a, b = "i, k" if one.layout[0] == "r" else "k, i", "k, j" if one.layout[1] == "r" else "j, k"
    of, added = "n, " if gemm.batched else "", f" + {sums}(d[i, j])" if gemm.adds else ""
    product = f"sum[k] {sums}(a[{of}{a}]) * {sums}(b[{of}{b}])"
    return f'"c[{of}i, j] = {result}({f"({product}){added}" if added else product})"'


def _limits(least: int, most: int, of: int) -> str:
    multiple = f", multiple_of = {of}" if of > 1 else ""
    return f"{{ min = {least}, max = {most // of * of}{multiple} }}"


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))

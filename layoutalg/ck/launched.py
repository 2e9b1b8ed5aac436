"""How a GEMM of CK Tile is launched: M, N, K and strides as symbols, as `IsSupportedArgument` admits them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from layoutalg.ck.gemm import MOST_TURNS, Gemm, GemmAnswers, Turns
from layoutalg.ck.instances import ACCUMULATED, CPP_TYPES
from layoutalg.ck.kernels import KernelSource, launch_text
from layoutalg.errors import LayoutError
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

MOST = 8192
"""M and N at most."""

APART = 1024
"""Vectors by which rows lie further apart than they are long, at most."""

BATCHES, MOST_BATCHED = 64, 2048
"""Batches at most, and M and N of each: CK counts the elements of all of them in 32 bits."""

_DTYPES = {name: one.name for one in DTYPES.values() for name in one.ck}


@dataclass(frozen=True)
class Launched:
    """What a launch has beside what CK admits.

    C's rows at most; whether rows may lie further apart than need be; M, N and K, where it is of these alone.
    """

    rows: int = MOST
    apart: bool = False
    sizes: tuple[int, int, int] | None = None


ANY_LAUNCH = Launched()
"""One of which nothing is said beside what CK admits."""


def gemm_source(
    gemm: Gemm, said: GemmAnswers, turns: int | None = None, launched: Launched = ANY_LAUNCH
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
    if gemm.of_kind.batched:
        rows, columns = min(rows, MOST_BATCHED), MOST_BATCHED
        more = min(more, max(MOST_BATCHED // tile_k - turns.first, 0) // turns.step)
    symbols = {"M": (of["M"], max(rows, of["M"]), of["M"]), "N": (of["N"], max(columns, of["N"]), of["N"])}
    if more:
        symbols["J"] = (0, more, 1)
    if gemm.of_kind.batched:
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
    outer = {name: ("B", apart[name]) for name in lengths} if gemm.of_kind.batched else {}
    of_batches = [*apart.values(), "B"] if gemm.of_kind.batched else []
    shaped = {name: _texts([*outer.get(name, ())[:1], *each]) for name, each in lengths.items()}
    strided = {name: f"{_texts([*outer.get(name, ())[1:], strides[name]])}, 1" for name in lengths}
    more_of = gemm.of_kind
    names = [*(name for name in "ab" for name in _numbered(name, more_of.inputs)), *_numbered("d", more_of.ds), "c"]
    like = {name: "c" if name[0] == "d" else name[0] for name in names}
    element, result = _DTYPES[CPP_TYPES[one.dtype]], _DTYPES[gemm.result]
    return launch_text("gemm", {
        "name": str(gemm), "said": str(turns), "admitted": admitted, "kernel": turns.kernel,
        "symbols": ", ".join(f"{name} = {_limits(*limits)}" for name, limits in symbols.items()),
        "tensors": "\n".join(
            _TENSOR.format(name=name, dtype=result if as_one == "c" else element, lengths=shaped[as_one],
                           strides=strided[as_one]) for name, as_one in like.items()),
        "tried": _product(gemm), "tile_m": str(m), "tile_n": str(n), "threads": str(said.threads),
        "grid_y": ', "B"' if more_of.batched else "",
        "arguments": _arguments(gemm, depth, {name: strides[as_one] for name, as_one in like.items()}, of_batches),
    })  # fmt: skip


def _arguments(gemm: Gemm, depth: str, strides: Mapping[str, str], of_batches: Sequence[str]) -> str:
    """The kernel's arguments; where it takes no D, their places are an empty array's."""
    ds = [name for name in strides if name[0] == "d"]
    inputs = [name for name in strides if name[0] in "ab"]
    tensors = [f'"{name}"' for name in inputs] + ([f'"{name}"' for name in ds] or [_NOTHING.format(8)]) + ['"c"']
    of_strides = [_argument(strides[name]) for name in inputs]
    of_strides += [_argument(strides[name]) for name in ds] or [_NOTHING.format(4)]
    of_strides.append(_argument(strides["c"]))
    sizes, batches = [_argument(one) for one in ("M", "N", depth)], [_argument(one) for one in of_batches]
    if gemm.kind == "batched_contraction":
        *apart, count = batches
        lengths = [*sizes, count, *apart, _NOTHING.format(4), count, *sizes]
        return ", ".join([*tensors, _argument("1"), *lengths, *of_strides])
    return ", ".join([*tensors, *sizes, *of_strides, _argument("1"), *batches])


_NOTHING = "{{ unused = true, bytes = {} }}"
_TENSOR = """[[descriptor]]
name = "{name}"
dtype = "{dtype}"
base = {{ kind = "naive", lengths = [{lengths}], strides = [{strides}] }}
"""


def _numbered(name: str, count: int) -> list[str]:
    """`a`, or `a0` and `a1`."""
    return [name] if count == 1 else [f"{name}{n}" for n in range(count)]


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
    kind = gemm.of_kind
    of = "n, " if kind.batched else ""

    def read(name: str, at: str) -> str:
        terms = [f"{sums}({each}[{of}{at}])" for each in _numbered(name, kind.inputs)]
        return terms[0] if len(terms) == 1 else f"{sums}({element}({' + '.join(terms)}))"

    product = f"sum[k] {read('a', a)} * {read('b', b)}"
    combined = "".join(f" {kind.combined[1]} {sums}({d}[i, j])" for d in _numbered("d", kind.ds))
    return f'"c[{of}i, j] = {result}({f"({product}){combined}" if combined else product})"'


def _limits(least: int, most: int, of: int) -> str:
    multiple = f", multiple_of = {of}" if of > 1 else ""
    return f"{{ min = {least}, max = {most // of * of}{multiple} }}"

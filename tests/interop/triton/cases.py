"""Random layouts of each kind in Triton's text, with tensors to lay out: the same ones for each seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from layoutalg.interop.triton import LinearLayout
from layoutalg.interop.triton.places import bits_of

SEED = 22


@dataclass(frozen=True)
class Case:
    """A layout, a tensor's shape, and the lanes and warps of the module that it stands in."""

    kind: str
    text: str
    shape: tuple[int, ...]
    lanes: int = 64
    warps: int = 4
    blocks: int = 1


def power(draw: Random, low: int, high: int) -> int:
    return 1 << draw.randint(low, high)


def shape(draw: Random, rank: int, low: int = 0, high: int = 7) -> tuple[int, ...]:
    return tuple(power(draw, low, high) for _ in range(rank))


def split(draw: Random, total: int, rank: int) -> list[int]:
    """A power of two as a product of `rank` powers of two."""
    sizes = [1] * rank
    for _ in range(total.bit_length() - 1):
        sizes[draw.randrange(rank)] *= 2
    return sizes


def order(draw: Random, rank: int) -> list[int]:
    return draw.sample(range(rank), rank)


def blocked_text(draw: Random, rank: int, lanes: int, warps: int) -> str:
    return (
        f"#ttg.blocked<{{sizePerThread = {split(draw, power(draw, 0, 4), rank)}, "
        f"threadsPerWarp = {split(draw, lanes, rank)}, warpsPerCTA = {split(draw, warps, rank)}, "
        f"order = {order(draw, rank)}}}>"
    )


def blocked(draw: Random) -> Case:
    rank, lanes, warps = draw.randint(1, 4), draw.choice([32, 64]), power(draw, 0, 3)
    return Case("blocked", blocked_text(draw, rank, lanes, warps), shape(draw, rank, 0, 6), lanes, warps)


def mfma_text(draw: Random, warps: int, rank: int = 2) -> str:
    version = draw.randint(1, 4)
    m, n, transposed = draw.choice([(32, 32, None), (16, 16, None), (64, 4, True), (4, 64, None)])
    k = {32: power(draw, 1, 4), 16: power(draw, 2, 5)}.get(m, power(draw, 2, 4))
    which = draw.random() < 0.5 if transposed is None else transposed
    extra = f", tilesPerWarp = {[1] * (rank - 2) + split(draw, power(draw, 0, 2), 2)}" if draw.random() < 0.4 else ""
    extra += ", elementBitWidth = 64" if draw.random() < 0.2 else ""
    split_warps = split(draw, warps, rank)
    return (
        f"#ttg.amd_mfma<{{version = {version}, warpsPerCTA = {split_warps}, instrShape = [{m}, {n}, {k}], "
        f"isTransposed = {str(which).lower()}{extra}}}>"
    )


def mfma(draw: Random) -> Case:
    rank, warps = draw.choice([2, 2, 2, 3]), power(draw, 0, 3)
    sizes = shape(draw, rank - 2, 0, 2) + shape(draw, 2, 3, 8)
    return Case("amd_mfma", mfma_text(draw, warps, rank), sizes, 64, warps)


def wmma_text(draw: Random, warps: int, rank: int = 2) -> tuple[str, int]:
    version = draw.randint(1, 3)
    k = 16 if version < 3 else draw.choice([32, 64, 128, 4])
    at, bases = [1] * rank, {"register": [], "warp": []}
    for place, bits in (("register", draw.randint(0, 2)), ("warp", warps.bit_length() - 1)):
        for _ in range(bits):
            dim = draw.randrange(rank - 2, rank)
            bases[place].append([at[dim] if d == dim else 0 for d in range(rank)])
            at[dim] *= 2
    given = ", ".join(f"{place} = {vectors}" for place, vectors in bases.items() if vectors or place == "warp")
    instruction = "" if k == 16 else f", instrShape = [16, 16, {k}]"
    return (
        f"#ttg.amd_wmma<{{version = {version}, isTranspose = {draw.choice(['true', 'false'])}, "
        f"ctaLayout = {{{given}}}{instruction}}}>"
    ), version


def wmma(draw: Random) -> Case:
    warps = power(draw, 0, 3)
    return Case("amd_wmma", wmma_text(draw, warps)[0], shape(draw, 2, 4, 8), 32, warps)


def mma_text(draw: Random, warps: int, version: int | None = None) -> str:
    version = version or draw.choice([2, 3])
    if version == 2:
        return (
            f"#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = {split(draw, warps, 2)}, "
            "instrShape = [16, 8]}>"
        )
    columns = power(draw, 3, 8)
    split_warps = [4, warps // 4] if warps >= 4 and draw.random() < 0.7 else [warps, 1]
    return (
        f"#ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = {split_warps}, "
        f"instrShape = [16, {columns}, 16]}}>"
    )


def mma(draw: Random) -> Case:
    warps = power(draw, 2, 3)
    return Case("nvidia_mma", mma_text(draw, warps), shape(draw, 2, 4, 8), 32, warps)


def dot(draw: Random) -> Case:
    operand, warps, which = draw.randint(0, 1), power(draw, 0, 3), draw.randint(0, 3)
    sizes, lanes, width = shape(draw, 2, 4, 8), 32, power(draw, 0, 4)
    if which == 0:
        parent, lanes = mfma_text(draw, warps), 64
    elif which == 1:
        parent, version = wmma_text(draw, warps)
        width = 16 if version == 1 else power(draw, 1, 4)
    elif which == 2:
        warps = power(draw, 2, 3)
        parent = mma_text(draw, warps, 2 if operand else None)
        width = power(draw, 0, 3)
    else:
        lanes = draw.choice([32, 64])
        parent, sizes = blocked_text(draw, 2, lanes, warps), shape(draw, 2, 3, 6)
    given = "" if which == 3 else f", kWidth = {width}"
    return Case("dot_op", f"#ttg.dot_op<{{opIdx = {operand}, parent = {parent}{given}}}>", sizes, lanes, warps)


def short_operand(draw: Random) -> Case:
    """An operand of an mfma, of a tensor whose k may be less than the instruction's, or than the lanes hold."""
    operand, warps, rank = draw.randint(0, 1), power(draw, 0, 3), draw.choice([2, 2, 3])
    k, other = (power(draw, 0, 5),), (power(draw, 2, 7),)
    sizes = shape(draw, rank - 2, 0, 2) + (k + other if operand else other + k)
    given = f"opIdx = {operand}, parent = {mfma_text(draw, warps, rank)}, kWidth = {power(draw, 0, 4)}"
    return Case("short_operand", f"#ttg.dot_op<{{{given}}}>", sizes, 64, warps)


def sliced(draw: Random) -> Case:
    inner = draw.choice([blocked, mfma, wmma, mma, dot, sliced])(draw)
    while len(inner.shape) < 2:
        inner = blocked(draw)
    dim = draw.randrange(len(inner.shape))
    sizes = inner.shape[:dim] + inner.shape[dim + 1 :]
    return Case("slice", f"#ttg.slice<{{dim = {dim}, parent = {inner.text}}}>", sizes, inner.lanes, inner.warps)


def linear(draw: Random) -> Case:
    """Bases in any order, some of lanes and warps held twice."""
    rank, lanes, warps = draw.randint(1, 3), draw.choice([32, 64]), power(draw, 0, 3)
    at, bits = [1] * rank, []
    for place, count in (
        ("register", draw.randint(0, 4)),
        ("lane", lanes.bit_length() - 1),
        ("warp", warps.bit_length() - 1),
    ):
        bits += [place] * count
    draw.shuffle(bits)
    bases: dict[str, list[list[int]]] = {"register": [], "lane": [], "warp": [], "block": []}
    for place in bits:
        if place != "register" and draw.random() < 0.1:
            bases[place].append([0] * rank)
            continue
        dim = draw.randrange(rank)
        bases[place].append([at[dim] if d == dim else 0 for d in range(rank)])
        at[dim] *= 2
    for vectors in bases.values():
        draw.shuffle(vectors)
    larger = tuple(size * power(draw, 0, 2) if draw.random() < 0.5 else size for size in at)
    given = ", ".join(f"{place} = {vectors}" for place, vectors in bases.items())
    return Case("linear", f"#ttg.linear<{{{given}}}>", larger, lanes, warps)


# --- shared memory ----------------------------------------------------------------------------------------------------


def swizzled_fields(draw: Random, rank: int) -> str:
    return (
        f"vec = {power(draw, 0, 4)}, perPhase = {power(draw, 0, 3)}, maxPhase = {power(draw, 0, 4)}, "
        f"order = {order(draw, rank)}"
    )


def swizzled(draw: Random) -> Case:
    rank = draw.choice([1, 2, 2, 2, 3])
    return Case("swizzled_shared", f"#ttg.swizzled_shared<{{{swizzled_fields(draw, rank)}}}>", shape(draw, rank, 0, 7))


def tile_bases(draw: Random, rank: int, steps: int) -> tuple[list[list[int]], tuple[int, ...]]:
    """Offset bases of a tile: a permutation, of which `steps` times one is added to another."""
    at, bases = [1] * rank, []
    for _ in range(draw.randint(2, 11)):
        dim = draw.randrange(rank)
        bases.append([at[dim] if d == dim else 0 for d in range(rank)])
        at[dim] *= 2
    draw.shuffle(bases)
    for _ in range(steps):
        one, other = draw.sample(range(len(bases)), 2)
        bases[one] = [a ^ b for a, b in zip(bases[one], bases[other], strict=True)]
    return bases, tuple(at)


def padded(draw: Random) -> Case:
    pads = ", ".join(f"{1 << n}:+{power(draw, 0, 4)}" for n in sorted(draw.sample(range(2, 9), draw.randint(1, 2))))
    if draw.random() < 0.5:
        sizes = shape(draw, 2, 2, 7)
        given = f"order = {order(draw, 2)}, shape = {list(sizes)}"
    else:
        bases, sizes = tile_bases(draw, 2, 0)
        given = f"offset = {bases}, block = []"
    return Case("padded_shared", f"#ttg.padded_shared<[{pads}] {{{given}}}>", sizes)


def shared_linear(draw: Random) -> Case:
    bases, sizes = tile_bases(draw, draw.randint(1, 3), draw.randint(0, 6))
    return Case("shared_linear", f"#ttg.shared_linear<{{offset = {bases}}}, alignment = 16>", sizes)


def nvmma_text(draw: Random, sizes: tuple[int, ...]) -> str:
    """A layout of a tensor of those sizes: transposed, swizzled and padded as its sizes allow, mostly."""
    bits, transposed = draw.choice([8, 16, 16, 32, 64]), len(sizes) == 2 and draw.random() < 0.4
    columns = sizes[0 if transposed else -1]
    width = draw.choice([w for w in (0, 32, 64, 128) if not w or columns * bits >= 8 * w])
    padded = (bits, width) == (8, 128) and draw.random() < 0.6
    extra = ", fp4Padded = true" if padded else ""
    extra += f", rank = {len(sizes)}" if len(sizes) != 2 else ""
    return (
        f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = {str(transposed).lower()}, "
        f"elementBitWidth = {bits}{extra}}}>"
    )


def nvmma(draw: Random) -> Case:
    sizes = draw.choice([shape(draw, 2, 3, 9), shape(draw, 2, 3, 9), shape(draw, 3, 1, 5), shape(draw, 3, 7, 9)])
    return Case("nvmma_shared", nvmma_text(draw, sizes), sizes)


def partitioned(draw: Random) -> Case:
    """Of a swizzled layout: Triton's bindings give the bases of no other, and those of offsets alone."""
    partitions, groups, dim, sizes = power(draw, 1, 2), power(draw, 0, 2), draw.randrange(2), list(shape(draw, 2, 0, 6))
    sizes[dim] *= partitions * groups
    given = f"numPartitions = {partitions}, numGroups = {groups}, partitionDim = {dim}"
    inner = f"#ttg.swizzled_shared<{{{swizzled_fields(draw, 2)}}}>"
    return Case("partitioned_shared", f"#ttg.partitioned_shared<{{{given}, partitionLayout = {inner}}}>", tuple(sizes))


def cluster(draw: Random) -> Case:
    """A layout over the blocks of a cluster, some of which hold the same."""
    return spread(draw, draw.choice([blocked, mfma, mma, swizzled, dot])(draw))


def nvmma_cluster(draw: Random) -> Case:
    return spread(draw, nvmma(draw))


def spread(draw: Random, inner: Case) -> Case:
    """A case over the blocks of a cluster."""
    sizes, bases = list(inner.shape), list[list[int]]()
    for _ in range(draw.randint(1, 3)):
        dim = draw.randrange(len(sizes))
        parts = max([1, *(2 * basis[dim] for basis in bases)])
        own = parts if sizes[dim] > parts and draw.random() < 0.8 else 0
        bases.append([own if d == dim else 0 for d in range(len(sizes))])
    text = inner.text.replace("}>", f", CGALayout = {bases}}}>", 1)  # of an operand's parent
    return Case(inner.kind, text, inner.shape, inner.lanes, inner.warps, 1 << len(bases))


MAKERS: dict[str, tuple[Callable[[Random], Case], int]] = {
    "blocked": (blocked, 450),
    "amd_mfma": (mfma, 300),
    "amd_wmma": (wmma, 250),
    "nvidia_mma": (mma, 150),
    "dot_op": (dot, 600),
    "slice": (sliced, 300),
    "linear": (linear, 250),
    "swizzled_shared": (swizzled, 300),
    "padded_shared": (padded, 200),
    "shared_linear": (shared_linear, 200),
    "clusters": (cluster, 200),
    "short_operand": (short_operand, 200),
    "nvmma_shared": (nvmma, 240),
    "partitioned_shared": (partitioned, 120),
    "nvmma_clusters": (nvmma_cluster, 60),
}
"""Each kind, and how many of it."""


PAIRS = 400
"""Register layouts that meet a shared one."""


def pairs(seed: int = SEED, *, lanes: int = 32, padding: bool = False) -> Iterator[tuple[Case, Case]]:
    """Register layouts of `lanes` lanes and the shared ones that they meet, of one tensor each."""
    draw = Random(f"{seed} {lanes} {padding}")
    for _ in range(PAIRS):
        sizes = (power(draw, 4, 6), power(draw, 4, 6))
        which = draw.randrange(3)
        if which == 0 or lanes == 64:
            registers = mfma_text(draw, 4) if lanes == 64 and which else blocked_text(draw, 2, lanes, 4)
        elif which == 1:
            registers = mma_text(draw, 4, 2)
        else:
            registers = f"#ttg.dot_op<{{opIdx = {draw.randint(0, 1)}, parent = {mma_text(draw, 4, 2)}, kWidth = 2}}>"
        if padding and draw.random() < 0.5:
            pads = f"{power(draw, 2, 8)}:+{power(draw, 0, 4)}"
            shared = f"#ttg.padded_shared<[{pads}] {{order = {order(draw, 2)}, shape = {list(sizes)}}}>"
        else:
            shared = f"#ttg.swizzled_shared<{{{swizzled_fields(draw, 2)}}}>"
        kind = shared[len("#ttg.") :].partition("<")[0]
        yield Case("registers", registers, sizes, lanes), Case(kind, shared, sizes, lanes)


def nvmma_pairs(seed: int = SEED) -> Iterator[tuple[Case, Case]]:
    """Register layouts of 32 lanes and the `nvmma_shared` that they meet."""
    draw = Random(f"{seed} nvmma")
    for _ in range(PAIRS // 4):
        sizes = (power(draw, 4, 6), power(draw, 4, 6))
        shared = Case("nvmma_shared", nvmma_text(draw, sizes), sizes, 32)
        registers = blocked_text(draw, 2, 32, 4) if draw.random() < 0.6 else mma_text(draw, 4, 2)
        yield Case("registers", registers, sizes, 32), shared


def linear_layout(draw: Random, places: tuple[str, ...], sizes: dict[str, int]) -> LinearLayout:
    """A linear layout by chance."""
    bases = {
        place: [[draw.randrange(size) for size in sizes.values()] for _ in range(draw.randint(0, 3))]
        for place in places
    }
    return LinearLayout.of(bases, sizes)


def operands(seed: int = SEED) -> Iterator[tuple[LinearLayout, LinearLayout, LinearLayout]]:
    """A layout, one to repeat it by, and one that may follow it."""
    draw = Random(f"{seed} operands")
    for _ in range(PAIRS):
        sizes = {f"dim{n}": power(draw, 0, 2) for n in range(draw.randint(1, 3))}
        first = linear_layout(draw, ("register", "lane", "warp")[: draw.randint(1, 3)], sizes)
        again = linear_layout(draw, ("lane", "block"), {f"dim{n}": power(draw, 0, 2) for n in range(1, 3)})
        outs = {"x": 8, "y": 4}
        follow = {
            out: [[draw.randrange(8), draw.randrange(4)] for _ in range(bits_of(size))] for out, size in sizes.items()
        }
        yield first, again, LinearLayout.of(follow, outs)


def cases(seed: int = SEED) -> Iterator[Case]:
    """All of them."""
    for kind, (make, count) in MAKERS.items():
        draw = Random(f"{seed} {kind}")
        for _ in range(count):
            yield make(draw)

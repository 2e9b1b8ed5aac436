"""Tiled MMAs and copies by chance, in Python and in C++ for NVIDIA's own: the same ones for each seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from random import Random

from layoutalg.interop import cute
from layoutalg.interop.cute import BitSwizzle, ComposedLayout, Layout, TiledCopy, TiledMma
from layoutalg.interop.cute.layout import AnyLayout
from layoutalg.interop.cute.mma import Permutation
from layoutalg.interop.cute.trees import Tree

SEED, MMAS, COPIES = 39, 18, 24
K_MAJOR = "<GMMA::Major::K, GMMA::Major::K>"
ATOMS = (
    "SM75_8x8x16_S32S8S8S32_TN", "SM80_16x8x16_F32F16F16F32_TN", "SM80_16x8x8_F32TF32TF32F32_TN",
    "SM80_16x8x32_S32S8S8S32_TN", "SM80_8x8x4_F64F64F64F64_TN", "SM90_16x8x16_F64F64F64F64_TN", "UniversalFMA<float>",
    "SM90_64x32x16_F32F16F16_SS", "SM90_64x16x16_F32F16F16_RS",
)  # fmt: skip
EACH = ("UniversalCopy<uint{}_t>", "SM80_CP_ASYNC_CACHEALWAYS<uint{}_t>")
MATRICES = ("SM75_U32x1_LDSM_N", "SM75_U32x2_LDSM_N", "SM75_U32x4_LDSM_N", "SM75_U16x2_LDSM_T", "SM75_U16x4_LDSM_T",
            "SM75_U16x8_LDSM_T", "SM90_U32x2_STSM_N", "SM90_U32x4_STSM_N", "SM90_U16x8_STSM_T")  # fmt: skip
TYPES = {8: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t"}


@dataclass(frozen=True)
class Part:
    """A tensor of which threads have parts, by a method of a tiled MMA's or copy's thread."""

    method: str
    tensor: AnyLayout
    threads: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A tiled MMA or copy, the C++ that makes it, and tensors that it partitions."""

    made: TiledMma | TiledCopy
    cpp: str
    parts: tuple[Part, ...]


def static(tree: Tree) -> str:
    """A shape or stride as a C++ type."""
    return f"Shape<{', '.join(map(static, tree))}>" if isinstance(tree, tuple) else f"Int<{tree}>"


def type_of(layout: AnyLayout) -> str:
    """A layout as a C++ value."""
    if isinstance(layout, ComposedLayout):
        own = layout.swizzle
        return f"composition(Swizzle<{own.bits}, {own.base}, {own.shift}>{{}}, {type_of(layout.layout)})"
    return f"Layout<{static(layout.shape)}, {static(layout.stride)}>{{}}"


def numbered(draw: Random, sizes: Sequence[int]) -> Layout:
    """A layout of these sizes whose modes follow one another in any order."""
    strides, reach = [0] * len(sizes), 1
    for n in draw.sample(range(len(sizes)), len(sizes)):
        strides[n], reach = reach, reach * sizes[n]
    return Layout(tuple(sizes), tuple(strides))


def tensor(draw: Random, sizes: Sequence[int]) -> AnyLayout:
    """A tensor of these lengths, or of stages of them; swizzled where it is of powers of two."""
    stages = [2] if draw.random() < 0.3 else []
    order = sorted(range(len(sizes)), key=lambda _: draw.random())
    strides, reach = {}, 1
    for n in order:
        strides[n], reach = reach, reach * sizes[n]
    layout = Layout((*sizes, *stages), (*[strides[n] for n in range(len(sizes))], *[reach] * len(stages)))
    if draw.random() < 0.4 and not reach & (reach - 1):
        return ComposedLayout(BitSwizzle(draw.randint(1, 3), draw.randint(0, 3), 3), 0, layout)
    return layout


def permutation(draw: Random, least: int) -> Permutation:
    which = draw.random()
    if which < 0.5:
        return None
    if which < 0.7:
        return least * draw.choice((1, 2))
    inner = draw.choice([n for n in (1, 2, 4, 8) if least % n == 0])
    return Layout((inner, least // inner, 2), (1, 2 * inner, inner))


def mma(draw: Random) -> Case:
    name = draw.choice(ATOMS)
    atom = cute.mma_atom(name)
    atoms = numbered(draw, [draw.choice((1, 2)) for _ in range(3)] if atom.threads > 1 else [4, 8, 1])
    tile = [permutation(draw, shape * int(n)) for shape, n in zip(atom.shape, atoms.shape, strict=True)]
    made = cute.make_tiled_mma(atom, atoms, tile)
    tiles = ", ".join(
        "Underscore" if one is None else type_of(one)[:-2] if isinstance(one, Layout) else f"Int<{one}>" for one in tile
    )
    operation = name + (K_MAJOR if name.startswith("SM90_64") else "")
    cpp = f"make_tiled_mma({operation}{{}}, {type_of(atoms)}, Tile<{tiles}>{{}})"
    parts = []
    for method, dims in (("partition_A", (0, 2)), ("partition_B", (1, 2)), ("partition_C", (0, 1))):
        lengths = [int(made.tile[d]) * draw.choice((1, 2)) for d in dims]
        parts.append(Part(method, tensor(draw, lengths), tuple(draw.randrange(int(made.threads)) for _ in range(2))))
    return Case(made, cpp, tuple(parts))


def copy(draw: Random) -> Case:
    bits = draw.choice((8, 16, 16, 32))
    if draw.random() < 0.5:
        width = draw.choice([n for n in (32, 64, 128) if n >= bits])
        atom = cute.copy_atom(name := draw.choice(EACH).format(width), bits)
    else:
        name = draw.choice([one for one in MATRICES if bits <= (16 if one.endswith("T") else 32)])
        atom = cute.copy_atom(name, bits)
    cpp_atom = f"Copy_Atom<{name}, {TYPES[bits]}>{{}}"
    if draw.random() < 0.4 and bits == 16 and "STSM" not in name:
        tiled, which = case_of_mma(draw), draw.randrange(3)
        make = (cute.make_tiled_copy_a, cute.make_tiled_copy_b, cute.make_tiled_copy_c)[which]
        made, cpp = make(atom, tiled.made), f"make_tiled_copy_{'ABC'[which]}({cpp_atom}, {tiled.cpp})"
    else:
        sizes = [draw.choice((1, 2, 4)), draw.choice((1, 2, 4, 8))]
        sizes[draw.randrange(2)] *= int(atom.threads)
        threads = numbered(draw, sizes)
        each = [draw.choice((1, 2)), draw.choice((1, 2))]
        each[draw.randrange(2)] *= int(atom.values)
        values = numbered(draw, each)
        made = cute.make_tiled_copy(atom, threads, values)
        cpp = f"make_tiled_copy({cpp_atom}, {type_of(threads)}, {type_of(values)})"
    lengths = [int(n) * draw.choice((1, 2)) for n in made.tile]
    ids = tuple(draw.randrange(int(made.threads)) for _ in range(2))
    return Case(made, cpp, tuple(Part(method, tensor(draw, lengths), ids) for method in ("partition_S", "partition_D")))


def case_of_mma(draw: Random) -> Case:
    """A tiled MMA of 16-bit elements, wide enough for four matrices at once."""
    atoms = numbered(draw, (draw.choice((1, 2)), draw.choice((1, 2)), 1))
    m, n, _ = map(int, atoms.shape)
    made = cute.make_tiled_mma(ATOMS[1], atoms, (32 * m, 32 * n, 16))
    tile = f"Tile<Int<{32 * m}>, Int<{32 * n}>, _16>{{}}"
    return Case(made, f"make_tiled_mma({ATOMS[1]}{{}}, {type_of(atoms)}, {tile})", ())


def cases(seed: int = SEED) -> Iterator[Case]:
    """All of them; those that a layout's algebra refuses are left out."""
    for make, count in ((mma, MMAS), (copy, COPIES)):
        draw = Random(f"{seed} {make.__name__}")
        found = 0
        while found < count:
            case = make(draw)
            if all(prod(map(int, _lengths(part.tensor))) <= 1 << 14 for part in case.parts):
                found += 1
                yield case


def _lengths(layout: AnyLayout) -> list[int]:
    return [int(cute.size(mode)) for mode in (layout.layout if isinstance(layout, ComposedLayout) else layout)]

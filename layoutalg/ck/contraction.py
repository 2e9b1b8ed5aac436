"""The tuning parameters of CK's `DeviceContractionMultipleD_Xdl_CShuffle`: which combinations are valid, and why not.

CK says so in five files: a combination that some `static_assert` stops does not compile, one that
`IsSupportedArgument` refuses compiles and never runs.  Each is one line of `RULES` here, with its place:

| file, below `ck/tensor_operation/gpu`                     | says                                              |
|-----------------------------------------------------------|---------------------------------------------------|
| `device/impl/device_contraction_multiple_d_xdl_cshuffle`  | vector dimensions, what the tensors' strides allow |
| `device/device_base`                                      | how often a wave repeats along n                  |
| `grid/gridwise_gemm_multiple_d_xdl_cshuffle`              | tiles, K1, shuffles                               |
| `block/blockwise_gemm_xdlops`                             | waves and threads, KPack                          |
| `block/thread_group_tensor_slice_transfer_v4r1`, `_v7`    | thread clusters                                   |
| `warp/xdlops_gemm`                                        | which instruction there is                        |

**CK does not use its parameter NXdlPerWave**: `GetNXdlPerWave2` computes it from the block's size, and another one that
is written is silently not what runs.  Here that is a reason of its own.

What it cannot represent: whether the tensors' own strides allow the vectors (`IsSupportedArgument` with a problem), and
waves of 32 lanes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.kernel.library.plans import Plan
from layoutalg.records import dataclass
from layoutalg.target import target
from layoutalg.target.dtypes import dtype_of
from layoutalg.target.known import matrix_instructions
from layoutalg.target.operand import MatrixInstruction

WAVE = 64
OPERATION = "DeviceContractionMultipleD_Xdl_CShuffle"
Sequence3 = tuple[int, ...]


@dataclass(frozen=True)
class ContractionTuning:
    """The parameters by CK's names, in its order, from `NumGemmKPrefetchStage` on."""

    num_gemm_k_prefetch_stage: int
    block_size: int
    m_per_block: int
    n_per_block: int
    k_per_block: int
    ak1: int
    bk1: int
    m_per_xdl: int
    n_per_xdl: int
    m_xdl_per_wave: int
    n_xdl_per_wave: int
    a_thread_cluster_lengths: Sequence3
    a_thread_cluster_arrange_order: Sequence3
    a_src_access_order: Sequence3
    a_src_vector_dim: int
    a_src_scalar_per_vector: int
    a_dst_scalar_per_vector_ak1: int
    a_lds_extra_m: int
    b_thread_cluster_lengths: Sequence3
    b_thread_cluster_arrange_order: Sequence3
    b_src_access_order: Sequence3
    b_src_vector_dim: int
    b_src_scalar_per_vector: int
    b_dst_scalar_per_vector_bk1: int
    b_lds_extra_n: int
    c_shuffle_m_xdl_per_wave_per_shuffle: int
    c_shuffle_n_xdl_per_wave_per_shuffle: int
    cde_cluster_lengths: Sequence3
    cde_scalar_per_vector: int

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if (field.type == "Sequence3") != isinstance(value, tuple):
                raise LayoutError(
                    f"{field.name} is {value!r}; it takes {'a list' if field.type != 'int' else 'a number'}"
                )
            least = 0 if "extra" in field.name or "order" in field.name else 1
            if any(n < least for n in (value if isinstance(value, tuple) else (value,))):
                raise LayoutError(f"{field.name} is {value!r}; its least is {least}")

    @property
    def waves(self) -> tuple[int, int]:
        """Waves along m and along n, as the tiles say."""
        return (
            self.m_per_block // (self.m_per_xdl * self.m_xdl_per_wave),
            self.n_per_block // (self.n_per_xdl * self.n_xdl_per_wave),
        )

    def lds_bytes(self, dtype: str, shuffled: str) -> int:
        """CK's `GetSharedMemoryNumberOfByte`: the tiles of A and B, or what is shuffled of C, whichever is more."""
        align = math.lcm(self.ak1, self.bk1)
        spaces = [
            1 + (self.k_per_block // k1 - 1) * (length + extra) * k1 + (length - 1) * k1 + k1 - 1
            for k1, length, extra in (
                (self.ak1, self.m_per_block, self.a_lds_extra_m), (self.bk1, self.n_per_block, self.b_lds_extra_n)
            )
        ]  # fmt: skip
        held = sum(-(-space // align) * align for space in spaces) * dtype_of(dtype).bytes
        m, n = self.waves
        rows = self.c_shuffle_m_xdl_per_wave_per_shuffle * m * self.m_per_xdl
        return max(
            held, rows * self.c_shuffle_n_xdl_per_wave_per_shuffle * n * self.n_per_xdl * dtype_of(shuffled).bytes
        )


@dataclass(frozen=True)
class TuningRule:
    """What must hold of a combination, in words, and where CK says it."""

    holds: Callable[[ContractionTuning], bool]
    reason: str
    source: str


def _covers(tile: tuple[int, ...], cluster: tuple[int, ...]) -> bool:
    return len(cluster) == len(tile) and all(n % c == 0 for n, c in zip(tile, cluster, strict=True))


def _permutes(order: tuple[int, ...], rank: int) -> bool:
    return sorted(order) == list(range(rank))


def _tile(t: ContractionTuning, side: str) -> tuple[int, int, int]:
    k1, length = (t.ak1, t.m_per_block) if side == "a" else (t.bk1, t.n_per_block)
    return t.k_per_block // k1, length, k1


def _shuffled(t: ContractionTuning) -> tuple[int, int, int, int]:
    m, n = t.waves
    return (
        1, t.c_shuffle_m_xdl_per_wave_per_shuffle * m * t.m_per_xdl,
        1, t.c_shuffle_n_xdl_per_wave_per_shuffle * n * t.n_per_xdl,
    )  # fmt: skip


def _slice(t: ContractionTuning, side: str) -> tuple[int, ...]:
    """What one thread moves of a tile."""
    return tuple(n // c for n, c in zip(_tile(t, side), getattr(t, f"{side}_thread_cluster_lengths"), strict=True))


def _vector(t: ContractionTuning, side: str) -> bool:
    return bool(
        _slice(t, side)[getattr(t, f"{side}_src_vector_dim")] % getattr(t, f"{side}_src_scalar_per_vector") == 0
    )


GRID, BLOCK = "grid/gridwise_gemm_multiple_d_xdl_cshuffle.hpp", "block/blockwise_gemm_xdlops.hpp"
DEVICE = "device/impl/device_contraction_multiple_d_xdl_cshuffle.hpp"
TRANSFER, TRANSFER_CDE = (f"block/thread_group_tensor_slice_transfer_{v}.hpp" for v in ("v4r1", "v7"))
THREAD = "thread/threadwise_tensor_slice_transfer_v3r1.hpp"


def _of_side(side: str, length: str) -> tuple[TuningRule, ...]:
    def of(t: ContractionTuning, name: str) -> Any:
        return getattr(t, f"{side}_{name}")

    x, k1 = side.upper(), f"{side.upper()}K1"
    return (
        TuningRule(
            lambda t: of(t, "src_vector_dim") in (1, 2), f"{x}BlockTransferSrcVectorDim is neither 1 nor 2", DEVICE
        ),
        TuningRule(
            lambda t: _covers(_tile(t, side), of(t, "thread_cluster_lengths")),
            f"the threads of {x}'s cluster do not cover its tile (K0, {length}, {k1})", TRANSFER,
        ),
        TuningRule(
            lambda t: math.prod(of(t, "thread_cluster_lengths")) <= t.block_size,
            f"{x}'s cluster has more threads than the block", TRANSFER,
        ),
        TuningRule(
            lambda t: _permutes(of(t, "thread_cluster_arrange_order"), 3) and _permutes(of(t, "src_access_order"), 3),
            f"an order of {x} is no permutation of 0, 1, 2", TRANSFER,
        ),
        TuningRule(
            lambda t: _vector(t, side),
            f"what a thread loads of {x} along its vector dimension is no multiple of SrcScalarPerVector", THREAD,
        ),
        TuningRule(
            lambda t: _slice(t, side)[2] % of(t, f"dst_scalar_per_vector_{side}k1") == 0,
            f"what a thread stores of {x} along {k1} is no multiple of DstScalarPerVector", THREAD,
        ),
    )  # fmt: skip


RULES: tuple[TuningRule, ...] = (
    TuningRule(lambda t: t.num_gemm_k_prefetch_stage in (1, 2), "NumGemmKPrefetchStage is neither 1 nor 2",
               "grid/gridwise_gemm_pipeline_v1.hpp"),
    TuningRule(lambda t: t.k_per_block % t.ak1 == 0 and t.k_per_block % t.bk1 == 0,
               "KPerBlock must be divisible by AK1 and BK1", GRID),
    TuningRule(lambda t: t.m_per_block % (t.m_per_xdl * t.m_xdl_per_wave) == 0,
               "MPerBlock is no multiple of MPerXDL · MXdlPerWave", GRID),
    TuningRule(lambda t: t.n_per_block % (t.n_per_xdl * t.n_xdl_per_wave) == 0,
               "NPerBlock is no multiple of NPerXDL · NXdlPerWave", GRID),
    TuningRule(lambda t: t.waves[0] * t.waves[1] * WAVE == t.block_size,
               "BlockSize is not the waves along m times those along n times 64; CK computes another NXdlPerWave",
               f"device/device_base.hpp, {BLOCK}"),
    *_of_side("a", "MPerBlock"),
    *_of_side("b", "NPerBlock"),
    TuningRule(lambda t: t.m_xdl_per_wave % t.c_shuffle_m_xdl_per_wave_per_shuffle == 0
               and t.n_xdl_per_wave % t.c_shuffle_n_xdl_per_wave_per_shuffle == 0,
               "MXdlPerWave or NXdlPerWave is no multiple of what is shuffled at a time", GRID),
    TuningRule(lambda t: _covers(_shuffled(t), t.cde_cluster_lengths),
               "the threads of the C shuffle's cluster do not cover what is shuffled at a time", TRANSFER_CDE),
    TuningRule(lambda t: math.prod(t.cde_cluster_lengths) <= t.block_size,
               "the C shuffle's cluster has more threads than the block", TRANSFER_CDE),
    TuningRule(lambda t: _shuffled(t)[3] // t.cde_cluster_lengths[3] % t.cde_scalar_per_vector == 0,
               "what a thread stores along n is no multiple of CDEBlockTransferScalarPerVector", TRANSFER_CDE),
)  # fmt: skip
"""In the order in which one is asked: a later one may take the earlier ones to hold."""


def reasons(t: ContractionTuning, dtype: str, name: str = "gfx942", shuffled: str | None = None) -> Iterator[str]:
    """Why a combination is not valid on a target, for elements of a type; nothing where it is.

    The first rule that fails ends the list: later ones are of parts that make no sense then.
    """
    for rule in RULES:
        if not rule.holds(t):
            yield f"{rule.reason} ({rule.source})"
            return
    instruction = instruction_of(t, dtype, name)
    if instruction is None:
        yield f"no {dtype} instruction of {t.m_per_xdl}×{t.n_per_xdl} on {name} (warp/xdlops_gemm.hpp)"
        return
    each = int(instruction.a.element.hi) + 1
    pack = max(math.lcm(t.ak1, t.bk1), each)
    if t.k_per_block % (instruction.k // each) or t.k_per_block // (instruction.k // each) % pack:
        yield f"KPerBlock / {instruction.k // each}, what a lane has of k, is no multiple of KPack {pack} ({BLOCK})"
        return
    held, most = t.lds_bytes(dtype, shuffled or dtype), target(name).lds_bytes
    if held > most:
        yield f"{held} bytes of LDS, of which {name} has {most} ({GRID}: GetSharedMemoryNumberOfByte)"


def instruction_of(t: ContractionTuning, dtype: str, name: str) -> MatrixInstruction | None:
    """The target's matrix instruction of this shape and type, as CK's MfmaSelector chooses; None where there is none.

    Of two 16-bit ones, which gfx950 has, that with more k unless A's and B's K1 are at most 4.
    """
    fitting = [
        one for one in matrix_instructions(name)
        if (one.m, one.n, one.wave) == (t.m_per_xdl, t.n_per_xdl, WAVE) and one.a_dtype == one.b_dtype == dtype
    ]  # fmt: skip
    single = math.lcm(t.ak1, t.bk1) <= 4 or dtype_of(dtype).bytes != 2
    return (min if single else max)(fitting, key=lambda one: one.k, default=None)


def plan_of(t: ContractionTuning, dtype: str, name: str) -> Plan:
    """The tile as a plan of our own generator; LayoutError where the combination is not valid.

    The block, the waves, their repetitions and the tile's k are CK's; LDS layouts, vectors and the order of loads are
    the generator's own.
    """
    why = next(reasons(t, dtype, name), None)
    if why is not None:
        raise LayoutError(why)
    instruction = instruction_of(t, dtype, name)
    assert instruction is not None
    return Plan(instruction, (t.m_xdl_per_wave, t.n_xdl_per_wave), t.waves, t.k_per_block, t.k_per_block, name)


# --- CK's own text ----------------------------------------------------------------------------------------------------

BEFORE = 13
"""Template parameters before the tuning ones: numbers of dimensions, types, operations, the specialization."""


def instances(text: str) -> Mapping[str, ContractionTuning]:
    """The instances of a C++ text, by the names of their aliases; LayoutError where one has other than numbers.

    >>> list(instances("using F = DeviceContraction<2>;"))
    []
    """
    text = re.sub(r"//[^\n]*", "", text)
    found: dict[str, ContractionTuning] = {}
    for match in re.finditer(rf"using\s+(\w+)\s*=\s*[\w:\s]*\b{OPERATION}\s*<", text):
        arguments = _arguments(text, match.end())
        given: list[Any] = [
            _value(match[1], argument) for argument in arguments[BEFORE : BEFORE + len(fields(ContractionTuning))]
        ]
        if len(given) < len(fields(ContractionTuning)):
            raise LayoutError(
                f"{match[1]}: {len(arguments)} template arguments; the tuning parameters are not all there"
            )
        found[match[1]] = ContractionTuning(*given)
    return found


def _arguments(text: str, start: int) -> list[str]:
    """The template arguments from a place on, up to the closing bracket."""
    found, depth, last = list[str](), 0, start
    for at in range(start, len(text)):
        letter = text[at]
        if letter in "<(":
            depth += 1
        elif letter in ">)":
            depth -= 1
        if depth < 0 or (letter == "," and depth == 0):
            found.append(text[last:at].strip())
            last = at + 1
        if depth < 0:
            return found
    raise LayoutError(f"{OPERATION}< is not closed")


def _value(name: str, text: str) -> int | tuple[int, ...]:
    if re.fullmatch(r"\d+", text):
        return int(text)
    if text in ("true", "false"):
        return int(text == "true")
    if listed := re.fullmatch(r"(?:[\w:]*\bS|[\w:]*Sequence)\s*<([\d\s,]*)>", text):
        return tuple(int(one) for one in listed[1].split(",") if one.strip())
    raise LayoutError(f"{name}: {text!r} is neither a number nor a sequence of them")

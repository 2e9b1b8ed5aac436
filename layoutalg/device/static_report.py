"""What compiled AMD code says of itself: instructions of its inner loop, registers, occupancy, LDS traffic, limits.

An estimate, not a measurement: nothing was run.  The inner loop is the innermost one with the most instructions, or
the whole kernel where there is none.  Its work (products of the matrix cores, else bytes loaded from memory) says how
often a case of known size runs through it; each limit is then a plain division:

| limit  | time                                                                                  |
|--------|---------------------------------------------------------------------------------------|
| memory | the case's bytes / peak bandwidth                                                     |
| matrix | the case's operations / the matrix cores' peak                                        |
| lds    | bytes that LDS instructions move, at a word of each bank a cycle in each compute unit |
| issue  | vector instructions (arithmetic, memory, LDS), as many a cycle as a unit can begin    |

The greatest is the least time that this code can take.  What it cannot see: latency, conflicts, caches, clocks under
load, loops whose trips differ.  Peak numbers, banks and who says so: the targets' files (`layoutalg.target`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from layoutalg.device.codeobject import KernelResources
from layoutalg.records import dataclass
from layoutalg.target import Card, Target
from layoutalg.target import target as target_named
from layoutalg.target.known import builds

KINDS: tuple[tuple[str, str], ...] = (
    ("matrix", r"v_(mfma|wmma|swmmac|smfmac)_"), ("lds", r"ds_"), ("load", r"(global|buffer|flat|scratch)_load_"),
    ("store", r"(global|buffer|flat|scratch)_store_"), ("wait", r"s_(wait|barrier|delay)"), ("branch", r"s_c?branch"),
    ("scalar", r"s_"), ("vector", r"v_"),
)  # fmt: skip
"""Kinds of instructions by what their names begin with; the first that fits."""
_SHAPE = re.compile(r"_(\d+)x(\d+)x(\d+)_?(?:f|bf)(?:16|32)")
_DWORDS = {"ubyte": 1, "sbyte": 1, "ushort": 2, "sshort": 2, "short": 2, "byte": 1, "dword": 4, "dwordx2": 8,
           "dwordx3": 12, "dwordx4": 16}  # fmt: skip


@dataclass(frozen=True)
class StaticReport:
    """What was read from the code, and the least microseconds by each limit. An estimate."""

    kernel: str
    gpu: Card
    instructions: Mapping[str, int]
    vgprs: int
    waves: int
    lds_bytes: int
    lds_traffic: int
    limits: Mapping[str, float]

    @property
    def microseconds(self) -> float:
        """The greatest of the limits."""
        return max(self.limits.values())

    @property
    def bound(self) -> str:
        """The limit that is the greatest."""
        return max(self.limits, key=lambda name: self.limits[name])


def gpus() -> tuple[Card, ...]:
    """The cards of the report: those of every target's file.

    >>> [gpu.name for gpu in gpus()]
    ['MI210', 'MI300X', 'MI355X', 'RX 7900 XTX', 'RX 9070']
    """
    return tuple(card for name, one in builds().items() if one.name == name for card in one.cards)


def static_report(
    assembly: str, resources: KernelResources, gpu: Card, *, bytes_moved: int, bytes_loaded: int, operations: int,
    threads: int,
) -> StaticReport:  # fmt: skip
    """The report of one kernel's assembly text.

    `bytes_moved` and `operations` are the case's, as `Case.bytes` and `Case.operations`; `bytes_loaded` are what load
    instructions move in all, where there are no matrix instructions; `threads` those of a block.
    """
    target = target_named(gpu.target)
    loop = inner_loop(assembly)
    counts = Counter(map(kind_of, loop))
    wave = target.wave_size
    traffic = sum(wave * lds_bytes(i) for i in loop)
    flops = sum(map(matrix_operations, loop))
    loaded = sum(wave * memory_bytes(i) for i in loop if kind_of(i) == "load")
    trips = operations / flops if flops and operations else bytes_loaded / loaded if loaded else 0.0
    per_second = gpu.units * gpu.clock * 1e6
    issued = sum(counts[kind] for kind in ("vector", "lds", "load", "store", "matrix"))
    limits = {
        "memory": bytes_moved / (gpu.bandwidth * 1e9) * 1e6,
        "matrix": operations / (gpu.half_matrix * 1e12) * 1e6 if flops else 0.0,
        "lds": trips * traffic / (per_second * 4 * target.for_width("read", 8).banks) * 1e6,
        "issue": trips * issued / (per_second * gpu.issue) * 1e6,
    }
    return StaticReport(
        resources.name, gpu, dict(counts), resources.vgprs or 0, occupancy(resources, target, threads),
        resources.lds_bytes or 0, traffic, limits,
    )  # fmt: skip


def inner_loop(assembly: str) -> list[str]:
    """The instructions of the largest innermost loop of an assembly text, each with its operands.

    >>> inner_loop("x:\\n v_a\\n.LBB0_1:\\n v_b v0\\n s_cbranch_scc1 .LBB0_1\\n s_endpgm\\n")
    ['v_b v0', 's_cbranch_scc1 .LBB0_1']
    """
    lines, labels = list[str](), dict[str, int]()
    loops: list[tuple[int, int]] = []
    for raw in assembly.splitlines():
        text = raw.split(";")[0].strip()
        if re.fullmatch(r"\.?[\w$.]+:", text):
            labels[text[:-1]] = len(lines)
        elif re.match(r"[a-z]+_\w+", text):
            lines.append(text)
            jump = re.match(r"s_c?branch\w*\s+(\S+)", text)
            if jump and jump[1] in labels:
                loops.append((labels[jump[1]], len(lines)))
            if text.startswith("s_endpgm"):
                break
    inner = [one for one in loops if not any(o != one and one[0] <= o[0] and o[1] <= one[1] for o in loops)]
    if not inner:
        return lines
    start, end = max(inner, key=lambda one: one[1] - one[0])
    return lines[start:end]


def kind_of(instruction: str) -> str:
    """The kind of an instruction.

    >>> kind_of("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1]"), kind_of("ds_read_b128 v[0:3], v4")
    ('matrix', 'lds')
    """
    return next((kind for kind, begins in KINDS if re.match(begins, instruction)), "other")


def lds_bytes(instruction: str) -> int:
    """Bytes that a lane moves by an LDS instruction.

    >>> lds_bytes("ds_read2st64_b64 v[0:3], v4"), lds_bytes("ds_store_b128 v0, v[1:4]"), lds_bytes("v_add_u32 v0, v1")
    (16, 16, 0)
    """
    found = re.match(r"ds_(?:read|write|load|store)(_?2(?:addr)?(?:st64|_stride64)?)?_[bui](\d+)", instruction)
    found = found or re.match(r"ds_(?:load|store)_(2addr(?:_stride64)?)_b(\d+)", instruction)
    return int(found[2]) // 8 * (2 if found[1] else 1) if found else 0


def memory_bytes(instruction: str) -> int:
    """Bytes that a lane moves by a load or store.

    >>> memory_bytes("global_load_dwordx4 v[0:3], v4, s[0:1]"), memory_bytes("global_load_b64 v[0:1], v2, s[0:1]")
    (16, 8)
    """
    name = instruction.split()[0]
    last = name.removesuffix("_d16").removesuffix("_d16_hi").split("_")[-1]
    bits = re.fullmatch(r"[bui](\d+)", last)
    return int(bits[1]) // 8 if bits else _DWORDS.get(last, 0)


def matrix_operations(instruction: str) -> int:
    """Multiplications and additions of a matrix instruction, of the whole wave.

    >>> matrix_operations("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]")
    16384
    """
    found = _SHAPE.search(instruction) if kind_of(instruction) == "matrix" else None
    return 2 * int(found[1]) * int(found[2]) * int(found[3]) if found else 0


def occupancy(resources: KernelResources, target: Target, threads: int) -> int:
    """Waves of one kernel that a unit of the target holds: by its waves, LDS and registers.

    Units and who describes them are in the target's file; 0 where nobody does.
    """
    waves = -(-threads // target.wave_size)
    return waves * target.unit.resident(waves, resources.lds_bytes or 0, resources.vgprs or 0) if target.unit else 0


def table(reports: Sequence[StaticReport]) -> str:
    """A line for each report."""
    head = "Estimates from compiled code; nothing was run. Times are the least that each limit allows, in µs."
    columns = (f"{'kernel':46s} {'GPU':12s} {'matrix':>6s} {'vector':>6s} {'lds':>5s} {'load':>5s} {'VGPRs':>5s} "
               f"{'waves':>5s} {'memory':>9s} {'matrix':>9s} {'LDS':>9s} {'issue':>9s}  bound")  # fmt: skip
    return "\n".join([head, columns, *map(_line, reports)])


def _line(r: StaticReport) -> str:
    counts = " ".join(f"{r.instructions.get(kind, 0):{n}d}" for kind, n in (("matrix", 6), ("vector", 6), ("lds", 5)))
    times = " ".join(f"{r.limits[name]:9.2f}" for name in ("memory", "matrix", "lds", "issue"))
    loads = r.instructions.get("load", 0)
    return f"{r.kernel[:46]:46s} {r.gpu.name:12s} {counts} {loads:5d} {r.vgprs:5d} {r.waves:5d} {times}  {r.bound}"

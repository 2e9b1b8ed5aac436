"""Which functions of CK Tile's policies are read: each that returns a descriptor or distribution, through the compiler.

    python -m benchmarks.ck.policies …/composable_kernel

A policy is a template: `problems/` has, for each operation, the problem that CK's own example builds (types, tile,
warps).  Each function of each policy header is asked for with it, as a spec file's `[cpp]` does.  A function is read
where its value makes a layout here; every other one is named with the compiler's reason.  What a header switches off
(`#if 0`) no compiler sees, and is left out.
"""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from layoutalg.ck.compiled import answers
from layoutalg.cpp.declared import Declarations
from layoutalg.cpp.inventory import line_of
from layoutalg.cpp.names import STUB
from layoutalg.cpp.settled import TARGET
from layoutalg.cpp.source import cleaned
from layoutalg.device.syntax import Parser
from layoutalg.errors import CompileError, LayoutError
from layoutalg.formats import ck_structure
from layoutalg.formats.cpp import CppError, CppUnit

PROBLEMS = Path(__file__).with_name("problems")
NAMED = re.compile(r"[Mm]ake.*(Desc|Dist|Dstr|Encod)")
MAKERS = re.compile(
    r"return (make_static_tile_distribution|make_naive_tensor_descriptor\w*|transform_tensor_descriptor|"
    r"make_single_stage_tensor_adaptor|tile_distribution_encoding<|detail::make_embed_tile_distribution_encoding)"
)
"""A function builds a layout by its name, or by what it returns."""


@dataclass(frozen=True)
class Room:
    """What a folder of `ops/` is compiled with, and the problems that its policies are given, by the header's name.

    A problem stands alone, for the class that the function is in, or as `class: problem`; `… for Make` says of which
    functions, the others being given those that do not say.
    """

    prelude: str
    headers: tuple[str, ...]
    problems: Mapping[str, tuple[str, ...]]
    target: str = "gfx942"


ROWS = (
    "core", "ops/add_rmsnorm2d_rdquant", "ops/batched_transpose", "ops/elementwise", "ops/layernorm2d", "ops/pooling",
    "ops/reduce", "ops/rmsnorm2d", "ops/smoothquant", "ops/topk_softmax",
)  # fmt: skip
CUSTOM = "BlockFmhaPipelineQXKSVSCustomPolicy"
AROUND = ("BwdBefore for MakePreO", "BwdAfter for MakePost")
ROOMS = (
    Room("rows", ROWS, {
        "add_rmsnorm2d_rdquant_fwd_pipeline_default_policy": ("AddRmsnorm",),
        "batched_transpose_common_policy": ("Transposed",),
        "batched_transpose_policy": ("Transposed",),
        "elementwise_pipeline_default_policy": ("Elementwise",),
        "layernorm2d_fwd_pipeline_default_policy": ("Layernorm",),
        "pool_default_policy": ("Pooled",),
        "reduce2d_default_policy": ("Reduced",),
        "rmsnorm2d_fwd_pipeline_default_policy": ("Rmsnorm",),
        "smoothquant_pipeline_default_policy": ("SmoothQuantised",),
        "topk_softmax_warp_per_row_policy": ("Topk",),
    }),
    Room("rows", ROWS, {"batched_transpose_lds_policy": ("TransposedInLds",)}, "gfx950"),
    Room("gemm", ("core", "ops/gemm", "ops/gemm_quant"), {
        "block_gemm_areg_bgmem_creg_v1_default_policy": ("V1",),
        "gemm_pipeline_agmem_bgmem_creg_v1_default_policy": ("V1", "V1Shuffled for MakeShuffled"),
        "gemm_universal_pipeline_ag_bg_cr_policy": (
            "UniversalGemmPipelineAgBgCrPolicy: V3", "UniversalGemmPipelineAgBgCrPolicy: V3Shuffled for MakeShuffled",
            "GemmPipelineAgBgCrCompV4DefaultPolicy: V4",
        ),
        "wp_pipeline_agmem_bgmem_creg_base_policy": ("Preshuffled", "PreshuffledColumn for MakeShuffled"),
        "gemm_aquant_pipeline_ag_bg_cr_policy": ("QuantisedA",),
        "gemm_bquant_pipeline_ag_bg_cr_policy": ("QuantisedB",),
        "gemm_wp_bquant_pipeline_ag_bg_cr_base_policy": ("PreshuffledB",),
    }),
    Room("gemm", ("core", "ops/gemm", "ops/gemm_quant"),
         {"gemm_pipeline_ag_bg_cr_comp_async_default_policy": ("Async",)}, "gfx950"),
    Room("flatmm", ("core", "host/kernel_launch", "ops/gemm", "ops/flatmm"), {
        "flatmm_pipeline_agmem_bgmem_creg_v1_policy": ("Flat", "FlatColumn for MakeShuffled"),
        "mixed_prec_flatmm_pipeline_agmem_bgmem_creg_v1_policy": ("Mixed",),
    }),
    Room("flatmm", ("core", "host/kernel_launch", "ops/gemm", "ops/flatmm"),
         {"mx_flatmm_pipeline_agmem_bgmem_creg_v1_policy": ("Scaled",)}, "gfx950"),
    Room("fused_moe", ("core", "host/kernel_launch", "ops/gemm", "ops/flatmm", "ops/fused_moe"),
         {"fused_moegemm_pipeline_flatmm_policy": ("Moe",)}),
    Room("fmha", ("core", "ops/gemm", "ops/fmha"), {
        "block_fmha_bwd_pipeline_default_policy": ("Bwd", *AROUND),
        "block_fmha_fwd_appendkv_pipeline_default_policy": ("AppendKV",),
        "block_fmha_fwd_splitkv_combine_pipeline_default_policy": ("Combine",),
        "block_fmha_fwd_splitkv_pipeline_nwarp_sshuffle_qr_ks_vs_default_policy": ("SplitKVNWarp",),
        "block_fmha_pipeline_qr_ks_vs_whole_k_prefetch_default_policy": ("FwdWholeK",),
        "block_fmha_pipeline_qx_ks_vs_custom_policy": (
            "BlockFmhaPipelineQRKSVSDefaultPolicy: Fwd", f"{CUSTOM}<true, true, 3, 3>: Fwd for MakeKLds(Store|Load)",
            f"{CUSTOM}<false, false, 1, 1>: Fwd for MakeQ(Dram|Lds)",
        ),
    }),
    Room("fmha", ("core", "ops/gemm", "ops/fmha"), {
        "block_fmha_bwd_pipeline_trload_default_policy": ("BwdTransposed", *AROUND),
        "block_fmha_fwd_v3_pipeline_default_policy": ("V3",),
        "block_fmha_pipeline_qr_ks_vs_async_trload_policy": ("FwdTransposed",),
    }, "gfx950"),
)  # fmt: skip

FIRST_GEMM = "remove_cvref_t<decltype(O::template GetQKBlockGemm<P>())>"
ARGUMENTS = {
    "<typename Problem>": "P",
    "<typename Problem, typename BlockGemm>": f"P, {FIRST_GEMM}",
    "<typename BlockGemm>": FIRST_GEMM,
    "<typename Problem, bool IsRotaryCosSinForQ>": "P, true",
    "<typename DataType, index_t MPerBlock, index_t KPerBlock>": "half_t, 64, 128",
    "<typename T, index_t MNPerBlock, index_t KPerBlock>": "half_t, 128, 128",
    "<typename Problem, typename T, index_t RowsPerBlock, index_t ColsPerBlock>": "P, half_t, 128, 128",
    "<index_t KIter, index_t MNPerBlock, index_t KPerSubBlock, index_t KPack>": "2, 128, 64, 8",
    "<index_t MNPerBlock, index_t KPerBlock, index_t KPack>": "128, 128, 8",
    "<typename Problem, index_t MNPerBlock, index_t KPerBlock, index_t KPack, index_t KPackT>": "P, 128, 128, 8, 4",
    "<typename Problem, index_t MNIter, index_t MNPerSubBlock, index_t KPerBlock, index_t KPack, index_t KPackT>":
        "P, 2, 64, 128, 8, 4",
    "<index_t MPerBlock, index_t KPerBlock, index_t NumWarps, index_t Alignment>": "32, 128, 4, 8",
    "<index_t WarpPerBlock_N_, index_t WarpPerBlock_K_, index_t Repeat_N_, index_t Repeat_K_, index_t WarpSize_, "
    "index_t Alignment_>": "4, 1, 8, 4, 64, 8",
    "<typename T, typename... TD_TS>": "half_t",
}  # fmt: skip
"""What a function is given for its template parameters: P the problem, O the class; one with a value keeps it."""
CALLED = {"TransformXDramDescriptor": "make_naive_tensor_descriptor_packed(make_tuple(number<128>{}, number<128>{}))"}
"""What a function is called with, where it takes anything."""


@dataclass(frozen=True)
class Function:
    """A function of a policy header that returns a layout: its class, template parameters and line."""

    header: Path
    owner: str
    name: str
    parameters: str
    line: int


def functions(header: Path) -> Iterator[Function]:
    """The functions of a header that build layouts, without those that it switches off."""
    text = cleaned(header.read_text(encoding="utf-8"))
    parsed = Parser(TARGET, f'#include "{STUB}"\nusing namespace ck_tile;\n').parse(text)
    for one in Declarations.of(text, parsed.declarations).found:
        written = text[one.declaration : one.end]
        if one.kind == "function" and (NAMED.match(one.name) or MAKERS.search(written)):
            owner = next((owner.name for owner in reversed(one.owners) if owner.is_class), "")
            given = re.match(r"template (<.*>)", re.sub(r"\s+", " ", text[one.begin : one.declaration]))
            parameters = given[1] if given is not None else ""
            yield Function(header, owner, one.name, parameters, line_of(text, one.declaration))


def expressions(function: Function, problems: tuple[str, ...]) -> Iterator[str]:
    """The calls of a function, one for each of its header's problems."""
    plain = re.sub(r", \w[\w: ]* \w+ = \w+", "", function.parameters)  # what has a value of its own
    told = [given.partition(" for ") for given in problems]
    own = [given for given, _, of in told if of and re.match(of, function.name)]
    for given in own or [given for given, _, of in told if not of]:
        owner, _, problem = given.rpartition(": ")
        owner = owner or re.sub(r"/\*.*?\*/", "", function.owner)
        arguments = re.sub(r"\b[OP]\b", lambda m, o=owner, p=problem: {"O": o, "P": p}[m[0]], ARGUMENTS[plain])
        yield f"{owner}::template {function.name}<{arguments}>({CALLED.get(function.name, '')})"


@dataclass(frozen=True)
class Told:
    """What came of a function: why it is not read, empty where it is."""

    function: Function
    why: str


def policies(include: Path, only: str) -> list[Path]:
    """The policy headers of a checkout."""
    return [path for path in sorted((include / "ck_tile" / "ops").rglob("*polic*.hpp")) if only in path.stem]


def read(include: Path, room: Room, only: str = "") -> Iterator[Told]:
    """What came of each function of a room's headers."""
    found = [f for h in policies(include, only) if h.stem in room.problems for f in functions(h)]
    asked = {f: tuple(expressions(f, room.problems[f.header.stem])) for f in found}
    headers = tuple(f"ck_tile/{name}.hpp" for name in room.headers)
    unit = CppUnit(room.target, headers, (include,), (PROBLEMS / f"{room.prelude}.hpp").read_text())
    said = dict(answers(unit, [text for texts in asked.values() for text in texts], 1))
    for function, texts in asked.items():
        reasons = [_reason(said[text]) for text in texts]
        yield Told(function, min(reasons, key=bool))


def _reason(answer: object) -> str:
    if isinstance(answer, CppError):
        return answer.reason
    if isinstance(answer, CompileError):
        return str(answer)
    try:
        made = ck_structure.layout(answer)
    except LayoutError as error:
        return str(error)
    return "" if hasattr(made, "lengths") else f"is no layout: {type(made).__name__}"


def main(folder: Path, only: str = "") -> None:
    """Reads all, and prints the table."""
    include = folder / "include"
    told = list[Told]()
    for room in ROOMS:
        told += read(include, room, only)
        print(f"{room.prelude}, {room.target}: {len(told)} functions", file=sys.stderr)
    by_header: dict[Path, list[Told]] = {}
    for each in told:
        by_header.setdefault(each.function.header, []).append(each)
    print("| operation | policy | functions | read |\n| --- | --- | --- | --- |")
    for header, some in sorted(by_header.items()):
        print(f"| {header.parts[-3]} | {header.stem} | {len(some)} | {sum(not each.why for each in some)} |")
    missed = [f for header in policies(include, only) if header not in by_header for f in functions(header)]
    whole = sum(not each.why for each in told)
    print(f"\n{whole} of {len(told) + len(missed)} functions in {len(by_header)} headers are read, "
          f"in {resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime:.0f} s of CPU")  # fmt: skip
    for each in told:
        if each.why:
            f = each.function
            print(f"- {f.header.name}:{f.line} {f.owner}::{f.name}: {each.why[:300]}")
    for f in missed:
        print(f"- {f.header.name}:{f.line} {f.owner}::{f.name}: no problem is given")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])

"""Faults in CK's GEMM headers, put there one each: copies of a header with one place changed, and what sees them.

Each makes wrong results, leaves elements unwritten, or lets threads race.  `swept` and `audited` are claims that `ck
sweep` and `ck audit` refute.  A sweep reads layouts, and nothing of the code that moves tiles by them: where `swept` is
empty, it says valid.  Of what an empty `audited` stands at, nothing is asked of an audit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.composable_kernel import composable_kernel

_GEMM = "ck_tile/ops/gemm"
EPILOGUE = "ck_tile/ops/epilogue/cshuffle_epilogue.hpp"
PARTITIONER = f"{_GEMM}/kernel/gemm_tile_partitioner.hpp"
KERNEL = f"{_GEMM}/kernel/universal_gemm_kernel.hpp"
POLICY = f"{_GEMM}/pipeline/gemm_universal_pipeline_ag_bg_cr_policy.hpp"
PIPELINE = f"{_GEMM}/pipeline/gemm_pipeline_ag_bg_cr_comp_v3.hpp"
BLOCK = f"{_GEMM}/block/block_universal_gemm_as_bs_cr.hpp"
WARP = f"{_GEMM}/warp/warp_gemm_attribute_mfma.hpp"
PATTERN = "ck_tile/core/algorithm/static_encoding_pattern.hpp"

SMALL, LARGE, DEEP = (f"{block}_2x2x1_16x16x16" for block in ("64x64x32", "128x128x32", "64x64x64"))
STRAIGHT = f"gemm_fp16_rcr_compv3_default_intrawave_False_False_False_{SMALL}"  # no epilogue through LDS


@dataclass(frozen=True)
class Mutant:
    """One place of a header, the `nth` of these words, changed; a tile that shows it, and M at most in its audit."""

    header: str
    old: str
    new: str
    swept: str = ""
    audited: str = ""
    nth: int = 0
    tile: str = SMALL
    layout: str = "rcr"
    rows: int = 64
    sizes: str = ""  # of its audit alone, where rows do not show it

    def written(self, folder: Path) -> tuple[Path, Path]:
        """The folders of headers, the changed one's first."""
        include = composable_kernel() / "include"
        text = (include / self.header).read_text()
        places = [*re.finditer(r"\s+".join(map(re.escape, self.old.split())), text)]
        assert len(places) > self.nth, f"{self.header} has no such text: {self.old}"
        place = places[self.nth]
        file = folder / self.header
        file.parent.mkdir(parents=True)
        file.write_text(text[: place.start()] + self.new + text[place.end() :])
        return folder, include


MUTANTS: Mapping[str, Mutant] = {
    "rows of C by other waves in the epilogue": Mutant(
        EPILOGUE,
        "tuple<sequence<NumMXdlPerWavePerShuffle, MWave>, sequence<NumNXdlPerWavePerShuffle, NWave>>, "
        "tuple<sequence<1, 2>>, tuple<sequence<1, 1>>, sequence<1, 2>, sequence<0, 0>>{};",
        "tuple<sequence<MWave, NumMXdlPerWavePerShuffle>, sequence<NumNXdlPerWavePerShuffle, NWave>>, "
        "tuple<sequence<1, 2>>, tuple<sequence<0, 1>>, sequence<1, 2>, sequence<1, 0>>{};",
        swept="handed_on, c",
        audited="computes",
    ),
    "the epilogue's window moves along M twice": Mutant(
        EPILOGUE,
        "move_tile_window(out_dram_window, {step.at(number<0>{}), step.at(number<1>{})});",
        "move_tile_window(out_dram_window, {step.at(number<0>{}), step.at(number<0>{})});",
        audited="stores_all",
    ),
    "the epilogue takes warp tiles of M by N's number": Mutant(
        EPILOGUE,
        "sequence<mIter * NumMXdlPerWavePerShuffle, nIter * NumNXdlPerWavePerShuffle>{}",
        "sequence<nIter * NumMXdlPerWavePerShuffle, mIter * NumNXdlPerWavePerShuffle>{}",
        tile=LARGE,
        rows=128,
        audited="computes",
    ),
    "the epilogue's rows overlap in LDS": Mutant(
        EPILOGUE,
        "make_tuple(number<NPerIterationShuffle>{}, number<1>{}));",
        "make_tuple(number<NPerIterationShuffle - 8>{}, number<1>{}));",
        swept="injective, c in LDS",
        audited="race_free",
    ),
    "half of the epilogue's LDS is asked for": Mutant(
        EPILOGUE,
        "return MPerIterationShuffle * NPerIterationShuffle * sizeof(ODataType);",
        "return MPerIterationShuffle * NPerIterationShuffle * sizeof(ODataType) / 2;",
        swept="lds_bytes, c",
    ),
    "no barrier before the epilogue reads": Mutant(
        EPILOGUE,
        "cast_lds_tile(lds_tile, in_lds_window); block_sync_lds();",
        "cast_lds_tile(lds_tile, in_lds_window);",
        audited="race_free",
    ),
    "the partitioner's numbers changed over, one row": Mutant(
        PARTITIONER,
        "return make_tuple(0, block_1d_id);",
        "return make_tuple(block_1d_id, 0);",
        audited="stores_all",
    ),
    "the partitioner's numbers changed over": Mutant(
        PARTITIONER,
        "return make_tuple(idx_loc_mod_M01 + idx_M00 * M01, N_out);",
        "return make_tuple(N_out, idx_loc_mod_M01 + idx_M00 * M01);",
        sizes="300x192x128",
        audited="race_free",
    ),
    "a column of tiles is left out": Mutant(
        PARTITIONER,
        "return make_tuple(0, block_1d_id);",
        "return make_tuple(0, block_1d_id ? block_1d_id : 1);",
    ),
    "C's view has M columns": Mutant(
        KERNEL,
        "make_tuple(kargs.M, kargs.N), // arguments not matching with flatmm.",
        "make_tuple(kargs.M, kargs.M),",
    ),
    "C's tile begins at its column twice": Mutant(
        KERNEL,
        "{i_m, i_n}); return make_tuple(as_block_window",
        "{i_n, i_n}); return make_tuple(as_block_window",
    ),
    "B's rows lie as far apart as A's": Mutant(
        KERNEL,
        "make_tuple(kargs.stride_Bs[i], 1)",
        "make_tuple(kargs.stride_As[i], 1)",
        nth=1,
    ),
    "K0 and K1 of A changed over in LDS": Mutant(
        POLICY,
        "make_tuple(number<KPerBlock / KPack>{}, number<KPack>{}))), make_tuple(sequence<1, 0>{}, sequence<2, 3>{})",
        "make_tuple(number<KPack>{}, number<KPerBlock / KPack>{}))), make_tuple(sequence<1, 0>{}, sequence<3, 2>{})",
        swept="contiguous, a in LDS",
    ),
    "A's rows overlap in LDS": Mutant(
        POLICY,
        "make_tuple(number<KPack>{}, number<KPerBlock * MLdsLayer>{}, number<1>{})",
        "make_tuple(number<KPack>{}, number<KPerBlock * MLdsLayer - KPack>{}, number<1>{})",
        swept="injective, a in LDS",
    ),
    "A's columns go to other lanes when shuffled": Mutant(
        PATTERN,
        "tuple<sequence<0>, sequence<1, 0>>, // -> <Y0>, <Y1, X0> sequence<1, 2>, sequence<1, 2>>{}); // -> <X1, Y2>",
        "tuple<sequence<0>, sequence<2, 0>>, sequence<1, 2>, sequence<1, 1>>{});",
        layout="ccr",
        tile=DEEP,
        swept="handed_on, a",
    ),
    "A's rows by the waves along N": Mutant(
        BLOCK,
        "tuple<sequence<MIterPerWarp, MWarp>, KIterSeq>, tuple<sequence<1, 0>>, tuple<sequence<1, 0>>,",
        "tuple<sequence<MIterPerWarp, MWarp>, KIterSeq>, tuple<sequence<0, 1>>, tuple<sequence<0, 1>>,",
        swept="multiplied, c",
    ),
    "accumulators of other rows": Mutant(
        BLOCK,
        "tuple<sequence<MIterPerWarp, MWarp>, sequence<NIterPerWarp, NWarp>>, tuple<sequence<1, 2>>, "
        "tuple<sequence<1, 1>>, sequence<1, 2>, sequence<0, 0>>{};",
        "tuple<sequence<MWarp, MIterPerWarp>, sequence<NIterPerWarp, NWarp>>, tuple<sequence<1, 2>>, "
        "tuple<sequence<0, 1>>, sequence<1, 2>, sequence<1, 0>>{};",
        swept="multiplied, c",
        tile=STRAIGHT,
    ),
    "B is taken at the first depth always": Mutant(
        BLOCK,
        "merge_sequences(sequence<nIter, kIter>{}, b_warp_y_index_zeros)",
        "merge_sequences(sequence<nIter, 0>{}, b_warp_y_index_zeros)",
        nth=1,
    ),
    "rows of an accumulator by other lanes": Mutant(
        WARP,
        "tuple<sequence<1, 2>>, tuple<sequence<1, 0>>, sequence<1, 1>, sequence<0, 2>>;",
        "tuple<sequence<1, 2>>, tuple<sequence<2, 0>>, sequence<1, 1>, sequence<0, 1>>;",
        swept="multiplied, c",
    ),
    "the loop turns once less": Mutant(
        PIPELINE,
        "while(i < (num_loop - 1));",
        "while(i < (num_loop - 2));",
    ),
    "no barrier before A and B are stored anew": Mutant(
        PIPELINE,
        "do { block_sync_lds();",
        "do {",
    ),
    "no barrier before A and B are read": Mutant(
        PIPELINE,
        "block_gemm(c_block_tile, a_lds_gemm_window, b_lds_gemm_window); block_sync_lds();",
        "block_gemm(c_block_tile, a_lds_gemm_window, b_lds_gemm_window);",
    ),
    "accumulators begin at one": Mutant(
        PIPELINE,
        "tile_elementwise_inout([](auto& c) { c = 0; }, c_block_tile);",
        "tile_elementwise_inout([](auto& c) { c = 1; }, c_block_tile);",
    ),
    "A's window stands still once": Mutant(
        PIPELINE,
        "move_tile_window(a_copy_dram_window, a_dram_tile_window_step);",
        "",
        nth=1,
    ),
}

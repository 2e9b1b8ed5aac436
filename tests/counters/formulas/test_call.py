"""Counters of launches as formulas: right ones beside runs, and kernels that have none, or whose claims fail."""

from functools import cache

import pytest

from benchmarks.counters.formulas import SIZES, compared
from layoutalg.counters.call import counters
from layoutalg.counters.formulas.call import CounterFormulas, counter_formulas
from layoutalg.device.compile import compile_source
from layoutalg.formats import SpecFile, loads
from tests.foreign.table import KERNELS

HEAD = "#include <hip/hip_runtime.h>\n"
GUARDED = 'extern "C" __global__ void k(const int* x, int* o, int n) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n'
BODIES = {
    "guard": GUARDED + "if (i < n) o[i] = x[i]; }",
    "strided": GUARDED + "for (int j = i; j < n; j += 256 * gridDim.x) o[j] = x[j]; }",
    "first wave": GUARDED + "__shared__ int s[256]; s[threadIdx.x] = i; __syncthreads();"
    "if (threadIdx.x < 64 && i < n) o[i] = s[threadIdx.x + 1]; }",
    "loaded": GUARDED + "if (i < n) for (int j = 0; j < (x[i] & 15); j++) __builtin_nontemporal_store(j, o + i); }",
    "backwards": GUARDED + "if (i < n) o[n - 1 - i] = x[i]; }",
    "every other": GUARDED + "if (i < n && threadIdx.x % 2 == 1) o[i] = x[i]; }",
    "one a wave": GUARDED + "if (i < n && threadIdx.x % 64 == 0) o[i / 64] = x[0]; }",
    "stays": GUARDED + "for (int j = i; j < n; j += n - 5) __builtin_nontemporal_store(j, o + i); }",
}


@cache
def built(body: str) -> bytes:
    return compile_source(HEAD + BODIES[body], "gfx942").payload


def launch(grid: str = "(N + 255) // 256") -> SpecFile:
    return loads(f"""
symbols = {{ N = {{ min = 1, max = 100000 }} }}
[[descriptor]]
name = "x"
dtype = "i32"
base = {{ kind = "packed", lengths = ["N"] }}
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "packed", lengths = ["N"] }}
[launch]
grid = ["{grid}"]
block = [256]
arguments = ["x", "o", "N"]
writes = ["o"]
""")


def formulas(body: str, grid: str = "(N + 255) // 256") -> CounterFormulas:
    return counter_formulas(built(body), launch(grid))


def test_a_guard_of_lanes_says_which_waves_store() -> None:
    found = formulas("guard")
    assert str(found["SQ_INSTS_VMEM_WR"].least) == "(N + 63) // 64"
    assert found["SQ_INSTS_VMEM_WR"].certainty == "exact"
    assert str(found["SQ_WAVES"].least) == "(N + 255) // 256 * 4"
    assert not found.unproved


@pytest.mark.parametrize(("body", "grid"), [("guard", "(N + 255) // 256"), ("strided", "3"), ("first wave", "5")])
@pytest.mark.parametrize("n", [1, 64, 65, 700, 5000])
def test_formulas_are_what_a_run_counts(body: str, grid: str, n: int) -> None:
    found, ran = formulas(body, grid).at({"N": n}), counters(built(body), launch(grid), {"N": n})
    for name in ("SQ_INSTS_VALU", "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR", "SQ_INSTS_LDS", "SQ_INSTS_SMEM", "barriers"):
        assert found[name] == (ran[name].least, ran[name].most), name


@pytest.mark.parametrize("body", ["guard", "strided", "first wave", "backwards", "every other", "one a wave"])
@pytest.mark.parametrize("n", [1, 63, 700, 5000])
def test_what_lanes_move_by_formula_is_what_a_run_moves(body: str, n: int) -> None:
    """Segments where lanes that take part are the first of their wave: not of every other lane, or of the last ones."""
    grid = "3" if body == "strided" else "(N + 255) // 256"
    found, ran = formulas(body, grid).at({"N": n}), counters(built(body), launch(grid), {"N": n})
    for name in ("bytes read", "bytes written", "segments", "TCP_TOTAL_CACHE_ACCESSES_sum"):
        if name.startswith("bytes") or found[name] is not None:
            assert found[name] == (ran[name].least, ran[name].most), name
    assert (found["segments"] is None) == (body in ("backwards", "every other"))


def test_what_lanes_move_is_a_term_of_sizes() -> None:
    found = formulas("guard")
    assert (found["bytes read"].text, found["bytes written"].certainty) == ("N * 4", "exact")
    assert found["segments"].text == "(N + 15) // 16 * 2"
    assert found["TCP_TOTAL_CACHE_ACCESSES_sum"].text == "(N + 31) // 32 or more"
    assert formulas("every other")["segments"].notes
    assert "N * 4" in str(found)


def test_what_is_loaded_has_no_formula_and_is_counted() -> None:
    found = formulas("loaded")
    assert found["SQ_INSTS_VMEM_WR"].least is None
    assert found["SQ_INSTS_VMEM_WR"].certainty == "not known"
    assert [one.name for one in found.counted]
    assert found.sizes
    assert "x drawn at random" in str(found)


def test_a_loop_that_may_never_end_is_never_exact() -> None:
    found = formulas("stays")
    assert not [one.name for one in found.formulas[1:] if one.certainty == "exact"]


def test_sizes_that_are_given_are_put_in() -> None:
    found = counter_formulas(built("guard"), launch(), {"N": 1000})
    assert found["SQ_INSTS_VMEM_WR"].text == "16"


def test_a_report_is_data() -> None:
    report = formulas("guard").report
    assert report["formulas"][0]["least"] == "(N + 255) // 256 * 4"


@pytest.mark.slow
@pytest.mark.parametrize("name", [
    "copy_plain", "copy_early_return", "copy_strided_rows", "copy_batched", "copy_index_64", "reverse",
    "reverse_in_lds", "fill", "concatenate", "add_half2", "scale_bf16", "clamp_f16", "polynomial", "lookup",
    "affine_by_struct", "local_array", "complex_multiply", "select_where", "adam_step", "reduce_shuffle",
    "histogram_global", "atomic_extremes", "blur_3x3", "conv_2d", "max_pool_2x2", "upsample_bilinear", "matmul_tiled",
    "matmul_naive", "matmul_f16", "matmul_batched", "butterfly_max",
])  # fmt: skip
def test_thirty_kernels_by_formula_are_as_by_runs_at_three_sizes(name: str) -> None:
    found = compared(KERNELS[name], "gfx942")
    assert found.sizes == SIZES
    assert not found.differ
    assert found.whole
    assert not found.formulas.unproved

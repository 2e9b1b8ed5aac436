"""`layoutalg ck audit`: from a name to verdicts, its exit codes, what it keeps, and bad input in one line.

Headers of CK's names stand in for CK's own, with which tests/foreign/test_ck_instances.py compiles.
"""

import json
from string import Template

import pytest

from layoutalg.ck import gemm as gemms
from tests.ck.stand_in import OWN, stand_in
from tests.ck.test_gemm import V3, VECTORS
from tests.cli.command import refused, run

TILE = "64x96x32_2x1x1_32x32x16"
CORE = """
#include <hip/hip_runtime.h>
namespace ck_tile {
using index_t = int;
using half_t = _Float16;
template <int...> struct sequence {};
template <class... T> struct tuple;
template <> struct tuple<index_t> { index_t length; };
template <class P> struct tuple<P, P> { P a, b; };
namespace element_wise { struct Add {}; }
}
"""
ELEMENTWISE = Template("""
namespace ck_tile {
template <class...> struct ElementWiseShape {};
template <class...> struct ElementWisePipelineProblem {};
struct ElementWiseDefaultPolicy {};
template <class...> struct ElementWiseKernel {
  __device__ void operator()(tuple<index_t> n, tuple<index_t>, tuple<index_t>, tuple<const half_t*, const half_t*> in,
                             half_t* out) {
    for (int k = 0; k < 4; k++) {
      int i = blockIdx.x * 2048 + threadIdx.x * 4 + k;
      if (i $guard n.length) out[i] = in.a[i] + in.b[i];
    }
  }
};
}
""")


@pytest.fixture
def include(tmp_path):
    """A folder of headers, whose kernel adds vectors."""

    def made(guard):
        (tmp_path / "ck_tile/ops").mkdir(parents=True)
        (tmp_path / "ck_tile/core.hpp").write_text(CORE)
        (tmp_path / "ck_tile/ops/elementwise.hpp").write_text(ELEMENTWISE.substitute(guard=guard))
        return tmp_path

    return made


def test_a_right_kernel_is_proved_and_kept(include, tmp_path):
    told = run("ck", "audit", "elementwise_flat", "-I", include("<"), "--keep", tmp_path / "kept")
    assert told.returncode == 0, told
    assert told.stdout.startswith("elementwise_flat\nelementwise_add for gfx942: proved")
    assert "computes: proved" in told.stdout
    kept = tmp_path / "kept"
    assert {path.name for path in kept.iterdir()} == {
        "elementwise_flat.hip", "elementwise_flat.co", "elementwise_add.toml"
    }  # fmt: skip


@pytest.mark.slow
def test_what_is_kept_is_audited_alike(include, tmp_path):
    kept = tmp_path / "kept"
    told = run("ck", "audit", "elementwise_flat", "-I", include("<"), "--keep", kept)
    again = run("audit", kept / "elementwise_flat.co", "--launch", kept / "elementwise_add.toml")
    assert again.stdout == told.stdout.removeprefix("elementwise_flat\n")


@pytest.mark.slow
def test_a_wrong_kernel_is_refuted_with_a_run(include):
    told = run("ck", "audit", "elementwise_flat", "-I", include("<="), "--json")
    assert told.returncode == 1
    found = json.loads(told.stdout)
    assert found["instance"] == "elementwise_flat"
    (kernel,) = found["kernels"]
    assert kernel["verdict"] == "refuted"
    shown = next(one for one in kernel["claims"] if one["verdict"] == "refuted" and one["claim"] == "in_bounds")
    assert shown["run"]["tensor"] in "abo"
    assert "elementwise.hpp" in shown["source"]


@pytest.mark.slow
def test_what_does_not_compile_is_told_in_the_compilers_words(include):
    refused(
        run("ck", "audit", "elementwise_add", "-I", include("<")), "kernel.hip:", "error: ", shown=True
    )  # two lengths: not of these


@pytest.mark.parametrize(("given", "why"), [
    (["softmax"], "no kernel that is known"), (["layernorm2d_4x3"], "8 columns"), (["64x64"], "no tile"),
    ([TILE, "--dtype", "f99"], "no element type"), ([TILE, "--layout", "abc"], "no layout"),
    ([TILE, "--pipeline", "v3"], "no pipeline"), ([TILE, "--pad", "q"], "pads 'q'"),
    ([TILE, "--target", "gfx1"], "gfx1"), ([TILE], "'ck_tile/core.hpp' file not found"),
    (["reduce"], "'ck_tile/core.hpp' file not found"), (["reduce", "--include", "nowhere"], "nowhere: no such folder"),
    (["reduce", "--keep", "no/where"], "there is no folder no"), (["reduce", "--seconds", "0"], "seconds"),
    ([TILE, "--turns", "0"], "turns"),
])  # fmt: skip
def test_bad_input_is_a_line(given, why, tmp_path):
    given = given if "--include" in given else [*given, "--include", tmp_path]
    shown = given[0] == "reduce" and "not found" in why  # with the line that includes it
    refused(run("ck", "audit", *given), why, shown=shown)


def test_keeping_where_a_file_is_is_refused_before_anything_is_compiled(tmp_path):
    (tmp_path / "file").write_text("")
    refused(run("ck", "audit", "reduce", "-I", tmp_path, "--keep", tmp_path / "file"), "is no folder")


def test_a_gemm_that_ck_never_launches_so_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(gemms, "asked", lambda *_: gemms.GemmAnswers(VECTORS, 128, V3))
    refused(run("ck", "audit", TILE, "-I", tmp_path, "--turns", 1000), "1000 turns")


@pytest.mark.slow
def test_an_own_kernel_has_its_contract_beside_it_which_is_audited_as_it_is_changed(tmp_path):
    source = tmp_path / "own.hip"
    source.write_text(OWN)
    told = run("ck", "audit", source, "-I", stand_in(tmp_path))
    contract = tmp_path / "own.toml"
    assert f"{contract}: written as the kernel itself says" in told.stdout, told
    assert "own for gfx942: unknown" in told.stdout  # rows longer than the one tile are not stored whole
    assert "not claimed: that it is launched so (guessed = true)" in told.stdout
    text = contract.read_text()
    assert "n = { min = 4, max = 4096, multiple_of = 4 }" in text
    contract.write_text(text.replace("max = 4096", "max = 256").replace("guessed = true", "guessed = false"))
    again = run("ck", "audit", source, "-I", tmp_path, "--json")
    assert again.returncode == 0, again
    found = json.loads(again.stdout)
    assert found["contracts"] == [str(contract)]
    assert found["kernels"][0]["verdict"] == "proved"


def test_a_source_without_a_kernel_of_ck_is_refused(tmp_path):
    source = tmp_path / "own.hip"
    source.write_text("__global__ void own(int* x) { *x = 1; }")
    refused(run("ck", "audit", source, "-I", tmp_path), "no kernel of CK's is seen", "Kernel{}(k)")
    refused(run("ck", "audit", tmp_path / "none.hip", "-I", tmp_path), "no such file")

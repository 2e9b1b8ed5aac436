"""Every verb works on what CK's own templates make: a spec file with C++, from its text to verdicts."""

import json

import pytest

from tests.cli.command import refused, run, written
from tests.composable_kernel import composable_kernel

POLICY = """
[cpp]
include = ["CK/include"]
headers = ["ck_tile/core.hpp", "ck_tile/ops/gemm.hpp"]
target = "gfx942"
prelude = '''
using namespace ck_tile;
using Row = tensor_layout::gemm::RowMajor;
using Column = tensor_layout::gemm::ColumnMajor;
using Shape = TileGemmShape<sequence<128, 256, 32>, sequence<2, 2, 1>, sequence<32, 32, 16>>;
using Traits = TileGemmUniversalTraits<true, true, true, false, Row, Column, Row>;
using Problem = UniversalGemmPipelineProblem<half_t, half_t, float, Shape, Traits>;
using Policy = UniversalGemmPipelineAgBgCrPolicy;
'''
[[descriptor]]
name = "a_lds"
dtype = "f16"
cpp = "Policy::MakeALdsBlockDescriptor<Problem>()"
[[distribution]]
name = "a_dram"
window = [128, 32]
cpp = "Policy::MakeADramTileDistribution<Problem>()"
[[distribution]]
name = "a_warp"
cpp = "remove_cvref_t<decltype(Policy::GetBlockGemm<Problem>())>::WarpGemm::AWarpDstrEncoding{}"
"""
SIZES = """
symbols = { M = { min = 1, max = 65536 }, K = { min = 8, max = 16384, multiple_of = 8 } }
[cpp]
include = ["CK/include"]
headers = ["ck_tile/core.hpp"]
target = "gfx942"
prelude = '''
using namespace ck_tile;
constexpr auto padded() {
  return transform_tensor_descriptor(
    make_naive_tensor_descriptor(make_tuple(M, number<64>{}), make_tuple(number<64>{}, number<1>{})),
    make_tuple(make_right_pad_transform(M, (M + 63) / 64 * 64 - M), make_pass_through_transform(number<64>{})),
    make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{}));
}
constexpr auto merged() {
  auto split = transform_tensor_descriptor(
    make_naive_tensor_descriptor_packed(make_tuple(M, K)),
    make_tuple(make_pass_through_transform(M), make_unmerge_transform(make_tuple(K / number<8>{}, number<8>{}))),
    make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<1>{}, sequence<0, 2>{}));
  return transform_tensor_descriptor(split,
    make_tuple(make_merge_transform(make_tuple(K / 8, M)), make_pass_through_transform(number<8>{})),
    make_tuple(sequence<0, 1>{}, sequence<2>{}), make_tuple(sequence<0>{}, sequence<1>{}));
}
'''
[[descriptor]]
name = "padded"
cpp = "padded()"
[[descriptor]]
name = "merged"
cpp = "merged()"
"""


@pytest.fixture
def policy(tmp_path):
    return written(tmp_path, POLICY.replace("CK/", f"{composable_kernel()}/"))


@pytest.mark.slow
def test_every_verb_works_on_a_policy_of_ck(policy, tmp_path):
    checked = run("check", policy)
    assert (checked.returncode, checked.stdout.count(" proved ")) == (0, 9), checked
    assert "a_lds: contiguous(8) proved" in checked.stdout
    found = json.loads(run("offsets", policy, "--descriptor", "a_lds", "--json").stdout)
    assert (found["lengths"], found["element_space_size"]) == ([128, 32], 4096)
    assert sorted(found["offsets"]) == list(range(4096))
    assert found["offsets"][32 * 2 : 32 * 2 + 9] == [72, 73, 74, 75, 76, 77, 78, 79, 64]  # row 1 of 64: xor with 1
    assert "xor" in run("explain", policy).stdout
    assert run("draw", policy, "--descriptor", "a_lds", "-o", tmp_path / "a.html").returncode == 0


MINI = """
namespace ck_tile {
template <int... n> struct sequence {
  static constexpr int size() { return sizeof...(n); }
  template <int at> constexpr auto get() const { constexpr int all[] = {n...}; return all[at]; }
};
template <class... T> struct tuple;
template <class T> struct tuple<T> {
  T first;
  static constexpr int size() { return 1; }
  template <int> constexpr auto get() const { return first; }
};
template <int length, int stride> struct embed { sequence<length, 8> up_lengths_; sequence<stride, 1> coefficients_; };
template <int length> struct twist { sequence<length> up_lengths_; };
template <class Transform, int space> struct descriptor {
  using GuaranteedVectorLengths = sequence<-1, -1, 8>;
  using GuaranteedVectorStrides = sequence<-1, -1, 1>;
  constexpr auto get_transforms() const { return tuple<Transform>{}; }
  static constexpr auto get_lower_dimension_hidden_idss() { return tuple<sequence<0>>{}; }
  static constexpr auto get_upper_dimension_hidden_idss() { return tuple<sequence<1, 2>>{}; }
  static constexpr auto get_top_dimension_hidden_ids() { return sequence<1, 2>{}; }
  constexpr int get_element_space_size() const { return space; }
};
}
"""


@pytest.mark.slow
def test_whatever_has_the_interface_of_ck_is_read_from_a_folder_that_is_named(tmp_path):
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "mini.hpp").write_text(MINI)
    text = '[cpp]\nheaders = ["mini.hpp"]\ntarget = "gfx90a"\nprelude = "using namespace ck_tile;"\n'
    text += '[[descriptor]]\nname = "d"\ncpp = "descriptor<embed<4, 9>, 35>{}"\n'
    refused(run("check", written(tmp_path, text)), "spec.toml:2:12: cpp.headers[0]: 'mini.hpp' file not found")
    include = ("-I", tmp_path / "headers")
    checked = run("check", written(tmp_path, text), *include)
    assert (checked.returncode, checked.stdout.count("proved")) == (0, 3), checked
    overlapping = run("check", written(tmp_path, text.replace("4, 9", "4, 7")), *include)
    assert (overlapping.returncode, "refuted" in overlapping.stdout) == (1, True), overlapping
    narrowed = run("check", written(tmp_path, text.replace("35", "2147483648LL")), *include)
    assert (narrowed.returncode, "line 7: d not read" in narrowed.stdout) == (3, True), narrowed
    unknown = run("check", written(tmp_path, text.replace("embed<4, 9>", "twist<4>")), *include)
    assert (unknown.returncode, unknown.stderr) == (3, ""), unknown
    assert "line 7: d not read: layoutalg knows no transform of this kind: ck_tile::twist<4>" in unknown.stdout
    other = ("convert", written(tmp_path, text.replace("embed<4, 9>", "twist<4>")), "--to", "spec")
    refused(run(*other, *include), "spec.toml:7", "twist<4>")


def test_what_does_not_compile_hides_nothing_else(tmp_path):
    """One wrong line is told with what else is wrong, and all that is right is checked."""
    (tmp_path / "mini.hpp").write_text(MINI)
    text = '[cpp]\nheaders = ["mini.hpp"]\ntarget = "gfx90a"\nprelude = "using namespace ck_tile;"\n'
    made = {"wrong": "descriptor<embod<4, 9>, 35>{}", "right": "descriptor<embed<4, 9>, 35>{}", "late": "nothing()"}
    text += "".join(f'[[descriptor]]\nname = "{name}"\ncpp = "{cpp}"\n' for name, cpp in made.items())
    text += '[[descriptor]]\nname = "above"\nbase = { kind = "descriptor", name = "wrong" }\n'
    checked = run("check", written(tmp_path, text), "-I", tmp_path)
    assert (checked.returncode, checked.stdout.count("proved")) == (3, 3), checked
    assert "right is 4 × 8 over 35 elements" in checked.stdout
    told = [line.split(":")[0] for line in checked.stdout.splitlines() if line.startswith("  line")]
    assert told == ["  line 7", "  line 13", "  line 14"]
    assert "embod" in checked.stdout
    assert checked.stdout.endswith("3 claims: all as expected; 3 parts not read\n")
    as_json = json.loads(run("check", written(tmp_path, text), "-I", tmp_path, "--format", "json").stdout)
    assert [part["name"] for part in as_json["files"][0]["unread"]] == ["wrong", "late", "above"]
    assert not as_json["passed"]
    offsets = run("offsets", written(tmp_path, text), "-I", tmp_path, "--descriptor", "right", "--json")
    assert json.loads(offsets.stdout)["lengths"] == [4, 8]
    refused(
        run("offsets", written(tmp_path, text), "-I", tmp_path, "--descriptor", "wrong"), "wrong is not read", "embod"
    )


PACKED = """
using namespace ck_tile;
struct Problem;
struct Policy {
  template <class P> static constexpr auto MakeALdsBlockDescriptor() { return descriptor<embed<4, 8>, 32>{}; }
  template <class P> static constexpr auto MakeBLdsBlockDescriptor() { return descriptor<embed<4, 8>, 32>{}; }
  template <class P> static constexpr int GetSmemPackA() { return PACK; }
  template <class P> static constexpr int GetSmemSizeA() { return SIZE; }
};
"""


def test_vectors_are_claimed_of_a_policy_that_says_how_long_they_are(tmp_path):
    """Of A; of B it says nothing, and where claims are stated these are all."""
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "mini.hpp").write_text(MINI)
    text = f"[cpp]\nheaders = ['mini.hpp']\ntarget = 'gfx90a'\nprelude = '''{PACKED}'''\n"
    for name, make, claims in (("a", "A", ""), ("b", "B", ""), ("stated", "A", "claims = ['in_bounds']")):
        text += f"[[descriptor]]\nname = '{name}'\ndtype = 'fp16'\n"
        text += f"cpp = 'Policy::Make{make}LdsBlockDescriptor<Problem>()'\n{claims}\n"
    text, include = text.replace("PACK", "4").replace("SIZE", "64"), ("-I", tmp_path / "headers")
    checked = run("check", written(tmp_path, text), *include)
    assert (checked.returncode, checked.stdout.count("proved")) == (0, 3 + 2 + 3 + 1), checked
    assert checked.stdout.count("contiguous(4) proved") == checked.stdout.count("contiguous") == 1
    assert checked.stdout.count("fits_lds(64) proved") == checked.stdout.count("fits_lds") == 1
    too_long = run("check", written(tmp_path, text.replace("return 4;", "return 16;")), *include)
    assert too_long.returncode == 1
    assert "a: contiguous(16) refuted" in too_long.stdout
    too_little = run("check", written(tmp_path, text.replace("return 64;", "return 63;")), *include)
    assert too_little.returncode == 1
    assert "a: fits_lds(63) refuted" in too_little.stdout
    of_all = run(
        "check", written(tmp_path, text.replace("GetSmemSizeA", "GetSmemSize").replace("64;", "63;")), *include
    )
    assert ["a: fits_lds(63) refuted" in of_all.stdout, "b: fits_lds(63) refuted" in of_all.stdout] == [True, True]
    # of LDS that the GPU does not have a policy's operands have nothing
    whole = "return 64; }\n  template <class P> static constexpr int GetSmemSize() { return 65536 + 1; }"
    more = run("check", written(tmp_path, text.replace("return 64; }", whole)), *include)
    assert ["a: fits_lds(63) refuted" in more.stdout, more.stdout.count("fits_lds(65536) proved")] == [True, 1]


@pytest.mark.slow
def test_sizes_that_are_open_go_through_ck_templates(tmp_path):
    checked = run("check", written(tmp_path, SIZES.replace("CK/", f"{composable_kernel()}/")))
    assert (checked.returncode, checked.stdout.count("proved")) == (0, 6), checked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "right", "said"),
    [
        ("32, 32, 16>>;", "32, 32, 16>", "spec.toml:10: cpp.prelude: expected '>'"),
        ("gemm.hpp", "gem.hpp", "'ck_tile/ops/gem.hpp' file not found"),
        ("/include", "/none", "no such folder of headers"),
        ("gfx942", "gfx1", "unknown target"),
    ],
)
def test_what_is_wrong_is_one_line(policy, wrong, right, said):
    policy.write_text(policy.read_text().replace(wrong, right, 1))
    refused(run("check", policy), said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "right", "said"),
    [
        ("MakeALdsBlockDescriptor", "MakeALds", "no member named 'MakeALds'"),
        ("256, 32>,", "256, 3>,", "static_assert stops it"),
    ],
)
def test_what_is_wrong_of_an_item_stands_where_it_is_not_read(policy, wrong, right, said):
    policy.write_text(policy.read_text().replace(wrong, right, 1))
    checked = run("check", policy)
    assert checked.returncode == 3, checked
    assert said in checked.stdout + checked.stderr


CONVOLUTION = """
[cpp]
include = ["CK/include"]
headers = ["ck_tile/core.hpp", "ck_tile/ops/common.hpp", "layoutalg/constexpr.h",
           "ck_tile/ops/grouped_convolution/utils/transform_conv_fwd_to_gemm.hpp"]
target = "gfx942"
prelude = '''
using namespace ck_tile;
using Conv = TransformConvFwdToGemm<2, ConvolutionSpecialization::Default, 1, 1, 1>;
constexpr auto forward() {
  using L5 = array<index_t, 5>; using L2 = array<index_t, 2>;
  return Conv(L5{1, 2, 16, 7, 9}, L5{1, 32, 16, 3, 3}, L5{1, 2, 32, 7, 9}, L2{1, 1}, L2{1, 1}, L2{1, 1}, L2{1, 1});
}
'''
[[descriptor]]
name = "a"
cpp = "forward().MakeADescriptor_M_K<tensor_layout::convolution::NHWGC>()"
claims = ["in_bounds", "fits_index"]
[[descriptor]]
name = "overlapping"
cpp = "forward().MakeADescriptor_M_K<tensor_layout::convolution::NHWGC>()"
claims = [{ claim = "injective", expect = "refuted", because = "offset 0" }]  # windows overlap
"""


@pytest.mark.slow
def test_a_convolution_is_read_behind_our_header_and_its_verdicts_say_so(tmp_path):
    file = written(tmp_path, CONVOLUTION.replace("CK/", f"{composable_kernel()}/"))
    said = "CK's functions behind layoutalg/constexpr.h read as constexpr"
    told = run("check", file)
    assert (told.returncode, told.stdout.count(said)) == (0, 2), told
    assert "a is 126 × 144 over 2016 elements" in told.stdout  # N Ho Wo, and C of 3 × 3 pixels
    results = json.loads(run("check", file, "--format", "json").stdout)["files"][0]["results"]
    assert [one["verdict"] for one in results] == ["proved", "proved", "refuted"]
    assert all(said in one["assumptions"] for one in results)

"""CK Tile C++ on the command line: what it asks for, what it is taken for, and what it is written as."""

import json
from pathlib import Path

from tests.cli.command import refused, run

POLICY = """
template <typename Problem>
constexpr auto MakeALdsBlockDescriptor()
{
    constexpr index_t M = Problem::kM;
    constexpr auto below = make_naive_tensor_descriptor(
        make_tuple(number<8>{}, number<M>{}, number<8>{}), make_tuple(number<(M + 1) * 8>{}, number<8>{}, number<1>{}));
    return transform_tensor_descriptor(
        below,
        make_tuple(make_pass_through_transform(number<M>{}),
                   make_merge_transform(make_tuple(number<8>{}, number<8>{}))),
        make_tuple(sequence<1>{}, sequence<0, 2>{}),
        make_tuple(sequence<0>{}, sequence<1>{}));
}
"""


def test_cpp_is_checked_with_its_parameters_given(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text(POLICY)
    result = run("check", path, "-D", "kM=64")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("proved") == 3
    offsets = json.loads(
        run("offsets", path, "--descriptor", "MakeALdsBlockDescriptor", "-D", "kM=64", "--json").stdout
    )
    assert offsets["offsets"][64:128:8] == [8, 528, 1048, 1568, 2088, 2608, 3128, 3648]


def test_cpp_that_is_not_read_is_no_pass(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text(POLICY)
    result = run("check", path)
    assert result.returncode == 2
    assert "not read" in result.stdout


def test_explain_says_what_cpp_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text(POLICY)
    refused(run("explain", path), "no descriptor to explain", "kM is not known here", "in all it asks for -D kM=64")
    result = run("explain", path, "--descriptor", "MakeALdsBlockDescriptor")
    refused(result, "MakeALdsBlockDescriptor is not read", "kM is not known here")


def test_a_misspelt_name_is_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "policy.hpp", tmp_path / "other.hpp"
    path.write_text(POLICY)
    other.write_text("auto d = make_naive_tensor_descriptor_packed(make_tuple(kOther));")
    for command in (("check",), ("explain",), ("offsets", "--descriptor", "MakeALdsBlockDescriptor")):
        refused(run(command[0], path, *command[1:], "-D", "kM=64", "-D", "kTypo=7"), "-D kTypo: nothing in")
    assert run("check", path, other, "-D", "kM=64", "-D", "kOther=7").returncode == 0


def test_a_name_that_is_there_and_not_asked_for_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text("constexpr int K = 2;\nauto d = make_naive_tensor_descriptor_packed(make_tuple(K));")
    result = run("check", path, "-D", "K=7")
    assert (result.returncode, result.stderr.count("asked for -D K")) == (0, 1)


def test_a_descriptor_as_cpp_reads_back_the_same(tmp_path: Path, spec: Path) -> None:
    path = tmp_path / "out.hpp"
    assert run("emit", spec, "--ck", "-o", path).returncode == 0
    assert run("emit", "--ck", spec).stdout == path.read_text()
    here = json.loads(run("offsets", spec, "--descriptor", "a_lds", "--json").stdout)
    assert json.loads(run("offsets", path, "--descriptor", "make_a_lds", "--json").stdout) == here


def test_check_says_all_that_cpp_asks_for_at_once(tmp_path: Path) -> None:
    source = "template <typename P> auto f() { return make_naive_tensor_descriptor_packed(make_tuple(P::kM, P::kK)); }"
    path = tmp_path / "f.hpp"
    path.write_text(source)
    result = run("check", path)
    assert result.returncode == 2
    assert "0 claims: nothing was checked; 1 part not read" in result.stdout
    assert "in all it asks for -D kM=64 -D kK=64" in result.stderr


def test_cpp_whose_transforms_do_not_fit_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text(
        POLICY.replace("make_tuple(number<8>{}, number<8>{}))),", "make_tuple(number<8>{}, number<5>{}))),")
    )
    result = run("check", path, "-D", "kM=64")
    assert result.returncode == 3
    assert "5" in result.stdout

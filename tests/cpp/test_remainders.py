"""Divisions of what `-D` gives: what leaves a remainder is told, what rounds up or is whole is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutalg.cpp import load, loads
from layoutalg.cpp.remainders import remainders
from tests.cli.command import run

POLICY = """
template <typename Problem>
constexpr auto MakeALdsBlockDescriptor()
{
    constexpr index_t kK = Problem::kK, kPack = 8;
    return make_naive_tensor_descriptor_packed(make_tuple(number<FORMULA>{}, number<kPack>{}));
}
"""
SIZES = [("kK", 100)]


def told(formula: str, defines: dict[str, str]) -> list[str]:
    """What is said of the one descriptor of a policy whose first length is a formula."""
    file = loads(POLICY.replace("FORMULA", formula), "policy.hpp", defines)
    assert len(file.descriptors) == 1
    return [one.reason for one in file.unchecked]


def test_a_policy_whose_k_is_no_multiple_of_the_pack_says_so() -> None:
    assert told("kK / kPack", {"kK": "100"}) == ["kK / 8 leaves 4, which is dropped (kK = 100)"]


def test_the_last_line_of_check_counts_it(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text(POLICY.replace("FORMULA", "kK / kPack"))
    lines = run("check", path, "-D", "kK=100").stdout.splitlines()
    assert lines[-1].endswith("1 part not checked")
    assert any("kK / 8 leaves 4" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("formula", ["kK / kPack", "(kK + kPack - 1) / kPack * 2", "(kK - 1) / kPack + 1", "256 / kK"])
def test_whole_divisions_and_those_that_round_up_are_not_told(formula: str) -> None:
    assert told(formula, {"kK": "104" if formula == "kK / kPack" else "100"}) == []


@pytest.mark.parametrize(
    "tokens",
    [
        ["s0", 4, "/"],
        ["s0", 8, "+", 1, "-", 8, "/"],
        ["s0", 7, "+", 8, "/"],
        ["s0", 1, "-", 8, "/", 1, "+"],
        [1, "s0", 64, "/", "M"],
        [128, "s0", "/"],
        ["s1", 8, "/"],
        ["s0", 0, "/"],
    ],
)
def test_nothing_is_lost(tokens: list[object]) -> None:
    assert list(remainders([{"size": tokens}], [*SIZES, ("open", None)])) == []


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["s0", 8, "/", 8, "*"], "kK / 8 leaves 4"),
        (["s0", 2, "/", 8, "/"], "kK / 2 / 8 leaves 2"),
        (["s0", 6, "+", 8, "/"], "(kK + 6) / 8 leaves 2"),
        (["s0", 8, 3, "*", "/"], "kK / (8 * 3) leaves 4"),
        (["s0", 8, "/", 2, "+"], "kK / 8 leaves 4"),
    ],
)
def test_what_is_lost_is_told(tokens: list[object], words: str) -> None:
    found = list(remainders({"call": "f", "arguments": [{"size": tokens}]}, SIZES))
    assert found == [f"{words}, which is dropped (kK = 100)"]


def test_production_families_lose_nothing_at_their_own_sizes() -> None:
    defines = {"kN": "128", "kK": "32", "NumWarps": "4", "KDataType": "bf16_t", "AsyncCopy_": "true", "Buffers_": "1"}
    assert load(Path(__file__).parent / "data" / "attention.hpp", defines).unchecked == ()

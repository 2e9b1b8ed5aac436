"""What a verdict assumes: lengths of at least 1, limits and givens, listed whole, and met somewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from layoutalg.cli.app import main
from layoutalg.formats import loads
from layoutalg.formats.check import check
from layoutalg.index import Expr, all_of, eq, symbol, var
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.kernel.verify import verify
from layoutalg.layout import (
    Freeze,
    Modulo,
    Pad,
    PassThrough,
    Slice,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.memory import Coalesced, ConflictFree, Reach, access, lane_map
from layoutalg.prove import (
    Agree,
    All,
    Bijective,
    FitsIndexType,
    InBounds,
    Injective,
    Proved,
    Refuted,
    Surjective,
    Unknown,
    prove,
)
from layoutalg.prove.vacuity import met
from layoutalg.target import target
from layoutalg.target.dtypes import DTYPES

M, N = symbol("M"), symbol("N")
NEVER = eq(M * M, N * N * 2)


def frozen(m: Expr) -> object:
    d = make_naive_tensor_descriptor((m, 4), (4, 1))
    return transform_tensor_descriptor(d, [Freeze(0), PassThrough(4)], [[0], [1]], [[], [0]])


@pytest.mark.parametrize("strategy", [None, "z3"])
def test_no_claim_is_refuted_at_sizes_that_are_no_layout(strategy: str | None) -> None:
    """M = 0 leaves no index to freeze, N = 2 nothing between 2 and N."""
    n = symbol("N", min=1)
    packed = make_naive_tensor_descriptor_packed((n,))
    sliced = transform_tensor_descriptor(packed, [Slice(n, 2, n)], [[0]], [[0]])
    for layout, assumed in ((frozen(symbol("M", min=0, max=64)), "1 <= M"), (sliced, "1 <= N - 2")):
        for claim in (InBounds(layout), Injective(layout)):
            verdict = prove(claim, strategy=strategy)
            assert isinstance(verdict, Proved), verdict
            assert assumed in verdict.assumptions


def test_a_witness_is_at_sizes_that_are_a_layout() -> None:
    n = symbol("N", min=1)
    sliced = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((n,)), [Slice(n, 2, n)], [[0]], [[0]])
    for claim in (Surjective(sliced), Bijective(sliced)):
        verdict = prove(claim)
        assert isinstance(verdict, Refuted)
        assert verdict.witness.points[0]["N"] == 3


def test_each_of_several_claims_is_posed_where_its_own_layout_is_one() -> None:
    small, other = frozen(symbol("M", min=0, max=64)), frozen(symbol("K", min=0, max=64))
    verdict = prove(All((InBounds(small), InBounds(other))))
    assert verdict, verdict
    assert {"1 <= M", "1 <= K"} <= set(verdict.assumptions)
    assert {"1 <= M", "1 <= K"} <= set(prove(Agree(small, other)).assumptions)


def test_a_given_that_never_holds_proves_nothing() -> None:
    """M·M = 2·N·N has no positive solution: √2 is no fraction, and no solver here says so."""
    spec = loads(
        """
        symbols = { M = { min = 1 }, N = { min = 1 } }
        [[descriptor]]
        name = "a"
        base = { kind = "naive", lengths = ["M", 4], strides = [4, 1] }
        given = ["M * M == 2 * N * N"]
        [[lemma]]
        name = "l"
        goal = "M + 1 > M"
        given = ["M * M == 2 * N * N"]
        """
    )
    results = list(check(spec))
    assert len(results) == 4
    for result in results:
        assert isinstance(result.verdict, Unknown), result
        assert "vacuity is not excluded" in result.verdict.reason


def test_what_is_vacuous_ends_with_2_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.toml"
    file.write_text(
        'symbols = { M = { min = 1 }, N = { min = 1 } }\n[[descriptor]]\nname = "a"\n'
        'base = { kind = "naive", lengths = ["M", 4], strides = [4, 1] }\ngiven = ["M * M == 2 * N * N"]\n'
        'claims = ["injective"]\n'
    )
    monkeypatch.setattr("sys.argv", ["layoutalg", "check", str(file), "--format", "json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "vacuity is not excluded" in json.dumps(json.loads(capsys.readouterr().out))


def test_assumptions_that_contradict_one_another_hold_nowhere() -> None:
    spec = loads(
        """
        symbols = { M = { max = 64 }, N = { max = 5 } }
        [[descriptor]]
        name = "limits"
        base = { kind = "packed", lengths = ["M", 4] }
        given = ["M > 64"]
        [[descriptor]]
        name = "givens"
        base = { kind = "packed", lengths = ["M", 4] }
        given = ["M * M > 2000", "M < 40"]
        [[lemma]]
        name = "no_index"
        variables = { i = "N - 3" }
        goal = "i < N - 3"
        given = ["N * N < 16"]
        """
    )
    results = list(check(spec))
    assert len(results) == 7
    for result in results:
        assert isinstance(result.verdict, Unknown), result
        assert "the assumptions hold nowhere" in result.verdict.reason


def test_an_access_under_what_never_holds_proves_nothing() -> None:
    lane = var("lane", 64)
    tile = make_naive_tensor_descriptor((64, 4), (4, 1))
    row = lane_map(lane, (lane, 0), name="row")
    free = prove(ConflictFree(access(tile, row, "f32", "gfx942", given=NEVER)))
    wide = prove(Coalesced(Reach(tile, row, DTYPES["f32"], given=NEVER), target("gfx942")))
    for verdict in (free, wide):
        assert isinstance(verdict, Unknown), verdict
        assert "vacuity is not excluded" in verdict.reason


def test_a_kernel_for_no_sizes_is_not_verified() -> None:
    from dataclasses import replace

    program = lds_transpose()
    one, other = program.sizes[:2]
    found = verify(replace(program, requires=all_of(program.requires, eq(one * one, other * other * 2))))
    assert not found
    assert "vacuity is not excluded" in found.failures[0][1].reason


def test_a_condition_is_met_where_a_point_is_found() -> None:
    k = symbol("K", max=1 << 20, multiple_of=8)
    p = symbol("P", min=64, max=1 << 20, power_of_two=True)
    i = var("i", k // 4 - 1)
    for condition in (eq(k, 1 << 19), eq(p, 4096), i >= 10, all_of(k < 1000, eq(k % 72, 0)), eq(k, p * 8)):
        assert met(condition) is True, condition
    assert met(NEVER) is None
    assert met(all_of(k < 8)) is False
    assert met(all_of(p > 64, p < 128)) is False


def test_a_verdict_lists_all_that_it_assumes() -> None:
    m, s = symbol("M", max=4096), symbol("S", min=8, max=64, multiple_of=8)
    d = make_naive_tensor_descriptor((m, 8), (s, 1))
    for claim in (FitsIndexType(d), InBounds(d), Injective(d)):
        assert set(prove(claim).assumptions) == {"1 <= M <= 4096", "8 <= S <= 64, a multiple of 8"}
    spec = loads(
        """
        symbols = { M = { min = 0, max = 64 }, P = { min = 1, max = 64, power_of_two = true } }
        [[descriptor]]
        name = "a"
        base = { kind = "naive", lengths = ["M", 8], strides = ["P", 1] }
        given = ["P >= 8", "M <= P"]
        """
    )
    for result in check(spec):
        assert set(result.verdict.assumptions) == {
            "0 <= M <= 64", "8 <= P <= 64, a power of two", "1 <= M", "M <= P",
        }  # fmt: skip


def test_an_access_lists_all_that_it_assumes() -> None:
    lane, n = var("lane", 64), symbol("N", min=64, max=4096, multiple_of=64)
    tile = make_naive_tensor_descriptor((64, n), (n, 1))
    reach = Reach(tile, lane_map(lane, (var("row", 64), lane)), DTYPES["f32"], given=n >= 128)
    verdict = prove(Coalesced(reach, target("gfx942")))
    assert verdict.assumptions[2:] == ("64 <= N <= 4096, a multiple of 64", "128 <= N")


def test_every_element_is_reached_under_a_given() -> None:
    spec = loads(
        """
        symbols = { M = { max = 50 }, N = { max = 50 } }
        [[descriptor]]
        name = "a"
        base = { kind = "naive", lengths = ["M", 8], strides = ["N", 1] }
        given = ["N == 8"]
        claims = ["bijective"]
        [[descriptor]]
        name = "b"
        base = { kind = "naive", lengths = ["M", 8], strides = ["N", 1] }
        given = ["N >= 8"]
        claims = [{ claim = "bijective", expect = "refuted" }]
        """
    )
    for result in check(spec):
        assert result, result
    (_, refuted) = check(spec)
    assert "N = 9" in refuted.verdict.reason or "indices" in refuted.verdict.reason


def test_prove_without_a_claim_says_what_to_write() -> None:
    d = make_naive_tensor_descriptor((4, 2), (2, 1))
    for wrong in (d, (InBounds(d), Injective(d)), InBounds):
        with pytest.raises(TypeError, match=r"prove\(Injective\(d\)\)"):
            prove(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", [None, "z3"])
def test_no_claim_is_refuted_at_parameters_that_are_refused(strategy: str | None) -> None:
    """A padding below 0 and a modulus of 0 are no transforms, as `Pad(8, 2, -1)` and `Modulo(0, 8)` say."""
    amount = symbol("A", min=-2, max=8)
    rows = make_naive_tensor_descriptor((8,), (1,))
    padded = transform_tensor_descriptor(rows, [Pad(8, 2, amount)], [[0]], [[0]])
    for claim in (InBounds(padded), Injective(padded)):
        verdict = prove(claim, strategy=strategy)
        assert verdict, verdict
        assert "0 <= A" in verdict.assumptions
    wrapped = transform_tensor_descriptor(rows, [Modulo(symbol("D", min=0, max=8), 8)], [[0]], [[0]])
    assert not isinstance(prove(InBounds(wrapped), strategy=strategy), Refuted)

"""Only what is proved is true: a verdict or a report in an `if` or an `assert` says what its words say."""

from __future__ import annotations

from dataclasses import replace

from layoutalg.formats import loads
from layoutalg.formats.check import Result, check
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.kernel.verify import Verified, verify
from layoutalg.layout import make_naive_tensor_descriptor as naive
from layoutalg.prove import Injective, Proved, Refuted, Unknown, prove
from layoutalg.prove.recheck import Rechecked
from layoutalg.refine.refinement import BinaryVerdict
from layoutalg.synth.problem import gemm_problem
from layoutalg.synth.search import synthesize
from layoutalg.teach import same_map

CLAIM = ("a claim", "nobody", 0.0)


def test_a_verdict_is_true_where_it_is_proved_and_nowhere_else() -> None:
    assert prove(Injective(naive((4, 2), (2, 1))))
    assert not prove(Injective(naive((4, 2), (1, 1))))
    assert [bool(kind(*CLAIM)) for kind in (Proved, Refuted, Unknown)] == [True, False, False]


def test_a_report_is_true_where_all_of_it_is_proved() -> None:
    program = lds_transpose()
    assert verify(program)
    proved, unknown = ("one", Proved(*CLAIM)), ("other", Unknown(*CLAIM))
    for verdicts, whole in (((proved,), True), ((proved, unknown), False), ((), False)):
        assert bool(Verified(program, verdicts)) is whole
        assert Verified(program, verdicts).proved is whole
        assert bool(BinaryVerdict("kernel", "gfx942", verdicts)) is whole


def test_the_result_of_a_file_is_true_where_it_is_the_one_expected() -> None:
    spec = loads(
        """
        [[descriptor]]
        name = "a"
        base = { kind = "naive", lengths = [4, 2], strides = [1, 1] }
        claims = ["injective", { claim = "injective", expect = "refuted" }, "in_bounds"]
        """
    )
    assert [bool(result) for result in check(spec)] == [False, True, True]
    assert not Result(spec.items[0], "injective", Unknown(*CLAIM), expect="refuted")


def test_a_claim_that_is_not_decided_stays_so_in_parallel() -> None:
    """A verdict that the statement itself settles is falsy and is still the answer, not the next claim's."""
    spec = loads(
        """
        [[adaptor]]
        name = "bare"
        steps = [[{ transform = "embed", lengths = [4, 2], strides = [2, 1], lower = [0], upper = [0, 1] }]]
        claims = ["in_bounds", "injective"]
        """
    )
    alone, parallel = ([(r.claim, r.verdict.name, r.verdict.reason) for r in check(spec, jobs=jobs)] for jobs in (1, 2))
    assert alone == parallel
    assert [name for _, name, _ in alone] == ["unknown", "proved"]


def test_an_answer_is_true_where_it_is_right() -> None:
    assert same_map(naive((3, 4), (4, 1)), naive((3, 4), (4, 1)))
    assert not same_map(naive((3, 4), (1, 3)), naive((3, 4), (4, 1)))


def test_a_certificate_is_true_where_the_other_solver_agrees() -> None:
    answers = {"unsat": True, "sat": False, "unknown": False, "altered": False, "lost": False}
    for answer, agrees in answers.items():
        assert bool(Rechecked("a.smt2", "a claim", "a label", "unsat", answer, "cvc5", 0.1)) is agrees


def test_a_synthesis_is_true_where_it_is_free_of_conflicts() -> None:
    found = synthesize(gemm_problem(128, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx942",)))
    assert found
    assert not replace(found, degree=2)
    assert not replace(found, verdicts=(*found.verdicts, Unknown(*CLAIM)))

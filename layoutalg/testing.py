"""Proofs among a project's own tests: `assert_proved` in a test, and spec files that pytest collects (`plugin`).

>>> from layoutalg.layout import make_naive_tensor_descriptor
>>> from layoutalg.prove import Injective
>>> assert_proved(Injective(make_naive_tensor_descriptor((8, 64), (72, 1))))
>>> assert_proved(Injective(make_naive_tensor_descriptor((8, 64), (32, 1))))  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
AssertionError: different valid indices have different offsets: refuted: ...
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import replace

from layoutalg.prove import Claim, Limits, Obligation, Proved, prove

LIMITS: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039 (it is frozen)
"""What one claim may cost: the plugin sets it for the test that runs."""


def assert_proved(claim: Claim | Obligation, *, strategy: str | None = None, seconds: float | None = None) -> None:
    """AssertionError, with the witness or with what stopped the prover, unless the claim is proved.

    `seconds`: the limit of this claim; without it that of the test's marker `layoutalg(seconds=…)`, or of
    `--layoutalg-seconds`.
    """
    limits = LIMITS.get() if seconds is None else replace(LIMITS.get(), seconds=seconds)
    verdict = prove(claim, strategy=strategy, limits=limits)
    if not isinstance(verdict, Proved):
        raise AssertionError(f"{verdict.claim}: {verdict.name}: {verdict.reason}")

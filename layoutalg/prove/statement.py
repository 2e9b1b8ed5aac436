"""Claims as mathematics: one formula each, as text and as LaTeX, over the claim's own index space and sizes.

    ∀ 8 <= M, a multiple of 8: ∀ u, u′ ∈ [0, M) × [0, 64): valid(u) ∧ valid(u′) ∧ u ≠ u′ ⇒ f(u) ≠ f(u′)

`f` is the map from the top index to the bottom one, `hᵢ` the hidden index of dimension i and nᵢ its length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields

from layoutalg.index import Expr
from layoutalg.index.evaluate import limits
from layoutalg.index.normal import simplify
from layoutalg.index.symbolic import latex as latex_of
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution
from layoutalg.prove.claims import All, Claim
from layoutalg.prove.domain import adaptor_of, bottom_limits

FORMULAS: Mapping[str, tuple[str, str]] = {
    "in_bounds": (
        "∀ u ∈ {domain}: valid(u) ⇒ 0 ≤ hᵢ(u) < nᵢ for all i below",
        r"\forall u \in {domain}:\; \mathrm{{valid}}(u) \Rightarrow \forall i:\; 0 \le h_i(u) < n_i",
    ),
    "injective": (
        "∀ u, u′ ∈ {domain}: valid(u) ∧ valid(u′) ∧ u ≠ u′ ⇒ f(u) ≠ f(u′)",
        r"\forall u, u' \in {domain}:\; \mathrm{{valid}}(u) \land \mathrm{{valid}}(u') \land u \ne u'"
        r" \Rightarrow f(u) \ne f(u')",
    ),
    "surjective": (
        "∀ e ∈ {space}: ∃ u ∈ {domain}: valid(u) ∧ f(u) = e",
        r"\forall e \in {space}:\; \exists u \in {domain}:\; \mathrm{{valid}}(u) \land f(u) = e",
    ),
    "bijective": (
        "∀ e ∈ {space}: ∃! u ∈ {domain}: valid(u) ∧ f(u) = e",
        r"\forall e \in {space}:\; \exists!\, u \in {domain}:\; \mathrm{{valid}}(u) \land f(u) = e",
    ),
    "round_trip": (
        "∀ u ∈ {domain}: f⁻¹(f(u)) = u, and ∀ e ∈ {space}: f(f⁻¹(e)) = e",
        r"\forall u \in {domain}:\; f^{{-1}}(f(u)) = u \;\land\; \forall e \in {space}:\; f(f^{{-1}}(e)) = e",
    ),
    "round_trip_upper": ("∀ u ∈ {domain}: f⁻¹(f(u)) = u", r"\forall u \in {domain}:\; f^{{-1}}(f(u)) = u"),
    "round_trip_lower": ("∀ e ∈ {space}: f(f⁻¹(e)) = e", r"\forall e \in {space}:\; f(f^{{-1}}(e)) = e"),
    "agree": (
        "∀ u ∈ {domain}: valid(u) = valid′(u) ∧ (valid(u) ⇒ f(u) = f′(u))",
        r"\forall u \in {domain}:\; \mathrm{{valid}}(u) = \mathrm{{valid}}'(u) \land"
        r" (\mathrm{{valid}}(u) \Rightarrow f(u) = f'(u))",
    ),
    "equivalent": (
        "∀ u ∈ {domain}: valid(u) = valid′(u) ∧ (valid(u) ⇒ f(u) = f′(u)), over one space {space}",
        r"\forall u \in {domain}:\; \mathrm{{valid}}(u) = \mathrm{{valid}}'(u) \land"
        r" (\mathrm{{valid}}(u) \Rightarrow f(u) = f'(u)), \text{{ over }} {space}",
    ),
    "fits_index": (
        "∀ u ∈ {domain}: −2^{bits1} ≤ x(u) < 2^{bits1} for every value x on the way",
        r"\forall u \in {domain}:\; -2^{{{bits1}}} \le x(u) < 2^{{{bits1}}}",
    ),
    "contiguous": (
        "∀ u ∈ {domain}, {count} | u_{dimension}, 0 ≤ k < {count}: f(u + k·e_{dimension}) = f(u) + k, {count} | f(u)",
        r"\forall u \in {domain},\; {count} \mid u_{{{dimension}}},\; 0 \le k < {count}:\;"
        r" f(u + k e_{{{dimension}}}) = f(u) + k \land {count} \mid f(u)",
    ),
    "aligned": (
        "∀ u ∈ {domain}: valid(u) ∧ {count} | u_{dimension} ⇒ {count} | f(u)",
        r"\forall u \in {domain}:\; \mathrm{{valid}}(u) \land {count} \mid u_{{{dimension}}}"
        r" \Rightarrow {count} \mid f(u)",
    ),
    "monotone": (
        "∀ u, u + s·e_{dimension} ∈ {domain}, both valid, s ≥ 1: f(u) < f(u + s·e_{dimension})",
        r"\forall u, u + s e_{{{dimension}}} \in {domain},\; s \ge 1:\; f(u) < f(u + s e_{{{dimension}}})",
    ),
    "covers": (
        "∀ x ∈ {space}: #{{(p, y) ∈ {domain}: f(p, y) = x}} = {copies}",
        r"\forall x \in {space}:\; \#\{{(p, y) \in {domain} : f(p, y) = x\}} = {copies}",
    ),
}
"""Each claim by name: as text, and as LaTeX."""


def formula(claim: Claim) -> str:
    """The claim as a formula in plain text; of a kind without one, its words.

    >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
    >>> from layoutalg.prove import Bijective
    >>> formula(Bijective(make_naive_tensor_descriptor_packed((4, 8))))
    '∀ e ∈ [0, 32): ∃! u ∈ [0, 4) × [0, 8): valid(u) ∧ f(u) = e'
    """
    return _formula(claim, 0, str, " × ", "; ", ("∀ ", ": "))


def latex(claim: Claim) -> str:
    """The claim as LaTeX, for a mathematics environment.

    >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
    >>> from layoutalg.prove import RoundTripUpper
    >>> latex(RoundTripUpper(make_naive_tensor_descriptor_packed((4, 8))))
    '\\\\forall u \\\\in [0, 4) \\\\times [0, 8):\\\\; f^{-1}(f(u)) = u'
    """
    return _formula(claim, 1, latex_of, r" \times ", r" \;\land\; ", (r"\forall ", r":\; "))


def _formula(
    claim: Claim, which: int, show: Callable[[Expr], str], times: str, also: str, forall: tuple[str, str]
) -> str:
    if isinstance(claim, All):
        return also.join(_formula(c, which, show, times, also, forall) for c in claim.claims)
    if claim.name not in FORMULAS:
        return claim.statement() if which == 0 else rf"\text{{{claim.statement()}}}"
    given = {field.name: getattr(claim, field.name) for field in fields(claim)}
    layout = next(iter(given.values()))
    domain, space = _spaces(layout, show, times)
    numbers = {name: value for name, value in given.items() if isinstance(value, int)}
    if isinstance(layout, TensorDescriptor) and "dimension" in numbers:
        numbers["dimension"] %= layout.rank
    bits1 = numbers.get("bits", 32) - 1
    text = FORMULAS[claim.name][which].format(domain=domain, space=space, bits1=bits1, **{"copies": "R", **numbers})
    limits = ", ".join(_limit(v, which) for v in claim.sizes)
    return f"{forall[0]}{limits}{forall[1]}{text}" if limits else text


def _spaces(layout: object, show: Callable[[Expr], str], times: str) -> tuple[str, str]:
    """The box of top indices and that of bottom indices."""
    if isinstance(layout, TileDistribution):
        layout = layout.adaptor
    assert isinstance(layout, TensorDescriptor | TensorAdaptor)
    top = times.join(f"[0, {show(simplify(n))})" for n in adaptor_of(layout).lengths)
    return top, times.join("ℤ" if n is None else f"[0, {show(simplify(n))})" for n in bottom_limits(layout))


def _limit(v: Expr, which: int) -> str:
    s = v.value
    if which == 0:
        return limits(v)
    name = latex_of(v)
    high = "" if s.hi == math.inf else rf" \le {s.hi}"
    more = rf",\; {s.multiple_of} \mid {name}" if s.multiple_of > 1 else ""
    more += rf",\; {name} \in \{{2^k\}}" if s.power_of_two else ""
    low = "" if s.lo == -math.inf else rf"{s.lo} \le "
    return f"{low}{name}{high}{more}"

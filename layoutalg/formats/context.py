"""A document's names while it is read: symbols, variables, expressions, formulas, claims; each error has its path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from typing import Any, TypedDict, cast

from layoutalg.formats.claims import CLAIMS, USUAL, ClaimForm, split
from layoutalg.formats.model import Expect, Place, StatedClaim
from layoutalg.formats.reading import DocumentError, Path
from layoutalg.formats.shape import nearest, shown
from layoutalg.index import (
    FALSE,
    TRUE,
    Expr,
    all_of,
    as_expr,
    conjuncts,
    fresh,
    holds,
    narrowed,
    substitute,
    symbol,
    var,
    variables,
)
from layoutalg.index.parse import OPERATORS, parse, parts
from layoutalg.index.ranges import BOOLEAN
from layoutalg.layout import LayoutError, TensorDescriptor, TileDistribution
from layoutalg.records import dataclass

Scope = Mapping[str, Expr]
Data = Mapping[str, Any]


class RefusedLayoutError(DocumentError):
    """A layout that is refused: what `expect = "refused"` waits for."""


@contextmanager
def meaning(path: Path) -> Iterator[None]:
    """Errors of building at this path."""
    try:
        yield
    except LayoutError as error:
        raise RefusedLayoutError(path, str(error)) from error
    except (ValueError, TypeError, OverflowError) as error:
        raise DocumentError(path, str(error)) from error


class Expectation(TypedDict):
    """Whether something must be proved or refuted, and what the reason for the latter must say."""

    expect: Expect
    because: str


def expected(path: Path, data: Data) -> Expectation:
    """What the data expects of its claims."""
    expect = data.get("expect", "proved")
    if "because" in data and expect == "proved":
        raise DocumentError((*path, "because"), 'because is what the reason says where expect = "refuted" or "refused"')
    return {"expect": cast(Expect, expect), "because": data.get("because", "")}


def _refuse_kind(path: Path, form: ClaimForm, kind: str) -> None:
    if kind not in form.of:
        about = " or ".join(sorted(form.of))
        raise DocumentError(path, f"{form.name} is a claim about {about}, not about {kind or 'this'}")


PROVED: Expectation = {"expect": "proved", "because": ""}


@dataclass
class Context:
    """One checked document: its data, where its parts stand, and its symbols, those of the item that is read."""

    data: Data
    places: Callable[[Path], Place | None]
    symbols: dict[str, Expr] = field(default_factory=dict)
    file_symbols: dict[str, Expr] = field(default_factory=dict)

    def lines(self, path: Path) -> int | None:
        """Where a part of the document stands."""
        place = self.places(path)
        return place and place[0]

    def read_symbols(self) -> None:
        """Makes the symbols of the document."""
        for name, given in self.data.get("symbols", {}).items():
            path = ("symbols", name)
            if name in OPERATORS:
                raise DocumentError(
                    path, f"{name} is an operator of expressions; give the symbol another name: {name}_"
                )
            with meaning(path):
                self.file_symbols[name] = symbol(name, **given)
        sizes = narrowed(self._of_file(self.file_symbols))
        self.file_symbols = {name: sizes.get(one, one) for name, one in self.file_symbols.items()}
        self.symbols = self.file_symbols

    def _of_file(self, scope: Scope) -> Iterator[Expr]:
        """What the file's own `given` says, of all its items and of its launch."""
        return (self.formula(("given", n), text, scope) for n, text in enumerate(self.data.get("given", ())))

    @property
    def file_given(self) -> Expr:
        """What the file's own `given` says beyond the limits of sizes, which have it in them."""
        return all_of(*(part for one in self._of_file(self.file_symbols) for part in conjuncts(one) if not holds(part)))

    @contextmanager
    def assuming(self, data: Data) -> Iterator[None]:
        """Within it, sizes have the limits that the item's `given` says: its expressions are read under them."""
        file, self.symbols = self.symbols, self._narrowed(data)
        try:
            yield
        finally:
            self.symbols = file

    def _narrowed(self, data: Data) -> dict[str, Expr]:
        sizes = narrowed(self._conditions_on_sizes(data))
        return {name: sizes.get(s, s) for name, s in self.symbols.items()}

    def _conditions_on_sizes(self, data: Data) -> Iterator[Expr]:
        """What `given` says of the file's own symbols alone; the rest is read with the item, and its errors told."""
        for text in data.get("given", ()):
            for part in parts(text) if isinstance(text, str) else ():
                with suppress(ValueError, TypeError, OverflowError):
                    if (made := parse(part, self.file_symbols)).op in BOOLEAN:
                        yield from conjuncts(made)

    @property
    def _limited(self) -> dict[Expr, Expr]:
        """The file's symbols that the item that is read limits, and what they are in it."""
        return {s: self.symbols[name] for name, s in self.file_symbols.items() if self.symbols[name] is not s}

    def limits(self, data: Data) -> Expr:
        """The part of an item's `given` that its sizes have as limits, in the file's own symbols."""
        new = self._limited
        conditions = self._conditions_on_sizes(data) if new else ()
        return all_of(*(e for e in conditions if {*variables(e)} <= {*new} and holds(substitute(e, new))))

    def _given(self, path: Path, data: Data, scope: Scope) -> Expr:
        """The other part."""
        own = (self.formula((*path, "given", n), f, scope) for n, f in enumerate(data.get("given", ())))
        formulas = [*(one for one in self._of_file(self.symbols) if not holds(one)), *own]
        new = {*self._limited.values()}
        parts = (e for f in formulas for e in conjuncts(f))
        return all_of(*(e for e in parts if not new or not {*variables(e)} <= new or not holds(e)))

    def refuse_repeats(self) -> None:
        """DocumentError where two items of one kind have one name."""
        for kind, entries in self.data.items():
            seen: set[str] = set()
            for n, entry in enumerate(entries if isinstance(entries, list) and kind != "given" else ()):
                if entry["name"] in seen:
                    raise DocumentError(
                        (kind, n, "name"), f"a second {kind} named {shown(entry['name'])}; names are unique"
                    )
                seen.add(entry["name"])

    def expr(self, path: Path, given: int | str | bool, scope: Scope | None = None) -> Expr:
        """The expression of a size or formula."""
        if isinstance(given, int):
            return as_expr(int(given))
        with meaning(path):
            return parse(given, scope if scope is not None else self.symbols)

    def refuse_both(self, path: Path, name: str, what: str, texts: Iterable[object]) -> None:
        """DocumentError where an expression speaks of a name that is a symbol's, and an index variable's there too."""
        if name in self.symbols and any(re.search(rf"\b{name}\b", t) for t in texts if isinstance(t, str)):
            raise DocumentError(path, f"{name} is both a symbol of this file and {what}; give the symbol another name")

    def exprs(self, path: Path, given: Sequence[int | str], scope: Scope | None = None) -> tuple[Expr, ...]:
        """The expressions of a list."""
        return tuple(self.expr((*path, n), entry, scope) for n, entry in enumerate(given))

    def formula(self, path: Path, given: str | bool, scope: Scope) -> Expr:
        """A truth value."""
        made = self.expr(path, given, scope)
        if made.op not in BOOLEAN and made not in (TRUE, FALSE):
            raise DocumentError(path, f"{made} is a number; a formula is expected, e.g. {made} >= 0")
        return made

    def variables(self, path: Path, given: Mapping[str, int | str]) -> dict[str, Expr]:
        """The variables of an item: name → extent; a later extent may use an earlier variable."""
        made: dict[str, Expr] = {}
        for name, extent in given.items():
            if name in self.symbols:
                raise DocumentError((*path, name), f"{name} is a symbol of this file; give the variable another name")
            with meaning((*path, name)):
                made[name] = var(name, self.expr((*path, name), extent, {**self.symbols, **made}))
        return made

    def over(self, letter: str, lengths: Sequence[Expr]) -> tuple[Expr, ...]:
        """Index variables below lengths, p0, p1 …; one that is a symbol of this file is called p0_."""
        return tuple(fresh(f"{letter}{n}", length, self.symbols) for n, length in enumerate(lengths))

    def about(
        self, path: Path, data: Data, kind: str, scope: Scope | None = None, more: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The fields that every `Item` has; `more` is claimed beyond the usual, where the data states no claims."""
        inner = scope if scope is not None else self.symbols
        texts = data.get("claims", (*USUAL.get(kind, ()), *more))
        usual = expected(path, data)
        claims = [self.claim((*path, "claims", n), entry, kind, usual) for n, entry in enumerate(texts)]
        return {
            "name": data["name"], "line": self.lines(path), "note": data.get("note", ""),
            "source": data.get("source", ""), "given": self._given(path, data, inner), "limits": self.limits(data),
            "claims": tuple(claims), "stated": "claims" in data,
        }  # fmt: skip

    def claim(self, path: Path, entry: str | Data, kind: str, usual: Expectation = PROVED) -> StatedClaim:
        """One claim about an item of a kind; `usual`: what is expected of it where it does not say."""
        if not isinstance(entry, str) and "equals" in entry:
            return self._equals(path, entry, kind)
        text, expectation = (entry, usual) if isinstance(entry, str) else (entry["claim"], expected(path, entry))
        called = split(text)
        if called is None or called[0] not in CLAIMS:
            hint = nearest(called[0], CLAIMS) if called else ""
            raise DocumentError(path, f"{shown(text)} is no claim{hint or '; the claims are ' + ', '.join(CLAIMS)}")
        name, args = called
        form = CLAIMS[name]
        if form.of_another:
            raise DocumentError(path, f'{name} is a claim on two layouts; write {{ {name} = "the other\'s name" }}')
        _refuse_kind(path, form, kind)
        if not form.least <= len(args) <= form.most:
            wanted = str(form.least) if form.least == form.most else f"{form.least}…{form.most}"
            raise DocumentError(path, f"{name} takes {wanted} arguments, not {len(args)}")
        numbers = tuple(self.expr(path, arg) for arg in args)
        for number, (low, high) in zip(numbers, form.numbers, strict=False):
            if number.op != "const" or not low <= number.value <= high:
                raise DocumentError(path, f"{name}: {number} is no number {low}…{high}")
        return StatedClaim(name, numbers, place=self.places(path), **expectation)

    def _equals(self, path: Path, entry: Data, kind: str) -> StatedClaim:
        """The claim `{ equals = "other" }`."""
        _refuse_kind(path, CLAIMS["equals"], kind)
        layout = self.held if kind == "distribution" else self.made
        other = entry["equals"], layout((*path, "equals"), entry["equals"])
        return StatedClaim("equals", other=other, place=self.places(path), **expected(path, entry))

    def made(self, path: Path, name: str) -> TensorDescriptor:
        """The layout of another descriptor of the document."""
        raise DocumentError(path, f"there is no descriptor {shown(name)} here")

    def held(self, path: Path, name: str) -> TileDistribution:
        """The layout of another distribution of the document."""
        raise DocumentError(path, f"there is no distribution {shown(name)} here")

    def named(self, kind: str, path: Path, name: str) -> tuple[int, Data]:
        """The place and the data of the item that a name refers to."""
        entries = self.data.get(kind, ())
        for n, entry in enumerate(entries):
            if entry["name"] == name:
                if entry.get("expect") == "refused":
                    raise DocumentError(path, f"{kind} {name!r} is expected to be refused; nothing can be built on it")
                return n, entry
        known = [entry["name"] for entry in entries]
        hint = nearest(name, known) or f"; it has {', '.join(known) or 'none'}"
        raise DocumentError(path, f"no {kind} named {name!r} in this file{hint}")

"""Places in a kernel: a node, a list of statements, what is known there; and the kernel with something else there."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from tests.audit.generated.language import (
    Body,
    For,
    If,
    Kernel,
    Let,
    rewritten,
    walk,
)


def some_node(body: Body, kind: Any, draw: Random) -> Any:
    """Some node of a kind (a class, or what says whether it is one); None where there is none."""
    found = [one for one in walk(body) if (isinstance(one, kind) if isinstance(kind, type) else kind(one))]
    return draw.choice(found) if found else None


def with_node(kernel: Kernel, old: Any, new: Any, draw: Random) -> Kernel:
    """One of the places where a node stands holds another, or several statements."""
    places = sum(one is old for one in walk(kernel.body))
    left = draw.randrange(places) if places else 0

    def change(one: Any) -> Any:
        nonlocal left
        if one is not old:
            return one
        left -= 1
        return new if left == -1 else one

    return replace(kernel, body=rewritten(kernel.body, change))


def bodies(body: Body) -> list[Body]:
    """All lists of statements."""
    found = [body]
    for one in walk(body):
        found += [one.body] if isinstance(one, For) else [one.then, one.otherwise] if isinstance(one, If) else []
    return [one for one in found if one]


def with_body(kernel: Kernel, old: Body, new: Body) -> Kernel:
    """One list of statements in place of another."""
    if kernel.body is old:
        return replace(kernel, body=new)

    def inside(one: Any) -> Any:
        if isinstance(one, For) and one.body is old:
            return replace(one, body=new)
        if isinstance(one, If) and one.then is old:
            return replace(one, then=new)
        if isinstance(one, If) and one.otherwise is old:
            return replace(one, otherwise=new)
        return one

    return replace(kernel, body=rewritten(kernel.body, inside))


def _made(kernel: Kernel) -> set[str]:
    return {one.var if isinstance(one, For) else one.name for one in walk(kernel.body) if isinstance(one, For | Let)}


def fresh(kernel: Kernel, letter: str) -> str:
    return next(name for k in range(99) if (name := f"{letter}{k}") not in _made(kernel))


def made_by(body: Body) -> set[str]:
    """What statements themselves make."""
    return {one.name for one in walk(body) if isinstance(one, Let)}


def scope(within: Body, wanted: Body, at: int) -> set[str] | None:
    """What is known at a place of a list of statements."""
    if within is wanted:
        return {one.name for one in within[:at] if isinstance(one, Let)}
    for k, one in enumerate(within):
        inside = [one.body] if isinstance(one, For) else [one.then, one.otherwise] if isinstance(one, If) else []
        for each in inside:
            found = scope(each, wanted, at)
            if found is not None:
                own = {one.var} if isinstance(one, For) else set()
                return found | own | {before.name for before in within[:k] if isinstance(before, Let)}
    return None

"""A kernel made smaller while something stays true of it: statements left out, choices and loops opened, terms cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.audit.generated.language import (
    Add,
    Break,
    Const,
    Copy,
    For,
    Hide,
    If,
    Kernel,
    Let,
    Load,
    Op,
    Set,
    Store,
    Sync,
    Var,
    rewritten,
    undeclared,
    walk,
)

#: How often something is tried at most.
TRIES = 400


def smallest(kernel: Kernel, holds: Callable[[Kernel], bool], tries: int = TRIES) -> Kernel:
    """A kernel of which it holds, and of none that is one step smaller."""
    left, again = tries, True
    while again:
        again = False
        for one in smaller(kernel):
            if left <= 0:
                return kernel
            if undeclared(one.body, frozenset({"t", "g", *one.sizes})):
                continue
            left -= 1
            if holds(one):
                kernel, again = one, True
                break
    return kernel


def smaller(kernel: Kernel) -> Iterator[Kernel]:
    """Kernels one step smaller, the largest steps first."""
    yield from _fewer(kernel)
    count = sum(1 for _ in walk(kernel.body))
    for wanted in (Let, Set, Store, Add, Copy, Sync, For, Break, If, Hide), (For, If), (Op, Load, Var, For):
        for number in range(count):
            node = next((one for k, one in enumerate(walk(kernel.body)) if k == number), None)
            if isinstance(node, wanted):
                news = [()] if len(wanted) == 10 else [*_opened(node)] if wanted == (For, If) else [*_cut(node, kernel)]
                for new in news:
                    yield replace(kernel, body=_instead(kernel.body, number, new))


def _fewer(kernel: Kernel) -> Iterator[Kernel]:
    """Fewer claims, equations, memories, and those less strange."""
    if kernel.claims:
        yield replace(kernel, claims=())
    if len(kernel.equations) > 1:
        yield from (replace(kernel, equations=(one,)) for one in kernel.equations)
    if kernel.equations:
        yield replace(kernel, equations=())
    text = f"{kernel.body} {kernel.equations}"
    for one in kernel.tensors:
        if f"'{one.name}'" not in text and f"{one.name}[" not in text:
            yield replace(kernel, tensors=tuple(other for other in kernel.tensors if other != one))
    for buffer in kernel.buffers:
        if f"'{buffer.name}'" not in text:
            yield replace(kernel, buffers=tuple(other for other in kernel.buffers if other != buffer))
        if buffer.volatile:
            yield replace(
                kernel, buffers=tuple(replace(one, volatile=False) if one == buffer else one for one in kernel.buffers)
            )


def _instead(body: Any, number: int, new: Any) -> Any:
    """The body with something else in the place of its so-manieth node."""
    nodes = [*walk(body)]
    wanted, seen = nodes[number], [k for k, one in enumerate(nodes) if one is nodes[number]]
    left = seen.index(number)

    def change(one: Any) -> Any:
        nonlocal left
        if one is not wanted:
            return one
        left -= 1
        return new if left == -1 else one

    return rewritten(body, change)


def _opened(node: For | If) -> Iterator[Any]:
    """What is in a loop or a choice."""
    if isinstance(node, If):
        yield from (node.then, node.otherwise)
        if node.otherwise:
            yield replace(node, otherwise=())
    else:
        yield (Let(node.var, "i32", node.first), *node.body)


def _cut(node: Any, kernel: Kernel) -> Iterator[Any]:
    """Smaller terms."""
    if isinstance(node, Op):
        yield from node.args[-2:]
    elif isinstance(node, Load):
        yield Const(1)
    elif isinstance(node, Var) and node.name not in ("t", "g", *kernel.sizes):
        yield Const(0)
    elif isinstance(node, For):
        if node.first != Const(0):
            yield replace(node, first=Const(0))
        if isinstance(node.end, Op):
            yield from (replace(node, end=one) for one in node.end.args if isinstance(one, Var))

"""What symbolic execution is given: a launch, and what there is to ask of the memory that it finds.

KLEE's word for what a program meets outside of itself; here it is the memory that others filled, and a solver.
What it cannot represent: memory that others write while the kernel runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol

from layoutalg.index import TRUE, Expr
from layoutalg.records import dataclass
from layoutalg.symex.machine.arguments import BoundArgument
from layoutalg.symex.machine.wave import Wave
from layoutalg.symex.values.instances import At


@dataclass(frozen=True)
class TracedLoad:
    """What was loaded at once, of a buffer (without a name where it is not known): values of `size` bytes each."""

    buffer: str
    offset: Expr
    size: int
    values: tuple[Expr, ...]


@dataclass(frozen=True)
class Inputs:
    """A launch: what the bytes of the arguments and the dispatch packet stand for, and the index variables."""

    arguments: Sequence[BoundArgument]
    blocks: Sequence[Expr]
    threads: Sequence[Expr]
    given: Expr = TRUE  # of sizes, blocks and threads, for every instruction
    sizes: Mapping[str, int] = field(default_factory=dict)  # bytes of an element in each buffer and in LDS
    packet: Sequence[BoundArgument] = ()
    points: Mapping[str, str] = field(default_factory=dict)  # buffers of addresses → what is at each of these
    block: Sequence[Expr] = ()  # how many threads there are along each axis, if not as many as the variables' numbers

    def wave(self, size: int) -> Wave:
        """A wave of so many lanes."""
        return Wave(size, tuple(self.blocks), tuple(self.threads), tuple(self.block))


class Environment(Protocol):
    """Memory that others filled, and who says what holds; by itself, all holds data of which nothing is assumed."""

    def shows(self, goal: Expr, given: Expr) -> bool:
        """Whether `given ⇒ goal` is proved, soon."""

    def alike(self, buffer: str) -> bool:
        """Whether all waves that load from one place of a buffer between the same two barriers find the same.

        Of LDS that is so where no two waves race, of other memory where nobody stores to it.
        """
        return False

    def assumed(self, buffer: str, offset: Expr, size: int, values: Sequence[Expr]) -> Expr:
        """What is assumed of values of so many bytes each, loaded one after the other from an offset on."""
        return TRUE

    def related(self, loads: Sequence[tuple[TracedLoad, At]]) -> Expr:
        """What is known of several loads together, each of the thread and the iteration that the place says."""
        return TRUE

    def has_contents(self, buffer: str, offset: Expr, size: int) -> Expr:
        """When so many bytes of a buffer, from an offset on, hold something."""
        return TRUE

"""An entry of the library: what a kernel is called, what it asks for, what is built, launched and compared.

| field    | says                                                              | and makes                          |
|----------|-------------------------------------------------------------------|------------------------------------|
| `emit`   | options, and the program of them, for all sizes                   | `layoutalg emit NAME`              |
| `run`    | options, also arrays; and the work: launches and what comes out   | `layoutalg run NAME`               |
| `golden` | programs by folder                                                | `make kernels`, `binary --against` |
| `named`  | of a kernel's name, the program that the library chooses          | `binary --against`                 |

A command has an option for each `Option`; its function takes their values by name, and besides the `target` and (of a
run) the arrays' `dtype`.  A module of the library lists its entries in `KERNELS`; `kernels` has those of all modules.

What it cannot represent: kernels of several results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, Literal, TypeVar

from layoutalg.kernel.program import Program
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import numpy.typing as npt

Kind = Literal["text", "integer", "integers", "flag", "array", "spec", "descriptor", "sizes"]
"""What a value is: `array` a .npy file's, `descriptor` one of the `spec`, `sizes` numbers by name."""
REQUIRED: Any = ...


@dataclass(frozen=True)
class Option:
    """An option of a kernel's command; `flag` where it is not `--NAME`; `rank` of an array that has a fixed one.

    An array with a `dtype` is of that type; the others are all of one.
    """

    name: str
    kind: Kind
    help: str
    default: Any = REQUIRED
    flag: str = ""
    rank: int | None = None
    dtype: str = ""

    @property
    def value(self) -> Any:
        """The default as a value; on the command line integers are text."""
        return tuple(map(int, self.default.split(","))) if self.kind == "integers" else self.default


@dataclass(frozen=True)
class Task:
    """A launch: the program, its sizes by name, and the shape of what comes out."""

    program: Program
    sizes: Mapping[str, int]
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Work:
    """Arrays, what is launched on them (one after the other), and what numpy says of the result.

    `exact`: to the bit; else numpy's result is in float64, and `size` is what an error is small beside, where that may
    be more than the largest result.
    """

    arrays: Sequence[npt.NDArray[Any]]
    tasks: tuple[Task, ...]
    expected: Callable[[], npt.NDArray[Any]]
    exact: bool = True
    size: Callable[[], float] = lambda: 0.0


T = TypeVar("T")


@dataclass(frozen=True)
class Command(Generic[T]):
    """A command of a kernel: its help, what it makes of the values of its options, and these."""

    help: str
    made: Callable[..., T]
    options: tuple[Option, ...]

    def of(self, **given: Any) -> T:
        """What it makes of these values, and of the defaults of the other options."""
        return self.made(**({o.name: o.value for o in self.options if o.default is not REQUIRED} | given))


@dataclass(frozen=True)
class Kernel:
    """A kernel of the library, by its name on the command line.

    `golden`: programs for all targets, by folder; `golden_for`: programs of a target, where it matters and has one.
    """

    name: str
    emit: Command[Program]
    run: Command[Work]
    golden: Mapping[str, Callable[[], Program]] = field(default_factory=dict)
    golden_for: Mapping[str, Callable[[str], Program | None]] = field(default_factory=dict)
    named: Callable[[str], Program | None] = lambda name: None

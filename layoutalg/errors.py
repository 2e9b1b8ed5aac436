"""What more than one room refuses, each with one clear line: what was asked, what is missing, what would do.

| error | when |
|---|---|
| `InexpressibleError` | an expression means nothing for some sizes: a divisor may be 0, a table too short |
| `LayoutError` | a transform, descriptor, distribution or program makes no sense |
| `SpecError` | a file cannot be read: where, and why |
| `DrawError` | a picture cannot show what was asked |
| `NoCompilerError` | no compiler for the target was found; the message lists where it was looked for |
| `CompileError` | the compiler refused the source, or makes no kernel of it; the message has its first error |
| `CodeObjectError` | a code object is truncated or not one |
| `LaunchError` | a kernel's name, grid, block or arguments do not fit it, or its threads disagree at a barrier |
| `NoDeviceError` | no device of the kind asked for; the message says why |
| `UnsupportedInstructionError` | an instruction, or a form of one, that the tables do not describe |
| `Fault` | a run did what a correct kernel never does: a bad address, a race, a register read before its wait, … |
| `StepLimit` | a run was stopped: it took more instructions than it may |
| `Livelock` | a run was stopped: it would never end |

All from `NoCompilerError` on are `DeviceError`, so a command line needs one handler.  What one room alone
refuses (an access, a target, a text that is no expression) has its error there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

LONGEST_REASON = 600
"""The characters of a reason, and of a key, that are kept: what is refused may be as long as the file."""


class InexpressibleError(ValueError):
    """A map that some of its sizes leave without a meaning: a divisor that may be 0, a table that is too short.

    >>> from layoutalg.index import lookup, var
    >>> lookup((4, 7, 9), var("i", 4))
    Traceback (most recent call last):
        ...
    layoutalg.errors.InexpressibleError: index i in 0…3 leaves a table of 3 entries; take it modulo 3
    """


class LayoutError(ValueError):
    """A transform, adaptor or descriptor that makes no sense; the message says which part and why.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> make_naive_tensor_descriptor((8, 64), (64,))
    Traceback (most recent call last):
        ...
    layoutalg.errors.LayoutError: embed: 2 lengths but 1 strides; give one for each
    """


def shortened(text: str, most: int = LONGEST_REASON) -> str:
    r"""The text on one line, without its middle where it is longer, and with nothing that a terminal would obey.

    >>> shortened("a very long word", 9)
    'a ve … ord'
    >>> print(shortened("red: \x1b[31m"))
    red: \x1b[31m
    """
    line = " ".join(text.splitlines())
    kept = line if len(line) <= most else f"{line[: most // 2]} … {line[len(line) - (most - most // 2 - 2) :]}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in kept)


def first_line(error: BaseException) -> str:
    r"""What an error of someone else's says first, or its kind.

    >>> first_line(ValueError("no such shape\nat …")), first_line(KeyError())
    ('no such shape', 'KeyError')
    """
    said = str(error).strip().splitlines()
    return shortened(said[0] if said else type(error).__name__)


class SpecError(ValueError):
    """A file that is no spec file; `file`, `line` and `column` (from 1, or None) and `key` say where it is wrong.

    >>> error = SpecError("no such key", "tile.toml", 3, 1)
    >>> str(error), error.line
    ('tile.toml:3:1: no such key', 3)
    """

    def __init__(
        self, reason: str, file: str = "", line: int | None = None, column: int | None = None, key: str = ""
    ) -> None:
        reason, key = shortened(reason), shortened(key, 120)
        self.reason, self.file, self.line, self.column, self.key = reason, file, line, column, key
        place = ":".join(str(part) for part in (file, line, column) if part)
        super().__init__(": ".join(part for part in (shortened(place), key, reason) if part))


class DrawError(ValueError):
    """A drawing that was refused: what was asked, what is missing and what would do.

    >>> from layoutalg.draw import grid
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> grid(make_naive_tensor_descriptor((8, 8), (8, 1)), "phase")
    Traceback (most recent call last):
        ...
    layoutalg.errors.DrawError: by 'phase' needs an access: give access=LaneAccess.of(descriptor, …)
    """


class DeviceError(Exception):
    """Any failure between a kernel's source and its result.

    >>> from layoutalg.device import choose_device
    >>> try:
    ...     choose_device("abacus")
    ... except DeviceError as error:
    ...     print(type(error).__name__)
    NoDeviceError
    """


class CompileError(DeviceError):
    """The source could not be compiled. `output` is all that the compiler said.

    Below the message stands what is `shown` with it, the source's line with a caret; `others` are further errors alike.

    >>> from layoutalg.device import compile_source
    >>> try:
    ...     compile_source("no kernel", "gfx942")
    ... except CompileError as error:
    ...     print("error:" in error.output, error)
    True gfx942: kernel.hip:1:1: error: unknown type name 'no'
    """

    def __init__(
        self, message: str, output: str = "", shown: Sequence[str] = (), others: Sequence[Sequence[str]] = ()
    ) -> None:
        super().__init__(message)
        self.output, self.shown, self.others = output, tuple(shown), tuple(map(tuple, others))


class NoCompilerError(CompileError):
    """No compiler for the target was found.

    >>> from unittest import mock
    >>> from layoutalg.device import choose_compiler
    >>> with mock.patch("layoutalg.device.compilers.find_compilers", return_value=()):
    ...     choose_compiler("gfx942")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    layoutalg.errors.NoCompilerError: no compiler for gfx942: no ROCm (ROCM_PATH, /opt/rocm, hipcc o...
    """


class CodeObjectError(DeviceError):
    """The bytes are not a whole code object.

    >>> from layoutalg.device import CodeObject
    >>> CodeObject.read(b".version 8.0 .target sm_80")
    Traceback (most recent call last):
        ...
    layoutalg.errors.CodeObjectError: the PTX names no target (.target sm_…): compile the source again
    """


class LaunchError(DeviceError):
    """A launch does not fit the kernel.

    >>> from layoutalg.device.runtime import Parameter, pack_number
    >>> pack_number("the number of rows", Parameter("value", size=4, offset=0), 1 << 40)
    Traceback (most recent call last):
        ...
    layoutalg.errors.LaunchError: the number of rows is 1099511627776, which does not fit into the parameter
    """


class NoDeviceError(DeviceError):
    """No device of the kind asked for was found.

    >>> from layoutalg.device import choose_device
    >>> choose_device("abacus")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    layoutalg.errors.NoDeviceError: unknown device 'abacus': give one of auto, amd, nvidia, cpu, or ...
    """


class UnsupportedInstructionError(DeviceError):
    """An instruction that the tables do not describe: it is named, never skipped."""


class Fault(DeviceError):
    """Something that a correct kernel never does, with the instruction and, where one is known, the lane.

    `kind` is one of address, read_only, uninitialised, wait, race, collision, barrier, control, livelock, alignment.
    `facts` has what else is known of `thread` (block and number), `address`, `tensor` and `byte` of it.
    """

    def __init__(self, kind: str, what: str, where: str, **facts: Any) -> None:
        super().__init__(f"{kind}: {what}, at {where}")
        self.kind = kind
        self.what = what
        self.where = where
        self.facts = facts


STEP_LIMIT = 2_000_000
"""Instructions after which a kernel is taken to hang, where nothing else is said."""


class StepLimit(Fault):
    """A run that was stopped: it takes more instructions than it may, and nothing says whether it would have ended."""

    def __init__(self, steps: int, where: str) -> None:
        super().__init__("control", f"the kernel ran for {steps} instructions", where)
        self.steps = steps


class Livelock(StepLimit):
    """A run that would not end: every wave goes round in a loop at one of `heads`, or waits for one that does."""

    def __init__(self, steps: int, where: str, heads: Sequence[int] = ()) -> None:
        what = f"waves go round for ever: after {steps} instructions each is again as it was, and so is memory"
        Fault.__init__(self, "livelock", what, where, heads=[*heads])
        self.steps = steps

"""What can be wrong with a binary, or with what it does when it is run.

| error | when |
|---|---|
| `UnsupportedInstructionError` | an instruction, or a form of one, that the tables do not describe |
| `Fault` | the run did what a correct kernel never does: a bad address, a race, a register read before its wait, … |
"""

from layoutalg.device.errors import DeviceError


class UnsupportedInstructionError(DeviceError):
    """An instruction that the tables do not describe: it is named, never skipped."""


class Fault(DeviceError):
    """Something that a correct kernel never does, with the instruction and, where one is known, the lane.

    `kind` is one of address, uninitialised, wait, race, collision, barrier, control, alignment.
    """

    def __init__(self, kind: str, what: str, where: str) -> None:
        super().__init__(f"{kind}: {what}, at {where}")
        self.kind = kind
        self.what = what
        self.where = where


class StepLimit(Fault):
    """A run that was stopped: it takes more instructions than it may, and nothing says whether it would have ended."""

    def __init__(self, steps: int, where: str) -> None:
        super().__init__("control", f"the kernel ran for {steps} instructions", where)

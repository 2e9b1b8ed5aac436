"""What can go wrong between a kernel's source and its result, each with one clear line.

| error | when |
|---|---|
| `UnknownTargetError` | the target is not one of `TARGETS` |
| `NoCompilerError` | no compiler for the target was found; the message lists where it was looked for |
| `CompileError` | the compiler refused the source; the message carries the compiler's own first errors |
| `CodeObjectError` | a code object is truncated or not one |
| `LaunchError` | a kernel's name, grid, block or arguments do not fit it, or its threads disagree at a barrier |
| `NoDeviceError` | no device of the kind asked for; the message says why |

All are `DeviceError`, so a command line needs one handler.
"""


class DeviceError(Exception):
    """Any failure of the device layer."""


class CompileError(DeviceError):
    """The source could not be compiled. `output` is all that the compiler said."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output


class UnknownTargetError(CompileError):
    """The target is not one that can be compiled for."""


class NoCompilerError(CompileError):
    """No compiler for the target was found."""


class CodeObjectError(DeviceError):
    """The bytes are not a whole code object."""


class LaunchError(DeviceError):
    """A launch does not fit the kernel."""


class NoDeviceError(DeviceError):
    """No device of the kind asked for was found."""

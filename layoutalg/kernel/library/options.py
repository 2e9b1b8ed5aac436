"""Options that the commands of many kernels have."""

from __future__ import annotations

from layoutalg.kernel.library.entry import REQUIRED, Option

INPUT = Option("input", "array", "The source, a .npy file.")
A = Option("a", "array", "The first operand, a .npy file.")
B = Option("b", "array", "The second operand, a .npy file.")
DTYPE = Option("dtype", "text", "f32, f16 or bf16.", "f32")
TO = Option("to", "text", "f32, f16 or bf16.")
VECTOR = Option("vector", "integer", "Elements a global access moves; sizes are multiples of it.", 1)
RESULT = Option("result", "text", "Elements of the result, where they are others.", None)
RESULT_OF = Option("result", "text", "Elements of the result: f32, f16 or bf16.", None)
HOW = Option("how", "text", "sum or max.", "sum")
GROUPS = Option("groups", "integer", "Groups of channels.", 1)

EACH = "Integers with commas, one for each dimension."
EVERY = "Integers with commas; one counts for all dimensions."


def integers(*names: str, default: str = REQUIRED, help: str = EVERY) -> tuple[Option, ...]:
    """Options of integers for dimensions."""
    return tuple(Option(name, "integers", help, default) for name in names)

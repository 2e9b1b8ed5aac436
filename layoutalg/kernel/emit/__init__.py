"""HIP source from verified programs, and from nothing else."""

from layoutalg.kernel.emit.kernel import NotProvedError, emit, emit_unverified

__all__ = ["NotProvedError", "emit", "emit_unverified"]

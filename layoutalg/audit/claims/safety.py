"""The claims on every launch, in the order in which they are decided: that it is safe."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.claims import (
    aligned,
    defined,
    ends,
    followed,
    in_bounds,
    initialised,
    launchable,
    lds_in_bounds,
    no_overflow,
    race_free,
    read_only,
)
from layoutalg.audit.claims.claim import KernelClaim

SAFETY: Sequence[KernelClaim] = (
    launchable, followed, ends, in_bounds, lds_in_bounds, aligned, no_overflow, read_only, defined, race_free,
    initialised,
)  # fmt: skip

"""What a target is called: its processor, and the features that code was compiled for one way.

| written | by | processor | features |
|---|---|---|---|
| `gfx942` | users | gfx942 | |
| `amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-` | LLVM, in metadata | gfx90a | sramecc+, xnack- |
| `amdgpu9.42-amd-amdhsa-unknown-gfx942` | LLVM 23, in metadata | gfx942 | |
| `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-` | hipcc, in bundles | gfx90a | xnack- |
| 0x63f | LLVM, in `e_flags` | gfx90a | xnack- |

A feature that is not said is as the device has it (AMDGPUUsage, "Target ID" and "ELF Header", e_flags since V4).
What it cannot represent: processors that no target's file has, by number.
"""

from __future__ import annotations

import re
from typing import Self

from layoutalg.records import dataclass
from layoutalg.target.known import processors

_NAME = re.compile(r"(?:.*-)?(gfx[0-9a-f]+(?:-[0-9]+)*(?:-generic)?)((?::[a-z]+[+-])*)")

#: The bits of e_flags that say a feature's mode: 0 not supported, 1 any, 2 off, 3 on.
_MODES = (("sramecc", 10), ("xnack", 8))


@dataclass(frozen=True)
class TargetId:
    """A processor, and the features that are said, each with its sign: `xnack-`."""

    processor: str
    features: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """The target that a name names; None where it is no AMD GPU's.

        >>> str(TargetId.parse("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+"))
        'gfx90a:sramecc+:xnack-'
        >>> TargetId.parse("host-x86_64-unknown-linux-gnu-")
        """
        found = _NAME.fullmatch(text)
        if found is None:
            return None
        features = found[2].split(":")[1:]
        return cls(found[1], frozenset(features)) if len({one[:-1] for one in features}) == len(features) else None

    @classmethod
    def of_flags(cls, flags: int) -> Self | None:
        """The target of a file's `e_flags`; None where the processor's number is not known.

        >>> str(TargetId.of_flags(0x63F)), str(TargetId.of_flags(0x54C))
        ('gfx90a:xnack-', 'gfx942')
        """
        known = processors().get(flags & 0xFF)
        modes = {name: flags >> bit & 3 for name, bit in _MODES}
        features = frozenset(f"{name}{'-+'[mode - 2]}" for name, mode in modes.items() if mode >= 2)
        return cls(known.processor, features) if known else None

    def __str__(self) -> str:
        return ":".join((self.processor, *sorted(self.features)))

    def takes(self, code: TargetId) -> bool:
        """Whether this device takes that code: features that only one of both says are no matter.

        >>> xnack = TargetId.parse("gfx90a:xnack+")
        >>> [TargetId.parse(name).takes(xnack) for name in ("gfx90a", "gfx90a:xnack-", "gfx942", "gfx90a:sramecc+")]
        [True, False, False, True]
        """
        other = {f"{one[:-1]}{'+' if one[-1] == '-' else '-'}" for one in self.features}
        return self.processor == code.processor and not other & code.features

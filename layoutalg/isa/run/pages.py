"""Memory that is larger than a run may hold: pages of it, each there from the first access that touches it.

A kernel's few blocks touch little of their tensors; a tensor of 2⁴⁰ bytes costs what they touch.

| what | is |
|---|---|
| `Unheld` | a memory of so many bytes: what is at first on each page of it, when somebody asks |
| `Pages` | the pages that were touched, one behind the other in one array of bytes, of all such memories |

What it cannot represent: more than `HELD` bytes of pages, and an element on the edge of two pages that did not come one
behind the other (those that one access touches first do): such a run is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from layoutalg.errors import LaunchError
from layoutalg.isa.run.arrays import Array

#: Bytes of a page: about what a wave accesses at once.
PAGE = 256

#: Bytes of all pages that a run touches, at most.
HELD = 1 << 23


class Page(NamedTuple):
    """The bytes of a page at first, and of each whether it is defined, and may be written."""

    data: Array
    defined: Array
    writable: Array


class Unheld:
    """A memory of `size` bytes; `page` makes the number-th page of it."""

    def __init__(self, size: int, page: Callable[[int], Page]) -> None:
        self.size, self._page = size, page
        self._put: list[tuple[int, bytes]] = []

    def put(self, place: int, data: bytes) -> None:
        """From that byte on these bytes are there at first."""
        self._put.append((place, data))

    def page(self, number: int) -> Page:
        """A page at first."""
        found = self._page(number)
        for place, data in self._put:
            first, last = (min(max(end - number * PAGE, 0), PAGE) for end in (place, place + len(data)))
            given = np.frombuffer(data, np.uint8)[first + number * PAGE - place :][: last - first]
            found.data[first:last] = given
        return found


class Pages:
    """The pages that were touched, from `start` on in an array of bytes."""

    def __init__(self, start: int, data: Array, defined: Array, writable: Array) -> None:
        self._start, self._data, self._defined, self._writable = start, data, defined, writable
        self._places: dict[tuple[int, int], int] = {}  # memory and page → where it begins

    def positions(self, number: int, memory: Unheld, inside: Array, size: int) -> Array:
        """Where elements of so many bytes are in the array, of those at these bytes of the memory of a number."""
        first, last = inside // PAGE, (inside + size - 1) // PAGE
        lowest, highest = int(first.min()), int(last.max())
        if lowest == highest:
            return np.asarray(inside + (self._begin(number, memory, lowest) - lowest * PAGE))
        touched = np.unique(np.concatenate([first, last]))
        begins = np.array([self._begin(number, memory, page) for page in touched.tolist()], np.int64)
        here, behind = (begins[np.searchsorted(touched, page)] for page in (first, last))
        if (behind - here != (last - first) * PAGE).any():
            raise LaunchError("an element lies on the edge of two pages of memory, which did not come together")
        return np.asarray(here + inside % PAGE)

    def _begin(self, number: int, memory: Unheld, page: int) -> int:
        """Where a page begins; one that was not touched before gets a place."""
        begin = self._places.get((number, page))
        if begin is None:
            begin = self._start + len(self._places) * PAGE
            if begin + PAGE > self._data.size:
                raise LaunchError(f"it touches more than {HELD} bytes of memory that is not held whole")
            here = slice(begin, begin + PAGE)
            self._data[here], self._defined[here], self._writable[here] = memory.page(page)
            self._places[number, page] = begin
        return begin

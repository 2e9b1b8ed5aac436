"""What numpy says of convolutions, element by element of the filter: nothing here knows of descriptors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def convolved(
    image: NDArray[Any], filter: NDArray[Any], *, stride: Sequence[int], dilation: Sequence[int], pad: Sequence[int],
    groups: int,
) -> NDArray[Any]:  # fmt: skip
    """The convolution in f64: image N, H …, C, filter K, Y …, C of a group, result N, Ho …, K."""
    import numpy as np

    channels, outputs = image.shape[-1] // groups, filter.shape[0] // groups
    parts = []
    for g in range(groups):
        x = image[..., g * channels : (g + 1) * channels].astype(np.float64)
        w = filter[g * outputs : (g + 1) * outputs].astype(np.float64)
        total: Any = 0.0
        for at, window in _shifted(x, filter.shape[1:-1], stride, dilation, pad):
            place: Any = (slice(None), *at)
            total = total + window @ w[place].T
        parts.append(total)
    return np.concatenate(parts, axis=-1)


def windows_of(
    image: NDArray[Any], filter: Sequence[int], *, stride: Sequence[int], dilation: Sequence[int], pad: Sequence[int]
) -> NDArray[Any]:
    """All windows, a row each: (N·Ho …) × (Y …·C)."""
    import numpy as np

    rank = image.ndim - 2
    lengths = tuple(filter) if len(filter) == rank else tuple(filter) * rank
    parts = [window for _, window in _shifted(image, lengths, stride, dilation, pad)]
    stacked = np.stack(parts, axis=-2)
    return stacked.reshape(-1, stacked.shape[-1] * stacked.shape[-2])


def _shifted(
    image: NDArray[Any], filter: Sequence[int], stride: Sequence[int], dilation: Sequence[int], pad: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], NDArray[Any]]]:
    """For each element of the filter its index, and the image elements that it meets."""
    import numpy as np

    rank = len(filter)
    s, d, p = (tuple(v) if len(v) == rank else tuple(v) * rank for v in (stride, dilation, pad))
    padded = np.pad(image, [(0, 0), *((n, n) for n in p), (0, 0)])
    for at in np.ndindex(*filter):
        cuts = []
        for y, length, step, apart, reach in zip(at, padded.shape[1:-1], s, d, filter, strict=True):
            outputs = (length - (reach - 1) * apart - 1) // step + 1
            cuts.append(slice(y * apart, y * apart + (outputs - 1) * step + 1, step))
        yield at, padded[(slice(None), *cuts)]

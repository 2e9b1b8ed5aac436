"""What several corpora compute, in numpy and double precision."""

import numpy as np

from tests.foreign.corpus import Array


def softmax(x: Array) -> Array:
    """Of each row."""
    powers = np.exp(x.astype(float) - x.max(1, keepdims=True))
    result: Array = powers / powers.sum(1, keepdims=True)
    return result


def layer_norm(rows: Array, gain: Array, bias: Array, epsilon: float) -> Array:
    """Each row less its mean, over the root of its variance."""
    x = rows.astype(float)
    centred = x - x.mean(1, keepdims=True)
    result: Array = centred / np.sqrt((centred**2).mean(1, keepdims=True) + epsilon) * gain + bias
    return result

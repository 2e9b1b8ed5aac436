"""Problems of KernelBench's level 1, written here in HIP, and kernels that pretend to solve them.

KernelBench is Ouyang et al., "KernelBench: Can LLMs Write Efficient GPU Kernels?", 2025; the numbers are those of its
folder `KernelBench/level1`. The kernels are as people and machines write them: plain, in tiles, by LDS, four elements
at once, in strides of the grid. Sizes are symbols, the problems' own within their limits.
"""

from tests.foreign.corpus import Kernel
from tests.foreign.kernelbench import activations, losses, products, reductions, windows

KERNELS: dict[str, Kernel] = {
    kernel.name: kernel for family in (activations, products, reductions, windows, losses) for kernel in family.KERNELS
}

PROBLEMS = {
    "square_product": 1, "standard_product": 2, "batched_product": 3, "matrix_vector": 4, "matrix_scalar": 5,
    "large_k_product": 6, "small_k_product": 7, "irregular_product": 8, "tensor_product_3d": 10,
    "diagonal_product": 12, "upper_triangular_product": 14, "transposed_a_product": 16, "transposed_b_product": 17,
    "transposed_both_product": 18, "relu": 19, "relu_float4": 19, "leaky_relu": 20, "sigmoid": 21, "tanh_by_exp": 22,
    "softmax": 23, "log_softmax": 24, "swish": 25, "selu": 27, "hard_sigmoid": 28, "softplus": 29, "softsign": 30,
    "elu": 31, "hard_tanh": 32, "rms_norm": 36, "squares_of_blocks": 37, "divide_by_norm": 37, "l1_norm": 38,
    "l2_norm": 39, "layer_norm_of_rows": 40, "max_pool_1d": 41, "max_pool_2d": 42, "average_pool_1d": 44,
    "average_pool_2d": 45, "sum_over_dim": 47, "mean_over_dim": 48, "max_over_dim": 49, "argmax_over_dim": 51,
    "argmin_over_last_dim": 52, "min_over_last_dim": 53, "conv_standard_1d": 67, "conv_depthwise_2d": 82,
    "conv_pointwise_2d": 87, "new_gelu": 88, "cumulative_sum": 89, "cumulative_sum_reverse": 91,
    "masked_cumulative_sum": 93, "mean_squared_error": 94, "cross_entropy": 95, "huber_loss": 96,
    "cosine_similarity_loss": 97, "triplet_margin_loss": 99, "hinge_loss": 100,
}  # fmt: skip
"""The problem of each kernel, by its number: two are of one where a launch is not enough, or both ways are common."""

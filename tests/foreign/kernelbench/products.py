"""Products of matrices: problems 1 to 4, 6 to 8, 10, 12, 14 and 16 to 18 of level 1."""

from functools import partial

import numpy as np

from tests.foreign.corpus import EXACT, WRONG, Broken, Kernel, sizes
from tests.foreign.kernelbench.cheats import FOLDER, cheats

#: Elements are whole numbers up to 8, whose sums of so few products are exact in any order.
Problem = partial(Kernel, file="products", folder=FOLDER, tolerance=EXACT)

ANY = sizes("M K N", (1, 1, 1), (16, 16, 16), (17, 35, 20))
SQUARES = sizes("N", (1,), (16,), (35,))

BEFORE = Broken("no barrier before", "__syncthreads();\n        for", "for", "race")
BEHIND = Broken("no barrier behind", "        __syncthreads();\n    }\n", "    }\n", "race")
STORE = "C[row * N + col] = sum"
HALF = Broken("half of k", "l < k", "l < k / 2", WRONG)


KERNELS = (
    Problem("square_product", sizes=SQUARES, reference=lambda g: {"C": g.A @ g.B}, broken=(
        BEHIND,
        Broken("guard", "k < N", "k <= N", "address"),
        Broken("tail", "(N + TILE - 1) / TILE", "N / TILE", WRONG),
        *cheats("C[row * N + col] = acc", "1.0f", "A[row * N + col]"),
        Broken("half", "if (row < N &&", "if (2 * row < N &&", WRONG),
    )),
    Problem("standard_product", sizes=ANY, reference=lambda g: {"C": g.A @ g.B}, broken=(
        Broken("guard", "row < M && col < N", "row <= M && col < N", "address"),
        Broken("k", "k < K", "k <= K", "address"),
        *cheats(STORE), Broken("half", "row < M", "2 * row < M", WRONG),
        Broken("half of k", "k < K", "k < K / 2", WRONG),
    )),
    Problem("batched_product", sizes=sizes("S M K N", (1, 1, 1, 1), (2, 16, 16, 16), (2, 17, 18, 20)),
            reference=lambda g: {"C": g.A @ g.B}, broken=(
        BEFORE, BEHIND, HALF,
        Broken("one matrix for all", "+ (size_t)blockIdx.z * k * n;", "+ (size_t)0 * k * n;", WRONG),
        *cheats("C[(size_t)blockIdx.z * m * n + row * n + col] = sum"),
        Broken("first matrix only", "C[(size_t)blockIdx.z * m * n +", "C[", "collision"),
    )),
    Problem("matrix_vector", sizes=sizes("M K", (1, 1), (3, 256), (2, 700)), reference=lambda g: {"y": g.A @ g.x},
            broken=(
        Broken("no barrier before", "__syncthreads();\n    for", "for", "race"), BEHIND,
        Broken("guard", "k < K", "k <= K", "address"),
        *cheats("y[blockIdx.x] = partial[0]", copy="row[0]"),
        Broken("tail", "k < K; k += 256", "k < K / 256 * 256; k += 256", WRONG),
    )),
    Problem("large_k_product", sizes=sizes("M K N", (1, 1, 1), (2, 600, 3)), reference=lambda g: {"C": g.A @ g.B},
            broken=(
        Broken("guard", "k < K", "k <= K", "address"),
        Broken("no barrier", "sums[threadIdx.x] = sum;\n    __syncthreads();", "sums[threadIdx.x] = sum;", "race"),
        Broken("within a wave", "k < 32; ++k", "k < 31; ++k", WRONG),
        *cheats("C[row * N + col] = total"),
    )),
    Problem("small_k_product", sizes=sizes("M N", (1, 1), (9, 33), (16, 64)), reference=lambda g: {"C": g.A @ g.B},
            broken=(
        Broken("no barrier", "__syncthreads();\n", "", "race"),
        Broken("columns", "col < N ? B", "true ? B", "address"),
        Broken("guard", "row >= M ||", "row > M ||", "address"),
        *cheats(STORE, copy="Bs[0][tx]"),
    )),
    Problem("irregular_product", sizes=ANY, reference=lambda g: {"C": g.A @ g.B}, broken=(
        Broken("one buffer", "now = t & 1", "now = 0", "race"),
        Broken("rows", "row < M && k", "k", "address"),
        Broken("tail", "(K + TILE - 1) / TILE", "K / TILE", WRONG),
        *cheats(STORE),
    )),
    Problem("tensor_product_3d", sizes=sizes("B0 M K L", (1, 1, 1, 1), (2, 3, 5, 70)),
            reference=lambda g: {"C": g.A @ g.B}, broken=(
        Broken("guard", "l >= L", "l > L", "address"),
        Broken("rows", "A[(n * M + m) * K + k]", "A[(n * K + m) * K + k]", "address"),
        *cheats("C[(n * M + m) * L + l] = sum", "1.0f"),
    )),
    Problem("diagonal_product", sizes=sizes("N M", (1, 1), (5, 70), (8, 64)),
            reference=lambda g: {"C": g.d[:, None] * g.B}, broken=(
        Broken("guard", "row < N && ", "", "address"),
        Broken("column's", "d[row]", "d[col]", "address"),
        *cheats("C[row * M + col] = d[row] * B[row * M + col]", copy="B[row * M + col]", half="row < N"),
    )),
    Problem("upper_triangular_product", sizes=SQUARES, inputs=lambda r, s: {
        name: np.triu(r.integers(-8, 9, (s.N, s.N))) for name in "AB"}, reference=lambda g: {"C": g.A @ g.B}, broken=(
        Broken("guard", "row >= N || ", "", "address"),
        Broken("strictly", "k <= col", "k < col", WRONG),
        Broken("lower", "if (row >= N || col >= N) return;", "if (row >= N || col >= N || row > col) return;", WRONG),
        *cheats(STORE),
    )),
    Problem("transposed_a_product", sizes=ANY, reference=lambda g: {"C": g.A.T @ g.B}, broken=(
        BEFORE, BEHIND,
        Broken("not transposed", "As[i][ty]", "As[ty][i]", WRONG),
        Broken("rows", "< M ? A", "<= M ? A", "address"),
        *cheats(STORE),
    )),
    Problem("transposed_b_product", sizes=ANY, reference=lambda g: {"C": g.A @ g.B.T}, broken=(
        Broken("tail", "for (; k < K; ++k) sum", "for (; k < 0; ++k) sum", WRONG),
        Broken("beyond", "k + 4 <= K", "k + 2 <= K", "address"),
        Broken("one of four", "A[row * K + k + 3] * B[col * K + k + 3]", "A[row * K + k + 3] * B[col * K + k + 2]",
               WRONG),
        *cheats(STORE),
    )),
    Problem("transposed_both_product", sizes=ANY, reference=lambda g: {"C": g.A.T @ g.B.T}, broken=(
        Broken("guard", "row < M && col < N", "row <= M && col < N", "address"),
        Broken("not transposed", "A[k * M + row]", "A[row * K + k]", WRONG),
        *cheats(STORE, half="row < M"),
    )),
)  # fmt: skip

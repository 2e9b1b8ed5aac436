"""Transpositions: naive, through LDS with and without padding, of batches and of strided rows."""

from tests.foreign.corpus import NOTHING, WRONG, Broken, Kernel, sizes

FILE = "transposes"
MATRICES = sizes("M N", (1, 1), (32, 64), (33, 31), (70, 100))
THROUGH_LDS = (
    Broken("no barrier", "__syncthreads();", "", "race"),
    Broken("read guard", "row + k < rows && column < columns", "row + k < rows", "address"),
    Broken("write guard", "row + k < columns && column < rows", "column < rows", "uninitialised"),
)

KERNELS = (
    Kernel("transpose_naive", FILE, MATRICES, lambda g: {"o": g.x.T}, (
        Broken("guard", "row < rows && ", "", "address"),
        Broken("stride", "column * rows + row", "column * columns + row", "address"),
        Broken("swapped indices", "column < columns", "column < rows", WRONG),
    )),
    Kernel("transpose_unpadded", FILE, MATRICES, lambda g: {"o": g.x.T}, (
        *THROUGH_LDS,
        Broken("LDS size", "tile[TILE][TILE]", "tile[TILE / 2][TILE]", "address"),
        Broken("uninitialised edge", "row + k < rows && column < columns", "row + k < rows - 1 && column < columns",
               "uninitialised"),
    )),
    Kernel("transpose_padded", FILE, MATRICES, lambda g: {"o": g.x.T}, (
        *THROUGH_LDS,
        Broken("block corner", "blockIdx.y * TILE + threadIdx.x", "blockIdx.x * TILE + threadIdx.x", WRONG),
        Broken("no padding", "tile[TILE][TILE + 1]", "tile[TILE][TILE]",
               NOTHING, "it is right, and slow: each column lies in one bank"),
    )),
    Kernel("transpose_f16", FILE, sizes("M N", (1, 1), (64, 64), (65, 130)), lambda g: {"o": g.x.T}, (
        Broken("no barrier", "__syncthreads();", "", "race"),
        Broken("divergent barrier", "__syncthreads();", "if (threadIdx.x < 128) __syncthreads();", "barrier"),
        Broken("write guard", "left + row < columns && ", "", "uninitialised"),
        Broken("half the tile", "int row = k / 64, column = k % 64;\n        if (top", 
               "int row = k / 64 / 2, column = k % 64;\n        if (top", "uninitialised"),
    )),
    Kernel("transpose_batched", FILE, sizes("B M N", (1, 1, 1), (2, 16, 32), (3, 17, 33)),
           lambda g: {"o": g.x.transpose(0, 2, 1)}, (
        Broken("no barrier", "__syncthreads();", "", "race"),
        Broken("batch", "x += (size_t)blockIdx.z * rows * columns;", "x += (size_t)blockIdx.z * rows;", WRONG),
        Broken("guard", "row < columns && ", "", "uninitialised"),
    )),
    Kernel("transpose_strided", FILE, sizes("M N P Q", (1, 1, 1, 1), (16, 32, 32, 16), (17, 33, 40, 20)),
           lambda g: {"o": g.x.T}, (
        Broken("no barrier", "__syncthreads();", "", "race"),
        Broken("pitch", "row * from", "row * columns", "uninitialised"),
        Broken("LDS size", "tile[16 * 17]", "tile[16 * 16]", "address"),
    )),
    Kernel("permute_0213", FILE, sizes("B M N C", (1, 1, 1, 1), (2, 3, 5, 4), (1, 16, 16, 2)),
           lambda g: {"o": g.x.transpose(0, 2, 1, 3)}, (
        Broken("guard", "i >= b * m * n * c", "i > b * m * n * c", "address"),
        Broken("lengths", "i / (c * m) % n", "i / (c * n) % n", WRONG),
    )),
)  # fmt: skip

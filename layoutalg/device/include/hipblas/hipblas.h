// hipBLAS's names, for programs that call it beside their own kernels: declared and no more, since nothing of the host is
// compiled (ROCm/hipBLAS, include/hipblas/hipblas.h; "hipBLAS API reference").
//
// S, D, C and Z are float, double and their complex numbers; `_64` takes 64-bit sizes.
#pragma once

#include <hip/hip_complex.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <hip/library_types.h>

typedef void* hipblasHandle_t;
#if defined(HIPBLAS_USE_HIP_HALF)
typedef __half hipblasHalf;
#else
typedef unsigned short hipblasHalf;
#endif
typedef hipComplex hipblasComplex;
typedef hipDoubleComplex hipblasDoubleComplex;
typedef long long hipblasStride;
typedef hipDataType hipblasDatatype_t;

typedef enum {
    HIPBLAS_STATUS_SUCCESS, HIPBLAS_STATUS_NOT_INITIALIZED, HIPBLAS_STATUS_ALLOC_FAILED, HIPBLAS_STATUS_INVALID_VALUE,
    HIPBLAS_STATUS_MAPPING_ERROR, HIPBLAS_STATUS_EXECUTION_FAILED, HIPBLAS_STATUS_INTERNAL_ERROR,
    HIPBLAS_STATUS_NOT_SUPPORTED, HIPBLAS_STATUS_ARCH_MISMATCH, HIPBLAS_STATUS_HANDLE_IS_NULLPTR,
    HIPBLAS_STATUS_INVALID_ENUM, HIPBLAS_STATUS_UNKNOWN
} hipblasStatus_t;
typedef enum { HIPBLAS_OP_N = 111, HIPBLAS_OP_T, HIPBLAS_OP_C } hipblasOperation_t;
typedef enum { HIPBLAS_FILL_MODE_UPPER = 121, HIPBLAS_FILL_MODE_LOWER, HIPBLAS_FILL_MODE_FULL } hipblasFillMode_t;
typedef enum { HIPBLAS_DIAG_NON_UNIT = 131, HIPBLAS_DIAG_UNIT } hipblasDiagType_t;
typedef enum { HIPBLAS_SIDE_LEFT = 141, HIPBLAS_SIDE_RIGHT, HIPBLAS_SIDE_BOTH } hipblasSideMode_t;
typedef enum { HIPBLAS_POINTER_MODE_HOST, HIPBLAS_POINTER_MODE_DEVICE } hipblasPointerMode_t;
typedef enum { HIPBLAS_ATOMICS_NOT_ALLOWED, HIPBLAS_ATOMICS_ALLOWED } hipblasAtomicsMode_t;
typedef enum { HIPBLAS_DEFAULT_MATH, HIPBLAS_XF32_XDL_MATH, HIPBLAS_PEDANTIC_MATH, HIPBLAS_TF32_TENSOR_OP_MATH } hipblasMath_t;
typedef enum { HIPBLAS_GEMM_DEFAULT = 160 } hipblasGemmAlgo_t;
typedef enum {
    HIPBLAS_COMPUTE_16F, HIPBLAS_COMPUTE_16F_PEDANTIC, HIPBLAS_COMPUTE_32F, HIPBLAS_COMPUTE_32F_PEDANTIC,
    HIPBLAS_COMPUTE_32F_FAST_16F, HIPBLAS_COMPUTE_32F_FAST_16BF, HIPBLAS_COMPUTE_32F_FAST_TF32, HIPBLAS_COMPUTE_64F,
    HIPBLAS_COMPUTE_64F_PEDANTIC, HIPBLAS_COMPUTE_32I, HIPBLAS_COMPUTE_32I_PEDANTIC
} hipblasComputeType_t;

extern "C" {
hipblasStatus_t hipblasCreate(hipblasHandle_t*);
hipblasStatus_t hipblasDestroy(hipblasHandle_t);
hipblasStatus_t hipblasSetStream(hipblasHandle_t, hipStream_t);
hipblasStatus_t hipblasGetStream(hipblasHandle_t, hipStream_t*);
hipblasStatus_t hipblasSetPointerMode(hipblasHandle_t, hipblasPointerMode_t);
hipblasStatus_t hipblasGetPointerMode(hipblasHandle_t, hipblasPointerMode_t*);
hipblasStatus_t hipblasSetAtomicsMode(hipblasHandle_t, hipblasAtomicsMode_t);
hipblasStatus_t hipblasSetMathMode(hipblasHandle_t, hipblasMath_t);
hipblasStatus_t hipblasSetVector(int count, int bytes, const void* x, int incx, void* y, int incy);
hipblasStatus_t hipblasGetVector(int count, int bytes, const void* x, int incx, void* y, int incy);
hipblasStatus_t hipblasSetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb);
hipblasStatus_t hipblasGetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb);
const char* hipblasStatusToString(hipblasStatus_t);

// P: the letter, T: the element, R: a real one, N: a size, END: of the name.
#define LAYOUTALG_BLAS(NAME, ...) hipblasStatus_t hipblas##NAME(hipblasHandle_t, __VA_ARGS__);
#define LAYOUTALG_BLAS_VECTORS(P, T, N, END)                                                                       \
    LAYOUTALG_BLAS(P##axpy##END, N n, const T* alpha, const T* x, N incx, T* y, N incy)                             \
    LAYOUTALG_BLAS(P##copy##END, N n, const T* x, N incx, T* y, N incy)                                             \
    LAYOUTALG_BLAS(P##swap##END, N n, T* x, N incx, T* y, N incy)                                                   \
    LAYOUTALG_BLAS(P##scal##END, N n, const T* alpha, T* x, N incx)
#define LAYOUTALG_BLAS_LENGTHS(P, Q, T, R, N, END)                                                                 \
    LAYOUTALG_BLAS(Q##nrm2##END, N n, const T* x, N incx, R* result)                                                \
    LAYOUTALG_BLAS(Q##asum##END, N n, const T* x, N incx, R* result)                                                \
    LAYOUTALG_BLAS(I##P##amax##END, N n, const T* x, N incx, N* result)                                             \
    LAYOUTALG_BLAS(I##P##amin##END, N n, const T* x, N incx, N* result)
#define LAYOUTALG_BLAS_PRODUCTS(P, T, N, END)                                                                      \
    LAYOUTALG_BLAS(P##gemm##END, hipblasOperation_t, hipblasOperation_t, N m, N n, N k, const T* alpha, const T* a, \
                   N lda, const T* b, N ldb, const T* beta, T* c, N ldc)                                            \
    LAYOUTALG_BLAS(P##gemmBatched##END, hipblasOperation_t, hipblasOperation_t, N m, N n, N k, const T* alpha,      \
                   const T* const a[], N lda, const T* const b[], N ldb, const T* beta, T* const c[], N ldc,        \
                   N batches)                                                                                       \
    LAYOUTALG_BLAS(P##gemmStridedBatched##END, hipblasOperation_t, hipblasOperation_t, N m, N n, N k,               \
                   const T* alpha, const T* a, N lda, hipblasStride, const T* b, N ldb, hipblasStride,              \
                   const T* beta, T* c, N ldc, hipblasStride, N batches)
#define LAYOUTALG_BLAS_MATRICES(P, T, N, END)                                                                      \
    LAYOUTALG_BLAS_PRODUCTS(P, T, N, END)                                                                           \
    LAYOUTALG_BLAS(P##gemv##END, hipblasOperation_t, N m, N n, const T* alpha, const T* a, N lda, const T* x,       \
                   N incx, const T* beta, T* y, N incy)                                                             \
    LAYOUTALG_BLAS(P##geam##END, hipblasOperation_t, hipblasOperation_t, N m, N n, const T* alpha, const T* a,      \
                   N lda, const T* beta, const T* b, N ldb, T* c, N ldc)                                            \
    LAYOUTALG_BLAS(P##dgmm##END, hipblasSideMode_t, N m, N n, const T* a, N lda, const T* x, N incx, T* c, N ldc)   \
    LAYOUTALG_BLAS(P##syrk##END, hipblasFillMode_t, hipblasOperation_t, N n, N k, const T* alpha, const T* a,       \
                   N lda, const T* beta, T* c, N ldc)                                                               \
    LAYOUTALG_BLAS(P##trsm##END, hipblasSideMode_t, hipblasFillMode_t, hipblasOperation_t, hipblasDiagType_t, N m,  \
                   N n, const T* alpha, const T* a, N lda, T* b, N ldb)
#define LAYOUTALG_BLAS_SOLVERS(P, T)                                                                               \
    LAYOUTALG_BLAS(P##getrfBatched, int n, T* const a[], int lda, int* pivots, int* info, int batches)              \
    LAYOUTALG_BLAS(P##getriBatched, int n, T* const a[], int lda, int* pivots, T* const c[], int ldc, int* info,    \
                   int batches)                                                                                     \
    LAYOUTALG_BLAS(P##gelsBatched, hipblasOperation_t, int m, int n, int sides, T* const a[], int lda, T* const b[], \
                   int ldb, int* info, int* device_info, int batches)
#define LAYOUTALG_BLAS_OF(N, END)                                                                                  \
    LAYOUTALG_BLAS_VECTORS(S, float, N, END)                                                                        \
    LAYOUTALG_BLAS_VECTORS(D, double, N, END)                                                                       \
    LAYOUTALG_BLAS_VECTORS(C, hipblasComplex, N, END)                                                               \
    LAYOUTALG_BLAS_VECTORS(Z, hipblasDoubleComplex, N, END)                                                         \
    LAYOUTALG_BLAS_LENGTHS(s, S, float, float, N, END)                                                              \
    LAYOUTALG_BLAS_LENGTHS(d, D, double, double, N, END)                                                            \
    LAYOUTALG_BLAS_LENGTHS(c, Sc, hipblasComplex, float, N, END)                                                    \
    LAYOUTALG_BLAS_LENGTHS(z, Dz, hipblasDoubleComplex, double, N, END)                                             \
    LAYOUTALG_BLAS(Sdot##END, N n, const float* x, N incx, const float* y, N incy, float* result)                   \
    LAYOUTALG_BLAS(Ddot##END, N n, const double* x, N incx, const double* y, N incy, double* result)                \
    LAYOUTALG_BLAS(DotEx##END, N n, const void* x, hipDataType, N incx, const void* y, hipDataType, N incy,         \
                   void* result, hipDataType, hipDataType)                                                          \
    LAYOUTALG_BLAS_MATRICES(S, float, N, END)                                                                       \
    LAYOUTALG_BLAS_MATRICES(D, double, N, END)                                                                      \
    LAYOUTALG_BLAS_MATRICES(C, hipblasComplex, N, END)                                                              \
    LAYOUTALG_BLAS_MATRICES(Z, hipblasDoubleComplex, N, END)                                                        \
    LAYOUTALG_BLAS_PRODUCTS(H, hipblasHalf, N, END)                                                                 \
    LAYOUTALG_BLAS(GemmEx##END, hipblasOperation_t, hipblasOperation_t, N m, N n, N k, const void* alpha,           \
                   const void* a, hipDataType, N lda, const void* b, hipDataType, N ldb, const void* beta, void* c, \
                   hipDataType, N ldc, hipblasComputeType_t, hipblasGemmAlgo_t)
LAYOUTALG_BLAS_OF(int, )
LAYOUTALG_BLAS_OF(int64_t, _64)
LAYOUTALG_BLAS_SOLVERS(S, float)
LAYOUTALG_BLAS_SOLVERS(D, double)
LAYOUTALG_BLAS_SOLVERS(C, hipblasComplex)
LAYOUTALG_BLAS_SOLVERS(Z, hipblasDoubleComplex)
}

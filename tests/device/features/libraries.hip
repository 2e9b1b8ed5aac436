//@ hipBLAS beside kernels
#include <hipblas/hipblas.h>
extern "C" __global__ void beside_blas(float* x) { x[threadIdx.x] = 0; }
int with_blas(float* a, float* b, float* c, hipblasComplex* z, const float* const* many, float* const* out) {
    hipblasHandle_t handle;
    if (hipblasCreate(&handle) != HIPBLAS_STATUS_SUCCESS) return 1;
    const float one = 1, zero = 0;
    float length;
    int64_t at;
    hipblasSetPointerMode(handle, HIPBLAS_POINTER_MODE_HOST);
    hipblasSgemm(handle, HIPBLAS_OP_N, HIPBLAS_OP_T, 8, 8, 8, &one, a, 8, b, 8, &zero, c, 8);
    hipblasSgemmBatched(handle, HIPBLAS_OP_N, HIPBLAS_OP_N, 8, 8, 8, &one, many, 8, many, 8, &zero, out, 8, 4);
    hipblasGemmEx(handle, HIPBLAS_OP_N, HIPBLAS_OP_N, 8, 8, 8, &one, a, HIP_R_16F, 8, b, HIP_R_16F, 8, &zero, c,
                  HIP_R_32F, 8, HIPBLAS_COMPUTE_32F, HIPBLAS_GEMM_DEFAULT);
    hipblasSaxpy(handle, 64, &one, a, 1, b, 1);
    hipblasScnrm2(handle, 64, z, 1, &length);
    hipblasIcamax_64(handle, 64, z, 1, &at);
    beside_blas<<<1, 64>>>(c);
    return hipblasDestroy(handle) != HIPBLAS_STATUS_SUCCESS;
}

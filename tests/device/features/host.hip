//@ memory for a pointer of any type
#include <hip/hip_runtime.h>
struct Particle { float x, y; };
static void memory() {
    float* f; Particle* p; unsigned char* c; void* v; double** rows; size_t pitch, free_bytes, all;
    hipMalloc(&f, 4); hipMalloc((void**)&p, 8); hipMalloc(&v, 1); hipMalloc(&rows, 8); hipMallocManaged(&p, 8);
    hipMallocPitch(&c, &pitch, 64, 64); hipHostMalloc(&f, 4); hipHostMalloc((void**)&f, 4, hipHostMallocDefault);
    hipHostMalloc(&p, 8, hipHostMallocMapped | hipHostMallocNonCoherent); hipMallocHost((void**)&f, 4);
    hipHostAlloc(&f, 4, hipHostAllocPortable); hipMallocAsync(&f, 4, hipStreamPerThread); hipFreeAsync(f, nullptr);
    hipHostGetDevicePointer((void**)&f, p, 0); hipHostRegister(f, 4, hipHostRegisterDefault); hipHostUnregister(f);
    hipMemGetInfo(&free_bytes, &all); hipFree(f); hipHostFree(p); hipFreeHost(c);
}

//@ copies
#include <hip/hip_runtime.h>
static void copies(float* to, const float* from, hipStream_t stream) {
    hipMemcpy(to, from, 4, hipMemcpyHostToDevice); hipMemcpyAsync(to, from, 4, hipMemcpyDeviceToHost, stream);
    hipMemcpy(to, from, 4, hipMemcpyDeviceToDevice); hipMemcpyAsync(to, from, 4, hipMemcpyDefault);
    hipMemcpy2D(to, 4, from, 4, 4, 4, hipMemcpyHostToHost); hipMemset(to, 0, 4); hipMemsetAsync(to, 0, 4, stream);
    hipMemcpy3DParms parameters = {};
    parameters.srcPtr = make_hipPitchedPtr(to, 4, 1, 1); parameters.extent = make_hipExtent(1, 1, 1);
    parameters.kind = hipMemcpyHostToDevice; hipMemcpy3D(&parameters); hipMemcpyHtoD(to, to, 4);
    hipMemcpyPeer(to, 0, from, 1, 4); hipMemPrefetchAsync(to, 4, hipCpuDeviceId, stream);
    hipMemAdvise(to, 4, hipMemAdviseSetReadMostly, 0);
}

//@ symbols
#include <hip/hip_runtime.h>
__constant__ float weights[8];
__device__ int total;
static void symbols(const float* from) {
    int* address; size_t bytes;
    hipMemcpyToSymbol(HIP_SYMBOL(weights), from, 32); hipMemcpyToSymbol(weights, from, 16, 16, hipMemcpyHostToDevice);
    hipMemcpyFromSymbol(&address, HIP_SYMBOL(total), 4); hipGetSymbolAddress((void**)&address, HIP_SYMBOL(total));
    hipGetSymbolSize(&bytes, total); hipMemcpyToSymbolAsync(total, from, 4, 0, hipMemcpyHostToDevice, nullptr);
}

//@ streams and events
#include <hip/hip_runtime.h>
static float streams(void (*callback)(hipStream_t, hipError_t, void*)) {
    hipStream_t stream = 0; hipEvent_t start, stop; float milliseconds; int low, high;
    hipStreamCreate(&stream); hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
    hipDeviceGetStreamPriorityRange(&low, &high); hipStreamCreateWithPriority(&stream, hipStreamDefault, high);
    hipEventCreate(&start); hipEventCreateWithFlags(&stop, hipEventDisableTiming | hipEventBlockingSync);
    hipEventRecord(start); hipEventRecord(stop, stream); hipEventSynchronize(stop); hipStreamWaitEvent(stream, stop, 0);
    hipEventElapsedTime(&milliseconds, start, stop); hipStreamAddCallback(stream, callback, nullptr, 0);
    hipStreamSynchronize(stream); hipStreamQuery(stream); hipEventDestroy(start); hipStreamDestroy(stream);
    return milliseconds;
}

//@ graphs
#include <hip/hip_runtime.h>
static void graphs(hipStream_t stream, void* kernel, void** arguments) {
    hipGraph_t graph; hipGraphExec_t executable; hipGraphNode_t node; hipKernelNodeParams parameters = {};
    hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal); hipStreamEndCapture(stream, &graph);
    hipGraphCreate(&graph, 0); parameters.func = kernel; parameters.gridDim = dim3(4); parameters.kernelParams = arguments;
    hipGraphAddKernelNode(&node, graph, nullptr, 0, &parameters); hipGraphAddDependencies(graph, &node, &node, 1);
    hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0); hipGraphLaunch(executable, stream);
    hipGraphExecDestroy(executable); hipGraphDestroy(graph);
}

//@ devices and errors
#include <hip/hip_runtime.h>
#define CHECK(CALL) do { hipError_t status = CALL; if (status != hipSuccess) abort(); } while (0)
static const char* devices() {
    int count, device, lanes, version; hipDeviceProp_t properties;
    CHECK(hipGetDeviceCount(&count)); CHECK(hipSetDevice(0)); CHECK(hipGetDevice(&device)); CHECK(hipInit(0));
    CHECK(hipGetDeviceProperties(&properties, device)); CHECK(hipRuntimeGetVersion(&version)); CHECK(hipDeviceReset());
    CHECK(hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, device)); CHECK(hipDeviceSynchronize());
    CHECK(hipDeviceCanAccessPeer(&count, 0, 1)); CHECK(hipDeviceSetLimit(hipLimitMallocHeapSize, 1 << 20));
    printf("%s %s %zu %d %d %d", properties.name, properties.gcnArchName, properties.totalGlobalMem, properties.warpSize,
           properties.maxThreadsDim[0] + properties.maxGridSize[2], properties.multiProcessorCount + properties.clockRate);
    if (hipPeekAtLastError() == hipErrorOutOfMemory) return hipGetErrorName(hipErrorNotReady);
    return hipGetErrorString(hipGetLastError());
}

//@ modules
#include <hip/hip_runtime.h>
static void modules(void* packed, size_t bytes) {
    hipModule_t module; hipFunction_t function;
    void* config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
    hipModuleLoad(&module, "kernels.co"); hipModuleGetFunction(&function, module, "k");
    hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, config); hipModuleUnload(module);
}

//@ textures that the host makes
#include <hip/hip_runtime.h>
static void textures(void* pixels) {
    hipArray_t array; hipTextureObject_t texture; hipResourceDesc resource = {}; hipTextureDesc how = {};
    hipChannelFormatDesc channels = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
    channels = hipCreateChannelDesc<float>(); hipMallocArray(&array, &channels, 64, 64);
    hipMemcpy2DToArray(array, 0, 0, pixels, 256, 256, 64, hipMemcpyHostToDevice);
    resource.resType = hipResourceTypeArray; resource.res.array.array = array; how.addressMode[0] = hipAddressModeWrap;
    how.filterMode = hipFilterModePoint; how.readMode = hipReadModeElementType;
    hipCreateTextureObject(&texture, &resource, &how, nullptr); hipDestroyTextureObject(texture); hipFreeArray(array);
}

//@ launches, and the kernels that only they instantiate
#include <hip/hip_runtime.h>
namespace {
template <typename T> __global__ void scaled(T* x, T by) { x[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
__global__ void hidden(float* x) { x[threadIdx.x] = 1; }
}  // namespace
template <int N, typename T> __global__ void twice(T* x) { x[threadIdx.x] *= N; }
static __global__ void of_file(int* x) { x[threadIdx.x] = 2; }
template <typename F> __global__ void applied(float* x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }
struct AddOne { __host__ __device__ float operator()(float x) const { return x + 1; } };
static void launches(float* f, double* d, int* n, hipStream_t stream) {
    int blocks, threads; void* arguments[] = {&n};
    scaled<<<dim3(4, 1), 256, 0, stream>>>(f, 2.0f);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(scaled<double>), dim3(4), dim3(256), 0, hipStreamDefault, d, 2.0);
    hipLaunchKernelGGL((twice<3, int>), 1, 64, 256, 0, n);
    hipLaunchKernelGGL(hidden, dim3(1), dim3(64), 0, 0, f);
    of_file<<<1, 64>>>(n);
    applied<<<1, 64>>>(f, AddOne{});
    applied<<<1, 64>>>(f, [] __device__(float x) { return x * 3; });
    float by = AddOne{}(2);
    applied<<<1, 64>>>(f, [=] __host__ __device__(float x) { return x * by; });
    hipLaunchKernel((const void*)twice<5, int>, dim3(1), dim3(64), arguments, 0, nullptr);
    hipLaunchCooperativeKernel(twice<7, int>, dim3(1), dim3(64), arguments, 0, nullptr);
    hipOccupancyMaxPotentialBlockSize(&blocks, &threads, scaled<int>, 0, 0);
    hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, hidden, 64, 0);
    hipFuncSetAttribute(reinterpret_cast<const void*>(hidden), hipFuncAttributeMaxDynamicSharedMemorySize, 65536);
}

//@ launches by a template, the runtime compiler, element types of libraries
#define HIP_TEMPLATE_KERNEL_LAUNCH
#include <hip/hip_ext.h>
#include <hip/hiprtc.h>
#include <hip/library_types.h>
template <int N> __global__ void by_template(float* x, int n) { if ((int)threadIdx.x < n) x[threadIdx.x] = N; }
static hipDataType run_time(float* x, hipStream_t stream, hipEvent_t before, hipEvent_t after) {
#if !defined(hipLaunchKernelGGL)  // one that is included first in this unit has made it a macro
    hipLaunchKernelGGL(by_template<8>, dim3(1), dim3(64), 0, hipStreamDefault, x, 3);
#endif
    hipExtLaunchKernelGGL(by_template<9>, dim3(1), dim3(64), 0, stream, before, after, 0, x, 3);
    hiprtcProgram program; size_t bytes;
    hiprtcCreateProgram(&program, "", "k.cu", 0, nullptr, nullptr); hiprtcCompileProgram(program, 0, nullptr);
    if (hiprtcGetCodeSize(program, &bytes) != HIPRTC_SUCCESS) hiprtcGetErrorString(HIPRTC_ERROR_COMPILATION);
    return HIP_R_32F;
}

// HIP's host calls: declared, so that a whole program is read for the kernels that it launches; none is compiled.
//
// Signatures and default arguments are those of HIP 6 (ROCm/HIP, include/hip/hip_runtime_api.h). Templates are for C++:
// memory for a pointer of any type, symbols by name, kernels by name.
#pragma once

#include <hip/driver_types.h>
#include <hip/library_types.h>
#include <hip/hip_version.h>
#if __has_include(<ck_tile/core.hpp>) || __has_include(<ck/ck.hpp>)
#include <sstream>  // HIP's header brings it along with USE_PROF_API, which CK is built with and counts on
#endif

// Flags of streams, events, memory, devices and arrays.
#define hipStreamDefault 0x00
#define hipStreamNonBlocking 0x01
#define hipEventDefault 0x0
#define hipEventBlockingSync 0x1
#define hipEventDisableTiming 0x2
#define hipEventInterprocess 0x4
#define hipEventDisableSystemFence 0x20000000
#define hipEventReleaseToDevice 0x40000000
#define hipEventReleaseToSystem 0x80000000
#define hipHostMallocDefault 0x0
#define hipHostMallocPortable 0x1
#define hipHostMallocMapped 0x2
#define hipHostMallocWriteCombined 0x4
#define hipHostMallocNumaUser 0x20000000
#define hipHostMallocCoherent 0x40000000
#define hipHostMallocNonCoherent 0x80000000
#define hipHostAllocDefault 0x0
#define hipHostAllocPortable 0x1
#define hipHostAllocMapped 0x2
#define hipHostAllocWriteCombined 0x4
#define hipMemAttachGlobal 0x01
#define hipMemAttachHost 0x02
#define hipMemAttachSingle 0x04
#define hipDeviceMallocDefault 0x0
#define hipDeviceMallocFinegrained 0x1
#define hipDeviceMallocUncached 0x3
#define hipDeviceMallocContiguous 0x4
#define hipMallocSignalMemory 0x2
#define hipHostRegisterDefault 0x0
#define hipHostRegisterPortable 0x1
#define hipHostRegisterMapped 0x2
#define hipHostRegisterIoMemory 0x4
#define hipHostRegisterReadOnly 0x08
#define hipExtHostRegisterCoarseGrained 0x8
#define hipDeviceScheduleAuto 0x0
#define hipDeviceScheduleSpin 0x1
#define hipDeviceScheduleYield 0x2
#define hipDeviceScheduleBlockingSync 0x4
#define hipDeviceScheduleMask 0x7
#define hipDeviceMapHost 0x8
#define hipDeviceLmemResizeToMax 0x10
#define hipArrayDefault 0x00
#define hipArrayLayered 0x01
#define hipArraySurfaceLoadStore 0x02
#define hipArrayCubemap 0x04
#define hipArrayTextureGather 0x08
#define hipOccupancyDefault 0x00
#define hipOccupancyDisableCachingOverride 0x01
#define hipCooperativeLaunchMultiDeviceNoPreSync 0x01
#define hipCooperativeLaunchMultiDeviceNoPostSync 0x02
#define hipExtAnyOrderLaunch 0x01
#define hipIpcMemLazyEnablePeerAccess 0x01
#define hipCpuDeviceId ((int)-1)
#define hipInvalidDeviceId ((int)-2)
#define hipStreamPerThread ((hipStream_t)2)
#define hipStreamLegacy ((hipStream_t)1)
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void*)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void*)0x02)
#define HIP_LAUNCH_PARAM_END ((void*)0x03)

extern "C" {
// Devices.
hipError_t hipInit(unsigned);
hipError_t hipDriverGetVersion(int*);
hipError_t hipRuntimeGetVersion(int*);
hipError_t hipDeviceGet(hipDevice_t*, int);
hipError_t hipDeviceComputeCapability(int*, int*, hipDevice_t);
hipError_t hipDeviceGetName(char*, int, hipDevice_t);
hipError_t hipDeviceGetUuid(hipUUID*, hipDevice_t);
hipError_t hipDeviceGetP2PAttribute(int*, hipDeviceP2PAttr, int, int);
hipError_t hipDeviceGetPCIBusId(char*, int, int);
hipError_t hipDeviceGetByPCIBusId(int*, const char*);
hipError_t hipDeviceSynchronize();
hipError_t hipDeviceReset();
hipError_t hipSetDevice(int);
hipError_t hipGetDevice(int*);
hipError_t hipGetDeviceCount(int*);
hipError_t hipGetDeviceProperties(hipDeviceProp_t*, int);
hipError_t hipChooseDevice(int*, const hipDeviceProp_t*);
hipError_t hipDeviceGetAttribute(int*, hipDeviceAttribute_t, int);
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t*);
hipError_t hipDeviceGetLimit(size_t*, hipLimit_t);
hipError_t hipDeviceSetLimit(hipLimit_t, size_t);
hipError_t hipGetDeviceFlags(unsigned*);
hipError_t hipSetDeviceFlags(unsigned);

// Errors.
hipError_t hipGetLastError();
hipError_t hipExtGetLastError();
hipError_t hipPeekAtLastError();
const char* hipGetErrorName(hipError_t);
const char* hipGetErrorString(hipError_t);

// Memory.
hipError_t hipDeviceTotalMem(size_t*, hipDevice_t);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig*);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t*, const void*);
hipError_t hipPointerGetAttribute(void*, hipPointer_attribute, hipDeviceptr_t);
hipError_t hipMalloc(void**, size_t);
hipError_t hipExtMallocWithFlags(void**, size_t, unsigned);
hipError_t hipMallocHost(void**, size_t);
hipError_t hipMemAllocHost(void**, size_t);
hipError_t hipHostMalloc(void**, size_t, unsigned = 0);
hipError_t hipExtHostAlloc(void**, size_t, unsigned);
hipError_t hipMallocManaged(void**, size_t, unsigned = hipMemAttachGlobal);
hipError_t hipMemPrefetchAsync(const void*, size_t, int, hipStream_t = nullptr);
hipError_t hipMemAdvise(const void*, size_t, hipMemoryAdvise, int);
hipError_t hipMemRangeGetAttributes(void**, size_t*, hipMemRangeAttribute*, size_t, const void*, size_t);
hipError_t hipHostAlloc(void**, size_t, unsigned);
hipError_t hipHostGetDevicePointer(void**, void*, unsigned);
hipError_t hipHostGetFlags(unsigned*, void*);
hipError_t hipHostRegister(void*, size_t, unsigned);
hipError_t hipHostUnregister(void*);
hipError_t hipMallocPitch(void**, size_t*, size_t, size_t);
hipError_t hipMemAllocPitch(hipDeviceptr_t*, size_t*, size_t, size_t, unsigned);
hipError_t hipFree(void*);
hipError_t hipFreeHost(void*);
hipError_t hipHostFree(void*);
hipError_t hipMemcpy(void*, const void*, size_t, hipMemcpyKind);
hipError_t hipMemcpyHtoD(hipDeviceptr_t, void*, size_t);
hipError_t hipMemcpyDtoH(void*, hipDeviceptr_t, size_t);
hipError_t hipMemcpyDtoD(hipDeviceptr_t, hipDeviceptr_t, size_t);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t, void*, size_t, hipStream_t);
hipError_t hipMemcpyDtoHAsync(void*, hipDeviceptr_t, size_t, hipStream_t);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t, hipDeviceptr_t, size_t, hipStream_t);
hipError_t hipMemcpyAsync(void*, const void*, size_t, hipMemcpyKind, hipStream_t = nullptr);
hipError_t hipMemset(void*, int, size_t);
hipError_t hipMemsetD8(hipDeviceptr_t, unsigned char, size_t);
hipError_t hipMemsetD8Async(hipDeviceptr_t, unsigned char, size_t, hipStream_t = nullptr);
hipError_t hipMemsetD16(hipDeviceptr_t, unsigned short, size_t);
hipError_t hipMemsetD16Async(hipDeviceptr_t, unsigned short, size_t, hipStream_t = nullptr);
hipError_t hipMemsetD32(hipDeviceptr_t, int, size_t);
hipError_t hipMemsetAsync(void*, int, size_t, hipStream_t = nullptr);
hipError_t hipMemsetD32Async(hipDeviceptr_t, int, size_t, hipStream_t = nullptr);
hipError_t hipMemset2D(void*, size_t, int, size_t, size_t);
hipError_t hipMemset2DAsync(void*, size_t, int, size_t, size_t, hipStream_t = nullptr);
hipError_t hipMemset3D(hipPitchedPtr, int, hipExtent);
hipError_t hipMemset3DAsync(hipPitchedPtr, int, hipExtent, hipStream_t = nullptr);
hipError_t hipMemGetInfo(size_t*, size_t*);
hipError_t hipMemPtrGetInfo(void*, size_t*);
hipError_t hipMallocArray(hipArray_t*, const hipChannelFormatDesc*, size_t, size_t = 0, unsigned = 0);
hipError_t hipMalloc3D(hipPitchedPtr*, hipExtent);
hipError_t hipFreeArray(hipArray_t);
hipError_t hipMalloc3DArray(hipArray_t*, const hipChannelFormatDesc*, hipExtent, unsigned);
hipError_t hipMemcpy2D(void*, size_t, const void*, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, hipMemcpyKind, hipStream_t = nullptr);
hipError_t hipMemcpy2DToArray(hipArray_t, size_t, size_t, const void*, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpy2DToArrayAsync(hipArray_t, size_t, size_t, const void*, size_t, size_t, size_t,
                                   hipMemcpyKind, hipStream_t = nullptr);
hipError_t hipMemcpyToArray(hipArray_t, size_t, size_t, const void*, size_t, hipMemcpyKind);
hipError_t hipMemcpyFromArray(void*, hipArray_const_t, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpy2DFromArray(void*, size_t, hipArray_const_t, size_t, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpy2DFromArrayAsync(void*, size_t, hipArray_const_t, size_t, size_t, size_t, size_t,
                                     hipMemcpyKind, hipStream_t = nullptr);
hipError_t hipMemcpy3D(const hipMemcpy3DParms*);
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms*, hipStream_t = nullptr);
hipError_t hipMemGetAddressRange(hipDeviceptr_t*, size_t*, hipDeviceptr_t);

// Memory pools.
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t*, int);
hipError_t hipMallocAsync(void**, size_t, hipStream_t);
hipError_t hipFreeAsync(void*, hipStream_t);
hipError_t hipMemPoolTrimTo(hipMemPool_t, size_t);
hipError_t hipMemPoolSetAttribute(hipMemPool_t, hipMemPoolAttr, void*);
hipError_t hipMemPoolGetAttribute(hipMemPool_t, hipMemPoolAttr, void*);
hipError_t hipMemPoolSetAccess(hipMemPool_t, const hipMemAccessDesc*, size_t);
hipError_t hipMemPoolGetAccess(hipMemAccessFlags*, hipMemPool_t, hipMemLocation*);
hipError_t hipMemPoolCreate(hipMemPool_t*, const hipMemPoolProps*);
hipError_t hipMemPoolDestroy(hipMemPool_t);
hipError_t hipMallocFromPoolAsync(void**, size_t, hipMemPool_t, hipStream_t);

// Peers.
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t*, void*);
hipError_t hipIpcOpenMemHandle(void**, hipIpcMemHandle_t, unsigned);
hipError_t hipIpcCloseMemHandle(void*);
hipError_t hipDeviceCanAccessPeer(int*, int, int);
hipError_t hipDeviceEnablePeerAccess(int, unsigned);
hipError_t hipDeviceDisablePeerAccess(int);
hipError_t hipMemcpyPeer(void*, int, const void*, int, size_t);
hipError_t hipMemcpyPeerAsync(void*, int, const void*, int, size_t, hipStream_t = nullptr);

// Streams and events.
hipError_t hipStreamCreate(hipStream_t*);
hipError_t hipStreamCreateWithFlags(hipStream_t*, unsigned);
hipError_t hipStreamCreateWithPriority(hipStream_t*, unsigned, int);
hipError_t hipDeviceGetStreamPriorityRange(int*, int*);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipStreamQuery(hipStream_t);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned = 0);
hipError_t hipStreamGetFlags(hipStream_t, unsigned*);
hipError_t hipStreamGetPriority(hipStream_t, int*);
hipError_t hipStreamGetDevice(hipStream_t, hipDevice_t*);
hipError_t hipExtStreamCreateWithCUMask(hipStream_t*, uint32_t, const uint32_t*);
hipError_t hipExtStreamGetCUMask(hipStream_t, uint32_t, uint32_t*);
hipError_t hipStreamAddCallback(hipStream_t, hipStreamCallback_t, void*, unsigned);
hipError_t hipEventCreateWithFlags(hipEvent_t*, unsigned);
hipError_t hipEventCreate(hipEvent_t*);
hipError_t hipEventRecord(hipEvent_t, hipStream_t = nullptr);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipEventElapsedTime(float*, hipEvent_t, hipEvent_t);
hipError_t hipEventQuery(hipEvent_t);
hipError_t hipMemcpyWithStream(void*, const void*, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t, void*);

// Modules and functions.
hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int);
hipError_t hipFuncSetCacheConfig(const void*, hipFuncCache_t);
hipError_t hipFuncSetSharedMemConfig(const void*, hipSharedMemConfig);
hipError_t hipModuleGetGlobal(hipDeviceptr_t*, size_t*, hipModule_t, const char*);
hipError_t hipGetSymbolAddress(void**, const void*);
hipError_t hipGetSymbolSize(size_t*, const void*);
hipError_t hipMemcpyToSymbol(const void*, const void*, size_t, size_t = 0, hipMemcpyKind = hipMemcpyHostToDevice);
hipError_t hipMemcpyToSymbolAsync(const void*, const void*, size_t, size_t, hipMemcpyKind, hipStream_t = nullptr);
hipError_t hipMemcpyFromSymbol(void*, const void*, size_t, size_t = 0, hipMemcpyKind = hipMemcpyDeviceToHost);
hipError_t hipMemcpyFromSymbolAsync(void*, const void*, size_t, size_t, hipMemcpyKind, hipStream_t = nullptr);
hipError_t hipModuleLoad(hipModule_t*, const char*);
hipError_t hipModuleUnload(hipModule_t);
hipError_t hipModuleGetFunction(hipFunction_t*, hipModule_t, const char*);
hipError_t hipFuncGetAttributes(hipFuncAttributes*, const void*);
hipError_t hipFuncGetAttribute(int*, hipFunction_attribute, hipFunction_t);
hipError_t hipModuleLoadData(hipModule_t*, const void*);
hipError_t hipModuleLoadDataEx(hipModule_t*, const void*, unsigned, hipJitOption*, void**);
hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, hipStream_t, void**, void**);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                            unsigned, unsigned, hipStream_t, void**);

// Occupancy.
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int*, int*, hipFunction_t, size_t, int);
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int*, int*, hipFunction_t, size_t, int, unsigned);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int*, hipFunction_t, int, size_t);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int*, hipFunction_t, int, size_t, unsigned);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, size_t);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int*, const void*, int, size_t, unsigned = 0);
hipError_t hipOccupancyMaxPotentialBlockSize(int*, int*, const void*, size_t, int);

// Launches: `kernel<<<grid, block>>>(...)` is read as a call of the first.
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t = 0, hipStream_t = nullptr);
hipError_t hipLaunchCooperativeKernel(const void*, dim3, dim3, void**, unsigned, hipStream_t);
hipError_t hipExtLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t, hipEvent_t, hipEvent_t, int);
hipError_t hipProfilerStart();
hipError_t hipProfilerStop();

// Graphs and captures.
hipError_t hipStreamBeginCapture(hipStream_t, hipStreamCaptureMode);
hipError_t hipStreamEndCapture(hipStream_t, hipGraph_t*);
hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus*);
hipError_t hipGraphCreate(hipGraph_t*, unsigned);
hipError_t hipGraphDestroy(hipGraph_t);
hipError_t hipGraphAddDependencies(hipGraph_t, const hipGraphNode_t*, const hipGraphNode_t*, size_t);
hipError_t hipGraphRemoveDependencies(hipGraph_t, const hipGraphNode_t*, const hipGraphNode_t*, size_t);
hipError_t hipGraphGetNodes(hipGraph_t, hipGraphNode_t*, size_t*);
hipError_t hipGraphNodeGetType(hipGraphNode_t, hipGraphNodeType*);
hipError_t hipGraphDestroyNode(hipGraphNode_t);
hipError_t hipGraphClone(hipGraph_t*, hipGraph_t);
hipError_t hipGraphInstantiate(hipGraphExec_t*, hipGraph_t, hipGraphNode_t*, char*, size_t);
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t*, hipGraph_t, unsigned long long);
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t*, hipGraph_t, hipGraphInstantiateParams*);
hipError_t hipGraphLaunch(hipGraphExec_t, hipStream_t);
hipError_t hipGraphUpload(hipGraphExec_t, hipStream_t);
hipError_t hipGraphExecGetFlags(hipGraphExec_t, unsigned long long*);
hipError_t hipGraphExecDestroy(hipGraphExec_t);
hipError_t hipGraphExecUpdate(hipGraphExec_t, hipGraph_t, hipGraphNode_t*, hipGraphExecUpdateResult*);
hipError_t hipGraphAddKernelNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                 const hipKernelNodeParams*);
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t, hipKernelNodeParams*);
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t, const hipKernelNodeParams*);
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t, hipGraphNode_t, const hipKernelNodeParams*);
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, const hipMemcpy3DParms*);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, void*,
                                   const void*, size_t, hipMemcpyKind);
hipError_t hipGraphAddMemsetNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, const hipMemsetParams*);
hipError_t hipGraphAddHostNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, const hipHostNodeParams*);
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, hipGraph_t);
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t, hipGraph_t*);
hipError_t hipGraphAddEmptyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t);
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, hipEvent_t);
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, hipEvent_t);
hipError_t hipGraphAddMemAllocNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                   hipMemAllocNodeParams*);
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, void*);
hipError_t hipGraphDebugDotPrint(hipGraph_t, const char*, unsigned);

// Textures and surfaces.
hipError_t hipCreateTextureObject(hipTextureObject_t*, const hipResourceDesc*, const hipTextureDesc*,
                                  const hipResourceViewDesc*);
hipError_t hipDestroyTextureObject(hipTextureObject_t);
hipChannelFormatDesc hipCreateChannelDesc(int, int, int, int, hipChannelFormatKind);
hipError_t hipGetChannelDesc(hipChannelFormatDesc*, hipArray_const_t);
hipError_t hipCreateSurfaceObject(hipSurfaceObject_t*, const hipResourceDesc*);
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t);
}  // extern "C"

// Of C++: memory for a pointer of any type, a symbol by its name, a kernel by its name.
template <typename T> hipError_t hipMalloc(T** pointer, size_t bytes);
template <typename T> hipError_t hipMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height);
template <typename T> hipError_t hipMallocManaged(T** pointer, size_t bytes, unsigned flags = hipMemAttachGlobal);
template <typename T> hipError_t hipMallocAsync(T** pointer, size_t bytes, hipStream_t);
template <typename T> hipError_t hipMallocAsync(T** pointer, size_t bytes, hipMemPool_t, hipStream_t);
template <typename T> hipError_t hipMallocFromPoolAsync(T** pointer, size_t bytes, hipMemPool_t, hipStream_t);
template <typename T> hipError_t hipHostMalloc(T** pointer, size_t bytes, unsigned flags = hipHostAllocDefault);
template <typename T> hipError_t hipHostAlloc(T** pointer, size_t bytes, unsigned flags = hipHostAllocDefault);
template <typename T> hipError_t hipExtHostAlloc(T** pointer, size_t bytes, unsigned flags = hipHostAllocDefault);

template <typename T> hipError_t hipGetSymbolAddress(void** address, const T& symbol);
template <typename T> hipError_t hipGetSymbolSize(size_t* bytes, const T& symbol);
template <typename T>
hipError_t hipMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                             hipMemcpyKind kind = hipMemcpyHostToDevice);
template <typename T>
hipError_t hipMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset, hipMemcpyKind kind,
                                  hipStream_t stream = nullptr);
template <typename T>
hipError_t hipMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                               hipMemcpyKind kind = hipMemcpyDeviceToHost);
template <typename T>
hipError_t hipMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                                    hipStream_t stream = nullptr);

template <typename Kernel> hipError_t hipFuncSetAttribute(Kernel* kernel, hipFuncAttribute attribute, int value);
template <typename Kernel> hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, Kernel* kernel);
template <typename Kernel> hipError_t hipFuncSetCacheConfig(Kernel* kernel, hipFuncCache_t config);
template <typename Kernel>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel kernel, int threads, size_t lds);
template <typename Kernel>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel kernel, int threads, size_t lds,
                                                                 unsigned flags);
template <typename Kernel>
hipError_t hipOccupancyMaxPotentialBlockSize(int* blocks, int* threads, Kernel kernel, size_t lds = 0, int most = 0);
template <typename Kernel>
hipError_t hipOccupancyMaxPotentialBlockSizeWithFlags(int* blocks, int* threads, Kernel kernel, size_t lds = 0,
                                                      int most = 0, unsigned flags = 0);
template <typename Lds, typename Kernel>
hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMem(int* blocks, int* threads, Kernel kernel, Lds lds,
                                                         int most = 0);
template <typename Kernel>
hipError_t hipLaunchCooperativeKernel(Kernel kernel, dim3 grid, dim3 block, void** arguments, unsigned lds,
                                      hipStream_t stream);
template <typename T> hipChannelFormatDesc hipCreateChannelDesc();

// What HIP has and no kernel here can: each is refused where it is used, by its name and with what would do instead.
#pragma once

#include <hip/driver_types.h>
#include <hip/hip_common.h>

#define LAYOUTALG_HEAP LAYOUTALG_HIP_REFUSED("no kernel here takes memory from the heap: give it a buffer from the host")
__device__ void* malloc(size_t) LAYOUTALG_HEAP;
__device__ void free(void*) LAYOUTALG_HEAP;

// The C++ library's own functions name this one wherever they are constexpr; an error is said of a call that is left.
__device__ void* layoutalg_new(size_t)
    __attribute__((error("layoutalg: no kernel here takes memory from the heap: give it a buffer from the host")));
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
__device__ inline void* operator new(size_t bytes) { return layoutalg_new(bytes); }
__device__ inline void* operator new[](size_t bytes) { return layoutalg_new(bytes); }
#pragma clang diagnostic pop

#define LAYOUTALG_TEXTURE LAYOUTALG_HIP_REFUSED("no kernel here reads textures or surfaces: load from a pointer instead")
#define LAYOUTALG_HIP_FETCH(NAME)                                                                      \
    template <typename T, typename... Where> __device__ T NAME(hipTextureObject_t, Where...) LAYOUTALG_TEXTURE; \
    template <typename T, typename... Where> __device__ void NAME(T*, hipTextureObject_t, Where...) LAYOUTALG_TEXTURE;
LAYOUTALG_HIP_FETCH(tex1Dfetch)
LAYOUTALG_HIP_FETCH(tex1D)
LAYOUTALG_HIP_FETCH(tex2D)
LAYOUTALG_HIP_FETCH(tex3D)
LAYOUTALG_HIP_FETCH(tex1DLayered)
LAYOUTALG_HIP_FETCH(tex2DLayered)
LAYOUTALG_HIP_FETCH(tex1DLod)
LAYOUTALG_HIP_FETCH(tex2DLod)
LAYOUTALG_HIP_FETCH(tex3DLod)
LAYOUTALG_HIP_FETCH(texCubemap)
LAYOUTALG_HIP_FETCH(tex2Dgather)
#define LAYOUTALG_HIP_SURFACE(NAME)                                                                         \
    template <typename T, typename... Where> __device__ void NAME##read(T*, hipSurfaceObject_t, Where...) LAYOUTALG_TEXTURE; \
    template <typename T, typename... Where> __device__ void NAME##write(T, hipSurfaceObject_t, Where...) LAYOUTALG_TEXTURE;
LAYOUTALG_HIP_SURFACE(surf1D)
LAYOUTALG_HIP_SURFACE(surf2D)
LAYOUTALG_HIP_SURFACE(surf3D)
LAYOUTALG_HIP_SURFACE(surf1DLayered)
LAYOUTALG_HIP_SURFACE(surf2DLayered)

// A stand-in for libamdhip64.so: the calls that layoutalg/device/amd.py makes, on host memory. It says what arrives on
// standard output. Its one kernel, `lds_transpose_f32`, is a transposition in C. STAND_IN_DEVICES devices, each a
// STAND_IN_ARCH. Structure offsets are those of hipDeviceProp_tR0600 in HIP's hip_runtime_api.h, errors of hipError_t.
typedef unsigned long size_t;
void *malloc(size_t), *memcpy(void*, const void*, size_t), *memset(void*, int, size_t);
void free(void*);
int dprintf(int, const char*, ...), atoi(const char*), strcmp(const char*, const char*);
char *getenv(const char*), *strcpy(char*, const char*);

enum { success = 0, invalid_value = 1, invalid_image = 200, not_found = 500, no_device = 100 };

static int devices(void) { return getenv("STAND_IN_DEVICES") ? atoi(getenv("STAND_IN_DEVICES")) : 1; }

int hipGetDeviceCount(int* count) {
    *count = devices();
    return *count ? success : no_device;
}
int hipSetDevice(int device) { return device < devices() ? success : invalid_value; }
int hipGetDevicePropertiesR0600(char* properties, int device) {
    memset(properties, 0, 1472);
    strcpy(properties, "Stand-in");
    *(size_t*)(properties + 288) = 1ul << 36;  // totalGlobalMem
    *(size_t*)(properties + 296) = 65536;      // sharedMemPerBlock
    *(int*)(properties + 308) = 64;            // warpSize
    *(int*)(properties + 320) = 1024;          // maxThreadsPerBlock
    *(int*)(properties + 388) = 304;           // multiProcessorCount
    strcpy(properties + 1160, getenv("STAND_IN_ARCH") ? getenv("STAND_IN_ARCH") : "gfx942:sramecc+:xnack-");
    return success;
}
int hipMalloc(void** pointer, size_t size) { return *pointer = malloc(size), success; }
int hipFree(void* pointer) { return free(pointer), dprintf(1, "free\n"), success; }
int hipMemcpy(void* to, const void* from, size_t size, int kind) {
    dprintf(1, "copy %lu %s\n", size, kind == 1 ? "to device" : kind == 2 ? "to host" : "?");
    return memcpy(to, from, size), success;
}
int hipDeviceSynchronize(void) { return success; }
int hipModuleLoadData(void** module, const char* image) {
    if (image[0] != 0x7f || image[1] != 'E' || (unsigned char)image[18] != 224) return invalid_image;
    *module = (void*)image;
    return success;
}
int hipModuleUnload(void* module) { return success; }
int hipModuleGetFunction(void** function, void* module, const char* name) {
    *function = (void*)1;
    return strcmp(name, "lds_transpose_f32") && strcmp(name, "lds_transpose_f16") ? not_found : success;
}
int hipModuleLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void* stream, void** parameters, void** extra) {
    if (function != (void*)1 || shared || extra) return invalid_value;
    const float* in = *(const float**)parameters[0];
    float* out = *(float**)parameters[1];
    const int rows = *(int*)parameters[2], columns = *(int*)parameters[3];
    dprintf(1, "launch %u %u %u, %u %u %u, stream %lu\n", gx, gy, gz, bx, by, bz, (size_t)stream);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) out[j * rows + i] = in[i * columns + j];
    return success;
}
int hipEventCreate(void** event) { return *event = malloc(8), success; }
int hipEventDestroy(void* event) { return free(event), success; }
int hipEventRecord(void* event, void* stream) { return success; }
int hipEventSynchronize(void* event) { return success; }
int hipEventElapsedTime(float* milliseconds, void* start, void* end) { return *milliseconds = 0.5f, success; }

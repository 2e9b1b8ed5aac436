//@ a program
#include <hip/hip_runtime.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <sys/time.h>
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
int main(int argc, char* argv[]) {
    const int n = argc > 1 ? std::stoi(argv[1]) : 1 << 20;
    std::vector<float> a(n), b(n), c(n);
    std::mt19937 generator(7);
    std::generate(a.begin(), a.end(), [&] { return std::uniform_real_distribution<float>()(generator); });
    float *on_a, *on_b, *on_c;
    for (float** pointer : {&on_a, &on_b, &on_c})
        if (hipMalloc(pointer, n * sizeof(float)) != hipSuccess) throw std::runtime_error("no memory");
    hipMemcpy(on_a, a.data(), n * sizeof(float), hipMemcpyHostToDevice);
    auto start = std::chrono::steady_clock::now();
    vector_add<<<(n + 255) / 256, 256>>>(on_a, on_b, on_c, n);
    hipDeviceSynchronize();
    std::thread([] {}).join();
    std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << std::endl;
    printf("%f %f\n", c[0], *std::max_element(a.begin(), a.end()));
    try { hipFree(on_a); } catch (const std::exception& error) { std::cerr << error.what(); }
    return EXIT_SUCCESS;
}

//@ string streams, which HIP's header brings along
#include <hip/hip_runtime.h>
#include <iostream>
static std::string of_stream(int x) { std::stringstream text; text << x; return text.str(); }

//@ a header of types alone
#include <hip/driver_types.h>
static dim3 of_types(hipKernelNodeParams parameters) { return parameters.gridDim; }

//@ algorithms that say how they run
#include <algorithm>
#include <execution>
#include <numeric>
#include <vector>
static int in_parallel(std::vector<int>& x) {
    std::sort(std::execution::par, x.begin(), x.end());
    return std::reduce(std::execution::par_unseq, x.begin(), x.end());
}

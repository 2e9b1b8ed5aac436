// HIP on the CPU: a fiber for each thread of a block, blocks shared out among host threads.
//
// A host thread takes blocks one after another. It starts the block's threads in order, each on a stack of its own;
// __syncthreads() saves the fiber and goes on with the next one. When all have arrived, all are resumed. A thread
// that ends without a barrier frees its stack for the next, so a kernel with no barrier runs on one stack.
// __shared__ arrays are thread_local: private to a host thread, so private to the block that it runs, and they keep
// what the block before left there, as LDS does.
//
// A barrier that only some threads of a block reach is undefined in HIP; here the launch stops and says so.
// Waves do not exist here: nothing that depends on lanes running in step can be expressed.
//
// Nothing is included and no library is needed: the launcher (layoutalg/device/cpu.py) brings the memory for the stacks.
#pragma once

#define __global__ __attribute__((noinline, annotate("kernel")))
#define __device__
#define __host__
#define __shared__ static thread_local
#define __launch_bounds__(...)

namespace layoutalg {

struct Triple { unsigned x, y, z; };

static thread_local Triple thread_index, block_index, grid_size, block_size;

using Context = void*;  // a saved stack pointer; the registers that a call preserves lie on that stack

extern "C" __attribute__((visibility("hidden"))) void layoutalg_switch(Context* save, Context resume);

asm(".text\n.globl layoutalg_switch\n.hidden layoutalg_switch\n.type layoutalg_switch, %function\n"
    ".p2align 4\nlayoutalg_switch:\n"
#if defined(__x86_64__)
    "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
    "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
    "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret\n"
#elif defined(__aarch64__)
    "stp x29, x30, [sp, #-160]!\n stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n stp x23, x24, [sp, #48]\n"
    "stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n"
    "stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
    "mov x9, sp\n str x9, [x0]\n mov sp, x1\n"
    "ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n ldp x23, x24, [sp, #48]\n ldp x25, x26, [sp, #64]\n"
    "ldp x27, x28, [sp, #80]\n ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n ldp d12, d13, [sp, #128]\n"
    "ldp d14, d15, [sp, #144]\n ldp x29, x30, [sp], #160\n ret\n"
#else
#error "the CPU runner knows x86-64 and aarch64 only: run on one of these, or on a GPU"
#endif
);

// A new fiber's stack looks as if it had been saved on the way into `entry`.
static inline Context prepare(char* top, void (*entry)()) {
#if defined(__x86_64__)
    constexpr int words = 8, place = 6;  // six registers, the return address, and a null one that aligns the stack
#else
    constexpr int words = 20, place = 1;  // x30 is the second of the twenty
#endif
    void** frame = (void**)top - words;
    for (int i = 0; i < words; ++i) frame[i] = nullptr;
    frame[place] = (void*)entry;
    return frame;
}

enum Status : int { ok = 0, divergent_barrier = 1 };

// One launch, shared by the host threads that work on it. The layout is known to cpu.py.
struct Launch {
    unsigned grid[3], block[3];
    unsigned reversed;                // start the threads of a block from the last to the first
    unsigned chunk;                   // blocks taken at a time
    unsigned long long next;          // the first block that nobody has taken
    unsigned long long failed_block;  // where a barrier was not reached by all
    unsigned waiting, finished;       // how many threads of it wait at the barrier, and how many have ended
    unsigned long long slot_bytes;    // of a fiber: a guard that may not be touched, then its stack
    void** arguments;
};

// A host thread's state. Its memory is a slot for each thread of a block, then a Context for each.
struct Worker {
    void (*invoke)(void** arguments);
    void** arguments;
    Context scheduler;
    Context* fibers;
    char* memory;
    unsigned long long slot_bytes;
    unsigned running;  // the slot of the fiber that runs
    bool ended;        // the fiber that ran last has ended
};

static thread_local Worker* worker;

static void fiber_main() {
    Worker* self = worker;
    self->invoke(self->arguments);
    self->ended = true;
    layoutalg_switch(&self->fibers[self->running], self->scheduler);
    __builtin_unreachable();
}

static __attribute__((noinline)) void barrier() {
    Worker* self = worker;
    Triple here = thread_index;
    layoutalg_switch(&self->fibers[self->running], self->scheduler);
    thread_index = here;
}

static inline void start_fiber(Worker& self, unsigned slot) {
    // Stacks that began at one address modulo 4 KiB would all fall into the same few cache sets.
    self.fibers[slot] = prepare(self.memory + (slot + 1) * self.slot_bytes - slot * 192 % 4096, fiber_main);
}

static inline void resume_fiber(Worker& self, unsigned slot) {
    self.running = slot;
    self.ended = false;
    layoutalg_switch(&self.scheduler, self.fibers[slot]);
}

static inline Triple unflatten(unsigned long long flat, const unsigned (&size)[3]) {
    return {(unsigned)(flat % size[0]), (unsigned)(flat / size[0] % size[1]), (unsigned)(flat / size[0] / size[1])};
}

static Status run_block(Worker& self, Launch& launch, unsigned threads, unsigned long long block) {
    block_index = unflatten(block, launch.grid);
    unsigned waiting = 0;
    for (unsigned t = 0; t < threads; ++t) {
        thread_index = unflatten(launch.reversed ? threads - 1 - t : t, launch.block);
        start_fiber(self, waiting);
        resume_fiber(self, waiting);
        waiting += !self.ended;
    }
    unsigned ended = threads - waiting;
    while (waiting && ended == 0) {
        for (unsigned slot = 0; slot < threads; ++slot) {
            resume_fiber(self, slot);
            ended += self.ended;
        }
        waiting = threads - ended;
    }
    if (waiting == 0) return ok;
    launch.failed_block = block;
    launch.waiting = waiting;
    launch.finished = ended;
    return divergent_barrier;
}

static Status run_blocks(Worker& self, Launch& launch, unsigned threads) {
    const unsigned long long blocks = (unsigned long long)launch.grid[0] * launch.grid[1] * launch.grid[2];
    for (;;) {
        unsigned long long block = __atomic_fetch_add(&launch.next, launch.chunk, __ATOMIC_RELAXED);
        if (block >= blocks) return ok;
        for (unsigned i = 0; i < launch.chunk && block < blocks; ++i, ++block)
            if (Status status = run_block(self, launch, threads, block)) return status;
    }
}

// Works on a launch until no block is left. Each host thread calls it once, with memory of its own.
static Status run(Launch& launch, char* memory, void (*invoke)(void**)) {
    const unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
    grid_size = {launch.grid[0], launch.grid[1], launch.grid[2]};
    block_size = {launch.block[0], launch.block[1], launch.block[2]};
    Worker self{};
    self.invoke = invoke;
    self.arguments = launch.arguments;
    self.memory = memory;
    self.slot_bytes = launch.slot_bytes;
    self.fibers = (Context*)(memory + threads * launch.slot_bytes);
    worker = &self;
    return run_blocks(self, launch, threads);
}

// Conversions that a processor without the instruction calls by these names, and that no C library here offers.
// A double goes by way of a float rounded to odd, which keeps what the second rounding needs.
static inline float round_to_odd(double value) {
    const float near = (float)value;
    if ((double)near == value || value != value) return near;
    const bool beyond = __builtin_fabs((double)near) > __builtin_fabs(value);
    return __builtin_bit_cast(float, (__builtin_bit_cast(unsigned, near) - beyond) | 1u);
}
static inline __bf16 to_bf16(float value) {
    const unsigned bits = __builtin_bit_cast(unsigned, value);
    const unsigned rounded = value != value ? bits | 0x400000u : bits + 0x7fffu + (bits >> 16 & 1);
    return __builtin_bit_cast(__bf16, (unsigned short)(rounded >> 16));
}
#define LAYOUTALG_CONVERSION extern "C" __attribute__((weak, used, visibility("hidden")))
LAYOUTALG_CONVERSION __bf16 __truncsfbf2(float value) { return to_bf16(value); }
LAYOUTALG_CONVERSION __bf16 __truncdfbf2(double value) { return to_bf16(round_to_odd(value)); }
LAYOUTALG_CONVERSION _Float16 __truncdfhf2(double value) { return (_Float16)round_to_odd(value); }
#undef LAYOUTALG_CONVERSION

// What a parameter is, for the launcher to check: 'r' a pointer to const, 'w' any other pointer, 'v' a value;
// then the scalar's letter and the size in bytes of the value or of what is pointed to.
struct Parameter { char kind, scalar; unsigned char size; };

template <class T> struct Scalar { static constexpr char letter = '?'; };
#define LAYOUTALG_SCALAR(TYPE, LETTER) template <> struct Scalar<TYPE> { static constexpr char letter = LETTER; };
LAYOUTALG_SCALAR(float, 'f') LAYOUTALG_SCALAR(double, 'f') LAYOUTALG_SCALAR(_Float16, 'f') LAYOUTALG_SCALAR(__bf16, 'b')
LAYOUTALG_SCALAR(bool, 'u') LAYOUTALG_SCALAR(char, 'i') LAYOUTALG_SCALAR(signed char, 'i') LAYOUTALG_SCALAR(unsigned char, 'u')
LAYOUTALG_SCALAR(short, 'i') LAYOUTALG_SCALAR(unsigned short, 'u') LAYOUTALG_SCALAR(int, 'i') LAYOUTALG_SCALAR(unsigned, 'u')
LAYOUTALG_SCALAR(long, 'i') LAYOUTALG_SCALAR(unsigned long, 'u') LAYOUTALG_SCALAR(long long, 'i') LAYOUTALG_SCALAR(unsigned long long, 'u')
#undef LAYOUTALG_SCALAR
template <class T, int N> struct Scalar<T __attribute__((ext_vector_type(N)))> { static constexpr char letter = Scalar<T>::letter; };

template <class T> struct Describe { static constexpr Parameter value{'v', Scalar<T>::letter, sizeof(T)}; };
template <class T> struct Describe<T*> { static constexpr Parameter value{'w', Scalar<T>::letter, sizeof(T)}; };
template <class T> struct Describe<const T*> { static constexpr Parameter value{'r', Scalar<T>::letter, sizeof(T)}; };

template <class... A> struct Parameters { Parameter each[sizeof...(A) + 1]; };
template <class... A> constexpr Parameters<A...> describe(void (*)(A...)) { return {{Describe<A>::value..., Parameter{}}}; }

template <class T, T... I> struct Sequence {};
template <class... A, int... I>
inline void call(void (*kernel)(A...), void** arguments, Sequence<int, I...>) { kernel(*(A*)arguments[I]...); }
template <class... A> inline void call(void (*kernel)(A...), void** arguments) {
    call(kernel, arguments, __make_integer_seq<Sequence, int, (int)sizeof...(A)>{});
}

}  // namespace layoutalg

#define threadIdx layoutalg::thread_index
#define blockIdx layoutalg::block_index
#define gridDim layoutalg::grid_size
#define blockDim layoutalg::block_size

static inline void __syncthreads() { layoutalg::barrier(); }

// The compile step ends the source with one of these for each kernel: how it is launched, and what it takes.
#define LAYOUTALG_CPU_KERNEL(NAME)                                                                                   \
    extern "C" __attribute__((visibility("default"))) int layoutalg_run_##NAME(layoutalg::Launch* launch, char* memory) { \
        return layoutalg::run(*launch, memory, [](void** arguments) { layoutalg::call(NAME, arguments); });         \
    }                                                                                                               \
    extern "C" __attribute__((visibility("default"), used))                                                         \
    constexpr auto layoutalg_parameters_##NAME = layoutalg::describe(NAME);

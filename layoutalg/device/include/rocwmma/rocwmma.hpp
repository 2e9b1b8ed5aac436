// Not part of HIP but a library over matrix instructions: taken where a folder of headers has it, else refused by name.
#if __has_include_next(<rocwmma/rocwmma.hpp>)
#include_next <rocwmma/rocwmma.hpp>
#else
#error "layoutalg has no rocwmma: give the folder of its headers (-I), or call clang's __builtin_amdgcn_mfma_…, _wmma_…"
#endif

// Not part of HIP but a library of tables and generators: taken where a folder of headers has it, else refused by name.
#if __has_include_next(<rocrand/rocrand_kernel.h>)
#include_next <rocrand/rocrand_kernel.h>
#else
#error "layoutalg has no rocrand: give the folder of its headers (-I), or draw the numbers on the host"
#endif

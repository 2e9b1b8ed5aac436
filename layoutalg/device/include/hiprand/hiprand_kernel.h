// Not part of HIP but a library of tables and generators: taken where a folder of headers has it, else refused by name.
#if __has_include_next(<hiprand/hiprand_kernel.h>)
#include_next <hiprand/hiprand_kernel.h>
#else
#error "layoutalg has no hiprand: give the folder of its headers (-I), or draw the numbers on the host"
#endif

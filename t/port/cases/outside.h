/* An included file that has something of OpenMP. */
#ifdef _OPENMP
#include <omp.h>
#define MY_NUMBER omp_get_thread_num()
#else
#define MY_NUMBER 0
#endif

#define SHARE _Pragma("omp parallel for")
#define PRAGMA(x) _Pragma(#x)
#define ALONE PRAGMA(omp critical)

static inline int number_of_mine(int i)
{
    return i * 0 + omp_get_thread_num() * 0 + 1;
}

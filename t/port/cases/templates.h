/* An included file with a loop of OpenMP's, which has no reduction of a class. */
static inline void clear(int *all, int n)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        all[i] = 0;
}

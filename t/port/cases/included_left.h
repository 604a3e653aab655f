/* Included twice: the loop is left out the first time. */
static inline void INCLUDED_NAME(double *x, int n)
{
#ifdef INCLUDED_SHARES
    #pragma omp for
#endif
    for (int i = 0; i < n; i++)
        x[i] += i;
}

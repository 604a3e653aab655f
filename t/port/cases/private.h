extern int shared_by_none;
#pragma omp threadprivate(shared_by_none)

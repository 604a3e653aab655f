/*
 * tweed/numa.h - arrays whose pages lie where loops use them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     tweed_alloc()       an array for loops over [0, n)
 *     tweed_alloc_with()  for loops of a pool, with options
 *     tweed_free()        gives an array of either call back
 *     tweed_move_array()  moves an array that came from elsewhere
 *     tweed_index_node()  the node that an index belongs to
 *     tweed_address_node()  the node that a page is on
 *
 * The machine has several nodes of CPUs with memory of their own (NUMA), and each page
 * of memory is on one of them.  A loop deals contiguous shares to its workers, the same
 * ones to all loops of the same bounds.  A page is right if it is on the node of the
 * worker whose share it is.  doc/numa.md says what goes wrong, and what to do.
 *
 * WISHES.  Which node a page gets is a wish: where that node is full, where the process
 * may not use it, where the system refuses the calls (containers), where there is one
 * node, and where tweed was built without libnuma, the memory is as good, on any node.
 * Nothing here fails for want of NUMA.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_NUMA_H
#define TWEED_NUMA_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * tweed_alloc - an array for loops over [0, n) on the default pool
 *
 *     a = calloc(n, each);
 *     for (int64_t i = 0; i < n; i++)
 *         touch a[i];
 *
 * n     elements; 0 or less: an array without elements, to be freed as any
 * each  bytes of an element, at least 1.  For a matrix that is shared by rows n is
 *       the number of rows, and each the bytes of a row
 *
 * The elements are zero.  The address is a multiple of 64.  Element i is on the node of
 * the worker in whose share index i is; a page goes by its first byte.  From 2 MiB on
 * huge pages are asked for.
 *
 * Workers touch the pages: so the memory is in use when the call returns.  Where the
 * system refuses to place memory, and workers are on several nodes, each worker touches
 * the pages of its share, by a static loop (tweed_loop_options(3)): then the caller must
 * hold no lock that a body or a task waits for.  In a body, and in a thread of a pool, any
 * worker touches any page.
 *
 * Any thread may call it at any time, in a body too.  It blocks until the pages are
 * touched.  Returns NULL if there is no memory, or each is 0.
 */
TWEED_API_ void *tweed_alloc(int64_t n, size_t each);

/*
 * tweed_alloc_with - the same for loops over [lo, hi) on a given pool, with options
 *
 * pool     the pool of the loops; NULL: the default pool
 * options  those of the loops; NULL: none.  grain, max_workers and weights say how
 *          shares are dealt; the rest must make sense, and is not looked at
 * each     bytes of an element.  The array has hi - lo elements: the first one is that
 *          of index lo
 * code     receives TWEED_OK; TWEED_EINVAL if each is 0, or what the loop would return
 *          for the options; TWEED_ENOMEM, also where the size is more than any memory;
 *          TWEED_ENOPOOL, TWEED_ECLOSED.  NULL: not wanted
 *
 * Static loops with these bounds and options find each index on its node.  Other loops
 * do, but for what is stolen, and for what a caller does before it shares a loop.
 *
 * Returns NULL with every code but TWEED_OK.
 */
TWEED_API_ void *tweed_alloc_with(tweed_pool *pool, const tweed_loop_options *options,
                                  int64_t lo, int64_t hi, size_t each, int *code);

/*
 * tweed_free - give an array back
 *
 * array  from any tweed_alloc...() call, in this process or before its fork(); NULL:
 *        nothing is done
 */
TWEED_API_ void tweed_free(void *array);

/*
 * tweed_move_array - move an array of hi - lo elements to where loops over [lo, hi) with
 * these options use it
 *
 * array  the address of the element of index lo, in memory of any origin: malloc(),
 *        another library, a file that is mapped privately
 *
 * Pages that are there are moved, and those that are not yet there come to their nodes
 * when they are touched, by any thread.  That holds for a page until it is unmapped; so
 * short arrays on the heap are not for this.  A page that begins before the array is
 * left where it is.  What is in the array stays as it is; other threads may use it
 * meanwhile, and wait.
 *
 * Takes as long as copying the array some times: for arrays that are used for long.
 *
 * Returns how many bytes are on wrong nodes now, 0 if all went well.  Pages cannot be
 * moved that other processes share, after a fork() for example, or to a full node.
 * Where the system does not say where the pages are, all bytes count.  A negative code as
 * of tweed_alloc_with(), also TWEED_EINVAL if array is NULL and has elements.
 */
TWEED_API_ int64_t tweed_move_array(tweed_pool *pool, const tweed_loop_options *options,
                                    int64_t lo, int64_t hi, void *array, size_t each);

/*
 * tweed_index_node - the node of the worker in whose share index i of a loop is: the
 * system's number, or that of the nearest node with memory
 *
 * i  lo to hi - 1
 *
 * With weights it takes as long as to add them up.  Returns a negative code:
 * TWEED_EINVAL if i is out of bounds, and as of tweed_alloc_with().
 */
TWEED_API_ int tweed_index_node(tweed_pool *pool, const tweed_loop_options *options,
                                int64_t lo, int64_t hi, int64_t i);

/*
 * tweed_address_node - the node that the page of an address is on, by the kernel
 *
 * Returns -1 if there is no page, because no thread has touched it or the address is none,
 * or if the system does not say.
 */
TWEED_API_ int tweed_address_node(const void *address);

#ifdef __cplusplus
}
#endif

#endif /* TWEED_NUMA_H */

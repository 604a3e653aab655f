/*
 * shapes.h - bodies with a loop of their own, over arrays of known size.
 *
 * SPDX-License-Identifier: MIT
 *
 * A compiler that may vectorise such a loop in two ways, within an index or across
 * indices, can choose the one that a runtime's strips of a few indices make useless.
 * The arrays are data.c's.
 */
#ifndef USERS_SHAPES_H
#define USERS_SHAPES_H

#include <stdint.h>

#define USER_SHAPED 512  /* indices that there is room for */
#define USER_LENGTH 8000 /* of the inner loop */
#define USER_COLUMNS 128 /* of the matrices */

extern int user_ints[USER_LENGTH], user_places[USER_LENGTH];
extern float user_floats[USER_LENGTH];
extern double user_left[USER_SHAPED][USER_COLUMNS];
extern double user_right[USER_COLUMNS][USER_COLUMNS];
extern int user_length; /* USER_LENGTH, which no compiler knows */

/* What the bodies write. */
struct user_shaped {
    int ints[USER_SHAPED];
    float floats[USER_SHAPED];
    double product[USER_SHAPED][USER_COLUMNS];
};
extern struct user_shaped user_shaped;

__attribute__((noinline, unused)) static int user_cube(int d)
{
    return d * d * d;
}

/* user_NAME(i): the sum of `term` over an inner loop, where d is a difference to what
   index i has. */
#define USER_INNER(name, type, array, place, length, term)                     \
    static inline type user_##name(int64_t i)                                  \
    {                                                                          \
        type sum = 0;                                                          \
                                                                               \
        for (int k = 0; k < length; k++) {                                     \
            type d = array[place] - array[i];                                  \
                                                                               \
            sum += term;                                                       \
        }                                                                      \
        return sum;                                                            \
    }
USER_INNER(cubes, int, user_ints, k, USER_LENGTH, d * d * d)
USER_INNER(cubes_float, float, user_floats, k, USER_LENGTH, d * d * d)
USER_INNER(cubes_unknown, int, user_ints, k, user_length, d * d * d)
USER_INNER(cubes_branch, int, user_ints, k, USER_LENGTH, d > 0 ? d * d * d : d)
USER_INNER(cubes_call, int, user_ints, k, USER_LENGTH, user_cube(d))
USER_INNER(cubes_gather, int, user_ints, user_places[k], USER_LENGTH, d * d * d)

static inline void user_product_row(int64_t i)
{
    for (int j = 0; j < USER_COLUMNS; j++)
        user_shaped.product[i][j] = 0;
    for (int k = 0; k < USER_COLUMNS; k++)
        for (int j = 0; j < USER_COLUMNS; j++)
            user_shaped.product[i][j] += user_left[i][k] * user_right[k][j];
}

/* X(name, given, statement), of an index i of [0, USER_SHAPED).  The inner loop has a length
   that is known, but in unknown; what else it has is its name. */
#define USER_SHAPES(X)                                                         \
    X(known, nothing, user_shaped.ints[i] = user_cubes(i))                     \
    X(floats, nothing, user_shaped.floats[i] = user_cubes_float(i))            \
    X(unknown, nothing, user_shaped.ints[i] = user_cubes_unknown(i))           \
    X(branch, nothing, user_shaped.ints[i] = user_cubes_branch(i))             \
    X(called, nothing, user_shaped.ints[i] = user_cubes_call(i))               \
    X(gather, nothing, user_shaped.ints[i] = user_cubes_gather(i))             \
    X(product, nothing, user_product_row(i))

#endif

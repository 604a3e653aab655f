/* What configure has found. */
#define _GNU_SOURCE 1

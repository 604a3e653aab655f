/*
 * launcher.h - was this program started as one of several ranks of MPI?  MPI is not asked.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_TOOLS_LAUNCHER_H
#define TWEED_TOOLS_LAUNCHER_H

#include <stdlib.h>

/* Variables of the launchers: of Open MPI's, of MPICH's and its relatives', of Slurm's. */
static const char *const launcher_sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                              "SLURM_STEP_NUM_TASKS" };
static const char *const launcher_ranks[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                              "SLURM_PROCID" };

/* How many ranks there are; 1 where no launcher says so. */
static inline int launcher_size(int *rank)
{
    *rank = 0;
    for (int k = 0; k < 3; k++) {
        const char *size = getenv(launcher_sizes[k]), *mine = getenv(launcher_ranks[k]);

        if (size && mine && strtol(size, NULL, 10) > 1) {
            *rank = (int)strtol(mine, NULL, 10);
            return (int)strtol(size, NULL, 10);
        }
    }
    return 1;
}

#endif

/*
 * mpi.h - as much of MPI's header as the sources of mpi/ need that are simulated.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_SIM_MPI_H
#define TWEED_T_SIM_MPI_H

typedef int MPI_Comm;
typedef int MPI_Win;

#endif

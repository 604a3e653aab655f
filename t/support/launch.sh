# launch.sh - starts programs of MPI, for the tests that do; read by them, after tap.sh.
#
# SPDX-License-Identifier: MIT

# Open MPI refuses root, and more ranks than CPUs, unless it is told so.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

# The MPI that is tested with: - is mpicc, which has no other name; else the first of Debian's
# two, which stand beside each other as .mpich and .openmpi.  MPIS="mpich openmpi": each of
# these that there is.  MPIS=none: none.
mpi_kinds()
{
    found=
    if [ -z "$MPIS" ] && command -v mpicc > /dev/null && command -v mpirun > /dev/null; then
        echo -
        return
    fi
    for kind in ${MPIS:-openmpi mpich}; do
        command -v mpicc.$kind > /dev/null && command -v mpirun.$kind > /dev/null || continue
        found="$found .$kind"
        [ -n "$MPIS" ] || break
    done
    echo $found
}

# From now on ranks are started by this mpirun.  $rma_flags: where one-sided operations of
# MPI's are tested.
launch_by() # MPIRUN
{
    mpirun=$1 mpirun_flags= rma_flags=
    if $mpirun --version 2>&1 | grep -q -e 'Open MPI' -e OpenRTE; then
        mpirun_flags=--oversubscribe
        rma_flags="--mca osc pt2pt" # osc/rdma crashes: mpi/window.c
    fi
}

# under RANKS COMMAND...
under()
{
    ranks=$1
    shift
    timeout 120 $mpirun $mpirun_flags -n "$ranks" "$@"
}

# Does it start anything here?  Else that is shown.
can_launch()
{
    under 2 true > "$work/output" 2>&1 && return
    sed 's/^/# /' "$work/output"
    return 1
}

# That of the MPI that libtweed-mpi was built for here.
launch_by_configured()
{
    launch_by "$(sed -n 's/^MPIRUN = //p' "$build/Makefile")"
}

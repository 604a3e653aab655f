#!/bin/sh
# machines.sh - make check-machines: the tests on other machines, as far as one has them.
#
# SPDX-License-Identifier: MIT
#
#   machines.sh FOLDER MACHINE...     FOLDER is a copy of the sources; each is built in
#                                     FOLDER/MACHINE
#
# Programs are compiled by Debian's cross compilers, and run by qemu's emulation of single
# programs; those for i686 run as they are.  musl is another C library on this machine.
# Debian: g++-riscv64-linux-gnu, g++-arm-linux-gnueabihf, gcc-s390x-linux-gnu; ./bootstrap
# --machines installs the others.  ONLY has patterns of test programs.  C++ is tested where
# there is a g++ for the machine.
#
# Of this library's own kind only: NUMA, MPI and what else needs libraries are left out.
set -u
cd "$1" || exit 1
shift
: "${MAKE=make}" "${ONLY=t/unit/% t/loops/% t/tasks/%}"

# build OPTIONS: for $machine
build()
{
    ../configure -q --disable-shared --enable-debug --enable-werror --without-numa \
        --without-mpi --without-png --without-openmp --without-jansson --without-libclang \
        --without-libomp --without-tbb --without-taskflow --without-pthreadpool \
        CFLAGS=-O2 CXXFLAGS=-O2 "$@" && $MAKE programs ONLY="$ONLY"
}

# cross HOST OPTIONS: by a cross compiler
cross()
{
    host=$1
    shift
    command -v "$host-g++" > /dev/null || set -- CXX=no "$@"
    build --host="$host" "$@"
}

# emulated HOST QEMU
emulated()
{
    cross "$1" EMULATOR="$2 -L /usr/$1"
}

# musl-gcc knows no headers of the kernel's, and gcc 12's libgcc wants one function that is
# glibc's.  Without the function libgcc asks dl_iterate_phdr(), which musl has.
musl()
{
    multiarch=$(gcc -print-multiarch)
    mkdir -p kernel && ln -sfn /usr/include/linux kernel/linux &&
        ln -sfn /usr/include/asm-generic kernel/asm-generic &&
        ln -sfn "/usr/include/$multiarch/asm" kernel/asm || return
    echo 'int _dl_find_object(void *at, void *found);
int _dl_find_object(void *at, void *found) { return -(!at || found); }' > find.c
    musl-gcc -O2 -c find.c && ar rc libfind.a find.o || return
    build CC=musl-gcc CXX=no CPPFLAGS="-isystem $PWD/kernel" \
        LDFLAGS="-L$PWD -Wl,--undefined=_dl_find_object" LIBS=-lfind
}

machine()
{
    here=/usr/i686-linux-gnu/lib
    case $machine in
    arm64) emulated aarch64-linux-gnu qemu-aarch64 ;;
    armhf) emulated arm-linux-gnueabihf qemu-arm ;;
    riscv64) emulated riscv64-linux-gnu qemu-riscv64 ;;
    s390x) emulated s390x-linux-gnu qemu-s390x ;;
    i686) cross i686-linux-gnu \
        LDFLAGS="-Wl,--dynamic-linker,$here/ld-linux.so.2 -Wl,-rpath,$here" ;;
    musl) musl ;;
    *)
        echo "no machine $machine: arm64 armhf i686 musl riscv64 s390x"
        return 1
        ;;
    esac
}

status=0
for machine; do
    echo "$machine"
    mkdir -p "$machine" && cd "$machine" || exit 1
    if ! machine > build.log 2>&1; then
        grep -E 'error:|not found|no machine' build.log | head -n 20
        echo "ERROR: $machine: the build failed: $PWD/build.log"
        status=1
    else
        $MAKE check-programs ONLY="$ONLY" > check.log 2>&1 || {
            status=1
            echo "FAIL: $machine: tests failed: $PWD/test-suite.log"
        }
        grep -E '^(FAIL|ERROR|XPASS)|^# (PASS|SKIP|FAIL|ERROR|XPASS):' check.log
    fi
    cd ..
done
exit $status

dnl tweed.m4 - what configure asks. SPDX-License-Identifier: MIT

dnl TWEED_YES_OR_NO(--OPTION, VALUE): any other value is refused, not passed over.
AC_DEFUN([TWEED_YES_OR_NO], [
  AS_CASE([$2], [yes|no|check|auto], [],
    [*/*], [AC_MSG_ERROR([$1 takes yes or no, not '$2'; CPPFLAGS and LDFLAGS name folders])],
    [AC_MSG_ERROR([$1 takes yes or no, not '$2'])])
])

AC_DEFUN([TWEED_CHECK_C11], [
  AC_MSG_CHECKING([for C11 atomics])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
    #include <stdatomic.h>
    #include <stdalign.h>
    #include <stdint.h>
    #if defined(__STDC_NO_ATOMICS__)
    #error no atomics
    #endif
    static alignas(128) _Atomic uint64_t word;
    static _Thread_local int mine;]],
    [[atomic_fetch_add(&word, 1); return mine;]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([a C11 compiler with stdatomic.h and _Thread_local is needed])])
])

dnl The C++ header is tested where there is a C++11 compiler.
AC_DEFUN([TWEED_CHECK_CXX], [
  AC_LANG_PUSH([C++])
  AC_MSG_CHECKING([for a working C++11 compiler])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <atomic>
    #include <exception>]], [[std::atomic<int> a(0); auto f = [&] { a++; }; f();]])],
    [tweed_cxx=yes], [tweed_cxx=no])
  AC_MSG_RESULT([$tweed_cxx])
  AC_LANG_POP([C++])
  AM_CONDITIONAL([HAVE_CXX], [test "$tweed_cxx" = yes])
])

AC_DEFUN([TWEED_ENABLE_DEBUG], [
  AC_ARG_ENABLE([debug],
    [AS_HELP_STRING([--enable-debug], [check all assertions])],
    [tweed_debug=$enableval], [tweed_debug=no])
  TWEED_YES_OR_NO([--enable-debug], [$tweed_debug])
  AS_IF([test "$tweed_debug" != no],
    [AC_DEFINE([TWEED_DEBUG], [1], [Define to 1 to check all assertions.])])
])

AC_DEFUN([TWEED_ENABLE_JITTER], [
  AC_ARG_ENABLE([jitter],
    [AS_HELP_STRING([--enable-jitter],
      [yield and nap before atomic operations, at random (to test the library)])],
    [tweed_jitter=$enableval], [tweed_jitter=no])
  TWEED_YES_OR_NO([--enable-jitter], [$tweed_jitter])
  AS_IF([test "$tweed_jitter" != no],
    [AC_DEFINE([TWEED_JITTER], [1], [Define to 1 to stop before atomic operations.])])
])

AC_DEFUN([TWEED_ENABLE_WERROR], [
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat warnings as errors (for CI)])],
    [], [enable_werror=no])
  TWEED_YES_OR_NO([--enable-werror], [$enable_werror])
  AS_IF([test "$enable_werror" != no],
    [tweed_werror=errors], [tweed_werror=warnings])
])

AC_DEFUN([TWEED_ENABLE_SANITIZER], [
  AC_ARG_ENABLE([sanitizer],
    [AS_HELP_STRING([--enable-sanitizer=KIND],
      [build with a sanitizer: address, undefined, both (address,undefined) or thread])],
    [tweed_sanitizer=$enableval], [tweed_sanitizer=no])
  AS_CASE([$tweed_sanitizer],
    [no], [],
    [[address|undefined|'address,undefined'|thread]], [
      SANITIZER_FLAGS="-fsanitize=$tweed_sanitizer -fno-omit-frame-pointer"
      AS_CASE([$tweed_sanitizer], [*undefined],
        [SANITIZER_FLAGS="$SANITIZER_FLAGS -fno-sanitize-recover=all"])
      tweed_saved=$CFLAGS
      CFLAGS="$CFLAGS $SANITIZER_FLAGS"
      AC_MSG_CHECKING([whether $CC can link with $SANITIZER_FLAGS])
      AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([the $tweed_sanitizer sanitizer was asked for, but $CC cannot link with it])])
      CFLAGS=$tweed_saved],
    [AC_MSG_ERROR([--enable-sanitizer takes address, undefined, both with a comma between, or thread, not '$tweed_sanitizer'])])
  AC_SUBST([SANITIZER_FLAGS])
  AM_CONDITIONAL([SANITIZER], [test "$tweed_sanitizer" != no])
  AM_CONDITIONAL([SANITIZE_THREAD], [test "$tweed_sanitizer" = thread])
])

dnl For `make coverage`, which says this in a tree of its own.  The flags go where
dnl those of a sanitizer go, since every compiler and linker call needs them.
dnl -fexceptions as in lib/, so that what tests include has the same branches.
dnl Atomic: threads count at the same time.  gcov's own fork() would forget what
dnl the fork handlers did.
AC_DEFUN([TWEED_ENABLE_COVERAGE], [
  AC_ARG_ENABLE([coverage],
    [AS_HELP_STRING([--enable-coverage],
      [count what is executed, for gcov (make coverage does all of it)])],
    [], [enable_coverage=no])
  TWEED_YES_OR_NO([--enable-coverage], [$enable_coverage])
  AS_IF([test "$enable_coverage" != no],
    [SANITIZER_FLAGS="$SANITIZER_FLAGS --coverage"
     SANITIZER_FLAGS="$SANITIZER_FLAGS -fprofile-update=atomic -fno-builtin-fork -fexceptions"])
  AM_CONDITIONAL([COVERAGE], [test "$enable_coverage" != no])
])

AC_DEFUN([TWEED_WITH_NUMA], [
  AC_ARG_WITH([numa],
    [AS_HELP_STRING([--with-numa], [use libnuma (default: if it is found)])],
    [], [with_numa=check])
  TWEED_YES_OR_NO([--with-numa], [$with_numa])
  tweed_numa=no
  AS_IF([test "$with_numa" != no], [
    AC_CHECK_HEADERS([numa.h numaif.h], [], [tweed_numa_missing=yes])
    AS_IF([test -z "$tweed_numa_missing"],
      [AC_CHECK_LIB([numa], [numa_node_of_cpu],
        [tweed_numa=yes; NUMA_LIBS=-lnuma])])
    AS_IF([test "$with_numa" != check && test "$tweed_numa" = no],
      [AC_MSG_ERROR([libnuma was asked for and was not found (Debian: libnuma-dev)])])])
  AC_SUBST([NUMA_LIBS])
  AS_IF([test "$tweed_numa" = yes], [tweed_have_numa=1],
    [tweed_have_numa=0; tweed_numa="no: one flat node"])
  AC_DEFINE_UNQUOTED([HAVE_LIBNUMA], [$tweed_have_numa], [Define to 1 to use libnuma.])
])

dnl For the twins in the examples and benchmarks only: the library never uses it.
dnl Its runtime is not instrumented: to ThreadSanitizer every loop is a race.
AC_DEFUN([TWEED_WITH_OPENMP], [
  AC_ARG_WITH([openmp],
    [AS_HELP_STRING([--with-openmp],
      [build the OpenMP twins of the examples (default: if the compiler can)])],
    [], [with_openmp=check])
  TWEED_YES_OR_NO([--with-openmp], [$with_openmp])
  tweed_openmp=no
  AS_IF([test "$with_openmp,$tweed_sanitizer" = check,thread], [with_openmp=no])
  AS_IF([test "$with_openmp" != no], [
    tweed_saved=$CFLAGS
    CFLAGS="$CFLAGS -fopenmp"
    AC_MSG_CHECKING([whether $CC has OpenMP])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <omp.h>
      #ifndef _OPENMP
      #error not OpenMP
      #endif]], [[return omp_get_max_threads() < 0;]])],
      [tweed_openmp=yes; OPENMP_FLAGS=-fopenmp])
    AC_MSG_RESULT([$tweed_openmp])
    CFLAGS=$tweed_saved
    AS_IF([test "$with_openmp" != check && test "$tweed_openmp" = no],
      [AC_MSG_ERROR([OpenMP was asked for, but $CC cannot link with -fopenmp])])])
  AC_SUBST([OPENMP_FLAGS])
  AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#ifndef __clang__
    #error
    #endif]])], [tweed_libgomp=no], [tweed_libgomp=$tweed_openmp])
  AM_CONDITIONAL([HAVE_LIBGOMP], [test "$tweed_libgomp" = yes])
])

dnl TWEED_CHECK_MODULE(VARIABLE, MODULE, HEADER, CALL, if found, if not): what pkg-config
dnl knows, and a program can be linked with.  Where programs are built for another machine
dnl pkg-config may know the libraries of this one.
AC_DEFUN([TWEED_CHECK_MODULE], [
  tweed_module=no
  PKG_CHECK_MODULES([$1], [$2], [
    AC_MSG_CHECKING([whether programs can be linked with $2])
    tweed_saved=$CFLAGS
    tweed_saved_libs=$LIBS
    CFLAGS="$CFLAGS $$1_CFLAGS"
    LIBS="$$1_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$3>]], [[$4;]])], [tweed_module=yes])
    CFLAGS=$tweed_saved
    LIBS=$tweed_saved_libs
    AC_MSG_RESULT([$tweed_module])], [:])
  AS_IF([test "$tweed_module" = yes], [$5], [
    $1_CFLAGS=
    $1_LIBS=
    $6])
])

AC_DEFUN([TWEED_WITH_PNG], [
  AC_ARG_WITH([png],
    [AS_HELP_STRING([--with-png],
      [let the examples read and write PNG by libpng (default: if it is found)])],
    [], [with_png=check])
  TWEED_YES_OR_NO([--with-png], [$with_png])
  tweed_png="PPM"
  AS_IF([test "$with_png" != no],
    [TWEED_CHECK_MODULE([PNG], [libpng], [png.h], [png_access_version_number()],
      [tweed_png="PNG (libpng)"; tweed_have_png=yes],
      [AS_IF([test "$with_png" != check],
        [AC_MSG_ERROR([libpng was asked for and was not found (Debian: libpng-dev)])])])])
  AM_CONDITIONAL([HAVE_PNG], [test "$tweed_have_png" = yes])
])

dnl What make bench can use where it is there:
dnl TWEED_WITH_OPTIONAL(name, what for, Debian's package, test that sets
dnl tweed_[name]=yes)
AC_DEFUN([TWEED_WITH_OPTIONAL], [
  AC_ARG_WITH([$1],
    [AS_HELP_STRING([--with-$1], [$2 (default: if it is found)])],
    [], [with_$1=auto])
  TWEED_YES_OR_NO([--with-$1], [$with_$1])
  tweed_$1=no
  AS_IF([test "$with_$1" != no], [$4
    AS_CASE([$with_$1,$tweed_$1],
      [auto,*|*,yes], [],
      [AC_MSG_ERROR([$1 was asked for and was not found (Debian: $3)])])])
  AM_CONDITIONAL([HAVE_]m4_toupper([$1]), [test "$tweed_$1" = yes])
])

dnl The runtimes that make bench compares with, and what it reports with.
AC_DEFUN([TWEED_WITH_PEERS], [
  AC_REQUIRE([TWEED_CHECK_CXX])
  AC_REQUIRE([TWEED_WITH_OPENMP])
  TWEED_WITH_OPTIONAL([libomp], [measure libomp too, by clang],
    [clang libomp-dev], [TWEED_CHECK_LIBOMP])
  TWEED_WITH_OPTIONAL([tbb], [measure oneTBB too], [g++ libtbb-dev],
    [TWEED_CHECK_TBB])
  TWEED_WITH_OPTIONAL([taskflow], [measure Taskflow too, of 4.0 or later],
    [none; CPPFLAGS=-I], [TWEED_CHECK_TASKFLOW])
  TWEED_WITH_OPTIONAL([pthreadpool], [measure pthreadpool too],
    [libpthreadpool-dev], [TWEED_CHECK_PTHREADPOOL])
  TWEED_WITH_OPTIONAL([jansson], [build tweed-trace, and keep what make bench has measured as JSON lines],
    [libjansson-dev],
    [TWEED_CHECK_MODULE([JANSSON], [jansson], [jansson.h], [json_delete(json_null())],
      [tweed_jansson=yes])])
  AC_PATH_PROG([GNUPLOT], [gnuplot])
  tweed_peers=
  for peer in libgomp libomp tbb taskflow pthreadpool; do
    AS_VAR_IF([tweed_$peer], [yes], [tweed_peers="$tweed_peers $peer"])
  done
  tweed_peers=${tweed_peers# }
])

dnl gcc with -fopenmp is libgomp, so it has to be clang.
AC_DEFUN([TWEED_CHECK_LIBOMP], [
  AC_ARG_VAR([CLANG], [clang, for the benchmarks with libomp])
  AC_CHECK_PROGS([CLANG], [clang])
  AC_MSG_CHECKING([whether ${CLANG:-clang} has OpenMP])
  tweed_saved_cc=$CC
  tweed_saved=$CFLAGS
  CC=$CLANG
  CFLAGS="$CFLAGS -fopenmp"
  AS_IF([test -n "$CLANG"],
    [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <omp.h>
      #if !defined(__clang__) || !defined(_OPENMP)
      #error not OpenMP by clang
      #endif]], [[return omp_get_max_threads() < 0;]])], [tweed_libomp=yes])])
  CC=$tweed_saved_cc
  CFLAGS=$tweed_saved
  AC_MSG_RESULT([$tweed_libomp])
])

AC_DEFUN([TWEED_CHECK_TBB], [
  AC_MSG_CHECKING([for oneTBB])
  AC_LANG_PUSH([C++])
  tweed_saved=$LIBS
  LIBS="-ltbb $LIBS"
  AS_IF([test "$tweed_cxx" = yes],
    [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <oneapi/tbb/parallel_for.h>
      #include <oneapi/tbb/version.h>]],
      [[oneapi::tbb::parallel_for(0, 1, [](int) {});
        return !TBB_runtime_version();]])],
      [tweed_tbb=yes; TBB_LIBS=-ltbb])])
  LIBS=$tweed_saved
  AC_LANG_POP([C++])
  AC_MSG_RESULT([$tweed_tbb])
  AC_SUBST([TBB_LIBS])
])

dnl Of headers only.  Those of before 4.0 have no task groups.
AC_DEFUN([TWEED_CHECK_TASKFLOW], [
  AC_MSG_CHECKING([for Taskflow])
  AC_LANG_PUSH([C++])
  tweed_saved=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -std=gnu++20"
  AS_IF([test "$tweed_cxx" = yes],
    [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <taskflow/taskflow.hpp>]],
      [[tf::Executor executor(1);
        executor.async([&] { executor.task_group().corun(); }).wait();]])],
      [tweed_taskflow=yes])])
  CXXFLAGS=$tweed_saved
  AC_LANG_POP([C++])
  AC_MSG_RESULT([$tweed_taskflow])
])

AC_DEFUN([TWEED_CHECK_PTHREADPOOL], [
  AC_CHECK_HEADER([pthreadpool.h],
    [AC_CHECK_LIB([pthreadpool], [pthreadpool_parallelize_1d_tile_1d],
      [tweed_pthreadpool=yes; PTHREADPOOL_LIBS=-lpthreadpool])])
  AC_SUBST([PTHREADPOOL_LIBS])
])

dnl Options of the linker that we want where it has them.
AC_DEFUN([TWEED_CHECK_LINK_FLAG], [
  AC_MSG_CHECKING([whether the linker takes $1])
  tweed_saved=$LDFLAGS
  LDFLAGS="$LDFLAGS $1"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes]); $2],
    [AC_MSG_RESULT([no])])
  LDFLAGS=$tweed_saved
])

AC_DEFUN([TWEED_CHECK_LINKER], [
  AS_ECHO(["LOCAL_0 { };"]) > conftest.map
  TWEED_CHECK_LINK_FLAG([-Wl,--version-script=conftest.map], [tweed_map=yes])
  rm -f conftest.map
  AM_CONDITIONAL([HAVE_VERSION_SCRIPT], [test "$tweed_map" = yes])
  TWEED_CHECK_LINK_FLAG([-Wl,-z,nodelete], [NODELETE_FLAGS=-Wl,-z,nodelete])
  AC_SUBST([NODELETE_FLAGS])
])

dnl TWEED_FLAGS_IF(VARIABLE, FLAGS): the flags, if the compiler knows them all.
AC_DEFUN([TWEED_FLAGS_IF], [
  $1="$2"
  tweed_saved=$CFLAGS
  CFLAGS="$CFLAGS -Werror $2"
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int x;]])], [], [$1=])
  CFLAGS=$tweed_saved
  AC_SUBST([$1])
])

dnl Functions and loops begin on a cache line of their own: whether the core loop
dnl straddles one is worth one cycle in nine, and would change with any line of
dnl code before it (doc/experiments.md).
dnl -flto: objects are machine code as well. So the static library can be linked by other
dnl compilers (another gcc's needs -fno-lto), and tests, which put themselves before functions
dnl (ld --wrap), without -flto.
AC_DEFUN([TWEED_CODE_FLAGS], [
  TWEED_FLAGS_IF([ALIGN_FLAGS], [-falign-functions=64 -falign-loops=64])
  FAT_FLAGS= NO_LTO_FLAGS=
  AS_CASE([" $CFLAGS "], [*" -flto"*],
    [TWEED_FLAGS_IF([FAT_FLAGS], [-ffat-lto-objects])
    AS_IF([test -n "$FAT_FLAGS"], [NO_LTO_FLAGS=-fno-lto],
      [AC_MSG_WARN([no -ffat-lto-objects: most test programs cannot be linked with -flto])])])
  AC_SUBST([FAT_FLAGS])
  AC_SUBST([NO_LTO_FLAGS])
])

AC_DEFUN([TWEED_WARNINGS], [
  WARNING_FLAGS=
  for flag in -Wall -Wextra -Wshadow -Wundef -Wconversion -Wpointer-arith \
      -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla \
      -Wformat=2; do
    tweed_saved=$CFLAGS
    CFLAGS="$CFLAGS -Werror $flag"
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int x;]])],
      [WARNING_FLAGS="$WARNING_FLAGS $flag"])
    CFLAGS=$tweed_saved
  done
  AS_IF([test "$tweed_werror" = errors],
    [WARNING_FLAGS="$WARNING_FLAGS -Werror"])
  AC_SUBST([WARNING_FLAGS])
])

dnl libtweed-mpi is compiled and linked with what the MPI compiler would add, so that it
dnl can be built beside libtweed by one libtool.
AC_DEFUN([TWEED_WITH_MPI], [
  AC_ARG_WITH([mpi],
    [AS_HELP_STRING([--with-mpi],
      [build libtweed-mpi, loops over ranks (default: if an mpicc is found)])],
    [], [with_mpi=check])
  TWEED_YES_OR_NO([--with-mpi], [$with_mpi])
  AC_ARG_VAR([MPICC], [the MPI compiler to take the flags for libtweed-mpi from])
  tweed_mpi=no
  AS_IF([test "$with_mpi,$tweed_sanitizer" = check,thread], [with_mpi=no])
  AS_IF([test "$with_mpi" != no], [
    AC_CHECK_PROGS([MPICC], [mpicc mpicc.mpich mpicc.openmpi])
    MPI_CPPFLAGS=
    MPI_LIBS=
    for word in $($MPICC -show 2>/dev/null | sed 's/^@<:@^ @:>@*//'); do
      AS_CASE([$word],
        [-I*|-D*], [MPI_CPPFLAGS="$MPI_CPPFLAGS $word"],
        [-L*|-l*|-Wl,*|-pthread], [MPI_LIBS="$MPI_LIBS $word"])
    done
    tweed_saved_cppflags=$CPPFLAGS
    tweed_saved=$LIBS
    CPPFLAGS="$CPPFLAGS $MPI_CPPFLAGS"
    LIBS="$MPI_LIBS $LIBS"
    AC_MSG_CHECKING([for MPI 3])
    AS_IF([test -n "$MPICC"],
      [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
        #if MPI_VERSION < 3
        #error too old
        #endif]], [[int n; return MPI_Initialized(&n);]])],
        [tweed_mpi="$MPICC"])])
    AC_MSG_RESULT([$tweed_mpi])
    CPPFLAGS=$tweed_saved_cppflags
    LIBS=$tweed_saved
    AS_IF([test "$with_mpi" != check && test "$tweed_mpi" = no],
      [AC_MSG_ERROR([MPI was asked for and was not found (Debian: libmpich-dev or libopenmpi-dev; MPICC=)])])])
  AC_ARG_VAR([MPIRUN], [what starts programs of MPI, for make demo-mpi])
  : ${MPIRUN=$(AS_ECHO(["$MPICC"]) | sed 's/mpi[[^/]]*cc/mpirun/')}
  AC_SUBST([MPI_CPPFLAGS])
  AC_SUBST([MPI_LIBS])
  AM_CONDITIONAL([HAVE_MPI], [test "$tweed_mpi" != no])
])

dnl tweed-port reads programs by libclang, in the versions of which there are many, each in a
dnl folder of its own.  The headers of the compiler lie beside it.
AC_DEFUN([TWEED_WITH_LIBCLANG], [
  AC_ARG_WITH([libclang],
    [AS_HELP_STRING([--with-libclang], [build tweed-port (default: if libclang is found)])],
    [], [with_libclang=check])
  TWEED_YES_OR_NO([--with-libclang], [$with_libclang])
  AC_ARG_VAR([LLVM_PREFIX], [the folder with include/clang-c and lib/libclang.so, for tweed-port])
  tweed_libclang=no
  AS_IF([test "$with_libclang" != no], [
    AC_MSG_CHECKING([for libclang])
    tweed_saved_cppflags=$CPPFLAGS
    tweed_saved=$LIBS
    for tweed_llvm in "$LLVM_PREFIX" $(ls -d /usr/lib/llvm-* 2>/dev/null | sort -rV) /usr /usr/local; do
      AS_IF([test -f "$tweed_llvm/include/clang-c/Index.h"], [], [continue])
      CPPFLAGS="$tweed_saved_cppflags -isystem $tweed_llvm/include"
      AS_IF([test "$tweed_llvm" = /usr], [CPPFLAGS=$tweed_saved_cppflags])
      LIBS="-L$tweed_llvm/lib -lclang $tweed_saved"
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <clang-c/Index.h>
        #if CINDEX_VERSION_MINOR < 59
        #error too old
        #endif]], [[return clang_createIndex(0, 0) == 0;]])],
        [tweed_libclang=$tweed_llvm])
      test "$tweed_libclang" = no || break
    done
    AS_IF([test "$tweed_libclang" != no],
      [LIBCLANG_CPPFLAGS=${CPPFLAGS#"$tweed_saved_cppflags"}
       LIBCLANG_LIBS="-L$tweed_libclang/lib -lclang"
       # a link there to a library where the linker looks anyway needs no rpath
       AS_CASE([$(readlink -f "$tweed_libclang/lib/libclang.so")], ["$tweed_libclang"/*],
         [LIBCLANG_LIBS="$LIBCLANG_LIBS -Wl,-rpath,$tweed_libclang/lib"])
       AS_IF([test "$tweed_libclang" = /usr], [LIBCLANG_LIBS=-lclang])])
    CPPFLAGS=$tweed_saved_cppflags
    LIBS=$tweed_saved
    AC_MSG_RESULT([$tweed_libclang])
    AS_IF([test "$with_libclang" != check && test "$tweed_libclang" = no],
      [AC_MSG_ERROR([libclang was asked for and was not found (Debian: libclang-dev; LLVM_PREFIX=)])])])
  AC_SUBST([LIBCLANG_CPPFLAGS])
  AC_SUBST([LIBCLANG_LIBS])
  AM_CONDITIONAL([HAVE_LIBCLANG], [test "$tweed_libclang" != no])
])

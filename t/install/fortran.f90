! fortran.f90 - the calls of tweed.f90: every index counted, every option seen to arrive.
!
! SPDX-License-Identifier: MIT
module bodies
  use tweed
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none

  integer(c_int64_t), parameter :: low = -70, high = 5000
  integer :: times(low:high)      ! that an index was executed
  integer :: pairs(20, 30)        ! (j, i)
  integer :: triples(4, 5, 6)     ! (k, j, i)
  integer :: workers(low:high)
  logical :: torn                 ! a run did not begin where grain says
  integer :: started(2), ended(2) ! by each of two threads

  type :: range_of_values
    real(c_double) :: least, most
  end type

  interface
    function dump(pool, fd) result(code) bind(c, name='tweed_pool_dump')
      use, intrinsic :: iso_c_binding
      type(c_ptr), value :: pool
      integer(c_int), value :: fd
      integer(c_int) :: code
    end function
  end interface

contains

  subroutine note_start(worker, arg) bind(c)
    integer(c_int), value :: worker
    type(c_ptr), value :: arg

    if (.not. c_associated(arg)) started(worker) = started(worker) + 1
  end subroutine

  subroutine note_end(worker, arg) bind(c)
    integer(c_int), value :: worker
    type(c_ptr), value :: arg

    if (.not. c_associated(arg)) ended(worker) = ended(worker) + 1
  end subroutine

  recursive subroutine count_one(i, arg) bind(c)
    integer(c_int64_t), value :: i
    type(c_ptr), value :: arg
    integer, pointer :: step

    call c_f_pointer(arg, step)
    times(i) = times(i) + step
    workers(i) = tweed_worker_index()
  end subroutine

  recursive subroutine count_run(first, last, arg) bind(c)
    integer(c_int64_t), value :: first, last
    type(c_ptr), value :: arg

    if (.not. c_associated(arg)) times(first:last) = times(first:last) + 1
    if (mod(first - low, 100_c_int64_t) /= 0) torn = .true.
  end subroutine

  recursive subroutine count_pair(i, j, arg) bind(c)
    integer(c_int64_t), value :: i, j
    type(c_ptr), value :: arg

    if (.not. c_associated(arg)) pairs(j, i) = pairs(j, i) + 1
  end subroutine

  recursive subroutine count_triple(i, j, k, arg) bind(c)
    integer(c_int64_t), value :: i, j, k
    type(c_ptr), value :: arg

    if (.not. c_associated(arg)) triples(k, j, i) = triples(k, j, i) + 1
  end subroutine

  recursive function third(i, arg) bind(c) result(x)
    integer(c_int64_t), value :: i
    type(c_ptr), value :: arg
    real(c_double) :: x
    real(c_double), pointer :: factor

    call c_f_pointer(arg, factor)
    x = factor * real(i, c_double) / 3
  end function

  recursive subroutine widen(first, last, element, arg) bind(c)
    integer(c_int64_t), value :: first, last
    type(c_ptr), value :: element, arg
    type(range_of_values), pointer :: e
    real(c_double), pointer :: values(:)

    call c_f_pointer(element, e)
    call c_f_pointer(arg, values, [5000])
    e%least = min(e%least, minval(values(first:last)))
    e%most = max(e%most, maxval(values(first:last)))
  end subroutine

  recursive subroutine join(into, from, arg) bind(c)
    type(c_ptr), value :: into, from, arg
    type(range_of_values), pointer :: a, b
    real(c_double), pointer :: values(:)

    call c_f_pointer(into, a)
    call c_f_pointer(from, b)
    call c_f_pointer(arg, values, [5000])
    a%least = min(a%least, b%least)
    a%most = max(a%most, b%most)
    if (values(1) < 0) a%most = values(1)
  end subroutine

  recursive subroutine show(i, arg) bind(c)
    integer(c_int64_t), value :: i
    type(c_ptr), value :: arg
    integer(c_int) :: code

    if (i == 1) code = dump(arg, 1)
  end subroutine
end module

program main
  use bodies
  implicit none
  integer, target :: step = 1
  integer :: number = 0, failed = 0, code, k
  type(c_ptr) :: pool
  real(c_double), target :: factor = 2, values(5000)
  real(c_double) :: once, again
  type(range_of_values), target :: none = range_of_values(1e9, -1e9), found

  print '(a)', '1..26'
  call tweed_pool_create(pool, num_workers=3, spin_ns=-1_int64, name='fortran', code=code)
  call check(code == TWEED_OK .and. tweed_pool_num_workers(pool) >= 1, 'a pool')
  call check(tweed_pool_num_workers() >= 1, 'the default pool')

  call clear
  call tweed_parallel_do(low, high, count_one, c_loc(step))
  call check(all(times == 1), 'each index once')
  call check(all(workers >= 0 .and. workers < tweed_pool_num_workers()), 'by some worker')
  call check(tweed_worker_index() == -1 .and. tweed_worker_node() == -1, 'and not here')
  call clear
  call tweed_parallel_do(1, 10, count_one, c_loc(step), pool)
  call check(all(times(1:10) == 1) .and. sum(times) == 10, 'integers of the default kind')
  call clear
  call tweed_parallel_do(10, 9, count_one, c_loc(step))
  call check(sum(times) == 0, 'no index')
  call tweed_parallel_do(low, high, count_one, c_loc(step), pool, max_workers=1)
  call check(all(times == 1 .and. workers == 0), 'max_workers')
  call tweed_parallel_do(1_int64, huge(1_int64), count_one, c_loc(step), code=code)
  call check(code == TWEED_ERANGE .and. all(times == 1), 'the last index that there is')
  call tweed_parallel_do(low, high, count_one, c_loc(step), grain=-1, code=code)
  call check(code == TWEED_EINVAL .and. all(times == 1), 'a bad grain')

  call clear
  torn = .false.
  call tweed_parallel_do_range(low, high, count_run, grain=100, pool=pool)
  call check(all(times == 1) .and. .not. torn, 'runs, of grains')
  call clear
  call tweed_parallel_do_range(1, 1, count_run)
  call check(times(1) == 1 .and. sum(times) == 1, 'a run of one')

  pairs = 0
  call tweed_parallel_do_2d(1, 30, 1, 20, count_pair, pool=pool, tile=[7, 7])
  call check(all(pairs == 1), 'two dimensions')
  call tweed_parallel_do_2d(2_int64, 30_int64, 3_int64, 20_int64, count_pair)
  call check(all(pairs(3:, 2:) == 2) .and. all(pairs(:, 1) == 1) .and. &
    all(pairs(:2, :) == 1), 'a part of them')
  call tweed_parallel_do_2d(1, 30, 1, 20, count_pair, tile=[7, 0], code=code)
  call check(code == TWEED_EINVAL, 'a bad tile')
  triples = 0
  call tweed_parallel_do_3d(1, 6, 1, 5, 1, 4, count_triple, tile=[2, 2, 2])
  call check(all(triples == 1), 'three dimensions')

  once = tweed_sum(1, 100000, third, c_loc(factor))
  again = tweed_sum(1_int64, 100000_int64, third, c_loc(factor), pool)
  call check(once == again, 'a sum has the same bits on other pools')
  call check(abs(once - 100000d0 * 100001d0 / 3) < 1, 'and is right')
  do k = 1, 5000
    values(k) = mod(k * 7919, 10007)
  end do
  call tweed_parallel_reduce(1, 5000, widen, join, c_loc(none), c_loc(found), &
    c_sizeof_range(), c_loc(values), pool=pool, name='widen')
  call check(found%least == minval(values) .and. found%most == maxval(values), 'extremes')

  call tweed_parallel_do(1, 1000, show, pool, pool, name='a-name-from-fortran', code=code)
  call check(code == TWEED_OK, 'a name')
  call tweed_pool_destroy(pool)
  call tweed_parallel_do(1, 10, count_one, c_loc(step), pool, code=code)
  call check(code == TWEED_ENOPOOL .and. tweed_strerror(code) == 'no such pool', &
    'a pool that was destroyed')
  call tweed_pool_create(pool, stack_bytes=1_int64, code=code)
  call check(code == TWEED_EINVAL, 'a bad stack')
  call tweed_pool_create(pool, name='', code=code)
  call check(code == TWEED_EINVAL .and. index(tweed_version(), '.') > 0, 'a bad name')

  started = 0
  ended = 0
  call tweed_default_pool_shutdown()
  call tweed_default_pool_configure(num_workers=3, on_start=note_start, on_end=note_end, &
    code=code)
  call tweed_parallel_do(1, 10, count_one, c_loc(step))
  k = tweed_pool_num_workers()
  call tweed_default_pool_shutdown()
  call check(code == TWEED_OK .and. all(started(:k - 1) == 1) .and. &
    all(ended(:k - 1) == 1), 'the default pool configured, and shut down')
  call tweed_default_pool_configure(cpus='0,', code=code)
  call check(code == TWEED_EINVAL, 'what is no list of CPUs')
  call tweed_pool_create(pool, cpus='0-1048575', code=code)
  call check(code == TWEED_ENOCPU, 'CPUs that are not there')
  if (failed > 0) error stop 1

contains

  subroutine clear
    times = 0
  end subroutine

  function c_sizeof_range() result(bytes)
    use, intrinsic :: iso_c_binding, only: c_size_t
    integer(c_size_t) :: bytes

    bytes = storage_size(none) / 8
  end function

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what

    number = number + 1
    if (.not. right) failed = failed + 1
    if (right) print '(a, i0, 2a)', 'ok ', number, ' - ', what
    if (.not. right) print '(a, i0, 2a)', 'not ok ', number, ' - ', what
  end subroutine
end program

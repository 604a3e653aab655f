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
  logical, volatile :: over       ! a loop, as is told
  integer(c_int64_t) :: told_of(2)
  character(32) :: told_name

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

  recursive subroutine note_start(worker, arg) bind(c)
    integer(c_int), value :: worker
    type(c_ptr), value :: arg

    if (.not. c_associated(arg)) started(worker) = started(worker) + 1
  end subroutine

  recursive subroutine note_end(worker, arg) bind(c)
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

  recursive subroutine hear(progress, arg) bind(c)
    type(tweed_progress), intent(in) :: progress
    type(c_ptr), value :: arg

    if (.not. c_associated(arg)) return
    told_of = [progress%done, progress%total]
    told_name = tweed_progress_name(progress)
    if (progress%ended == 1) over = .true.
  end subroutine

  recursive subroutine pause_1_ms()
    interface
      function usleep(us) result(code) bind(c, name='usleep')
        use, intrinsic :: iso_c_binding
        integer(c_int), value :: us
        integer(c_int) :: code
      end function
    end interface

    if (usleep(1000_c_int) /= 0) return
  end subroutine

  ! It lasts until something has been told.
  recursive subroutine wait_until_told(i, arg) bind(c)
    integer(c_int64_t), value :: i
    type(c_ptr), value :: arg

    call count_one(i, arg)
    do while (told_name == '')
      call pause_1_ms
    end do
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
  integer, target :: light_of(1024) = 0 ! no pool
  real(c_double), target :: factor = 2, values(5000)
  real(c_double) :: once, again
  type(range_of_values), target :: none = range_of_values(1e9, -1e9), found

  print '(a)', '1..36'
  call tweed_pool_create(pool, tweed_pool_options(num_workers=3, spin_ns=-1, seed=7_int64, &
    name='fortran'), code)
  call check(code == TWEED_OK .and. tweed_pool_num_workers(pool) >= 1, 'a pool')
  call check(tweed_pool_num_workers() >= 1, 'the default pool')

  call clear
  call tweed_parallel_do(low, high, count_one, c_loc(step))
  call check(all(times == 1), 'each index once')
  call check(all(workers >= 0 .and. workers < tweed_pool_num_workers()), 'by some worker')
  call check(tweed_worker_index() == -1 .and. tweed_worker_node() == -1, 'and not here')
  call check_arrays
  call clear
  call tweed_parallel_do(1, 10, count_one, c_loc(step), pool)
  call check(all(times(1:10) == 1) .and. sum(times) == 10, 'integers of the default kind')
  call clear
  call tweed_parallel_do(10, 9, count_one, c_loc(step))
  call check(sum(times) == 0, 'no index')
  call tweed_parallel_do(low, high, count_one, c_loc(step), pool, &
    tweed_loop_options(max_workers=1))
  call check(all(times == 1 .and. workers == 0), 'max_workers')
  call tweed_parallel_do(1_int64, huge(1_int64), count_one, c_loc(step), code=code)
  call check(code == TWEED_ERANGE .and. all(times == 1), 'the last index that there is')
  call tweed_parallel_do(low, high, count_one, c_loc(step), code=code, &
    options=tweed_loop_options(grain=-1))
  call check(code == TWEED_EINVAL .and. all(times == 1), 'a bad grain')

  call clear
  torn = .false.
  call tweed_parallel_do_range(low, high, count_run, pool=pool, &
    options=tweed_loop_options(grain=100))
  call check(all(times == 1) .and. .not. torn, 'runs, of grains')
  call clear
  call tweed_parallel_do_range(1, 1, count_run)
  call check(times(1) == 1 .and. sum(times) == 1, 'a run of one')

  pairs = 0
  call tweed_parallel_do_2d(1, 30, 1, 20, count_pair, pool=pool, &
    options=tweed_loop_options(tile=[7, 7, 0]))
  call check(all(pairs == 1), 'two dimensions')
  call tweed_parallel_do_2d(2_int64, 30_int64, 3_int64, 20_int64, count_pair)
  call check(all(pairs(3:, 2:) == 2) .and. all(pairs(:, 1) == 1) .and. &
    all(pairs(:2, :) == 1), 'a part of them')
  call tweed_parallel_do_2d(1, 30, 1, 20, count_pair, code=code, &
    options=tweed_loop_options(tile=[7, 0, 0]))
  call check(code == TWEED_EINVAL, 'a bad tile')
  triples = 0
  call tweed_parallel_do_3d(1, 6, 1, 5, 1, 4, count_triple, &
    options=tweed_loop_options(tile=[2, 2, 2]))
  call check(all(triples == 1), 'three dimensions')

  once = tweed_sum(1, 100000, third, c_loc(factor))
  again = tweed_sum(1_int64, 100000_int64, third, c_loc(factor), pool)
  call check(once == again, 'a sum has the same bits on other pools')
  call check(abs(once - 100000d0 * 100001d0 / 3) < 1, 'and is right')
  do k = 1, 5000
    values(k) = mod(k * 7919, 10007)
  end do
  call tweed_parallel_reduce(1, 5000, widen, join, c_loc(none), c_loc(found), &
    c_sizeof_range(), c_loc(values), pool, tweed_loop_options(name='widen'))
  call check(found%least == minval(values) .and. found%most == maxval(values), 'extremes')

  call tweed_parallel_do(1, 1000, show, pool, pool, &
    tweed_loop_options(name='a-name-from-fortran'), code)
  call check(code == TWEED_OK, 'a name')
  call tweed_pool_destroy(pool)
  call tweed_parallel_do(1, 10, count_one, c_loc(step), pool, code=code)
  call check(code == TWEED_ENOPOOL .and. tweed_strerror(code) == 'no such pool', &
    'a pool that was destroyed')
  call tweed_pool_create(pool, tweed_pool_options(stack_bytes=1), code)
  call check(code == TWEED_EINVAL .and. tweed_last_error() == 'invalid argument: ' // &
    'tweed_pool_options.stack_bytes is 1: expected 16384 to 1073741824, or 0', 'a bad stack')
  call tweed_pool_create(pool, tweed_pool_options(cpus=''), code)
  call check(code == TWEED_EINVAL .and. index(tweed_version(), '.') > 0, 'no list of CPUs')

  started = 0
  ended = 0
  call tweed_default_pool_shutdown()
  call tweed_default_pool_configure(tweed_pool_options(num_workers=3, &
    on_start=note_start, on_end=note_end), code)
  call tweed_parallel_do(1, 10, count_one, c_loc(step))
  k = tweed_pool_num_workers()
  call tweed_default_pool_shutdown()
  call check(code == TWEED_OK .and. all(started(:k - 1) == 1) .and. &
    all(ended(:k - 1) == 1), 'the default pool configured, and shut down')
  call tweed_default_pool_configure(tweed_pool_options(cpus='0,'), code)
  call check(code == TWEED_EINVAL, 'what is no list of CPUs')
  call tweed_pool_create(pool, tweed_pool_options(cpus='0-1048575'), code)
  call check(code == TWEED_ENOCPU, 'CPUs that are not there')

  call tweed_pool_create(pool, tweed_pool_options(num_workers=2))
  call check_schedule
  call check_static
  call check_weights
  call check_progress
  call tweed_pool_destroy(pool)
  if (failed > 0) error stop 1

contains

  subroutine clear
    times = 0
  end subroutine

  subroutine check_schedule
    call tweed_parallel_do(1, 9, count_one, c_loc(step), code=code, &
      options=tweed_loop_options(schedule=2))
    call check(code == TWEED_EINVAL, 'a schedule that is none')
  end subroutine

  ! True if the indices 1 to n are worker 0's up to `share`, and from there on worker 1's.
  function is_dealt(n, share) result(is)
    integer, intent(in) :: n, share
    logical :: is

    is = all(times(1:n) == 1) .and. all(workers(1:share) == 0) .and. &
      all(workers(share + 1:n) == 1)
  end function

  subroutine check_static
    logical :: even

    call clear
    call tweed_parallel_do(1, 1000, count_one, c_loc(step), pool, &
      tweed_loop_options(schedule=TWEED_SCHEDULE_STATIC))
    even = is_dealt(1000, 500)
    if (tweed_pool_num_workers(pool) < 2) even = is_dealt(1000, 1000)
    call check(even, 'static')
  end subroutine

  subroutine check_weights
    real(c_double), target :: weights(1000)
    integer :: share

    share = 900
    if (tweed_pool_num_workers(pool) < 2) share = 1000
    weights(:800) = 0
    weights(801:) = 2
    call clear
    call tweed_parallel_do(1, 1000, count_one, c_loc(step), pool, &
      tweed_loop_options(schedule=TWEED_SCHEDULE_STATIC, weights=weights))
    call check(is_dealt(1000, share), 'weights')
    call clear
    call tweed_parallel_do(1, 1001, count_one, c_loc(step), pool, &
      tweed_loop_options(weights=weights), code)
    call check(code == TWEED_EINVAL .and. sum(times) == 0, 'too few of them')
    weights(7) = -1
    call tweed_parallel_do(1, 1000, count_one, c_loc(step), pool, &
      tweed_loop_options(weights=weights), code)
    call check(code == TWEED_EINVAL .and. sum(times) == 0, 'one that is negative')
  end subroutine

  subroutine check_arrays
    real(c_double), pointer :: x(:)
    type(c_ptr) :: memory

    memory = tweed_alloc(100000_c_int64_t, c_sizeof(1.0_c_double))
    call check(c_associated(memory), 'an array')
    call c_f_pointer(memory, x, [100000])
    call check(all(x == 0) .and. size(x) == 100000, '... of zeros')
    call tweed_free(memory)
  end subroutine

  subroutine check_progress
    call clear
    told_name = ''
    over = .false.
    call tweed_pool_progress(hear, c_loc(step), pool, code)
    call tweed_parallel_do(1, 1000, wait_until_told, c_loc(step), pool, &
      tweed_loop_options(name='told'))
    do while (code == TWEED_OK .and. .not. over)
      call pause_1_ms
    end do
    call tweed_pool_progress(pool=pool)
    call check(sum(times) == 1000 .and. told_name == 'told', 'progress')
    call check(told_of(2) == 1000, '... of all indices')
    call tweed_pool_progress(hear, pool=c_loc(light_of), code=code)
    call check(code == TWEED_ENOPOOL, '... of what is no pool')
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

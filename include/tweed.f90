! tweed.f90 - tweed for Fortran: a module, as source, for the compiler that compiles the
! program.
!
! SPDX-License-Identifier: MIT
!
!     gfortran $(pkg-config --variable=fortran tweed) program.f90 $(pkg-config --libs tweed)
!
!     use tweed
!     call tweed_parallel_do(1, n, body, c_loc(data))
!
! stands for
!
!     do i = 1, n
!       call body(i, c_loc(data))
!     end do
!
! Bounds are inclusive, as those of a do; first > last is an empty loop.  Integers of
! both kinds, the default one and int64, may be bounds.  Bodies are procedures with
! bind(c), whose indices are of kind int64 and passed by value.
!
!     recursive subroutine body(i, arg) bind(c)
!       integer(c_int64_t), value :: i
!       type(c_ptr), value :: arg
!
! Bodies run on several threads at a time.  So a body, and what it calls, is recursive
! (a variable that is initialised, or saved, is one for all threads), and is a procedure
! of a module: for one that is contained in another procedure compilers put code on
! the stack.  Procedures of this module are recursive for the same reason.
!
! What all calls have in common, each argument optional:
!
!     arg      handed to the body as it is; c_null_ptr
!     pool     of tweed_pool_create(); the default pool
!     options  tweed_loop_options(grain=8, name='smooth'): what is not named keeps the
!              value that it has in the type
!     code     receives TWEED_OK, or a negative code, and then no index was executed.
!              Without it the program is stopped by an error
!
! Everything else is said in tweed.h, of the C function of the same name with `for` in
! the place of `do`.
module tweed
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64
  implicit none
  private
  public :: c_int, c_int64_t, c_size_t, c_double, c_ptr, c_null_ptr, c_loc, c_f_pointer, &
    c_associated, c_sizeof

  integer, parameter, public :: TWEED_OK = 0, TWEED_EINVAL = -1, TWEED_ENOMEM = -2, &
    TWEED_EBUSY = -3, TWEED_ENOPOOL = -4, TWEED_ECLOSED = -5, TWEED_ERANGE = -6, &
    TWEED_ESTOPPED = -7, TWEED_ETIMEOUT = -8, TWEED_ENOCPU = -9, &
    TWEED_ENESTED = -10, TWEED_EMPI = -11, TWEED_ETHREAD = -12, TWEED_EDIFFER = -13
  integer, parameter, public :: TWEED_BIND_DEFAULT = 0, TWEED_BIND_CPU = 1, &
    TWEED_BIND_NODE = 2, TWEED_BIND_NONE = 3
  integer, parameter, public :: TWEED_FENCE_DEFAULT = 0, TWEED_FENCE_MEMBARRIER = 1, &
    TWEED_FENCE_EXCHANGE = 2
  integer, parameter, public :: TWEED_SCHEDULE_DEFAULT = 0, TWEED_SCHEDULE_STATIC = 1

  ! How far a loop is.  tweed_progress_name() has the loop's name.
  type, bind(c), public :: tweed_progress
    integer(c_size_t) :: size
    type(c_ptr) :: name
    integer(c_int64_t) :: done, total, elapsed_ns
    integer(c_int) :: ended ! 1: this is the last call for the loop
  end type

  ! ---- bodies ----

  abstract interface
    ! one index
    subroutine tweed_index_body(i, arg) bind(c)
      import
      integer(c_int64_t), value :: i
      type(c_ptr), value :: arg
    end subroutine

    ! the indices first to last, of which there is one or more
    subroutine tweed_range_body(first, last, arg) bind(c)
      import
      integer(c_int64_t), value :: first, last
      type(c_ptr), value :: arg
    end subroutine

    subroutine tweed_index_2d_body(i, j, arg) bind(c)
      import
      integer(c_int64_t), value :: i, j
      type(c_ptr), value :: arg
    end subroutine

    subroutine tweed_index_3d_body(i, j, k, arg) bind(c)
      import
      integer(c_int64_t), value :: i, j, k
      type(c_ptr), value :: arg
    end subroutine

    ! what one index adds
    function tweed_sum_body(i, arg) bind(c) result(x)
      import
      integer(c_int64_t), value :: i
      type(c_ptr), value :: arg
      real(c_double) :: x
    end function

    ! adds the indices first to last to an element
    subroutine tweed_reduce_body(first, last, element, arg) bind(c)
      import
      integer(c_int64_t), value :: first, last
      type(c_ptr), value :: element, arg
    end subroutine

    ! combines `from`, which comes from higher indices, into `into`
    subroutine tweed_combine_body(into, from, arg) bind(c)
      import
      type(c_ptr), value :: into, from, arg
    end subroutine

    ! what a thread of a pool does when it starts, or ends
    subroutine tweed_worker_hook(worker, arg) bind(c)
      import
      integer(c_int), value :: worker
      type(c_ptr), value :: arg
    end subroutine

    ! learns how far a loop is
    subroutine tweed_progress_hook(progress, arg) bind(c)
      import
      type(tweed_progress), intent(in) :: progress
      type(c_ptr), value :: arg
    end subroutine
  end interface
  public :: tweed_index_body, tweed_range_body, tweed_index_2d_body, &
    tweed_index_3d_body, tweed_sum_body, tweed_reduce_body, tweed_combine_body, &
    tweed_worker_hook, tweed_progress_hook

  ! ---- options ----

  type, public :: tweed_loop_options
    integer(int64) :: grain = 0    ! so many indices stay together
    integer(int64) :: tile(3) = 0  ! sizes of a tile; the third is 0 in two dimensions
    integer :: max_workers = 0     ! most workers to use, the caller included
    integer :: schedule = TWEED_SCHEDULE_DEFAULT
    real(c_double), pointer, contiguous :: weights(:) => null() ! of each index
    character(31) :: name = ''     ! shown by tweed_pool_dump()
  end type

  type, public :: tweed_pool_options
    integer :: num_workers = 0
    integer :: bind = TWEED_BIND_DEFAULT
    character(:), allocatable :: cpus
    character(8) :: name = ''
    integer(int64) :: stack_bytes = 0
    procedure(tweed_worker_hook), pointer, nopass :: on_start => null()
    procedure(tweed_worker_hook), pointer, nopass :: on_end => null()
    type(c_ptr) :: hook_arg = c_null_ptr
    integer :: fence = TWEED_FENCE_DEFAULT
    integer(int64) :: spin_ns = 0
    integer(int64) :: seed = 0
  end type

  ! ---- loops ----

  ! call tweed_parallel_do(first, last, body [, arg, pool, options, code])
  interface tweed_parallel_do
    module procedure do_int32, do_int64
  end interface

  ! The same with a body for runs of consecutive indices, which has a loop of its own.
  interface tweed_parallel_do_range
    module procedure do_range_int32, do_range_int64
  end interface

  ! call tweed_parallel_do_2d(i_first, i_last, j_first, j_last, body [, arg, pool,
  ! options, code]): body(i, j, arg).  A worker goes through the values of the last index
  ! first.  In Fortran that is the first subscript: x(j, i).
  interface tweed_parallel_do_2d
    module procedure do_2d_int32, do_2d_int64
  end interface
  interface tweed_parallel_do_3d
    module procedure do_3d_int32, do_3d_int64
  end interface

  ! x = tweed_sum(first, last, body [, arg, pool, options]): the sum of body(i, arg), with
  ! the same bits for any number of workers.
  interface tweed_sum
    module procedure sum_int32, sum_int64
  end interface

  ! call tweed_parallel_reduce(first, last, body, combine, identity, result, bytes
  ! [, arg, pool, options, code, alignment]): identity and result are addresses of
  ! elements of so many bytes.
  interface tweed_parallel_reduce
    module procedure reduce_int32, reduce_int64
  end interface

  public :: tweed_parallel_do, tweed_parallel_do_range, tweed_parallel_do_2d, &
    tweed_parallel_do_3d, tweed_sum, tweed_parallel_reduce

  public :: tweed_pool_create, tweed_pool_destroy, tweed_pool_num_workers, &
    tweed_default_pool_configure, tweed_default_pool_shutdown, &
    tweed_pool_progress, tweed_progress_name, &
    tweed_worker_index, tweed_worker_node, tweed_strerror, tweed_last_error, tweed_version, &
    tweed_alloc, tweed_free

  ! ---- what C has ----

  type, bind(c) :: space
    integer(c_int32_t) :: size, dimensions
    integer(c_int64_t) :: lo(3), hi(3)
    type(c_ptr) :: arg = c_null_ptr
    integer(c_int64_t) :: count(3) = 0, tile(3) = 0
  end type

  type :: flat_body
    procedure(tweed_index_2d_body), pointer, nopass :: body
    type(c_ptr) :: arg
  end type

  type, bind(c) :: c_loop_options
    integer(c_size_t) :: size
    integer(c_int64_t) :: grain
    integer(c_int64_t) :: tile(3)
    integer(c_int) :: max_workers, schedule
    type(c_ptr) :: weights
    type(c_ptr) :: token
    integer(c_int64_t) :: timeout_ns
    type(c_ptr) :: outcome
    type(c_ptr) :: name
  end type

  type, bind(c) :: c_pool_options
    integer(c_size_t) :: size
    integer(c_int) :: num_workers, bind
    type(c_ptr) :: cpus, name
    integer(c_size_t) :: stack_bytes
    type(c_funptr) :: on_start, on_end
    type(c_ptr) :: hook_arg
    integer(c_int) :: fence
    integer(c_int64_t) :: spin_ns, seed
  end type

  type, bind(c) :: reduction
    integer(c_size_t) :: size, element_size, alignment
    type(c_ptr) :: identity
    type(c_funptr) :: body, combine
  end type

  ! A body that is called through one of ours, and what it is given.
  type, bind(c) :: wrapped
    type(c_funptr) :: body, combine
    type(c_ptr) :: arg
  end type

  interface
    function for_with(pool, options, lo, hi, fn, arg) result(code) &
      bind(c, name='tweed_parallel_for_with')
      import
      type(c_ptr), value :: pool, options, arg
      integer(c_int64_t), value :: lo, hi
      type(c_funptr), value :: fn
      integer(c_int) :: code
    end function

    function for_range_with(pool, options, lo, hi, fn, arg) result(code) &
      bind(c, name='tweed_parallel_for_range_with')
      import
      type(c_ptr), value :: pool, options, arg
      integer(c_int64_t), value :: lo, hi
      type(c_funptr), value :: fn
      integer(c_int) :: code
    end function

    function for_space(pool, options, indices, fn, arg) result(code) &
      bind(c, name='tweed_parallel_for_space')
      import
      type(c_ptr), value :: pool, options, arg
      type(space), intent(in) :: indices
      type(c_funptr), value :: fn
      integer(c_int) :: code
    end function

    function reduce_with(pool, options, lo, hi, r, arg, res) result(code) &
      bind(c, name='tweed_parallel_reduce_with')
      import
      type(c_ptr), value :: pool, options, arg, res
      integer(c_int64_t), value :: lo, hi
      type(reduction), intent(in) :: r
      integer(c_int) :: code
    end function

    function pool_create(pool, options) result(code) bind(c, name='tweed_pool_create')
      import
      type(c_ptr), intent(out) :: pool
      type(c_pool_options), intent(in) :: options
      integer(c_int) :: code
    end function

    function pool_destroy(pool) result(code) bind(c, name='tweed_pool_destroy')
      import
      type(c_ptr), value :: pool
      integer(c_int) :: code
    end function

    function default_pool_configure(options) result(code) &
        bind(c, name='tweed_default_pool_configure')
      import
      type(c_pool_options), intent(in) :: options
      integer(c_int) :: code
    end function

    function default_pool_shutdown() result(code) &
        bind(c, name='tweed_default_pool_shutdown')
      import
      integer(c_int) :: code
    end function

    function pool_num_workers(pool) result(n) bind(c, name='tweed_pool_num_workers')
      import
      type(c_ptr), value :: pool
      integer(c_int) :: n
    end function

    function pool_progress(pool, fn, arg) result(code) &
      bind(c, name='tweed_pool_progress')
      import
      type(c_ptr), value :: pool, arg
      type(c_funptr), value :: fn
      integer(c_int) :: code
    end function

    ! Within a body: which worker executes it, from 0 on; elsewhere -1.
    function tweed_worker_index() result(w) bind(c, name='tweed_worker_index')
      import
      integer(c_int) :: w
    end function

    ! On which NUMA node that worker is planned.
    function tweed_worker_node() result(node) bind(c, name='tweed_worker_node')
      import
      integer(c_int) :: node
    end function

    ! An array for loops over n indices, zero, each page on the node whose workers use it;
    ! each: bytes of an element, storage_size(element) / 8.  c_f_pointer() makes a
    ! pointer of it.  c_null_ptr: there is no memory.
    function tweed_alloc(n, each) result(array) bind(c, name='tweed_alloc')
      import
      integer(c_int64_t), value :: n
      integer(c_size_t), value :: each
      type(c_ptr) :: array
    end function

    subroutine tweed_free(array) bind(c, name='tweed_free')
      import
      type(c_ptr), value :: array
    end subroutine

    function c_strerror(code) result(text) bind(c, name='tweed_strerror')
      import
      integer(c_int), value :: code
      type(c_ptr) :: text
    end function

    function c_last_error() result(text) bind(c, name='tweed_last_error')
      import
      type(c_ptr) :: text
    end function

    function c_version() result(text) bind(c, name='tweed_version')
      import
      type(c_ptr) :: text
    end function
  end interface

contains

  ! ---- arguments ----

  ! A string as C has it; what is too long for the buffer is cut off.
  recursive subroutine put_string(s, buffer)
    character(*), intent(in) :: s
    character(kind=c_char), intent(out) :: buffer(:)
    integer :: k, n

    n = min(len_trim(s), size(buffer) - 1)
    do k = 1, n
      buffer(k) = s(k:k)
    end do
    buffer(n + 1) = c_null_char
  end subroutine

  recursive function get_string(text) result(s)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: s
    character(kind=c_char), pointer :: c(:)
    integer :: n, k

    call c_f_pointer(text, c, [1024])
    n = 0
    do while (c(n + 1) /= c_null_char)
      n = n + 1
    end do
    allocate (character(n) :: s)
    do k = 1, n
      s(k:k) = c(k)
    end do
  end function

  ! The options as C has them; its name lies in name_text.
  recursive function in_c(options, name_text) result(o)
    type(tweed_loop_options), intent(in), optional :: options
    character(kind=c_char), intent(out), target :: name_text(32)
    type(c_loop_options) :: o
    integer(c_int), parameter :: none = 0

    o = c_loop_options(c_sizeof(o), 0, 0, none, none, c_null_ptr, c_null_ptr, 0, &
      c_null_ptr, c_null_ptr)
    name_text(1) = c_null_char
    if (.not. present(options)) return
    o%grain = options%grain
    o%tile = options%tile
    o%max_workers = options%max_workers
    o%schedule = options%schedule
    if (associated(options%weights)) o%weights = c_loc(options%weights)
    if (options%name /= '') then
      call put_string(options%name, name_text)
      o%name = c_loc(name_text)
    end if
  end function

  ! As past() below, for a loop in one dimension: there is a weight for each index.
  recursive function past_weighed(first, last, options, code) result(hi)
    integer(int64), intent(in) :: first, last
    type(tweed_loop_options), intent(in), optional :: options
    integer(c_int), intent(inout) :: code
    integer(int64) :: hi, n

    hi = past(last, code)
    if (.not. present(options) .or. first > last) return
    if (.not. associated(options%weights)) return
    n = size(options%weights, kind=int64)
    if (first > huge(first) - n) return ! so many indices there are not
    if (first + n <= last) code = TWEED_EINVAL
  end function

  recursive function or_null(p) result(q)
    type(c_ptr), intent(in), optional :: p
    type(c_ptr) :: q

    q = c_null_ptr
    if (present(p)) q = p
  end function

  ! The last index and one more; if there is no such number the code is set.
  recursive function past(last, code) result(hi)
    integer(int64), intent(in) :: last
    integer(c_int), intent(inout) :: code
    integer(int64) :: hi

    hi = last
    if (last == huge(last)) then
      code = TWEED_ERANGE
    else
      hi = last + 1
    end if
  end function

  recursive subroutine hand_over(got, code)
    integer(c_int), intent(in) :: got
    integer, intent(out), optional :: code

    if (present(code)) then
      code = got
    else if (got /= TWEED_OK) then
      write (error_unit, '(2a)') 'tweed: ', tweed_strerror(int(got))
      error stop 1
    end if
  end subroutine

  ! ---- one dimension ----

  recursive subroutine do_int64(first, last, body, arg, pool, options, code)
    integer(int64), intent(in) :: first, last
    procedure(tweed_index_body) :: body
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    integer, intent(out), optional :: code
    type(c_loop_options), target :: o
    character(kind=c_char), target :: name_text(32)
    integer(int64) :: hi
    integer(c_int) :: got

    o = in_c(options, name_text)
    got = TWEED_OK
    hi = past_weighed(first, last, options, got)
    if (got == TWEED_OK) got = for_with(or_null(pool), c_loc(o), first, hi, &
      c_funloc(body), or_null(arg))
    call hand_over(got, code)
  end subroutine

  recursive subroutine do_int32(first, last, body, arg, pool, options, code)
    integer(int32), intent(in) :: first, last
    procedure(tweed_index_body) :: body
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    integer, intent(out), optional :: code

    call do_int64(int(first, int64), int(last, int64), body, arg, pool, options, code)
  end subroutine

  ! C's runs end before `past`.
  recursive subroutine run_range(begin, past_it, arg) bind(c)
    integer(c_int64_t), value :: begin, past_it
    type(c_ptr), value :: arg
    type(wrapped), pointer :: w
    procedure(tweed_range_body), pointer :: body

    call c_f_pointer(arg, w)
    call c_f_procpointer(w%body, body)
    call body(begin, past_it - 1, w%arg)
  end subroutine

  recursive subroutine do_range_int64(first, last, body, arg, pool, options, code)
    integer(int64), intent(in) :: first, last
    procedure(tweed_range_body) :: body
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    integer, intent(out), optional :: code
    type(c_loop_options), target :: o
    type(wrapped), target :: w
    character(kind=c_char), target :: name_text(32)
    integer(int64) :: hi
    integer(c_int) :: got

    o = in_c(options, name_text)
    w%body = c_funloc(body)
    w%combine = c_null_funptr
    w%arg = or_null(arg)
    got = TWEED_OK
    hi = past_weighed(first, last, options, got)
    if (got == TWEED_OK) got = for_range_with(or_null(pool), c_loc(o), first, hi, &
      c_funloc(run_range), c_loc(w))
    call hand_over(got, code)
  end subroutine

  recursive subroutine do_range_int32(first, last, body, arg, pool, options, code)
    integer(int32), intent(in) :: first, last
    procedure(tweed_range_body) :: body
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    integer, intent(out), optional :: code

    call do_range_int64(int(first, int64), int(last, int64), body, arg, pool, options, &
      code)
  end subroutine

  ! ---- two and three dimensions ----

  recursive function space_of(dimensions, lo, hi) result(s)
    integer, intent(in) :: dimensions
    integer(int64), intent(in) :: lo(3), hi(3)
    type(space) :: s

    s = space(int(c_sizeof(s), c_int32_t), dimensions, lo, hi)
  end function

  recursive subroutine do_2d_int64(i_first, i_last, j_first, j_last, body, arg, pool, &
      options, code)
    integer(int64), intent(in) :: i_first, i_last, j_first, j_last
    procedure(tweed_index_2d_body) :: body
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    integer, intent(out), optional :: code
    type(c_loop_options), target :: o
    character(kind=c_char), target :: name_text(32)
    integer(int64) :: i1, j1
    type(flat_body), target :: flat
    integer(c_int) :: got

    o = in_c(options, name_text)
    flat%body => body
    flat%arg = or_null(arg)
    got = TWEED_OK
    i1 = past(i_last, got)
    j1 = past(j_last, got)
    if (got == TWEED_OK) got = for_space(or_null(pool), c_loc(o), &
      space_of(2, [0_int64, i_first, j_first], [1_int64, i1, j1]), &
      c_funloc(call_flat), c_loc(flat))
    call hand_over(got, code)
  end subroutine

  ! C calls bodies of two dimensions with a third index.
  recursive subroutine call_flat(i, j, k, arg) bind(c)
    integer(c_int64_t), value :: i, j, k
    type(c_ptr), value :: arg
    type(flat_body), pointer :: flat

    call c_f_pointer(arg, flat)
    if (k == 0) call flat%body(i, j, flat%arg)
  end subroutine

  recursive subroutine do_2d_int32(i_first, i_last, j_first, j_last, body, arg, pool, &
      options, code)
    integer(int32), intent(in) :: i_first, i_last, j_first, j_last
    procedure(tweed_index_2d_body) :: body
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    integer, intent(out), optional :: code

    call do_2d_int64(int(i_first, int64), int(i_last, int64), int(j_first, int64), &
      int(j_last, int64), body, arg, pool, options, code)
  end subroutine

  recursive subroutine do_3d_int64(i_first, i_last, j_first, j_last, k_first, k_last, &
      body, arg, pool, options, code)
    integer(int64), intent(in) :: i_first, i_last, j_first, j_last, k_first, k_last
    procedure(tweed_index_3d_body) :: body
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    integer, intent(out), optional :: code
    type(c_loop_options), target :: o
    character(kind=c_char), target :: name_text(32)
    integer(int64) :: i1, j1, k1
    integer(c_int) :: got

    o = in_c(options, name_text)
    got = TWEED_OK
    i1 = past(i_last, got)
    j1 = past(j_last, got)
    k1 = past(k_last, got)
    if (got == TWEED_OK) got = for_space(or_null(pool), c_loc(o), &
      space_of(3, [i_first, j_first, k_first], [i1, j1, k1]), &
      c_funloc(body), or_null(arg))
    call hand_over(got, code)
  end subroutine

  recursive subroutine do_3d_int32(i_first, i_last, j_first, j_last, k_first, k_last, &
      body, arg, pool, options, code)
    integer(int32), intent(in) :: i_first, i_last, j_first, j_last, k_first, k_last
    procedure(tweed_index_3d_body) :: body
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    integer, intent(out), optional :: code

    call do_3d_int64(int(i_first, int64), int(i_last, int64), int(j_first, int64), &
      int(j_last, int64), int(k_first, int64), int(k_last, int64), body, arg, pool, &
      options, code)
  end subroutine

  ! ---- reductions ----

  recursive subroutine run_reduce(begin, past_it, element, arg) bind(c)
    integer(c_int64_t), value :: begin, past_it
    type(c_ptr), value :: element, arg
    type(wrapped), pointer :: w
    procedure(tweed_reduce_body), pointer :: body

    call c_f_pointer(arg, w)
    call c_f_procpointer(w%body, body)
    call body(begin, past_it - 1, element, w%arg)
  end subroutine

  recursive subroutine run_combine(into, from, arg) bind(c)
    type(c_ptr), value :: into, from, arg
    type(wrapped), pointer :: w
    procedure(tweed_combine_body), pointer :: combine

    call c_f_pointer(arg, w)
    call c_f_procpointer(w%combine, combine)
    call combine(into, from, w%arg)
  end subroutine

  recursive subroutine reduce_int64(first, last, body, combine, identity, result, bytes, &
      arg, pool, options, code, alignment)
    integer(int64), intent(in) :: first, last
    procedure(tweed_reduce_body) :: body
    procedure(tweed_combine_body) :: combine
    type(c_ptr), intent(in) :: identity, result
    integer(c_size_t), intent(in) :: bytes
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    integer, intent(in), optional :: alignment
    integer, intent(out), optional :: code
    type(c_loop_options), target :: o
    type(wrapped), target :: w
    type(reduction) :: r
    character(kind=c_char), target :: name_text(32)
    integer(int64) :: hi
    integer(c_int) :: got

    o = in_c(options, name_text)
    w%body = c_funloc(body)
    w%combine = c_funloc(combine)
    w%arg = or_null(arg)
    r%size = c_sizeof(r)
    r%element_size = bytes
    r%alignment = 16
    if (present(alignment)) r%alignment = alignment
    r%identity = identity
    r%body = c_funloc(run_reduce)
    r%combine = c_funloc(run_combine)
    got = TWEED_OK
    hi = past_weighed(first, last, options, got)
    if (got == TWEED_OK) got = reduce_with(or_null(pool), c_loc(o), first, hi, r, &
      c_loc(w), result)
    call hand_over(got, code)
  end subroutine

  recursive subroutine reduce_int32(first, last, body, combine, identity, result, bytes, &
      arg, pool, options, code, alignment)
    integer(int32), intent(in) :: first, last
    procedure(tweed_reduce_body) :: body
    procedure(tweed_combine_body) :: combine
    type(c_ptr), intent(in) :: identity, result
    integer(c_size_t), intent(in) :: bytes
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    integer, intent(in), optional :: alignment
    integer, intent(out), optional :: code

    call reduce_int64(int(first, int64), int(last, int64), body, combine, identity, &
      result, bytes, arg, pool, options, code, alignment)
  end subroutine

  recursive subroutine add_run(first, last, element, arg) bind(c)
    integer(c_int64_t), value :: first, last
    type(c_ptr), value :: element, arg
    type(wrapped), pointer :: w
    procedure(tweed_sum_body), pointer :: body
    real(c_double), pointer :: total
    integer(c_int64_t) :: i

    call c_f_pointer(arg, w)
    call c_f_procpointer(w%body, body)
    call c_f_pointer(element, total)
    do i = first, last
      total = total + body(i, w%arg)
    end do
  end subroutine

  recursive subroutine add_total(into, from, arg) bind(c)
    type(c_ptr), value :: into, from, arg
    real(c_double), pointer :: a, b

    if (.not. c_associated(arg)) return ! it is; so no compiler says that it is unused
    call c_f_pointer(into, a)
    call c_f_pointer(from, b)
    a = a + b
  end subroutine

  recursive function sum_int64(first, last, body, arg, pool, options) &
      result(total)
    integer(int64), intent(in) :: first, last
    procedure(tweed_sum_body) :: body
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    real(c_double), target :: total, zero
    type(wrapped), target :: w

    w%body = c_funloc(body)
    w%combine = c_null_funptr
    w%arg = or_null(arg)
    zero = 0
    total = 0
    call reduce_int64(first, last, add_run, add_total, c_loc(zero), c_loc(total), &
      c_sizeof(zero), c_loc(w), pool, options)
  end function

  recursive function sum_int32(first, last, body, arg, pool, options) &
      result(total)
    integer(int32), intent(in) :: first, last
    procedure(tweed_sum_body) :: body
    type(c_ptr), intent(in), optional :: arg, pool
    type(tweed_loop_options), intent(in), optional :: options
    real(c_double) :: total

    total = sum_int64(int(first, int64), int(last, int64), body, arg, pool, options)
  end function

  ! ---- pools ----

  ! The options as C has them, whose texts lie in name_text and cpus_text.
  recursive function pool_in_c(options, name_text, cpus_text) result(o)
    type(tweed_pool_options), intent(in), optional :: options
    character(kind=c_char), intent(out), target :: name_text(9)
    character(kind=c_char), intent(out), allocatable, target :: cpus_text(:)
    type(c_pool_options) :: o
    procedure(tweed_worker_hook), pointer :: on_start, on_end
    integer(c_int), parameter :: none = 0

    o = c_pool_options(c_sizeof(o), none, none, c_null_ptr, c_null_ptr, 0_c_size_t, &
      c_null_funptr, c_null_funptr, c_null_ptr, none, 0, 0_c_int64_t)
    name_text(1) = c_null_char
    if (.not. present(options)) return
    o%num_workers = options%num_workers
    o%bind = options%bind
    o%stack_bytes = options%stack_bytes
    o%hook_arg = options%hook_arg
    o%fence = options%fence
    o%spin_ns = options%spin_ns
    o%seed = options%seed
    if (options%name /= '') then
      call put_string(options%name, name_text)
      o%name = c_loc(name_text)
    end if
    if (allocated(options%cpus)) then
      allocate (cpus_text(len_trim(options%cpus) + 1))
      call put_string(options%cpus, cpus_text)
      o%cpus = c_loc(cpus_text)
    end if
    on_start => options%on_start
    on_end => options%on_end
    if (associated(on_start)) o%on_start = c_funloc(on_start)
    if (associated(on_end)) o%on_end = c_funloc(on_end)
  end function

  ! call tweed_pool_create(pool [, options, code])
  recursive subroutine tweed_pool_create(pool, options, code)
    type(c_ptr), intent(out) :: pool
    type(tweed_pool_options), intent(in), optional :: options
    integer, intent(out), optional :: code
    character(kind=c_char), target :: name_text(9)
    character(kind=c_char), allocatable, target :: cpus_text(:)

    pool = c_null_ptr
    call hand_over(pool_create(pool, pool_in_c(options, name_text, cpus_text)), code)
  end subroutine

  ! The same options for the default pool, before it starts.
  recursive subroutine tweed_default_pool_configure(options, code)
    type(tweed_pool_options), intent(in), optional :: options
    integer, intent(out), optional :: code
    character(kind=c_char), target :: name_text(9)
    character(kind=c_char), allocatable, target :: cpus_text(:)

    call hand_over(default_pool_configure(pool_in_c(options, name_text, cpus_text)), code)
  end subroutine

  ! Ends the default pool; its next use starts it anew.
  recursive subroutine tweed_default_pool_shutdown(code)
    integer, intent(out), optional :: code

    call hand_over(default_pool_shutdown(), code)
  end subroutine

  recursive subroutine tweed_pool_destroy(pool, code)
    type(c_ptr), intent(in) :: pool
    integer, intent(out), optional :: code

    call hand_over(pool_destroy(pool), code)
  end subroutine

  ! How many workers a pool has, the default pool where none is given.
  recursive function tweed_pool_num_workers(pool) result(n)
    type(c_ptr), intent(in), optional :: pool
    integer :: n

    n = pool_num_workers(or_null(pool))
  end function

  ! call tweed_pool_progress([fn, arg, pool, code]): fn(progress, arg) learns how far the
  ! loops of a pool are.  Without fn no function is called any more.
  recursive subroutine tweed_pool_progress(fn, arg, pool, code)
    procedure(tweed_progress_hook), optional :: fn
    type(c_ptr), intent(in), optional :: arg, pool
    integer, intent(out), optional :: code
    type(c_funptr) :: told

    told = c_null_funptr
    if (present(fn)) told = c_funloc(fn)
    call hand_over(pool_progress(or_null(pool), told, or_null(arg)), code)
  end subroutine

  ! The loop's name; '': it has none.
  recursive function tweed_progress_name(progress) result(name)
    type(tweed_progress), intent(in) :: progress
    character(:), allocatable :: name

    name = get_string(progress%name)
  end function

  ! ---- words ----

  recursive function tweed_strerror(code) result(s)
    integer, intent(in) :: code
    character(:), allocatable :: s

    s = get_string(c_strerror(int(code, c_int)))
  end function

  recursive function tweed_last_error() result(s)
    character(:), allocatable :: s

    s = get_string(c_last_error())
  end function

  recursive function tweed_version() result(s)
    character(:), allocatable :: s

    s = get_string(c_version())
  end function
end module

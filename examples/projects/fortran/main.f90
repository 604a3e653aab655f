module squares
  use tweed
  implicit none
  real(c_double) :: x(999)

contains

  recursive subroutine square(i, arg) bind(c)
    integer(c_int64_t), value :: i
    type(c_ptr), value :: arg ! what the call hands over: nothing

    if (.not. c_associated(arg)) x(i) = real(i, c_double)**2
  end subroutine
end module

program main
  use squares
  implicit none

  call tweed_parallel_do(1, 999, square)
  print '(i0)', nint(x(999)) ! 998001
end program

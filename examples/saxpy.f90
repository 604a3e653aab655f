! saxpy.f90 - the first example again, in Fortran, and a sum.
!
! SPDX-License-Identifier: MIT
!
!     gfortran -O2 $(pkg-config --variable=fortran tweed) saxpy.f90 $(pkg-config --libs tweed)
module vectors
  use tweed
  implicit none

  type :: saxpy_data
    real, pointer :: y(:), x(:)
    real :: a
  end type

contains

  ! do i = first, last
  !   y(i) = y(i) + a * x(i)
  ! end do
  recursive subroutine saxpy(first, last, arg) bind(c)
    integer(c_int64_t), value :: first, last
    type(c_ptr), value :: arg
    type(saxpy_data), pointer :: v

    call c_f_pointer(arg, v)
    v%y(first:last) = v%y(first:last) + v%a * v%x(first:last)
  end subroutine

  recursive function element(i, arg) bind(c) result(y)
    integer(c_int64_t), value :: i
    type(c_ptr), value :: arg
    real(c_double) :: y
    type(saxpy_data), pointer :: v

    call c_f_pointer(arg, v)
    y = v%y(i)
  end function
end module

program main
  use vectors
  implicit none
  type(saxpy_data), target :: v

  allocate (v%x(1000), v%y(1000))
  v%x = 21
  v%y = 0
  v%a = 2
  call tweed_parallel_do_range(1, 1000, saxpy, c_loc(v))
  print '(f0.0)', v%y(1000) ! 42.
  print '(f0.0)', tweed_sum(1, 1000, element, c_loc(v)) ! 42000.
end program

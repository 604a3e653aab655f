/*
 * tweed/arguments.h - the arguments of a loop, or of a task, in the list of a macro.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     TWEED_LOOP(saxpy, i, float *, y, const float *, x, float, a)
 *
 * A LIST is one word, here i, and up to 16 arguments, each a type and a name.  A type
 * is what can stand before a name; any other one needs a typedef.  The macros here count
 * the arguments of a list, and list what a loop or a task needs of each.
 *
 * Argument number k, counted from the last one, is tweed_ak_ in what the macros make.
 * The user's names stand where a user sees them: in the body, and in the function that is
 * called.
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_ARGUMENTS_H
#define TWEED_ARGUMENTS_H

#ifdef __cplusplus
#define TWEED_ASSERT_(condition, text) static_assert(condition, text)
#else
#define TWEED_ASSERT_(condition, text) _Static_assert(condition, text)
#endif

#define TWEED_PASTE_(a, b) TWEED_PASTED_(a, b)
#define TWEED_PASTED_(a, b) a##b
#define TWEED_LIST_(...) __VA_ARGS__
#define TWEED_FIRST_(...) TWEED_FIRST_OF_(__VA_ARGS__, ~)
#define TWEED_FIRST_OF_(a, ...) a

/* ---- counting ---- */

#define TWEED_32ND_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, \
                    w, x, y, z, A, B, C, D, E, F, ...)                         \
    F
#define TWEED_64TH_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, \
                    w, x, y, z, A, B, C, D, E, F, ...)                         \
    TWEED_32ND_(__VA_ARGS__)
/* How many arguments a list has; 0odd_: that is no list, or one of 17 to 31.  These words
   begin with a digit: no macro of a user's can have their names. */
#define TWEED_COUNT_(...)                                                      \
    TWEED_64TH_(__VA_ARGS__, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, \
                0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, \
                0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, 0odd_, \
                0odd_, 0odd_, 16_, 0odd_, 15_, 0odd_, 14_, 0odd_, 13_, 0odd_, 12_, \
                0odd_, 11_, 0odd_, 10_, 0odd_, 9_, 0odd_, 8_, 0odd_, 7_, 0odd_, 6_, \
                0odd_, 5_, 0odd_, 4_, 0odd_, 3_, 0odd_, 2_, 0odd_, 1_, 0odd_, 0_, ~)
/* What is no list is an error, on the user's own line.  form: what stands before the
   arguments, since a word that is missing there, or a comma too many, counts too. */
#define TWEED_CHECK_LIST_(form, ...)                                           \
    TWEED_PASTE_(TWEED_CHECK_,                                                 \
                 TWEED_SECOND_(TWEED_PASTE_(                                   \
                                   TWEED_NONE_,                                \
                                   TWEED_COUNT_(TWEED_COMMA_IF_NONE_(          \
                                       TWEED_FIRST_(__VA_ARGS__)) __VA_ARGS__)), \
                               0list_))                                        \
    (form)
/* A list without its word has a word that is empty: one more makes it none. */
#define TWEED_COMMA_IF_NONE_(w) TWEED_COMMA_ w()
#define TWEED_COMMA_() ,
#define TWEED_NONE_0odd_ ~, 0odd_
#define TWEED_SECOND_(...) TWEED_SECOND_OF_(__VA_ARGS__, ~)
#define TWEED_SECOND_OF_(a, b, ...) b
#define TWEED_CHECK_0list_(form)
#define TWEED_CHECK_0odd_(form)                                                \
    TWEED_TELL_(TWEED_FORM_##form, type, argument,                             \
                ...: each argument is a type and a name, and 16 are the most)
#define TWEED_TELL_(...) TWEED_TOLD_(__VA_ARGS__)
#define TWEED_TOLD_(...) TWEED_PRAGMA_(GCC error #__VA_ARGS__)
#define TWEED_PRAGMA_(pragma) _Pragma(#pragma)
#define TWEED_FORM_0loop_ name, index
#define TWEED_FORM_0sum_ T, name, index
#define TWEED_FORM_0best_ T, name, start, index
#define TWEED_FORM_0any_ T, name, identity, combine, acc, index
#define TWEED_FORM_0scan_ T, name, identity, combine, acc, writes, index
#define TWEED_FORM_0task_ T, name

/* ---- listing ---- */

/* make(word, type, name, number) for each argument of a list; where it has none, none. */
#define TWEED_EACH_ARGUMENT_(make, none, ...)                                  \
    TWEED_PASTE_(TWEED_EACH_OF_, TWEED_COUNT_(__VA_ARGS__))                    \
    (make, none, __VA_ARGS__)
#define TWEED_EACH_OF_0odd_(make, none, ...) none
#define TWEED_EACH_OF_0_(make, none, w) none
#define TWEED_EACH_OF_1_(make, none, w, T, a) make(w, T, a, 1)
#define TWEED_EACH_OF_2_(make, none, w, T, a, ...)                             \
    make(w, T, a, 2) TWEED_EACH_OF_1_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_3_(make, none, w, T, a, ...)                             \
    make(w, T, a, 3) TWEED_EACH_OF_2_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_4_(make, none, w, T, a, ...)                             \
    make(w, T, a, 4) TWEED_EACH_OF_3_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_5_(make, none, w, T, a, ...)                             \
    make(w, T, a, 5) TWEED_EACH_OF_4_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_6_(make, none, w, T, a, ...)                             \
    make(w, T, a, 6) TWEED_EACH_OF_5_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_7_(make, none, w, T, a, ...)                             \
    make(w, T, a, 7) TWEED_EACH_OF_6_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_8_(make, none, w, T, a, ...)                             \
    make(w, T, a, 8) TWEED_EACH_OF_7_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_9_(make, none, w, T, a, ...)                             \
    make(w, T, a, 9) TWEED_EACH_OF_8_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_10_(make, none, w, T, a, ...)                            \
    make(w, T, a, 10) TWEED_EACH_OF_9_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_11_(make, none, w, T, a, ...)                            \
    make(w, T, a, 11) TWEED_EACH_OF_10_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_12_(make, none, w, T, a, ...)                            \
    make(w, T, a, 12) TWEED_EACH_OF_11_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_13_(make, none, w, T, a, ...)                            \
    make(w, T, a, 13) TWEED_EACH_OF_12_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_14_(make, none, w, T, a, ...)                            \
    make(w, T, a, 14) TWEED_EACH_OF_13_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_15_(make, none, w, T, a, ...)                            \
    make(w, T, a, 15) TWEED_EACH_OF_14_(make, none, w, __VA_ARGS__)
#define TWEED_EACH_OF_16_(make, none, w, T, a, ...)                            \
    make(w, T, a, 16) TWEED_EACH_OF_15_(make, none, w, __VA_ARGS__)

/* Of functions behind other parameters: the arguments, and that they are passed on. */
#define TWEED_PARAMETERS_(...) TWEED_EACH_ARGUMENT_(TWEED_PARAMETER_, , __VA_ARGS__)
#define TWEED_PARAMETER_(w, T, a, k) , TWEED_UNUSED_ T a
#define TWEED_PASSED_(...) TWEED_EACH_ARGUMENT_(TWEED_PASS_, , __VA_ARGS__)
#define TWEED_PASS_(w, T, a, k) , a

/* A struct of this file alone: in C++ two files may have structs of one name. */
#ifdef __cplusplus
#define TWEED_STRUCT_(attributes, name, ...)                                   \
    namespace {                                                                \
    struct attributes name {                                                   \
        __VA_ARGS__                                                            \
    };                                                                         \
    }
#else
#define TWEED_STRUCT_(attributes, name, ...)                                   \
    struct attributes name {                                                   \
        __VA_ARGS__                                                            \
    };
#endif

/* The arguments in a struct, and what it is initialised with. */
#define TWEED_ARGUMENTS_(attributes, name, ...)                                \
    TWEED_STRUCT_(attributes, name##_tweed_args,                               \
                  TWEED_EACH_ARGUMENT_(TWEED_MEMBER_, char tweed_none_;, __VA_ARGS__))
#define TWEED_MEMBER_(w, T, a, k) T tweed_a##k##_;
#define TWEED_VALUES_(...) TWEED_EACH_ARGUMENT_(TWEED_MEMBER_VALUE_, 0, __VA_ARGS__)
#define TWEED_MEMBER_VALUE_(w, T, a, k) a,

/* ---- of loops ---- */

/* The list of a loop: its last index, and its arguments.  In a loop that has no result
   compilers warn of an argument that the body does not read: what the body adds to such
   an argument is lost. */
#define TWEED_BODY_PARAMETERS_(...)                                            \
    TWEED_INDEX_(TWEED_FIRST_(__VA_ARGS__)) TWEED_PARAMETERS_(__VA_ARGS__)
#define TWEED_READ_PARAMETERS_(...)                                            \
    TWEED_INDEX_(TWEED_FIRST_(__VA_ARGS__))                                    \
    TWEED_EACH_ARGUMENT_(TWEED_READ_PARAMETER_, , __VA_ARGS__)
#define TWEED_READ_PARAMETER_(w, T, a, k) , T a
#define TWEED_INDEX_(i) TWEED_UNUSED_ int64_t i

/* In the function that is called: the struct, on the caller's stack. */
#define TWEED_PACK_(name, ...)                                                 \
    struct name##_tweed_args tweed_v_ = { TWEED_VALUES_(__VA_ARGS__) };

/* In work(), once a claim: locals, which no store of the body's can change.  They are
   passed to the body behind its indices. */
#define TWEED_UNPACK_(name, data, ...)                                         \
    const struct name##_tweed_args *tweed_v_ TWEED_UNUSED_ =                   \
        TWEED_TYPED_(const struct name##_tweed_args, data);                    \
    TWEED_EACH_ARGUMENT_(TWEED_LOCAL_, , __VA_ARGS__)
#define TWEED_LOCAL_(w, T, a, k) T tweed_a##k##_ = tweed_v_->tweed_a##k##_;
#define TWEED_LOCALS_(...) TWEED_EACH_ARGUMENT_(TWEED_PASS_LOCAL_, , __VA_ARGS__)
#define TWEED_PASS_LOCAL_(w, T, a, k) , tweed_a##k##_

#endif /* TWEED_ARGUMENTS_H */

/*
 * ways.hpp - struct user_way in C++, whose arrays are not initialised by index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef USERS_WAYS_HPP
#define USERS_WAYS_HPP

#include <initializer_list>

#include "users.h"

struct user_named_loop {
    enum user_body body;
    user_loop_fn *loop;
};

inline user_way user_way_of(const char *name, std::initializer_list<user_named_loop> loops,
                            user_loop_fn *timed = nullptr, user_nest_fn *nest = nullptr,
                            user_sort_fn *sort = nullptr)
{
    user_way way = {};

    way.name = name;
    for (const user_named_loop &l : loops)
        way.loops[l.body] = l.loop;
    way.timed = timed;
    way.nest = nest;
    way.sort = sort;
    return way;
}

#endif

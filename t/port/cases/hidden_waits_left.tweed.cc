/*
 * Loops and functions that wait, where neither the header of the loop nor a plain assignment says
 * so: members, other names of a variable, macros, exceptions, and functions that call themselves.
 */
#include <tweed.hpp>
#include <cstdio>
#include <list>
#include <omp.h>
#include <stdexcept>

#include <pthread.h>

extern "C" {
__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;
}


namespace {

enum { T = 3 };

int turn, order;

int look()
{
    int now;

    {
        pthread_mutex_lock(&port_critical);
        now = turn;
        pthread_mutex_unlock(&port_critical);
    }
    return now;
}

void go_on(int mine)
{
    {
        pthread_mutex_lock(&port_critical);
        order = 10 * order + mine;
        turn--;
        pthread_mutex_unlock(&port_critical);
    }
}

struct waiter {
    int limit = 1;
    std::list<int> todo{ 0 };

    void by_member(int mine)
    {
        for (int k = 0; k < limit; k++)
            if (look() != mine)
                limit = k + 2;
    }

    void by_list(int mine)
    {
        for (auto at = todo.begin(); at != todo.end(); ++at)
            if (look() != mine)
                todo.push_back(1);
    }
};

void by_alias(int mine)
{
    int k, *p = &k;

    for (k = 0; k < 1; k++)
        if (look() != mine)
            (*p)--;
}

#define BACK(x) x--

void by_macro(int mine)
{
    for (int k = 0; k < 1; k++)
        if (look() != mine)
            BACK(k);
}

void by_reference(int mine)
{
    int k = 0;
    auto back = [&k] { k--; };

    for (k = 0; k < 1; k++)
        if (look() != mine)
            back();
}

bool by_value(int mine)
{
    return look() == mine || by_value(mine);
}

void by_other(int mine);

void by_turns(int mine)
{
    if (look() != mine)
        by_other(mine);
}

void by_other(int mine)
{
    by_turns(mine);
}

void by_throw(int mine)
{
    for (long t = 0; t < 3000000000; t++)
        if (look() == mine)
            throw std::runtime_error("mine");
}

template <typename Wait> int in_order(Wait wait)
{
    turn = T - 1;
    order = 0;
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int i = 0; i < T; i++) {
        wait(i);
        go_on(i);
    }
    return order;
}

} // namespace

int main()
{
    int sum = 0;

    turn = T - 1;
    order = 0;
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int i = 0; i < T; i++) {
        waiter w;

        w.by_member(i);
        w.by_list(i);
        go_on(i);
    }
    sum += order;
    turn = T - 1;
    order = 0;
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int i = 0; i < T; i++) {
        by_alias(i);
        go_on(i);
    }
    sum += order;
    turn = T - 1;
    order = 0;
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int i = 0; i < T; i++) {
        by_macro(i);
        go_on(i);
    }
    sum += order;
    turn = T - 1;
    order = 0;
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int i = 0; i < T; i++) {
        by_reference(i);
        go_on(i);
    }
    sum += order;
    turn = T - 1;
    order = 0;
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int i = 0; i < T; i++) {
        by_value(i);
        go_on(i);
    }
    sum += order;
    turn = T - 1;
    order = 0;
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int i = 0; i < T; i++) {
        by_turns(i);
        go_on(i);
    }
    sum += order;
    turn = T - 1;
    order = 0;
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int i = 0; i < T; i++) {
        try {
            by_throw(i);
        } catch (const std::runtime_error &) {
        }
        go_on(i);
    }
    std::printf("%d %d\n", sum + order, in_order(by_alias));
    return 0;
}

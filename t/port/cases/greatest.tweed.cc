/* Loops that begin with the greatest value of their variable's type. */
#include <tweed.hpp>
#include <cstdio>

template <typename T> long sum_from_top()
{
    long s = 0;

    {
        const T u_first = 127;
        s += tweed::parallel_sum<long>((int64_t)(0), (int64_t)(127 - 120), [&](int64_t u_index) -> long {
            T u = static_cast<T>(u_first - u_index);
            long s{};

            s += u;
            return s;
        });
    }
    return s;
}

int main()
{
    long s = 0;

    {
        const auto u_first = 255;
        s += tweed::parallel_sum<long>((int64_t)(0), (int64_t)(int64_t((unsigned char)255)), [&](int64_t u_index) -> long {
            unsigned char u = (unsigned char)((int64_t)u_first - u_index);
            long s{};

            s += u;
            return s;
        });
    }
    {
        const auto u_first = 65535;
        s += tweed::parallel_sum<long>((int64_t)(0), (int64_t)(int64_t((unsigned short)65535) - 65530), [&](int64_t u_index) -> long {
            unsigned short u = (unsigned short)((int64_t)u_first - u_index);
            long s{};

            s += u;
            return s;
        });
    }
    {
        const auto u_first = 2147483647;
        s += tweed::parallel_sum<long>((int64_t)(0), (int64_t)(2147483647 - 2147483640), [&](int64_t u_index) -> long {
            int u = (int)((int64_t)u_first - u_index);
            long s{};

            s += u;
            return s;
        });
    }
    {
        const auto u_first = 4294967295u;
        s += tweed::parallel_sum<long>((int64_t)(0), (int64_t)(int64_t(4294967295u) - int64_t(4294967290u)), [&](int64_t u_index) -> long {
            unsigned int u = (unsigned int)((int64_t)u_first - u_index);
            long s{};

            s += u;
            return s;
        });
    }
    {
        const auto u_first = 3;
        s += tweed::parallel_sum<long>((int64_t)(0), (int64_t)(3 - 255), [&](int64_t u_index) -> long {
            unsigned char u = (unsigned char)((int64_t)u_first - u_index);
            long s{};

            s += u;
            return s;
        });
    }
    s += tweed::parallel_sum<long>((unsigned char)(251), (unsigned char)(255), [&](unsigned char u) -> long {
        long s{};

        s += u;
        return s;
    });
    std::printf("%ld %ld\n", s, sum_from_top<int>() + sum_from_top<signed char>());
    return 0;
}

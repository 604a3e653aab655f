/*
 * What each thread gathers in a container, or a generator of its own, goes over a barrier.
 */
#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

struct pair_of { int a; double b; };

static long lists(int n)
{
    std::vector<int> all;

#pragma omp parallel
    {
        std::vector<int> mine;
#pragma omp for
        for (int i = 0; i < n; i++)
            if (i % 3 == 0)
                mine.push_back(i);
        std::sort(mine.begin(), mine.end(), [](int a, int b) { return a > b; });
#pragma omp critical
        all.insert(all.end(), mine.begin(), mine.end());
    }
    std::sort(all.begin(), all.end());
    return all.size() * 1000 + all.back();
}

static long counts(int n)
{
    std::map<std::string, long> all;
    std::vector<double> sums(8);

#pragma omp parallel
    {
        std::map<std::string, long> mine;
        std::vector<double> rows(8, 0.0);
        std::array<int, 4> last = {};
#pragma omp for
        for (int i = 0; i < n; i++) {
            double &row = rows[i % 8];

            auto found = mine.find(i % 2 ? "odd" : "even");
            if (found == mine.end())
                mine[i % 2 ? "odd" : "even"] = i;
            else
                found->second += i;
            row += i;
            last[i % 4] = i;
        }
#pragma omp critical
        {
            for (const auto &kv : mine)
                all[kv.first] += kv.second;
            for (size_t k = 0; k < rows.size(); k++)
                sums[k] += rows[k] + 0 * last[k % 4];
        }
    }
    return all["odd"] * 3 + all["even"] + (long)sums[3];
}

static double drawn(int n)
{
    double least = 1e9;
    std::complex<double> turned = 0;
    pair_of best = { -1, 1e9 };

#pragma omp parallel
    {
        std::mt19937 generator(17);
        std::uniform_real_distribution<double> of(0.0, 1.0);
        std::complex<double> mine(0, 0);
        pair_of low = { -1, 1e9 };
        double first = of(generator);
#pragma omp for
        for (int i = 0; i < n; i++) {
            double x = (i * 37 % 101) / 101.0;

            mine += std::complex<double>(0, i);
            if (x < low.b || (x == low.b && i < low.a)) {
                low.a = i;
                low.b = x;
            }
        }
#pragma omp critical
        {
            least = std::min(least, first);
            turned += mine;
            if (low.b < best.b || (low.b == best.b && low.a < best.a))
                best = low;
        }
    }
    return least + turned.imag() + best.a + best.b;
}

int main()
{
    std::printf("%ld %ld %.6f\n", lists(1000), counts(1000), drawn(100));
    return 0;
}

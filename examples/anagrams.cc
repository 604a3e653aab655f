/*
 * anagrams.cc - C++: which words are made of the same letters, and which set of letters
 * makes the most words.
 *
 * SPDX-License-Identifier: MIT
 *
 * The words are sorted by letter, each for itself; the table of those with the same
 * letters is a reduction whose partial results are maps.
 */
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <tweed.hpp>
#include <vector>

typedef std::map<std::string, std::vector<std::string>> table;

/* Strings of four letters, for words. */
static std::vector<std::string> some_words(int n)
{
    std::vector<std::string> words;

    for (int i = 0; i < n; i++) {
        const int64_t x = i * INT64_C(2654435761);
        std::string word;

        for (int k = 8; k < 24; k += 4)
            word += "aeilnorst"[(x >> k) % 9];
        words.push_back(word);
    }
    return words;
}

static std::string letters_of(std::string word)
{
    std::sort(word.begin(), word.end());
    return word;
}

/* The words of `from` come behind those of `into`: the order is always the same. */
static void merge(table &into, const table &from)
{
    for (const auto &row : from) {
        std::vector<std::string> &words = into[row.first];

        words.insert(words.end(), row.second.begin(), row.second.end());
    }
}

int main()
{
    const std::vector<std::string> words = some_words(100000);
    const table all = tweed::parallel_reduce(
        words, table(),
        [](const std::string &word, table &mine) {
            mine[letters_of(word)].push_back(word);
        },
        merge);
    const auto most = std::max_element(
        all.begin(), all.end(), [](const table::value_type &a, const table::value_type &b) {
            return a.second.size() < b.second.size();
        });

    std::cout << all.size() << " sets of letters; " << most->first << " makes "
              << most->second.size() << " words: " << most->second[0] << ", "
              << most->second[1] << ", ...\n";
    const auto first = tweed::parallel_find(
        words, [](const std::string &word) { return word == "tale"; });

    if (first != words.end())
        std::cout << "tale is word " << first - words.begin() << '\n';
    return 0;
}

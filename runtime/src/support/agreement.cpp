#include "support/agreement.h"

#include "support/failure.h"

#include <algorithm>

namespace planrt {

namespace {

constexpr char end = '\0'; // occurs in no argument, name or number

std::string packed(const Facts &facts) {
    std::string result;
    for (const auto &[name, value] : facts)
        ((result += name) += end) += value + end;
    return result;
}

Facts unpacked(const std::string &words) {
    std::vector<std::string> each;
    for (std::size_t begin = 0; begin < words.size(); begin += each.back().size() + 1)
        each.emplace_back(words.substr(begin, words.find(end, begin) - begin));
    Facts facts;
    for (std::size_t i = 0; i + 1 < each.size(); i += 2)
        facts.emplace_back(each[i], each[i + 1]);
    return facts;
}

std::string of_rank_0(const std::string &words) {
    int size = static_cast<int>(words.size());
    check_mpi(MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD), "agreement of the ranks");
    std::string result = words;
    result.resize(static_cast<std::size_t>(size));
    check_mpi(MPI_Bcast(result.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD), "agreement of the ranks");
    return result;
}

std::string value_in(const Facts &facts, const std::string &name) {
    const auto found = std::ranges::find(facts, name, &Facts::value_type::first);
    return found == facts.end() ? "none" : found->second;
}

/// The first fact that one of the two ranks has and the other lacks.
std::string difference(const Facts &first, const Facts &own, int rank) {
    Facts all = first;
    all.insert(all.end(), own.begin(), own.end());
    for (const auto &[name, value] : all)
        if (value_in(first, name) != value_in(own, name))
            return name + ": " + value_in(first, name) + " on rank 0, " + value_in(own, name) + " on rank " +
                   std::to_string(rank);
    return "";
}

} // namespace

void agree(const Facts &facts, const std::string &complaint, int exit_code) {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::string different = difference(unpacked(of_rank_0(packed(facts))), facts, rank);
    const int mine = different.empty() ? ranks : rank;
    int lowest = ranks;
    check_mpi(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "agreement of the ranks");
    if (lowest == ranks)
        return;
    if (lowest == rank)
        say_error(complaint + ": " + different);
    throw CommonFailure("", exit_code);
}

} // namespace planrt

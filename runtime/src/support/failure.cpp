#include "support/failure.h"

#include "support/printable.h"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <new>
#include <thread>
#include <vector>

namespace planrt {

void say_error(const std::string &message) {
    const std::string line = "planrt: " + printable(message) + "\n";
    std::fflush(stdout);
    // Nothing can be done if even the error output cannot be written.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

namespace {

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int world_size() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

} // namespace

namespace {

/// Ends this rank, and with it all ranks, without a message. Open MPI would add a long explanation after our line. The
/// variable that silences it is not part of MPI's interface, and other MPIs have none.
[[noreturn]] void end_all_ranks(int exit_code) {
    if (auto *quiet = static_cast<bool *>(dlsym(RTLD_DEFAULT, "orte_execute_quiet")); quiet != nullptr)
        *quiet = true;
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    _exit(exit_code);
}

} // namespace

void abort_all_ranks(const std::string &message) {
    const int rank = world_rank();
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(rank * 50, 2000)));
    say_error(text("rank %d: ", rank) + message);
    end_all_ranks(exit_failure);
}

int ending(const std::function<int()> &action) {
    int exit_code = 0;
    try {
        exit_code = action();
    } catch (const CommonFailure &failure) {
        if (world_rank() == 0 && *failure.what() != '\0')
            say_error(failure.what());
        exit_code = failure.exit_code();
    } catch (const std::exception &failure) {
        abort_all_ranks(failure.what());
    }
    std::fflush(stdout);
    if (exit_code != 0) { // mpirun prints a message about ranks that exit by themselves
        MPI_Barrier(MPI_COMM_WORLD);
        end_all_ranks(exit_code);
    }
    MPI_Finalize();
    return exit_code;
}

void together(const std::function<void()> &action, int exit_code) {
    std::string reason;
    try {
        action();
    } catch (const std::bad_alloc &) {
        reason = "out of memory";
    } catch (const std::exception &failure) {
        reason = failure.what();
    }
    const int ranks = world_size();
    const int rank = world_rank();
    int mine[2] = {reason.empty() ? ranks : rank, reason.empty() ? 1 : 0};
    int first = ranks;
    int any_good = 1;
    check_mpi(MPI_Allreduce(&mine[0], &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "agreement of the ranks");
    check_mpi(MPI_Allreduce(&mine[1], &any_good, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "agreement of the ranks");
    if (first == ranks)
        return;
    if (first == rank)
        say_error(any_good == 0 ? reason : text("rank %d: ", rank) + reason);
    throw CommonFailure("", exit_code);
}

void check_mpi(int code, const char *operation) {
    if (code == MPI_SUCCESS)
        return;
    char words[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, words, &length);
    throw Failure(text("%s: %.*s", operation, length, words));
}

} // namespace planrt

// Waiting where others must go on meanwhile: until the next message of any of them has arrived. Asking takes no time in
// a simulation, so that asking again and again would never end. SMPI (3.32) keeps for ever, and looks through when it
// waits, what was found complete by asking; so what can be waited for is.
#include "run/engine/engine.h"

#include "support/failure.h"

namespace planrt {

void Engine::watched_wait(int index) {
    std::vector<MPI_Request *> places;
    std::vector<MPI_Request> requests;
    while (!operations_[index]->advance()) {
        places.clear();
        operations_[index]->add_requests(places);
        for (const int other : started_)
            operations_[other]->add_requests(places);
        requests.clear();
        for (const MPI_Request *request : places)
            requests.push_back(*request);
        int arrived = MPI_UNDEFINED;
        check_mpi(MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &arrived, MPI_STATUS_IGNORE), "wait");
        if (arrived == MPI_UNDEFINED)
            fail(index, "internal error of the compiler: not complete, but nothing is under way");
        *places[static_cast<std::size_t>(arrived)] = requests[static_cast<std::size_t>(arrived)];
        for (const int other : started_)
            static_cast<void>(operations_[other]->advance());
    }
}

} // namespace planrt

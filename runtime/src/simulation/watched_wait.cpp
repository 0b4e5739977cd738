// Waits while other collectives must advance: until the next message of any of them has arrived. Testing takes no
// simulated time, so testing again and again would never end. SMPI (3.32) never forgets requests that were found
// complete by testing, and scans them when it waits; so requests are waited for where possible.
#include "run/engine/engine.h"

#include "support/failure.h"

namespace planrt {

void Engine::watched_wait(const Started &started) {
    std::vector<MPI_Request *> places;
    std::vector<MPI_Request> requests;
    while (!operation(started).advance()) {
        places.clear();
        operation(started).add_requests(places);
        for (const Started &other : started_)
            operation(other).add_requests(places);
        requests.clear();
        for (const MPI_Request *request : places)
            requests.push_back(*request);
        int arrived = MPI_UNDEFINED;
        check_mpi(MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &arrived, MPI_STATUS_IGNORE), "wait");
        if (arrived == MPI_UNDEFINED)
            fail(started.index, "internal error of the compiler: not complete, but nothing is under way");
        *places[static_cast<std::size_t>(arrived)] = requests[static_cast<std::size_t>(arrived)];
        for (const Started &other : started_)
            static_cast<void>(operation(other).advance());
    }
}

} // namespace planrt

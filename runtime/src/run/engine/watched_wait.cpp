// Waits for one operation while others must advance: tests all of them in turn. A simulation, in which testing takes no
// time, links a different version.
#include "run/engine/engine.h"

#include "support/failure.h"

namespace planrt {

void Engine::watched_wait(const Started &started) {
    const double begin = MPI_Wtime();
    while (!test(started)) {
        progress();
        if (watchdog_seconds_ > 0 && MPI_Wtime() - begin > watchdog_seconds_)
            fail(started.index, text("not complete after %g s; a rank does not take part", watchdog_seconds_));
    }
}

} // namespace planrt

// Waiting where others must go on meanwhile: asks all of them in turns. A simulation, in which asking takes no time,
// links another way in its place.
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

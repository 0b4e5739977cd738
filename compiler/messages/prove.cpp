#include "messages/prove.h"

#include "messages/fold.h"
#include "messages/match.h"
#include "messages/requests.h"
#include "messages/run.h"

namespace planc::messages {

Fault prove_each_rank(const Events &events) {
    const Requests open = requests(events);
    if (open.fault)
        return open.fault;
    const Matched matched = match(events);
    return matched.fault ? matched.fault : run(events, open, matched.meetings);
}

Fault prove(const Events &events) {
    if (const std::optional<Events> folded = fold(events); folded && !prove_each_rank(*folded))
        return {};
    return prove_each_rank(events);
}

} // namespace planc::messages

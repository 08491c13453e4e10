// SPDX-License-Identifier: MIT
#include "actors/coordinator/reaper.hpp"

namespace baton::coordinator {

reap_verdict reap(const reap_case& x) noexcept {
  // A run that waits for a person waits as long as that person needs.
  if (x.status != run_status::running || !x.detached)
    return reap_verdict::leave;
  auto finished = x.probe == probe_verdict::finished;
  // A natural end that is there is the true one, even of a run that expired
  // meanwhile; whoever holds the claim is about to tell it.
  if (finished)
    return x.claim_held ? reap_verdict::producing : reap_verdict::finalize;
  if (x.expired)
    return reap_verdict::expire;
  if (x.claim_held || x.probe == probe_verdict::producing)
    return reap_verdict::producing;
  return x.probe ? reap_verdict::unknown : reap_verdict::probe;
}

} // namespace baton::coordinator

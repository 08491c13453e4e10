// SPDX-License-Identifier: MIT
#include "actors/coordinator/prune.hpp"

#include "actors/coordinator/instance_table.hpp"

namespace baton::coordinator {
namespace {

prune_verdict of_run(const prune_case& x) {
  const auto& state = *x.run;
  auto its_own = state.sandbox.id == x.sandbox_id;
  if (!is_terminal(state.status)) {
    if (its_own)
      return {prune_fate::adopt, "its run goes on"};
    return {prune_fate::keep,
            state.status == run_status::interrupted
              ? "its run waits for a person"
              : "its run goes on, in another sandbox"};
  }
  if (left_evidence(state))
    return {prune_fate::keep, "its run ended and nobody saw how"};
  return {prune_fate::remove,
          its_own ? "its run has ended" : "its run ended in another sandbox"};
}

prune_verdict by_age(const std::optional<std::chrono::milliseconds>& age,
                     const std::string& what) {
  if (!age)
    return {prune_fate::keep, what + ", and its age is not known"};
  if (*age <= prune_age_min)
    return {prune_fate::keep, what + ", and it is younger than an hour"};
  return {prune_fate::remove, what};
}

} // namespace

prune_verdict prune(const prune_case& x) {
  if (x.number.value == 0)
    return {prune_fate::keep, "its name says of no run"};
  if (x.run_is == look_up::failed)
    return {prune_fate::keep, "its run could not be looked up"};
  if (x.run_is == look_up::found)
    return of_run(x);
  if (x.number > x.newest)
    return {prune_fate::keep,
            "the store has not given out its run's number yet and may be an "
            "old copy"};
  return by_age(x.age, "there is no such run");
}

prune_verdict prune_shared(bool user,
                           std::optional<std::chrono::milliseconds> age) {
  if (user)
    return {prune_fate::adopt, "a run that goes on uses it"};
  return by_age(age, "no thread is known to share it");
}

} // namespace baton::coordinator

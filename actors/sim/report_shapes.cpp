// SPDX-License-Identifier: MIT
#include "actors/sim/report_shapes.hpp"

namespace baton::sim {

std::string_view shape_of(event_kind kind) noexcept {
  switch (kind) {
  case event_kind::create:
    return R"(<path class="o" d="M-4-5h8v10h-8z"/>)";
  case event_kind::claim:
    return R"(<path class="s" d="M0-7L7 0 0 7-7 0z"/>)";
  case event_kind::append:
    return R"(<path class="s" d="M-3-4L4 0-3 4z"/>)";
  case event_kind::commit:
    return R"(<path class="s" d="M-4-4h8v8h-8z"/>)";
  case event_kind::ack:
    return R"(<path class="l" d="M-4 0l3 3 5-6"/>)";
  case event_kind::refused:
    return R"(<path class="l" d="M-5-5L5 5M5-5L-5 5"/>)";
  case event_kind::launch:
    return R"(<path class="s" d="M-5-6L6 0-5 6z"/>)";
  case event_kind::output:
    return R"(<circle class="s" r="2.6"/>)";
  case event_kind::exit:
    return R"(<path class="o" d="M-5-5h10v10h-10z"/>)";
  case event_kind::finish:
    return R"(<path class="s" d="M-6-6h12v12h-12z"/>)";
  case event_kind::viewer_got:
    return R"(<circle class="o" r="3.2"/>)";
  case event_kind::viewer_end:
    return R"(<circle class="o" r="5.5"/><circle class="s" r="2.4"/>)";
  case event_kind::request:
    return R"(<path class="o" d="M-6-5h12v8h-6l-4 4v-4h-2z"/>)";
  case event_kind::sent:
    return R"(<path class="l" d="M-3-3L1 0-3 3"/>)";
  case event_kind::lost:
    return R"(<path class="l" d="M-4-4L4 4M4-4L-4 4"/>)";
  case event_kind::fault:
    return R"(<path class="s" d="M2-8L-5 1h4l-2 7 7-9h-4z"/>)";
  case event_kind::heal:
    return R"(<path class="l" d="M-5 0h10M0-5v10"/>)";
  case event_kind::violation:
    return R"(<path class="s" d="M0-9l2.4 6H9L4 1.4 5.6 8 0 4.4-5.6 8)"
           R"(-4 1.4-9-3h6.6z"/>)";
  case event_kind::note:
    break;
  }
  return R"(<circle class="o" r="2"/>)";
}

std::string_view meaning_of(event_kind kind) noexcept {
  switch (kind) {
  case event_kind::create:
    return "run created";
  case event_kind::claim:
    return "claim, at epoch e";
  case event_kind::append:
    return "append sent";
  case event_kind::commit:
    return "commit durable";
  case event_kind::ack:
    return "append acknowledged";
  case event_kind::refused:
    return "refused";
  case event_kind::launch:
    return "agent launched";
  case event_kind::output:
    return "agent wrote";
  case event_kind::exit:
    return "agent ended";
  case event_kind::finish:
    return "run ended";
  case event_kind::viewer_got:
    return "viewer sees entries";
  case event_kind::viewer_end:
    return "viewer sees the end";
  case event_kind::request:
    return "somebody asks";
  case event_kind::sent:
    return "message sent";
  case event_kind::lost:
    return "lost, or no answer by now";
  case event_kind::fault:
    return "fault";
  case event_kind::heal:
    return "healed";
  case event_kind::violation:
    return "invariant violated";
  case event_kind::note:
    break;
  }
  return "note";
}

} // namespace baton::sim

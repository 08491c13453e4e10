// SPDX-License-Identifier: MIT
#include "messages/caf_types.hpp"

#include <caf/actor_system.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

namespace baton {

void register_messages(caf::actor_system_config& config) {
  config.add_message_types<caf::id_block::baton>();
  config.add_error_category(
    caf::atom("baton"),
    [](std::uint8_t code, caf::atom_value, const caf::message& context) {
      auto name = to_string(static_cast<errc>(code));
      auto text = std::string{name};
      if (context.match_elements<std::string, std::vector<std::string>>())
        text += ": " + context.get_as<std::string>(0);
      return text;
    });
}

caf::error to_caf_error(const status& why) {
  // Details as name, kind, value triples: strings need no registration.
  std::vector<std::string> details;
  for (const auto& d : why.details) {
    details.push_back(d.name);
    if (auto* number = std::get_if<std::uint64_t>(&d.value)) {
      details.emplace_back("n");
      details.push_back(std::to_string(*number));
    } else {
      details.emplace_back("s");
      details.push_back(std::get<std::string>(d.value));
    }
  }
  return caf::make_error(why.code, why.message, std::move(details));
}

status to_status(const caf::error& why) {
  if (why.category() == caf::atom("baton")) {
    auto out = make_status(static_cast<errc>(why.code()), "");
    const auto& context = why.context();
    if (context.match_elements<std::string, std::vector<std::string>>()) {
      out.message = context.get_as<std::string>(0);
      const auto& details = context.get_as<std::vector<std::string>>(1);
      for (std::size_t i = 0; i + 2 < details.size(); i += 3)
        out = details[i + 1] == "n"
                ? std::move(out).with(details[i], std::stoull(details[i + 2]))
                : std::move(out).with(details[i], details[i + 2]);
    }
    return out;
  }
  if (why == caf::sec::request_timeout)
    return make_status(errc::timed_out, "no answer in time; the outcome is not "
                                        "known, repeat the same request");
  return make_status(errc::unavailable, "nobody is there to answer ("
                                          + caf::to_string(why)
                                          + "); try again");
}

} // namespace baton

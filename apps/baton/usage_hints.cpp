// SPDX-License-Identifier: MIT
#include "apps/baton/usage_hints.hpp"

#include "apps/baton/suggestion.hpp"

#include <algorithm>

namespace baton::cli {

namespace {

std::vector<std::string> names_of(const std::vector<flag_shape>& flags) {
  std::vector<std::string> out;
  for (const auto& flag : flags)
    out.insert(out.end(), flag.names.begin(), flag.names.end());
  return out;
}

/// The first flag in `args` that is none of `flags`; empty: there is none, or
/// the agent's command begins before it.
std::string unknown_flag(const std::vector<std::string>& args,
                         const std::vector<flag_shape>& flags,
                         const std::string& verb) {
  for (std::size_t i = 0; i < args.size() && args[i] != "--"; ++i) {
    auto name = args[i].substr(0, args[i].find('='));
    if (name.size() < 2 || name[0] != '-') {
      if (verb == "run" && name != verb)
        return {};
      continue;
    }
    // Short ones may stand together, or with their value.
    if (name[1] != '-')
      name.resize(2);
    auto has_name = [&](const flag_shape& x) {
      return std::find(x.names.begin(), x.names.end(), name) != x.names.end();
    };
    auto found = std::find_if(flags.begin(), flags.end(), has_name);
    if (found == flags.end())
      return name;
    if (found->takes != value_kind::none && name == args[i])
      ++i;
  }
  return {};
}

usage_refusal refuse(const std::string& verb, const std::string& why) {
  return {verb, make_status(errc::malformed, why)};
}

} // namespace

usage_refusal explain_words(const command_shape& shape,
                            const std::vector<std::string>& args,
                            const std::string& word) {
  auto found = std::find_if(shape.verbs.begin(), shape.verbs.end(),
                            [&](const auto& x) { return x.name == word; });
  auto flags = shape.global_flags;
  if (found == shape.verbs.end()) {
    auto flag = unknown_flag(
      {args.begin(), std::find(args.begin(), args.end(), word)}, flags, {});
    if (!flag.empty())
      return refuse(
        {}, "'" + flag + "' is not a flag of baton "
              + with_suggestion("see baton --help", flag, names_of(flags)));
    std::vector<std::string> verbs;
    for (const auto& verb : shape.verbs)
      verbs.push_back(verb.name);
    return refuse({}, "'" + word + "' is not a command "
                        + with_suggestion("see baton --help", word, verbs));
  }
  flags.insert(flags.end(), found->flags.begin(), found->flags.end());
  for (const auto& nested : found->nested)
    flags.insert(flags.end(), nested.flags.begin(), nested.flags.end());
  auto flag = unknown_flag(args, flags, word);
  if (flag.empty())
    return {};
  return refuse(word, "'" + flag + "' is not a flag of " + word + " "
                        + with_suggestion("see baton " + word + " --help", flag,
                                          names_of(flags)));
}

} // namespace baton::cli

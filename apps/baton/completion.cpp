// SPDX-License-Identifier: MIT
// `baton completion`: prints a shell's completion script.
#include "apps/baton/command_line.hpp"
#include "apps/baton/completion_script.hpp"
#include "apps/baton/verbs.hpp"

namespace baton::cli {

int completion(context& c, const completion_options& o) {
  auto script = completion_script(o.shell, shape_of_commands());
  if (!script)
    return c.fail("completion", script.error());
  ignore_result(c.out().write(*script), "finish reports it");
  return c.finish("completion");
}

} // namespace baton::cli

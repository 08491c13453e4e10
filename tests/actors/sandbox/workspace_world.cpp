// SPDX-License-Identifier: MIT
#include "tests/actors/sandbox/workspace_world.hpp"

#include "actors/sandbox/child_command.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>

namespace baton::sandbox::test {

namespace fs = std::filesystem;

std::string shell(const std::string& text) {
  command_request request;
  request.argv = {"/bin/sh", "-ec", text};
  request.cwd = "/";
  auto end = run_command_to_end(request, "/none");
  BOOST_REQUIRE(end.ok());
  BOOST_REQUIRE_MESSAGE(end->code == 0, text + ": " + end->err);
  if (end->out.ends_with('\n'))
    end->out.pop_back();
  return end->out;
}

repository::repository(const std::string& folder) : folder_(folder) {
  shell("git init -q -b main " + folder + "; cd " + folder
        + "; git config user.email a@b; git config user.name a"
          "; echo one >file; git add file; git commit -qm one; git tag v1"
          "; git checkout -qb side; echo side >file; git commit -qam side"
          "; git checkout -q main; echo two >file; git commit -qam two");
}

std::string repository::commit(const std::string& name) const {
  return shell("git -C " + folder_ + " rev-parse '" + name + "^{commit}'");
}

launch_order workspace_world::order_in(const workspace_spec& spec,
                                       const std::string& shell_text,
                                       const std::string& instance) {
  auto out = order(shell_text);
  out.workspace = std::make_shared<const workspace_spec>(spec);
  out.where.shared_id = instance;
  return out;
}

launch_order workspace_world::start_in(const workspace_spec& spec,
                                       const std::string& shell_text,
                                       const std::string& instance) {
  auto out = order_in(spec, shell_text, instance);
  launch(out);
  return out;
}

void workspace_world::launch(const launch_order& x) {
  auto got = here().launch(x);
  BOOST_REQUIRE_MESSAGE(got.ok(), (got.ok() ? "" : got.error().message));
  BOOST_REQUIRE(*got == launch_outcome::launched);
}

run_error workspace_world::failure_of(const launch_order& x) {
  auto end = end_of(x, 30'000);
  BOOST_REQUIRE(end.error.has_value());
  BOOST_TEST(end.nonce == x.nonce);
  BOOST_TEST(journal_of(x) == "");
  return *end.error;
}

std::string workspace_world::instance(const std::string& key) {
  return here().make_instance_id(instance_key{key});
}

std::string workspace_world::stderr_of(const launch_order& x) const {
  return content_of(x.where.id + "/stderr");
}

std::string workspace_world::setup_output_of(const launch_order& x) const {
  return content_of(x.where.id + "/setup");
}

bool workspace_world::holds(const std::string& folder,
                            const std::string& text) {
  for (const auto& item : fs::recursive_directory_iterator{folder})
    if (item.is_regular_file()
        && content_of(item.path()).find(text) != std::string::npos)
      return true;
  return false;
}

bool workspace_world::is_on_a_command_line(const std::string& text) {
  for (const auto& item : fs::directory_iterator{"/proc"})
    if (content_of(item.path() / "cmdline").find(text) != std::string::npos)
      return true;
  return false;
}

} // namespace baton::sandbox::test

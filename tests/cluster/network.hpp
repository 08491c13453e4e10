// SPDX-License-Identifier: MIT
// Nodes in network namespaces: each with one address on a bridge that lies in
// a namespace of its own, so that nothing of the machine's network is touched.
// Threads: one; while a `visit` lives, what the thread starts and connects is
// in that namespace.
// Failure: possible() says why not; the rest is thrown.
#pragma once

#include <string>
#include <vector>

namespace baton::test {

class network {
public:
  /// Empty, or why namespaces cannot be had here.
  static std::string impossible();

  explicit network(int hosts);
  ~network();
  network(const network&) = delete;
  network& operator=(const network&) = delete;

  static std::string address(int host);

  /// Two-way: the link is down.
  void cut(int host);
  void heal(int host);
  /// One-way: what `from` sends to `to` is lost; the other way is open.
  void lose(int from, int to);
  void stop_losing(int from, int to);

  class visit {
  public:
    visit(const network& n, int host);
    ~visit();
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

  private:
    int home_ = -1;
  };

private:
  std::string space(int host) const;
  std::string hub() const;
  void remove() const;

  std::string prefix_;
  std::vector<int> hosts_;
};

} // namespace baton::test

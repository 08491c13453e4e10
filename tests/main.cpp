// SPDX-License-Identifier: MIT
#define BOOST_TEST_MODULE baton
#include <boost/test/unit_test.hpp>

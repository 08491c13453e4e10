// SPDX-License-Identifier: MIT
// Requests with one answer: everything but streams.
// Threads: the I/O thread.
#pragma once

#include "actors/gateway/request_reader.hpp"
#include "actors/gateway/response.hpp"
#include "actors/gateway/router.hpp"
#include "actors/gateway/service.hpp"

namespace baton::http {

/// Requires: the request's body has been read; `to` is no stream.
asio::awaitable<response> answer(service& s, const route& to,
                                 const request_reader& request);

} // namespace baton::http

// SPDX-License-Identifier: MIT
// The same API over HTTPS, with a certificate made for the occasion.
#include "tests/actors/gateway/node_fixture.hpp"
#include "tests/actors/gateway/sse_parser.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

using namespace baton;
using namespace baton::http::test;

namespace {

namespace net = boost::asio;

/// A key and a certificate for localhost, signed by itself.
struct certificate {
  certificate() {
    char pattern[] = "/tmp/baton-tls-XXXXXX";
    folder = ::mkdtemp(pattern);
    cert = folder + "/cert.pem";
    key = folder + "/key.pem";
    auto* pair = EVP_EC_gen("P-256");
    auto* x = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -60);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, pair);
    X509_NAME_add_entry_by_txt(
      X509_get_subject_name(x), "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(x));
    X509_sign(x, pair, EVP_sha256());
    auto* file = std::fopen(cert.c_str(), "w");
    PEM_write_X509(file, x);
    std::fclose(file);
    file = std::fopen(key.c_str(), "w");
    PEM_write_PrivateKey(file, pair, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(x);
    EVP_PKEY_free(pair);
  }
  ~certificate() {
    ::unlink(cert.c_str());
    ::unlink(key.c_str());
    ::rmdir(folder.c_str());
  }
  std::string folder;
  std::string cert;
  std::string key;
};

struct tls_client {
  tls_client(std::uint16_t port, const std::string& trusted) {
    context.load_verify_file(trusted);
    context.set_verify_mode(net::ssl::verify_peer);
    stream.lowest_layer().connect({net::ip::address_v4::loopback(), port});
    stream.handshake(net::ssl::stream_base::client);
  }
  std::string ask(const std::string& text, const std::string& until) {
    net::write(stream, net::buffer(text));
    std::string got;
    net::read_until(stream, net::dynamic_buffer(got), until);
    return got;
  }
  net::io_context io;
  net::ssl::context context{net::ssl::context::tls_client};
  net::ssl::stream<net::ip::tcp::socket> stream{io, context};
};

} // namespace

BOOST_AUTO_TEST_SUITE(gateway_tls)

BOOST_AUTO_TEST_CASE(requests_and_live_streams_work_over_https) {
  certificate files;
  gateway_options options;
  options.tls_cert = files.cert;
  options.tls_key = files.key;
  options.socket_path = files.folder + "/s";
  node_fixture node{options};
  tls_client c{node.port(), files.cert};
  auto body = R"({"external":true,"run_id":"x"})";
  BOOST_TEST(c.ask(request("POST", "/v1/runs", body), "labels\":{}}\n")
               .starts_with("HTTP/1.1 201"));
  BOOST_TEST(c.ask(request("POST", "/v1/runs/x/claim", R"({"holder":"h"})"),
                   "cancel_requested")
               .starts_with("HTTP/1.1 200"));
  tls_client viewer{node.port(), files.cert};
  viewer.ask(request("GET", "/v1/runs/x/events"), "\r\n\r\n");
  tls_client driver{node.port(), files.cert};
  driver.ask(request("POST", "/v1/runs/x/entries", "{\"a\":1}\n",
                     "Baton-Epoch: 1\r\nBaton-Seq: 1\r\n"),
             "last_seq");
  BOOST_TEST(viewer.ask("", "\n\n").find("\"data\":{\"a\":1}")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(plain_http_on_the_https_port_ends_at_once) {
  certificate files;
  gateway_options options;
  options.tls_cert = files.cert;
  options.tls_key = files.key;
  node_fixture node{options};
  client c{node.port()};
  c.send(request("GET", "/livez"));
  BOOST_TEST(c.sees_end(std::chrono::seconds{5}));
}

BOOST_AUTO_TEST_SUITE_END()

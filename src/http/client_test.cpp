#include "http/client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include "async/notify.hpp"
#include "async/task_group.hpp"
#include "http/certificates.hpp"
#include "http/test_server.hpp"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::TestServer;

Task<void> describe_request(const Request& request, ResponseWriter& writer) {
  std::string who = "anonymous";
  if (request.peer.certificate) {
    who = request.peer.certificate->common_name;
    for (const auto& organization : request.peer.certificate->organizations) who += "/" + organization;
  }
  return writer.send(
      {200, {{"X-Peer-Port", std::to_string(request.peer.port)}, {"X-Who", who}}, request.body});
}

struct TestTls {
  KeyPair authority;
  KeyPair server;
  KeyPair client;

  static TestTls make() {
    SystemClock clock;
    const WallTime start = clock.now() - 1h;
    const WallTime end = start + 24h;
    TestTls tls;
    tls.authority = *make_authority("test-ca", start, end);
    tls.server = *issue_certificate(tls.authority, {"server", {}, {"localhost"}, {"127.0.0.1"}, start, end});
    tls.client = *issue_certificate(tls.authority, {"alice", {"team", "ops"}, {}, {}, start, end});
    return tls;
  }
  std::shared_ptr<TlsContext> for_server() const {
    return *make_server_context({server.certificate_pem, server.key_pem, authority.certificate_pem});
  }
};

TEST(HttpClient, KeepsItsConnection) {
  TestServer server(describe_request);
  Client client(server.loop.executor(), server.loop.clock(), {});
  const auto first = server.loop.block_on(client.send({"POST", server.url("/a"), {}, "hello"}));
  const auto second = server.loop.block_on(client.send({"GET", server.url("/b")}));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->body.to_string(), "hello");
  EXPECT_EQ(first->headers.find("x-peer-port"), second->headers.find("x-peer-port"));
}

TEST(HttpClient, VerifiesTheServerAndShowsItsCertificate) {
  const TestTls tls = TestTls::make();
  TestServer server(describe_request, {}, tls.for_server());
  Client client(server.loop.executor(), server.loop.clock(),
                {.tls = *make_client_context({.ca_pem = tls.authority.certificate_pem,
                                              .certificate_pem = tls.client.certificate_pem,
                                              .key_pem = tls.client.key_pem})});
  const auto answer = server.loop.block_on(client.send({"GET", server.url("/", true)}));
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->headers.find("x-who"), "alice/team/ops");
}

TEST(HttpClient, RefusesAServerThatItCannotVerify) {
  const TestTls tls = TestTls::make();
  const TestTls other = TestTls::make();
  TestServer server(describe_request, {}, tls.for_server());
  const auto try_with = [&](TlsClientSettings settings) {
    Client client(server.loop.executor(), server.loop.clock(), {.tls = *make_client_context(settings)});
    return server.loop.block_on(client.send({"GET", server.url("/", true)}));
  };
  const auto unknown = try_with({.ca_pem = other.authority.certificate_pem});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::Forbidden) << unknown.error().describe();
  EXPECT_FALSE(try_with({.ca_pem = tls.authority.certificate_pem, .server_name = "elsewhere.test"}));
  EXPECT_TRUE(try_with({.ca_pem = tls.authority.certificate_pem, .server_name = "localhost"}));
  EXPECT_TRUE(try_with({.insecure = true}));
}

TEST(HttpClient, ACertificateFromAnotherAuthorityIsRefusedByTheServer) {
  const TestTls tls = TestTls::make();
  const TestTls other = TestTls::make();
  TestServer server(describe_request, {}, tls.for_server());
  Client client(server.loop.executor(), server.loop.clock(),
                {.tls = *make_client_context({.ca_pem = tls.authority.certificate_pem,
                                              .certificate_pem = other.client.certificate_pem,
                                              .key_pem = other.client.key_pem})});
  EXPECT_FALSE(server.loop.block_on(client.send({"GET", server.url("/", true)})));
}

TEST(HttpClient, TlsReloadServesTheNewCertificate) {
  const TestTls before = TestTls::make();
  const TestTls after = TestTls::make();
  TestServer server(describe_request, {}, before.for_server());
  server.server().set_tls(after.for_server());
  Client client(server.loop.executor(), server.loop.clock(),
                {.tls = *make_client_context({.ca_pem = after.authority.certificate_pem})});
  EXPECT_TRUE(server.loop.block_on(client.send({"GET", server.url("/", true)})));
}

TEST(HttpClient, RefusesHeadersWithLineBreaks) {
  TestServer server(describe_request);
  Client client(server.loop.executor(), server.loop.clock(), {});
  const auto answer = server.loop.block_on(client.send({"GET", server.url("/"), {{"X", "a\r\nEvil: yes"}}}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Invalid);
}

TEST(HttpClient, SaysWhereItCouldNotConnect) {
  std::uint16_t closed_port = 0;
  {
    TestServer server(describe_request);
    closed_port = server.port();
  }
  async::EventLoop loop;
  Client client(loop.executor(), loop.clock(), {});
  const auto answer = loop.block_on(client.send({"GET", Url{"http", "127.0.0.1", closed_port, "/", ""}}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Unavailable);
  EXPECT_NE(answer.error().describe().find("cannot connect to 127.0.0.1:"), std::string::npos);
}

// Hears the request, says so much, and hangs up.
Task<void> hang_up_after(boost::asio::ip::tcp::acceptor& acceptor, std::string words) {
  const auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
  auto [refused, socket] = co_await acceptor.async_accept(token);
  std::string request(1024, ' ');
  co_await socket.async_read_some(boost::asio::buffer(request), token);
  co_await boost::asio::async_write(socket, boost::asio::buffer(words), token);
  co_return Result<void>{};
}

TEST(HttpClient, AServerThatHangsUpIsReported) {
  using boost::asio::ip::tcp;
  const std::pair<std::string, std::string> cases[] = {
      {"", "closed the connection without an answer"},
      {"HTTP/1.1 200 OK\r\nContent-Le", "closed the connection in the middle of its answer"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
       "closed the connection in the middle of its answer"}};
  for (const auto& [words, complaint] : cases) {
    async::EventLoop loop;
    tcp::acceptor acceptor(loop.executor(), {boost::asio::ip::address_v4::loopback(), 0});
    async::TaskGroup tasks(loop.executor());
    tasks.spawn("server", hang_up_after(acceptor, words));
    Client client(loop.executor(), loop.clock(), {});
    const auto answer = loop.block_on(
        client.send({"GET", Url{"http", "127.0.0.1", acceptor.local_endpoint().port(), "/", ""}}));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::Unavailable);
    EXPECT_NE(answer.error().describe().find(complaint), std::string::npos) << answer.error().describe();
    loop.run_until_idle();
  }
}

// Answers the first request of each connection, hears the next and hangs up.
Task<void> answer_once_each(boost::asio::ip::tcp::acceptor& acceptor, int& requests) {
  const auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
  const std::string words = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  for (;;) {
    auto [refused, socket] = co_await acceptor.async_accept(token);
    if (refused) co_return Result<void>{};
    std::string request(1024, ' ');
    for (const bool answers : {true, false}) {
      const auto [error, size] = co_await socket.async_read_some(boost::asio::buffer(request), token);
      if (error) break;
      ++requests;
      if (answers) co_await boost::asio::async_write(socket, boost::asio::buffer(words), token);
    }
  }
}

TEST(HttpClient, WhatChangesNothingIsSentAgainWhenAKeptConnectionEnds) {
  using boost::asio::ip::tcp;
  for (const bool is_repeatable : {true, false}) {
    async::EventLoop loop;
    tcp::acceptor acceptor(loop.executor(), {boost::asio::ip::address_v4::loopback(), 0});
    async::TaskGroup tasks(loop.executor());
    int requests = 0;
    tasks.spawn("server", answer_once_each(acceptor, requests));
    {
      Client client(loop.executor(), loop.clock(), {});
      const Url url{"http", "127.0.0.1", acceptor.local_endpoint().port(), "/", ""};
      EXPECT_TRUE(loop.block_on(client.send({.method = "POST", .url = url})));
      const auto second =
          loop.block_on(client.send({.method = "POST", .url = url, .is_repeatable = is_repeatable}));
      EXPECT_EQ(second.has_value(), is_repeatable);
      EXPECT_EQ(requests, is_repeatable ? 3 : 2);
    }
    acceptor.close();
    loop.run_until([&] { return tasks.size() == 0; });
  }
}

struct Silent {
  async::Notify release;
  Task<void> handle(const Request&, ResponseWriter& writer) {
    FAIRWAY_CO_CHECKED(co_await release.wait());
    co_return co_await writer.send({200, {}, "late"});
  }
};

TEST(HttpClient, ADeadlineEndsTheWait) {
  Silent silent;
  TestServer server(
      [&](const Request& request, ResponseWriter& writer) { return silent.handle(request, writer); });
  ManualClock clock;
  Client client(server.loop.executor(), clock, {});
  ClientRequest request{"GET", server.url("/")};
  request.timeout = 5s;
  std::optional<Result<Response>> answer;
  bool stop = false;
  const std::function<void()> tick = [&] {
    if (stop) return;
    if (server.server().connections() == 1) clock.advance_to_next();
    server.loop.post(tick);
  };
  server.loop.post(tick);
  answer = server.loop.block_on(client.send(request));
  stop = true;
  server.loop.run_until_idle();
  ASSERT_FALSE(*answer);
  EXPECT_EQ(answer->error().code, ErrorCode::Timeout) << answer->error().describe();
  silent.release.notify();
}

struct Counting {
  Task<void> handle(const Request&, ResponseWriter& writer) {
    FAIRWAY_CO_CHECKED(co_await writer.start({200, {}, {}}));
    for (int i = 0; i < 100; ++i) FAIRWAY_CO_CHECKED(co_await writer.write(std::to_string(i) + "\n"));
    co_return co_await writer.finish();
  }
};

Task<std::string> read_all(Client& client, ClientRequest request) {
  FAIRWAY_CO_TRY(auto stream, co_await client.open(std::move(request)));
  std::string all;
  for (;;) {
    FAIRWAY_CO_TRY(const std::string piece, co_await stream->read(10s));
    if (piece.empty()) co_return all;
    all += piece;
  }
}

TEST(HttpClient, ReadsAStreamToItsEnd) {
  Counting counting;
  TestServer server(
      [&](const Request& request, ResponseWriter& writer) { return counting.handle(request, writer); });
  Client client(server.loop.executor(), server.loop.clock(), {});
  const auto all = server.loop.block_on(read_all(client, {"GET", server.url("/")}));
  ASSERT_TRUE(all) << all.error().describe();
  EXPECT_TRUE(all->starts_with("0\n1\n2\n"));
  EXPECT_TRUE(all->ends_with("98\n99\n"));
}

// A proxy that answers CONNECT and then plays the plain target itself would need a second parser; refusing is
// enough to see what the client asks for and how it reports a refusal.
Task<void> refuse_connect(const Request& request, ResponseWriter& writer) {
  return writer.send({403, {{"X-Asked", request.method + " " + request.target}}, ""});
}

TEST(HttpClient, ReportsAProxyThatRefuses) {
  TestServer server(refuse_connect);
  Client client(server.loop.executor(), server.loop.clock(),
                {.tls = *make_client_context({.insecure = true}), .proxy = server.url("")});
  const auto answer = server.loop.block_on(client.send({"GET", *Url::parse("https://cluster.test:6443/x")}));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().describe().find("refused the connection to cluster.test:6443: HTTP/1.1 403"),
            std::string::npos)
      << answer.error().describe();
}

TEST(HttpClient, AsksAPlainProxyWithTheWholeUrl) {
  TestServer server(
      [](const Request& request, ResponseWriter& writer) { return writer.send({200, {}, request.target}); });
  Client client(server.loop.executor(), server.loop.clock(), {.proxy = server.url("")});
  const auto answer = server.loop.block_on(client.send({"GET", *Url::parse("http://cluster.test/x?y=z")}));
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->body.to_string(), "http://cluster.test:80/x?y=z");
}

}  // namespace
}  // namespace fairway::http

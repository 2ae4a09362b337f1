#include "oci/blob_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oci/testing/fake_registry.hpp"

namespace fairway::oci {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::RegistryFixture;
using testing::Served;

using Intercepted = std::optional<Result<Served>>;

class BlobTest : public ::testing::Test, protected RegistryFixture {
 protected:
  Result<std::string> read(const Descriptor& which) {
    return run(registry.blob("ns/repo", which, 1'000'000));
  }
  void answer(std::function<Served(Served, int)> change) {
    fake.intercept = [this, change](const http::ClientRequest& request) -> Intercepted {
      return change(fake.serve(request), ++calls);
    };
  }
  std::string range_of(std::size_t request) const {
    return std::string(fake.requests().at(request).headers.find("range").value_or(""));
  }

  Registry registry = make();
  const std::string bytes = [] {
    std::string text;
    for (int i = 0; i < 2000; ++i) text += fmt::format("line {}\n", i);
    return text;
  }();
  const Descriptor blob = fake.put_blob(bytes);
  int calls = 0;
};

TEST_F(BlobTest, ReadsAndVerifies) {
  const auto read_back = read(blob);
  ASSERT_TRUE(read_back) << read_back.error().describe();
  EXPECT_EQ(*read_back, bytes);
  EXPECT_EQ(fake.asked().front(), "GET /v2/ns/repo/blobs/" + blob.digest.text());
  const auto empty = read(fake.put_blob(""));
  ASSERT_TRUE(empty);
  EXPECT_EQ(*empty, "");
}

struct Fault {
  std::string what;
  std::function<Served(Served, int)> change;
  ErrorCode code;
  std::string why;
};

TEST_F(BlobTest, EveryFaultIsAnError) {
  const std::vector<Fault> faults = {
      {"other bytes",
       [](Served served, int) {
         served.body[100] = '!';
         return served;
       },
       ErrorCode::Invalid, "not what was asked for"},
      {"fewer bytes",
       [](Served served, int) {
         served.headers.remove("Content-Length");
         served.body.pop_back();
         return served;
       },
       ErrorCode::Invalid, "expected 18890 bytes, found 18889"},
      {"more bytes",
       [](Served served, int) {
         served.headers.remove("Content-Length");
         served.body += "x";
         return served;
       },
       ErrorCode::Invalid, "expected 18890 bytes, found more"},
      {"another size announced",
       [](Served served, int) {
         served.headers.set("Content-Length", "17000");
         return served;
       },
       ErrorCode::Invalid, "announces 17000"},
      {"lost again and again",
       [](Served served, int) {
         served.breaks_after = 0;
         return served;
       },
       ErrorCode::Unavailable, "after 0 of 18890 bytes"},
      {"nothing comes",
       [](Served served, int) {
         served.stalls_after = 0;
         return served;
       },
       ErrorCode::Timeout, "in time"},
      {"another range than asked for",
       [](Served served, int call) {
         if (call == 1) served.breaks_after = 5000;
         if (call > 1) served.headers.set("Content-Range", "bytes 1-9/10");
         return served;
       },
       ErrorCode::Invalid, "found the range"},
      {"gone in the middle",
       [](Served served, int call) {
         if (call == 1) served.breaks_after = 5000;
         return call == 1 ? served : Served{.status = 404};
       },
       ErrorCode::NotFound, "404"},
  };
  ASSERT_EQ(bytes.size(), 18'890U);
  for (const Fault& fault : faults) {
    calls = 0;
    answer(fault.change);
    const auto outcome = read(blob);
    ASSERT_FALSE(outcome) << fault.what;
    EXPECT_EQ(outcome.error().code, fault.code) << fault.what << ": " << outcome.error().describe();
    EXPECT_THAT(outcome.error().describe(), HasSubstr(fault.why)) << fault.what;
    EXPECT_THAT(outcome.error().describe(), HasSubstr("of registry.example:5000/ns/repo")) << fault.what;
  }
}

TEST_F(BlobTest, GoesOnWhereTheConnectionBroke) {
  answer([](Served served, int call) {
    if (call <= 2) served.breaks_after = 5000;
    return served;
  });
  const auto outcome = read(blob);
  ASSERT_TRUE(outcome) << outcome.error().describe();
  EXPECT_EQ(*outcome, bytes);
  ASSERT_EQ(fake.requests().size(), 3U);
  EXPECT_EQ(range_of(0), "");
  EXPECT_EQ(range_of(1), "bytes=5000-");
  EXPECT_EQ(range_of(2), "bytes=10000-");
}

TEST_F(BlobTest, ARegistryThatDoesNotResumeSendsItAllAgain) {
  fake.intercept = [this](const http::ClientRequest& request) -> Intercepted {
    auto whole = request;
    whole.headers.remove("range");
    auto served = fake.serve(whole);
    if (++calls == 1) served.breaks_after = 5500;
    return served;
  };
  const auto outcome = read(blob);
  ASSERT_TRUE(outcome) << outcome.error().describe();
  EXPECT_EQ(*outcome, bytes);
}

TEST_F(BlobTest, AllOfItHasADeadline) {
  Registry hurried = make({.read_timeout = 30s, .blob_timeout = 40s});
  answer([](Served served, int) {
    served.stalls_after = 1000;  // some bytes each time: never three failures in a row
    return served;
  });
  const auto outcome = run(hurried.blob("ns/repo", blob, 1'000'000));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Timeout);
  EXPECT_LE(clock.steady() - SteadyTime{}, 41s);
}

TEST_F(BlobTest, WhatIsTooLargeIsNotAskedFor) {
  const auto outcome = run(registry.blob("ns/repo", blob, 1000));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("at most 1000 bytes"));
  EXPECT_TRUE(fake.requests().empty());
}

class RedirectTest : public BlobTest {
 protected:
  // The first request is sent elsewhere; from there the blob is served.
  void redirect(const std::string& location, int status = 307) {
    fake.intercept = [this, location, status](const http::ClientRequest& request) -> Intercepted {
      if (request.url.host == "registry.example")
        return Served{.status = status, .headers = {{"Location", location}}};
      auto local = request;
      local.url.path = "/v2/ns/repo/blobs/" + blob.digest.text();
      return fake.serve(local);
    };
  }
};

TEST_F(RedirectTest, BlobsMayBeElsewhere) {
  for (const int status : {301, 302, 303, 307, 308}) {
    redirect("https://cdn.example/some/where?signature=%2F", status);
    const auto outcome = read(blob);
    ASSERT_TRUE(outcome) << status << ": " << outcome.error().describe();
    EXPECT_EQ(*outcome, bytes);
    EXPECT_EQ(fake.asked().back(), "GET https://cdn.example:443/some/where?signature=%2F");
  }
}

TEST_F(RedirectTest, NeverFromTlsToPlain) {
  redirect("http://cdn.example/x");
  const auto outcome = read(blob);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Forbidden);
  EXPECT_THAT(outcome.error().describe(), HasSubstr("plain HTTP"));
  EXPECT_EQ(fake.requests().size(), 1U);
}

TEST_F(RedirectTest, CirclesEnd) {
  fake.intercept = [](const http::ClientRequest& request) -> Intercepted {
    return Served{.status = 307, .headers = {{"Location", request.url.path}}};
  };
  const auto outcome = read(blob);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().describe(), HasSubstr("more than 5 redirects"));
  EXPECT_EQ(fake.requests().size(), 6U);
}

TEST_F(RedirectTest, NowhereIsNoPlace) {
  fake.intercept = [](const http::ClientRequest&) -> Intercepted { return Served{.status = 302}; };
  EXPECT_THAT(read(blob).error().describe(), HasSubstr("without saying where to"));
}

TEST_F(RedirectTest, ARefusalElsewhereIsToldApart) {
  fake.intercept = [](const http::ClientRequest& request) -> Intercepted {
    if (request.url.host == "cdn.example") return Served{.status = 403};
    return Served{.status = 307, .headers = {{"Location", "https://cdn.example/x"}}};
  };
  const auto outcome = read(blob);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().describe(),
              HasSubstr("cdn.example:443, where registry.example:5000 redirects to"));
}

}  // namespace
}  // namespace fairway::oci

#include "clusterversion/proxy_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::clusterversion {
namespace {

using ::testing::HasSubstr;

// "direct", the proxy's origin, or the error.
std::string choice(const std::string& url, const ProxySettings& settings) {
  const auto parsed = http::Url::parse(url);
  if (!parsed) return "not a URL: " + url;
  const auto proxy = proxy_for(*parsed, settings);
  if (!proxy) return proxy.error().describe();
  return *proxy ? (*proxy)->origin() : "direct";
}

const ProxySettings kBoth{.http_proxy = "http://plain.example:3128",
                          .https_proxy = "http://secure.example:3129"};

bool is_direct(const std::string& url, const std::string& no_proxy) {
  ProxySettings settings = kBoth;
  settings.no_proxy = no_proxy;
  return choice(url, settings) == "direct";
}

TEST(ProxyChoice, GoesByTheSchemeOfTheRequest) {
  EXPECT_EQ(choice("http://updates.example/graph", kBoth), "http://plain.example:3128");
  EXPECT_EQ(choice("https://updates.example/graph", kBoth), "http://secure.example:3129");
  EXPECT_EQ(choice("https://updates.example/graph", {.http_proxy = "http://plain.example:3128"}), "direct");
  EXPECT_EQ(choice("https://updates.example/graph", {}), "direct");
}

struct Exemption {
  std::string no_proxy;
  std::string url;
  bool is_direct;
};

class NoProxy : public ::testing::TestWithParam<Exemption> {};

TEST_P(NoProxy, Exempts) {
  EXPECT_EQ(is_direct(GetParam().url, GetParam().no_proxy), GetParam().is_direct)
      << "noProxy " << GetParam().no_proxy << ", " << GetParam().url;
}

INSTANTIATE_TEST_SUITE_P(
    Names, NoProxy,
    ::testing::Values(Exemption{"*", "https://anything.example/", true},
                      Exemption{"updates.example", "https://updates.example/", true},
                      Exemption{"updates.example", "https://a.updates.example/", true},
                      Exemption{"updates.example", "https://myupdates.example/", false},
                      Exemption{".updates.example", "https://a.updates.example/", true},
                      Exemption{".updates.example", "https://updates.example/", false},
                      Exemption{"*.updates.example", "https://a.b.updates.example/", true},
                      Exemption{"*.updates.example", "https://updates.example/", false},
                      Exemption{"Updates.Example", "https://updates.EXAMPLE/", true},
                      Exemption{"a.example, updates.example ,b.example", "https://updates.example/", true},
                      Exemption{"a.example,,b.example", "https://updates.example/", false},
                      Exemption{" , ", "https://updates.example/", false},
                      Exemption{"", "https://updates.example/", false}));

INSTANTIATE_TEST_SUITE_P(Ports, NoProxy,
                         ::testing::Values(Exemption{"u.example:8443", "https://u.example:8443/", true},
                                           Exemption{"u.example:8443", "https://u.example/", false},
                                           Exemption{"u.example:443", "https://u.example/", true},
                                           Exemption{"u.example:80", "http://a.u.example/", true},
                                           Exemption{"u.example:x", "https://u.example/", false},
                                           Exemption{"10.1.2.3:8443", "https://10.1.2.3:8443/", true},
                                           Exemption{"10.1.2.3:8443", "https://10.1.2.3/", false},
                                           Exemption{"[fd00::1]:8443", "https://[fd00::1]:8443/", true},
                                           Exemption{"[fd00::1]:8443", "https://[fd00::1]/", false}));

INSTANTIATE_TEST_SUITE_P(Addresses, NoProxy,
                         ::testing::Values(Exemption{"10.1.2.3", "http://10.1.2.3/", true},
                                           Exemption{"10.1.2.3", "http://10.1.2.30/", false},
                                           Exemption{"2.3", "http://10.1.2.3/", false},
                                           Exemption{"fd00::1", "http://[fd00::1]/", true},
                                           Exemption{"FD00:0::1", "http://[fd00::1]/", true},
                                           Exemption{"[fd00::1]", "http://[fd00::1]/", true},
                                           Exemption{"fd00::1", "http://[fd00::2]/", false}));

INSTANTIATE_TEST_SUITE_P(Networks, NoProxy,
                         ::testing::Values(Exemption{"10.0.0.0/8", "http://10.255.0.1/", true},
                                           Exemption{"10.0.0.0/8", "http://11.0.0.1/", false},
                                           Exemption{"10.128.0.0/9", "http://10.127.0.1/", false},
                                           Exemption{"10.128.0.0/9", "http://10.200.0.1/", true},
                                           Exemption{"192.0.2.7/32", "http://192.0.2.7/", true},
                                           Exemption{"192.0.2.7/32", "http://192.0.2.6/", false},
                                           Exemption{"0.0.0.0/0", "http://192.0.2.6/", true},
                                           Exemption{"0.0.0.0/0", "http://[fd00::1]/", false},
                                           Exemption{"fd00::/8", "http://[fdff::1]/", true},
                                           Exemption{"fd00::/8", "http://[fe80::1]/", false},
                                           Exemption{"10.0.0.0/33", "http://10.0.0.0/", false},
                                           Exemption{"10.0.0.0/", "http://10.0.0.0/", false},
                                           Exemption{"10.0.0.0/8", "http://ten.example/", false}));

TEST(ProxyChoice, LoopbackIsNeverBehindAProxy) {
  for (const std::string url : {"http://localhost:8080/", "http://127.0.0.1/", "http://127.9.9.9/",
                                "http://[::1]:8080/", "https://LOCALHOST/"})
    EXPECT_EQ(choice(url, kBoth), "direct") << url;
  EXPECT_EQ(choice("http://localhost.example/", kBoth), "http://plain.example:3128");
}

TEST(ProxyChoice, AProxyWithoutASchemeIsAPlainOne) {
  EXPECT_EQ(choice("http://updates.example/", {.http_proxy = "plain.example:3128"}),
            "http://plain.example:3128");
}

TEST(ProxyChoice, ABadProxyIsAnErrorAndNotADirectRequest) {
  const std::string refused = choice("http://updates.example/", {.http_proxy = "http://plain.example:no"});
  EXPECT_THAT(refused, HasSubstr("in the status of Proxy cluster"));
  EXPECT_EQ(choice("http://127.0.0.1/", {.http_proxy = "http://plain.example:no"}), "direct")
      << "a proxy that is not needed is not looked at";
}

TEST(ProxyChoice, ReadsTheStatusOfTheObject) {
  const auto object = json::parse_object(
      R"({"spec":{"httpProxy":"http://wished.example"},
          "status":{"httpProxy":"http://h.example","httpsProxy":"http://s.example","noProxy":"a,b"}})");
  ASSERT_TRUE(object);
  const ProxySettings read = proxy_settings(*object);
  EXPECT_EQ(read.http_proxy, "http://h.example");
  EXPECT_EQ(read.https_proxy, "http://s.example");
  EXPECT_EQ(read.no_proxy, "a,b");
  EXPECT_EQ(proxy_settings({}).http_proxy, "") << "an object without a status names none";
}

}  // namespace
}  // namespace fairway::clusterversion

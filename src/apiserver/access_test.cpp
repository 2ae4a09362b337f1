#include "apiserver/access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "kube/client/testing/manual_loop.hpp"

namespace fairway::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class ExpiredTokens : public testing::Test {
 protected:
  ExpiredTokens()
      : store(*store::Store::open({.directory = "",
                                   .clock = manual.clock,
                                   .post = [this](store::Job job) { manual.loop.post(std::move(job)); }})),
        objects(*store, manual.clock),
        access(objects, clusters, manual.clock, "") {
    clusters.add("hub");
    clusters.add("edge");
  }
  ~ExpiredTokens() override {
    group.cancel();
    manual.settle();
  }

  void put_token(const std::string& cluster, const std::string& token, Duration lifetime) {
    const TokenEntry entry{token_digest(token), {.user = {token}, .expires = manual.clock.now() + lifetime}};
    store::Write write;
    write.key = {cluster, std::string(kTokenRecords), "default", encode_hex(entry.digest)};
    write.value = share(json::serialize(token_record(entry)));
    store->submit(std::move(write), [](Result<store::ChangePtr> done) { ASSERT_TRUE(done); });
    manual.settle();
  }
  std::vector<std::string> records(const std::string& cluster) const {
    std::vector<std::string> names;
    for (const auto& entry :
         store->list({.cluster = cluster, .resource = std::string(kTokenRecords)}).entries)
      names.push_back(entry->key.name);
    return names;
  }

  kube::testing::ManualLoop manual;
  std::unique_ptr<store::Store> store;
  Clusters clusters;
  Objects objects;
  Access access;
  async::TaskGroup group{manual.loop.executor()};
};

TEST_F(ExpiredTokens, LeaveTheStoreAndOthersStay) {
  put_token("hub", "short", 5min);
  put_token("hub", "long", 24h);
  put_token("edge", "short", 5min);
  access.load();
  group.spawn("expiry", access.expire_tokens());
  manual.advance(4min);
  EXPECT_EQ(records("hub").size(), 2u);
  manual.advance(20min);
  EXPECT_THAT(records("hub"), ElementsAre(encode_hex(token_digest("long"))));
  EXPECT_THAT(records("edge"), IsEmpty());
}

}  // namespace
}  // namespace fairway::apiserver

#include "clusterversion/cluster_id.hpp"

#include <gtest/gtest.h>

namespace fairway::clusterversion {
namespace {

constexpr const char* kId = "b9fd5b5f-1d1a-4d4e-9f4e-0123456789ab";

TEST(Uuid, IsReadInEveryFormThatGoReads) {
  for (const std::string& text :
       {std::string(kId), "urn:uuid:" + std::string(kId), "URN:UUID:" + std::string(kId),
        "{" + std::string(kId) + "}", std::string("b9fd5b5f1d1a4d4e9f4e0123456789ab"),
        std::string("B9FD5B5F-1D1A-4D4E-9F4E-0123456789AB")}) {
    const auto uuid = parse_uuid(text);
    ASSERT_TRUE(uuid) << text << ": " << uuid.error().describe();
    EXPECT_EQ(uuid->to_string(), kId) << text;
    EXPECT_EQ(uuid->version(), 4);
    EXPECT_TRUE(uuid->is_rfc4122());
  }
}

TEST(Uuid, SaysWhatIsWrongInGosWords) {  // case 5: "abc" gives invalid UUID length: 3
  const std::pair<const char*, const char*> cases[] = {
      {"abc", "invalid UUID length: 3"},
      {"", "invalid UUID length: 0"},
      {"urn:oid_:b9fd5b5f-1d1a-4d4e-9f4e-0123456789ab", "invalid urn prefix: \"urn:oid_:\""},
      {"b9fd5b5f1-d1a-4d4e-9f4e-0123456789ab", "invalid UUID format"},
      {"b9fd5b5f-1d1a-4d4e-9f4e-01234567-9ab", "invalid UUID format"},
      {"b9fd5b5f-1d1a-4d4e-9f4e-0123456789ag", "invalid UUID format"},
      {"g9fd5b5f1d1a4d4e9f4e0123456789ab", "invalid UUID format"},
      {"(b9fd5b5f-1d1a-4d4e-9f4e-0123456789ab)", "invalid UUID format"},
  };
  for (const auto& [text, message] : cases) {
    const auto uuid = parse_uuid(text);
    ASSERT_FALSE(uuid) << text;
    EXPECT_EQ(uuid.error().message, message) << text;
  }
}

TEST(Uuid, KnowsItsVariantAndVersion) {
  EXPECT_FALSE(parse_uuid("b9fd5b5f-1d1a-4d4e-cf4e-0123456789ab")->is_rfc4122());
  EXPECT_FALSE(parse_uuid("00000000-0000-0000-0000-000000000000")->is_rfc4122());
  EXPECT_EQ(parse_uuid("b9fd5b5f-1d1a-1d4e-9f4e-0123456789ab")->version(), 1);
}

}  // namespace
}  // namespace fairway::clusterversion

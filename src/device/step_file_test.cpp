// The built-in steps of migrations: what their files may say, and what an etcd store says of itself.
#include "device/step_file.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace fairway::device {
namespace {

using namespace std::chrono_literals;

TEST(StepFile, ReadsStorageVersions) {
  const auto file = parse_step_file(
      "storage-versions:\n  kubeconfig: /var/lib/app/kubeconfig\n  context: admin\n  program: "
      "[/usr/bin/server, --x]\n"
      "  definitions: crds\n  resources: [widgets.example.test, configmaps]\n  page-size: 7\n  wait: 30s\n");
  ASSERT_TRUE(file) << file.error().describe();
  const auto& step = std::get<StorageStep>(*file);
  EXPECT_EQ(step.kubeconfig, "/var/lib/app/kubeconfig");
  EXPECT_EQ(step.context, "admin");
  EXPECT_EQ(step.program, (std::vector<std::string>{"/usr/bin/server", "--x"}));
  EXPECT_EQ(step.definitions, "crds");
  EXPECT_EQ(step.resources, (std::vector<std::string>{"widgets.example.test", "configmaps"}));
  EXPECT_EQ(step.page_size, 7);
  EXPECT_EQ(step.wait, Duration(30s));
  const auto bare = parse_step_file("storage-versions: {}\n");
  ASSERT_TRUE(bare);
  EXPECT_EQ(std::get<StorageStep>(*bare).page_size, 500);
  EXPECT_TRUE(std::holds_alternative<StorageStep>(parse_step_file("storage-versions:\n").value()));
}

TEST(StepFile, IsStrict) {
  for (const char* wrong :
       {"storage-versions: {page: 1}\n", "storage-versions: {page-size: 0}\n",
        "storage-versions: {wait: soon}\n", "storage-versions: {context: x}\n",
        "storage-versions: {program: [/bin/x]}\n", "storage-versions: {definitions: ../x}\n",
        "storage-versions: {definitions: /x}\n", "storage-versions: [1]\n",
        "storage-versions: {resources: widgets}\n", "storage-versions: {}\nother: 1\n", "etcd: {}\n",
        "etcd: {newest: 3.6.0, file: /x}\n", "etcd: {newest: 3.6}\n", "etcd: {newest: 3.6.0, x: y}\n",
        "unknown: {}\n", "[]\n", "text\n"})
    EXPECT_FALSE(parse_step_file(wrong)) << wrong;
}

TEST(StoragePosition, ReadsBackAndOtherwiseBegins) {
  const StoragePosition position{"member1", "widgets.example.test", "token \"with\" anything\n"};
  EXPECT_EQ(StoragePosition::parse(position.serialize()), position);
  for (const char* wrong : {"", "{", "[]", "text", R"({"cluster":1})"})
    EXPECT_EQ(StoragePosition::parse(wrong), StoragePosition{}) << wrong;
}

// A bbolt file of 4 KiB pages: two metas, and a leaf with the bucket "meta", which has its only key in place
// or, `on_a_page`, on a page of its own below a branch.
class BoltFile {
 public:
  BoltFile(std::string key, std::string value, bool on_a_page)
      : key_(std::move(key)), value_(std::move(value)) {
    write_meta(0, 1);
    write_meta(1, 2);
    std::string bucket(16, '\0');
    if (on_a_page) {
      put<std::uint64_t>(bucket, 0, 4);
    } else {
      bucket += leaf(key_, value_, 0);
    }
    place(3, leaf("meta", bucket, 1));
    if (!on_a_page) return;
    place(4, branch(key_, 5));
    place(5, leaf(key_, value_, 0));
  }

  std::string& bytes() { return bytes_; }

 private:
  static constexpr std::size_t kPage = 4096;

  template <class T>
  static void put(std::string& bytes, std::size_t at, T value) {
    if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  static std::string header(std::uint16_t flags) {
    std::string page(16, '\0');
    put<std::uint16_t>(page, 8, flags);
    put<std::uint16_t>(page, 10, 1);
    return page;
  }
  static std::string leaf(const std::string& key, const std::string& value, std::uint32_t flags) {
    std::string page = header(2);
    put<std::uint32_t>(page, 16, flags);
    put<std::uint32_t>(page, 20, 16);
    put<std::uint32_t>(page, 24, static_cast<std::uint32_t>(key.size()));
    put<std::uint32_t>(page, 28, static_cast<std::uint32_t>(value.size()));
    return page + key + value;
  }
  static std::string branch(const std::string& key, std::uint64_t child) {
    std::string page = header(1);
    put<std::uint32_t>(page, 16, 16);
    put<std::uint32_t>(page, 20, static_cast<std::uint32_t>(key.size()));
    put<std::uint64_t>(page, 24, child);
    return page + key;
  }
  void place(std::size_t page, const std::string& contents) {
    bytes_.resize(std::max(bytes_.size(), (page + 1) * kPage));
    bytes_.replace(page * kPage, contents.size(), contents);
  }
  void write_meta(std::size_t page, std::uint64_t transaction) {
    std::string meta(56, '\0');
    put<std::uint32_t>(meta, 0, 0xED0CDAED);
    put<std::uint32_t>(meta, 4, 2);
    put<std::uint32_t>(meta, 8, kPage);
    put<std::uint64_t>(meta, 16, transaction == 2 ? 3 : 99);  // only the newer one is right
    put<std::uint64_t>(meta, 48, transaction);
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : meta) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    put<std::uint64_t>(meta, 56, hash);
    place(page, header(4) + meta);
  }

  std::string key_;
  std::string value_;
  std::string bytes_ = {};
};

EtcdStep newest(AppVersion version) {
  return {.newest = std::move(version)};
}

TEST(EtcdStep, ReadsTheStoresVersion) {
  for (const bool on_a_page : {false, true}) {
    BoltFile file("storageVersion", "3.6.0", on_a_page);
    EXPECT_EQ(check_etcd(newest({3, 6, 0}), file.bytes()).value(), "etcd's store is 3.6.0");
    EXPECT_EQ(check_etcd(newest({3, 5, 9}), file.bytes()).error().message,
              "etcd's store is 3.6.0, and the installed software understands 3.5.9 at most");
    BoltFile older("term", "x", on_a_page);
    EXPECT_EQ(check_etcd(newest({3, 5, 0}), older.bytes()).value(), "etcd's store is from before 3.6");
  }
}

TEST(EtcdStep, ADamagedStoreIsAnError) {
  for (const std::size_t at : {0U, 16U, 4096U + 16U}) {  // one mark is enough, none is too few
    BoltFile file("storageVersion", "3.6.0", true);
    file.bytes()[at] ^= 1;
    EXPECT_EQ(find_in_bolt(file.bytes(), "meta", "storageVersion").has_value(), at != 4096U + 16U) << at;
  }
  BoltFile file("storageVersion", "3.6.0", true);
  for (std::size_t size = 0; size <= 5 * 4096; size += 511)  // the value is on the page there
    EXPECT_FALSE(find_in_bolt(std::string_view(file.bytes()).substr(0, size), "meta", "storageVersion")
                     .value_or(std::nullopt)
                     .has_value())
        << size;
  EXPECT_FALSE(check_etcd(newest({3, 6, 0}), "not a store at all"));
}

}  // namespace
}  // namespace fairway::device

// Where graph data and releases come from: places, files, archives, Git.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/process.hpp"
#include "oci/pack.hpp"
#include "updateservice/graph_data_source.hpp"
#include "updateservice/registry_releases.hpp"
#include "updateservice/release_files.hpp"
#include "updateservice/release_source.hpp"
#include "updateservice/source_tree.hpp"

namespace fairway::updateservice {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SourcesTest : public ::testing::Test {
 protected:
  SourcesTest() {
    std::string name = (fs::temp_directory_path() / "fairway-sources-XXXXXX").string();
    root = ::mkdtemp(name.data());
  }
  ~SourcesTest() override { fs::remove_all(root); }

  std::string write(const std::string& path, std::string_view text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path, std::ios::binary) << text;
    return (root / path).string();
  }
  void write_tree(const std::string& folder, std::string_view version = "1.1.0\n") {
    write(folder + "/version", version);
    write(folder + "/raw/metadata.json", "{}");
    write(folder + "/channels/stable-4.7.yaml", "name: stable-4.7\nversions:\n- 4.7.4\n");
    write(folder + "/README.md", "not graph data");
  }
  void git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"-C", (root / "repo").string(), "-c", "user.name=t", "-c", "user.email=t@example.com"});
    const auto result =
        process.run({.program = "git",
                     .arguments = std::move(arguments),
                     .environment = {{"GIT_COMMITTER_DATE", date}, {"GIT_AUTHOR_DATE", date}}});
    ASSERT_TRUE(result);
    ASSERT_EQ(result->exit_code, 0) << result->error_output;
  }

  fs::path root;
  SystemClock clock;
  SystemProcess process{clock};
  std::string date = "2024-01-01T12:00:00Z";
};

std::vector<std::string> paths(const GraphDataFiles& data) {
  std::vector<std::string> all;
  for (const auto& file : data.files) all.push_back(file.path);
  return all;
}

TEST(GraphDataPlace, IsReadFromItsText) {
  EXPECT_EQ(GraphDataPlace::parse("./graph-data")->kind, GraphDataPlace::Kind::Path);
  const auto git = GraphDataPlace::parse("git:./repo@release/1.2");
  ASSERT_TRUE(git);
  EXPECT_EQ(git->kind, GraphDataPlace::Kind::Git);
  EXPECT_EQ(git->path, "./repo");
  EXPECT_EQ(git->revision, "release/1.2");
  EXPECT_EQ(GraphDataPlace::parse("git:./repo")->revision, "HEAD");
  const auto image = GraphDataPlace::parse("oci:quay.io/x/graph-data:1.2");
  ASSERT_TRUE(image);
  EXPECT_EQ(image->kind, GraphDataPlace::Kind::Image);
  EXPECT_EQ(image->image.tag, "1.2");
  EXPECT_TRUE(GraphDataPlace::parse("docker://quay.io/x/graph-data"));
  for (const std::string_view text :
       {"", "git:", "git:@main", "git:./repo@--upload-pack=x", "git:./repo@", "oci:", "oci:UPPER CASE"})
    EXPECT_FALSE(GraphDataPlace::parse(text)) << text;
}

TEST(ReleasePlace, IsAPathOrARepository) {
  EXPECT_EQ(ReleasePlace::parse("./releases.jsonl")->path, "./releases.jsonl");
  EXPECT_EQ(ReleasePlace::parse("oci:quay.io/ns/release")->repository->repository, "ns/release");
  EXPECT_FALSE(ReleasePlace::parse("oci:quay.io/ns/release:4.7.4"));
  EXPECT_FALSE(ReleasePlace::parse(""));
}

TEST_F(SourcesTest, AFolderAndAnArchiveOfItAreTheSame) {
  write_tree("tree");
  const auto folder = read_graph_data_path((root / "tree").string());
  ASSERT_TRUE(folder) << folder.error().describe();
  EXPECT_THAT(paths(*folder), ElementsAre("channels/stable-4.7.yaml", "raw/metadata.json", "version"));
  std::vector<oci::PackedFile> files;
  std::vector<std::string> names;
  for (const auto& file : folder->files) names.push_back("cincinnati-graph-data-1234/" + file.path);
  for (std::size_t i = 0; i < names.size(); ++i) files.push_back({names[i], folder->files[i].text});
  const auto archive = read_graph_data_path(write("data.tar.gz", *oci::pack_tar_gz(files)));
  ASSERT_TRUE(archive) << archive.error().describe();
  EXPECT_EQ(archive->tag, folder->tag);
  EXPECT_EQ(*oci::pack_tar_gz(files), *oci::pack_tar_gz(files)) << "the same bytes every time";
}

TEST_F(SourcesTest, WhatIsNoSourceIsSaidSo) {
  const auto missing = read_graph_data_path((root / "missing").string());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().describe(), HasSubstr("missing"));
  const auto broken = read_graph_data_path(write("broken.tar.gz", "this is no archive"));
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().describe(), HasSubstr("broken.tar.gz"));
}

TEST_F(SourcesTest, AGitRepositoryAsOfARevisionOrADate) {
  write_tree("repo", "1.0.0\n");
  git({"init", "-q", "-b", "main"});
  git({"add", "."});
  git({"commit", "-q", "-m", "one"});
  write("repo/version", "1.1.0\n");
  date = "2024-03-01T12:00:00Z";
  git({"commit", "-q", "-a", "-m", "two"});
  write("repo/version", "not committed");
  const std::string repository = (root / "repo").string();
  struct Case {
    std::string revision;
    std::string version;
  };
  for (const Case& c : {Case{"HEAD", "1.1.0\n"}, Case{"main", "1.1.0\n"}, Case{"HEAD~1", "1.0.0\n"},
                        Case{"2024-03-01", "1.1.0\n"}, Case{"2024-02-29", "1.0.0\n"},
                        Case{"2024-03-01T11:59:59Z", "1.0.0\n"}}) {
    const auto data = read_graph_data_git(process, repository, c.revision);
    ASSERT_TRUE(data) << c.revision << ": " << data.error().describe();
    EXPECT_EQ(data->files.back().text, c.version) << c.revision;
    EXPECT_EQ(data->revision.size(), 12U);
  }
  for (const std::string& revision : {"no-such-branch", "2023-01-01", "--output=x", "HEAD~99", "a b"}) {
    const auto refused = read_graph_data_git(process, repository, revision);
    EXPECT_FALSE(refused) << revision;
  }
}

constexpr std::string_view kMetadata =
    R"({"kind":"cincinnati-metadata-v0","version":"4.7.4","previous":["4.6.23"]})";

TEST_F(SourcesTest, AFolderOfReleaseMetadataFiles) {
  const std::string digest(64, 'a');
  write("releases/wrapped.json", R"({
    "payload": "registry.example.com/release@sha256:)" +
                                     digest + R"(", "architecture": "amd64",
    "release-metadata": {"kind": "cincinnati-metadata-v0", "version": "4.6.23"}})");
  write(
      "releases/sub/flat.json",
      R"({"payload":"registry.example.com/release@sha256:)" + std::string(64, 'b') +
          R"(","architecture":"arm64","kind":"cincinnati-metadata-v0","version":"4.7.4","previous":["4.6.23"]})");
  write("releases/notes.txt", "ignored");
  const auto list = read_release_files((root / "releases").string());
  ASSERT_TRUE(list) << list.error().describe();
  ASSERT_EQ(list->releases.size(), 2U);
  EXPECT_EQ(list->releases[0].version.to_string(), "4.7.4+arm64");
  EXPECT_EQ(list->releases[1].version.to_string(), "4.6.23+amd64");

  write("releases/bare.json", kMetadata);
  const auto refused = read_release_files((root / "releases").string());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().describe(), HasSubstr("bare.json"));
  EXPECT_THAT(refused.error().describe(), HasSubstr("expected \"payload\""));
  fs::create_directories(root / "nothing");
  EXPECT_FALSE(read_release_files((root / "nothing").string()));
}

TEST(ScrapedImages, SurviveBeingWrittenDown) {
  const auto digest = [](char c) { return *oci::Digest::parse("sha256:" + std::string(64, c)); };
  ScrapedImages images;
  images[digest('a')] = {"amd64", std::string(kMetadata)};
  images[digest('b')] = {};
  const std::string text = to_lines(images);
  const ScrapedImages again = from_lines(text + "garbage\n{\"digest\":\"md5:1\"}\n");
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again.at(digest('a')).metadata, std::string(kMetadata));
  EXPECT_EQ(again.at(digest('a')).architecture, "amd64");
  EXPECT_EQ(again.at(digest('b')).metadata, std::nullopt);
  // What can no longer be understood is read from the registry again.
  EXPECT_TRUE(from_lines(R"({"digest":"sha256:)" + std::string(64, 'c') +
                         R"(","architecture":"amd64","release-metadata":"{}"})")
                  .empty());
}

TEST(ContentTag, NamesPathsAndTexts) {
  EXPECT_EQ(content_tag({{"a", "b"}}), content_tag({{"a", "b"}}));
  EXPECT_NE(content_tag({{"a", "b"}}), content_tag({{"a", "c"}}));
  EXPECT_NE(content_tag({{"a", "b"}}), content_tag({{"ab", ""}}));
  EXPECT_TRUE(is_graph_data("blocked-edges/x/y.yml"));
  EXPECT_FALSE(is_graph_data("blocked-edges"));
  EXPECT_FALSE(is_graph_data("channels2/x.yaml"));
}

}  // namespace
}  // namespace fairway::updateservice

// The registry client against Debian's docker-registry, with images that skopeo pushed: plain, and with TLS
// and a password. Not run where docker-registry or skopeo are not installed.
#include "oci/registry.hpp"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/event_loop.hpp"
#include "async/process.hpp"
#include "async/worker_pool.hpp"
#include "http/certificates.hpp"
#include "http/client.hpp"
#include "oci/image.hpp"
#include "oci/testing/archives.hpp"
#include "oci/testing/images.hpp"

extern char** environ;

namespace fairway::oci {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::Flavour;
using ::testing::HasSubstr;
using testing::make_image;
using testing::make_index;
using testing::make_tar;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr const char* kPassword = "swordfish";
// bcrypt of the password above, as htpasswd -B writes it.
constexpr const char* kPasswordFile = "tester:$2b$05$abcdefghijklmnopqrstuupWDwJQeCHYIBQy8WvkVB6ImhZ476YYy\n";
const std::string kMetadata = "release-manifests/release-metadata";

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fairway-registry-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

// docker-registry as a child, on a port that the system chose; gone with this object.
class RegistryProcess {
 public:
  explicit RegistryProcess(const std::string& config_file) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    std::string arguments[] = {"docker-registry", "serve", config_file};
    char* argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(), nullptr};
    if (::posix_spawnp(&pid_, argv[0], &actions, nullptr, argv, environ) != 0) pid_ = 0;
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    log_ = ends[0];
    if (pid_ != 0) wait_for_port();
  }
  ~RegistryProcess() { stop(); }
  RegistryProcess(const RegistryProcess&) = delete;
  RegistryProcess& operator=(const RegistryProcess&) = delete;

  void stop() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    pid_ = 0;
    if (log_ >= 0) ::close(log_);
    log_ = -1;
  }
  int port() const { return port_; }
  const std::string& log() const { return text_; }

 private:
  // It says "listening on 127.0.0.1:PORT" once it does; its end of the pipe closes when it fails instead.
  void wait_for_port() {
    const std::string sign = "listening on 127.0.0.1:";
    char buffer[4096];
    for (;;) {
      const ssize_t count = ::read(log_, buffer, sizeof buffer);
      if (count <= 0) return;
      text_.append(buffer, static_cast<std::size_t>(count));
      const auto at = text_.find(sign);
      if (at == std::string::npos ||
          text_.find_first_not_of("0123456789", at + sign.size()) == std::string::npos)
        continue;
      port_ = std::atoi(text_.c_str() + at + sign.size());  // NOLINT(cert-err34-c): the port of our own child
      return;
    }
  }

  pid_t pid_ = 0;
  int log_ = -1;
  int port_ = 0;
  std::string text_;
};

bool is_installed(const std::string& program) {
  SystemClock clock;
  return SystemProcess(clock).run({.program = program, .arguments = {"--version"}}).has_value();
}

class RegistryEnd2End : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_installed("docker-registry") || !is_installed("skopeo"))
      GTEST_SKIP() << "docker-registry or skopeo is not installed";
  }

  void start(const std::string& more = "") {
    const std::string config = fmt::format(
        "version: 0.1\nlog: {{level: info, formatter: text}}\nstorage: {{filesystem: {{rootdirectory: "
        "{}}}}}\nhttp:\n  addr: 127.0.0.1:0\n{}",
        folder / "storage", more);
    process.emplace(folder.write("config.yml", config));
    ASSERT_NE(process->port(), 0) << process->log();
  }

  void start_with_tls_and_password() {
    const WallTime now = SystemClock().now();
    const auto authority = http::make_authority("fairway test authority", now - 1h, now + 24h);
    ASSERT_TRUE(authority);
    const auto pair = http::issue_certificate(*authority, {.common_name = "registry",
                                                           .ip_addresses = {"127.0.0.1"},
                                                           .not_before = now - 1h,
                                                           .not_after = now + 24h});
    ASSERT_TRUE(pair);
    authority_pem = authority->certificate_pem;
    folder.write("certs/ca.crt", authority_pem);
    start(fmt::format("  tls: {{certificate: {}, key: {}}}\nauth: {{htpasswd: {{realm: test, path: {}}}}}\n",
                      folder.write("server.crt", pair->certificate_pem),
                      folder.write("server.key", pair->key_pem), folder.write("htpasswd", kPasswordFile)));
  }

  std::string host() const { return fmt::format("127.0.0.1:{}", process->port()); }

  void push(const testing::TestImage& image, const std::string& name, std::vector<std::string> options) {
    const std::string layout = folder / ("layout-" + image.digest().text().substr(7, 12));
    testing::write_layout(layout, image, "pushed");
    std::vector<std::string> arguments = {"--insecure-policy", "copy", "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back("oci:" + layout + ":pushed");
    arguments.push_back(fmt::format("docker://{}/{}", host(), name));
    SystemClock clock;
    const auto done = SystemProcess(clock).run({.program = "skopeo", .arguments = std::move(arguments)});
    ASSERT_TRUE(done) << done.error().describe();
    ASSERT_EQ(done->exit_code, 0) << done->error_output;
  }

  http::Client make_client(const std::string& ca_pem = {}) {
    http::ClientOptions options;
    if (!ca_pem.empty()) options.tls = *http::make_client_context({.ca_pem = ca_pem});
    return http::Client(loop.executor(), loop.clock(), std::move(options));
  }

  RegistryOptions options(bool is_plain) {
    RegistryOptions made{.registry = *RegistryHost::parse((is_plain ? "http://" : "") + host())};
    made.retry.first_pause = 1ms;
    made.trust_hint = "name its authority with --registry-ca";
    return made;
  }

  template <class T>
  Result<T> run(Task<T> task) {
    return loop.block_on(std::move(task));
  }

  Folder folder;
  async::EventLoop loop;
  async::WorkerPool pool{"oci-e2e", 2};
  std::optional<RegistryProcess> process;
  std::string authority_pem;
};

const std::vector<std::string> kPlain = {"--dest-tls-verify=false"};

std::vector<std::string> with(std::vector<std::string> options, const std::vector<std::string>& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

std::string lower_layer() {
  return make_tar({{"etc/", "", testing::TarEntry::Kind::Directory, 0755},
                   {kMetadata, "lower"},
                   {"version", "1.0.0\n"},
                   {"channels/gone.yaml", "name: gone"}});
}

std::string upper_layer() {
  return make_tar(
      {{kMetadata, "upper"}, {"channels/stable.yaml", "name: stable"}, {"channels/.wh.gone.yaml"}});
}

TEST_F(RegistryEnd2End, BothKindsOfManifestAndTheFilesOfBothLayers) {
  start();
  const auto image = make_image({lower_layer(), upper_layer()}, Flavour::Oci, "s390x");
  push(image, "ns/release:oci", kPlain);
  push(image, "ns/release:docker", with(kPlain, {"--format", "v2s2"}));
  http::Client client = make_client();
  Registry registry(client, loop.clock(), options(true));

  const auto tags = run(registry.tags("ns/release"));
  ASSERT_TRUE(tags) << tags.error().describe();
  EXPECT_THAT(*tags, UnorderedElementsAre("oci", "docker"));

  const LayerAccess access{registry, pool};
  for (const auto& [tag, type] :
       {std::pair("oci", "application/vnd.oci.image.manifest.v1+json"),
        std::pair("docker", "application/vnd.docker.distribution.manifest.v2+json")}) {
    const auto fetched = run(registry.manifest("ns/release", tag));
    ASSERT_TRUE(fetched) << fetched.error().describe();
    EXPECT_EQ(fetched->document.media_type, type);
    const auto opened = run(open_image(registry, "ns/release", fetched->digest));
    ASSERT_TRUE(opened) << opened.error().describe();
    EXPECT_EQ(run(registry.platform_of("ns/release", opened->manifest))->to_string(), "linux/s390x");
    const auto top = run(find_in_layers(access, *opened, kMetadata, [](const std::string&) { return true; }));
    ASSERT_TRUE(top) << top.error().describe();
    EXPECT_EQ((*top)->bytes, "upper");
    const auto below = run(
        find_in_layers(access, *opened, kMetadata, [](const std::string& text) { return text == "lower"; }));
    ASSERT_TRUE(below) << below.error().describe();
    EXPECT_EQ((*below)->bytes, "lower");
    std::map<std::string, std::string> files;
    const auto done = run(extract_tree(access, *opened, {}, [&](ImageFile file) {
      files[file.path] = file.bytes;
      return Result<void>{};
    }));
    ASSERT_TRUE(done) << done.error().describe();
    EXPECT_THAT(files, ElementsAre(Pair("channels/stable.yaml", "name: stable"), Pair(kMetadata, "upper"),
                                   Pair("version", "1.0.0\n")));
  }
}

TEST_F(RegistryEnd2End, AnIndexOfTwoArchitectures) {
  start();
  const auto index = make_index({make_image({lower_layer()}, Flavour::Oci, "amd64"),
                                 make_image({lower_layer(), upper_layer()}, Flavour::Oci, "arm64")});
  push(index, "ns/release:multi", with(kPlain, {"--all"}));
  http::Client client = make_client();
  Registry registry(client, loop.clock(), options(true));
  const auto last = run(open_image(registry, "ns/release", "multi"));
  ASSERT_TRUE(last) << last.error().describe();
  EXPECT_EQ(last->digest, index.digest());
  EXPECT_EQ(last->platform->architecture, "arm64");
  EXPECT_EQ(last->platforms.size(), 2U);
  EXPECT_EQ(last->manifest.layers.size(), 2U);
  const auto asked = run(open_image(registry, "ns/release", "multi", Platform{"linux", "amd64"}));
  ASSERT_TRUE(asked) << asked.error().describe();
  EXPECT_EQ(asked->manifest.layers.size(), 1U);
}

TEST_F(RegistryEnd2End, TagsInPages) {
  start();
  const auto image = make_image({upper_layer()});
  for (const char* tag : {"a", "b", "c"}) push(image, fmt::format("ns/release:{}", tag), kPlain);
  http::Client client = make_client();
  RegistryOptions small = options(true);
  small.page_size = 2;
  Registry registry(client, loop.clock(), std::move(small));
  const auto tags = run(registry.tags("ns/release"));
  ASSERT_TRUE(tags) << tags.error().describe();
  EXPECT_THAT(*tags, UnorderedElementsAre("a", "b", "c"));
  EXPECT_EQ(run(registry.tags("ns/none")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(run(registry.manifest("ns/release", "none")).error().code, ErrorCode::NotFound);
}

TEST_F(RegistryEnd2End, TlsAndPasswords) {
  start_with_tls_and_password();
  push(make_image({upper_layer()}), "ns/release:t",
       {"--dest-cert-dir", folder / "certs", "--dest-creds", fmt::format("tester:{}", kPassword)});
  http::Client client = make_client(authority_pem);

  RegistryOptions good = options(false);
  good.credentials.add(host() + "/ns", "tester", kPassword);
  Registry registry(client, loop.clock(), good);
  const auto image = run(open_image(registry, "ns/release", "t"));
  ASSERT_TRUE(image) << image.error().describe();
  EXPECT_THAT(*run(extract_files({registry, pool}, *image, {kMetadata})),
              ElementsAre(Pair(kMetadata, "upper")));

  RegistryOptions wrong = options(false);
  wrong.credentials.add(host(), "tester", "a wrong password");
  Registry refused(client, loop.clock(), wrong);
  const auto error = run(refused.tags("ns/release"));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().code, ErrorCode::Forbidden);
  EXPECT_THAT(error.error().describe(), HasSubstr(fmt::format("entry \"{}\"", host())));
  EXPECT_THAT(error.error().describe(), Not(HasSubstr("a wrong password")));

  Registry anonymous(client, loop.clock(), options(false));
  EXPECT_EQ(run(anonymous.tags("ns/release")).error().code, ErrorCode::Forbidden);
}

TEST_F(RegistryEnd2End, AnotherAuthorityIsNotTrusted) {
  start_with_tls_and_password();
  const WallTime now = SystemClock().now();
  http::Client client =
      make_client(http::make_authority("another authority", now - 1h, now + 24h)->certificate_pem);
  Registry registry(client, loop.clock(), options(false));
  const auto tags = run(registry.tags("ns/release"));
  ASSERT_FALSE(tags);
  EXPECT_EQ(tags.error().code, ErrorCode::Forbidden);
  EXPECT_THAT(tags.error().describe(), HasSubstr(host()));
  EXPECT_THAT(tags.error().describe(), HasSubstr("certificate is not trusted"));
  EXPECT_THAT(tags.error().describe(), HasSubstr("--registry-ca"));
}

TEST_F(RegistryEnd2End, TlsWhereThereIsNone) {
  start();
  const WallTime now = SystemClock().now();
  http::Client client = make_client(http::make_authority("any", now - 1h, now + 24h)->certificate_pem);
  Registry registry(client, loop.clock(), options(false));
  const auto tags = run(registry.tags("ns/release"));
  ASSERT_FALSE(tags);
  EXPECT_EQ(tags.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(tags.error().describe(), HasSubstr("write http:// before it"));
}

TEST_F(RegistryEnd2End, TheRegistryGoesInTheMiddle) {
  start();
  std::string noise(24 * 1024 * 1024, '\0');  // more than the buffers of a connection hold
  std::uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  push(make_image({make_tar({{"large", noise}})}), "ns/release:t", kPlain);
  http::Client client = make_client();
  Registry registry(client, loop.clock(), options(true));
  const auto image = run(open_image(registry, "ns/release", "t"));
  ASSERT_TRUE(image) << image.error().describe();
  auto blob = run(registry.open_blob("ns/release", image->manifest.layers[0]));
  ASSERT_TRUE(blob) << blob.error().describe();
  ASSERT_TRUE(run(blob->read()));
  process->stop();
  Result<std::string> piece = std::string("x");
  while (piece && !piece->empty()) piece = run(blob->read());
  ASSERT_FALSE(piece);
  EXPECT_EQ(piece.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(piece.error().describe(), HasSubstr(image->manifest.layers[0].digest.text()));
  EXPECT_EQ(run(registry.tags("ns/release")).error().code, ErrorCode::Unavailable);
}

}  // namespace
}  // namespace fairway::oci

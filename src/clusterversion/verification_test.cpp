// With real keys of a real gpg, in a home of the test's own.
#include "clusterversion/verification.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/event_loop.hpp"
#include "async/files.hpp"
#include "clusterversion/signature.hpp"
#include "http/test_server.hpp"
#include "kube/client/testing/temp_dir.hpp"

namespace fairway::clusterversion {
namespace {

using kube::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kDigest = "sha256:" + std::string(64, 'a');
const std::string kOther = "sha256:" + std::string(64, 'b');

std::string signed_text(const std::string& digest) {
  return R"({"critical": {"type": "atomic container signature", "identity": {"docker-reference": "quay.io/x:1"},
             "image": {"docker-manifest-digest": ")" +
         digest + R"("}}, "optional": {"creator": "test"}})";
}

// A home of gpg with keys of 2020, by name: "release" and "stranger" are good for ever, "expired" was for a
// day. Made once: keys take time.
class Keys {
 public:
  Keys() {
    std::filesystem::create_directories(home());
    std::filesystem::permissions(home(), std::filesystem::perms::owner_all);
    make("release", "never");
    make("stranger", "never");
    make("expired", "1d");
  }
  ~Keys() { (void)run("gpgconf", {"--kill", "gpg-agent"}); }

  // What a store has: the text inside an OpenPGP message.
  std::string sign(const std::string& name, const std::string& text, std::vector<std::string> with = {}) {
    std::vector<std::string> arguments = {"--local-user", name, "--output", "-"};
    arguments.insert(arguments.end(), with.begin(), with.end());
    arguments.emplace_back("--sign");
    return gpg(arguments, text);
  }
  std::string keyring(const std::string& name, bool is_armored) {
    std::vector<std::string> arguments = {"--export", name};
    if (is_armored) arguments.insert(arguments.begin(), "--armor");
    return temp_.write(name + (is_armored ? ".asc" : ".gpg"), gpg(arguments));
  }
  std::string gpg(std::vector<std::string> arguments, const std::string& input = "") {
    const std::vector<std::string> batch = {"--batch",  "--quiet",      "--pinentry-mode",
                                            "loopback", "--passphrase", ""};
    arguments.insert(arguments.begin(), batch.begin(), batch.end());
    return run("gpg", arguments, input);
  }

 private:
  std::string home() const { return temp_.path("home"); }
  void make(const std::string& name, const std::string& expires) {
    gpg({"--faked-system-time", "20200601T120000", "--quick-gen-key", name, "ed25519", "sign", expires});
  }
  std::string run(const std::string& program, std::vector<std::string> arguments,
                  const std::string& input = "") {
    arguments.insert(arguments.begin(), {"--homedir", home()});
    const auto result = process_.run({.program = program, .arguments = arguments, .input = input});
    if (!result || result->exit_code != 0)
      ADD_FAILURE() << program << ": " << (result ? result->error_output : result.error().describe());
    return result ? result->output : "";
  }

  TempDir temp_;
  SystemClock clock_;
  SystemProcess process_{clock_};
};

class VerificationTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    SystemClock clock;
    SystemProcess process(clock);
    const auto gpg = process.run({.program = "gpg", .arguments = {"--version"}});
    const auto gpgv = process.run({.program = "gpgv", .arguments = {"--version"}});
    if (gpg && gpgv) keys = std::make_unique<Keys>();
  }
  static void TearDownTestSuite() { keys.reset(); }
  void SetUp() override {
    if (!keys) GTEST_SKIP() << "gpg (package gnupg) and gpgv are needed";
    settings.keyring_file = keys->keyring("release", false);
  }

  // The error's message, or "verified".
  std::string verify(const std::vector<std::string>& stores, const std::string& digest = kDigest) {
    http::Client client(server.loop.executor(), server.loop.clock(), {});
    ReleaseVerifier verifier(settings, client, server.loop.clock(), pool, process);
    const auto result = server.loop.block_on(verifier.verify(digest, stores));
    return result ? "verified" : result.error().describe();
  }
  // A store in a directory with these signatures of kDigest.
  std::string store(const std::vector<std::string>& signatures) {
    const std::string name = "store-" + std::to_string(++stores_);
    std::filesystem::create_directories(temp.path(name));
    for (std::size_t i = 0; i < signatures.size(); ++i)
      temp.write(name + "/" + signature_path(kDigest, i + 1), signatures[i]);
    return temp.path(name);
  }
  static std::string good() { return keys->sign("release", signed_text(kDigest)); }

  Task<void> answer(const http::Request& request, http::ResponseWriter& writer) {
    asked.push_back(request.target);
    const auto found = served.find(request.target);
    if (found == served.end()) return writer.send({404, {}, "not found"});
    return writer.send(found->second);
  }

  static std::unique_ptr<Keys> keys;
  TempDir temp;
  int stores_ = 0;
  VerificationSettings settings;
  std::map<std::string, http::Response> served;
  std::vector<std::string> asked;
  async::WorkerPool pool{"verify-test", 1};
  SystemClock clock;
  SystemProcess process{clock};
  http::testing::TestServer server{
      [this](const http::Request& request, http::ResponseWriter& writer) { return answer(request, writer); }};
};

std::unique_ptr<Keys> VerificationTest::keys;

TEST_F(VerificationTest, AcceptsASignatureByAKeyOfTheKeyring) {
  EXPECT_EQ(verify({store({good()})}), "verified");
  EXPECT_EQ(verify({"file://" + store({good()})}), "verified");
  settings.keyring_file = keys->keyring("release", true);
  EXPECT_EQ(verify({store({good()})}), "verified") << "a keyring in armour";
}

TEST_F(VerificationTest, GoesOnToTheNextSignatureAndTheNextStore) {
  EXPECT_EQ(verify({store({"garbage", keys->sign("stranger", signed_text(kDigest)), good()})}), "verified");
  EXPECT_EQ(verify({store({}), temp.path("missing"), store({"garbage"}), store({good()})}), "verified");
}

TEST_F(VerificationTest, AsksUrlsUntilNotFound) {
  const std::string path = "/signatures/sha256=" + std::string(64, 'a');
  const std::string url = server.url("/signatures/").origin() + "/signatures/";
  EXPECT_THAT(verify({url}), HasSubstr("there is no signature"));
  EXPECT_THAT(asked, ::testing::ElementsAre(path + "/signature-1"));
  served[path + "/signature-1"] = {200, {}, keys->sign("stranger", signed_text(kDigest))};
  served[path + "/signature-2"] = {200, {}, good()};
  asked.clear();
  EXPECT_EQ(verify({url}), "verified");
  EXPECT_THAT(asked, ::testing::ElementsAre(path + "/signature-1", path + "/signature-2"));
  served[path + "/signature-1"] = {503, {}, "busy"};
  EXPECT_THAT(verify({url}), HasSubstr("503 Service Unavailable"));
  EXPECT_EQ(verify({url, store({good()})}), "verified") << "a store that is down does not hide the next one";
  served[path + "/signature-1"] = {200, {}, std::string(kMostSignatureBytes + 1, 'x')};
  EXPECT_THAT(verify({url}), HasSubstr("at most 65536 bytes"));
  served[path + "/signature-1?token=x"] = {200, {}, good()};
  EXPECT_EQ(verify({server.url("").origin() + "/signatures?token=x"}), "verified");
}

TEST_F(VerificationTest, RefusesWhatIsNotSignedByUsForThisImage) {
  const std::string right = good();
  std::string changed = right;
  changed[changed.size() - 10] = static_cast<char>(changed[changed.size() - 10] ^ 1);
  const std::pair<std::string, const char*> cases[] = {
      {keys->sign("stranger", signed_text(kDigest)), "the key that signed is not in the keyring"},
      {keys->sign("release", signed_text(kOther)), "expected a signature of"},
      {keys->sign("release", "{}"), "atomic container signature"},
      {keys->sign("release", "no json"), "in the signed text"},
      {changed, "signature-1: "},
      {right.substr(0, right.size() / 2), "signature-1: "},
      {keys->gpg({"--output", "-", "--store"}, signed_text(kDigest)),
       "expected an OpenPGP message with a signature"},
      {signed_text(kDigest), "expected an OpenPGP message with a signature"},
      {"", "expected an OpenPGP message with a signature"},
  };
  for (const auto& [signature, message] : cases) {
    const std::string text = verify({store({signature})});
    EXPECT_THAT(text, AllOf(HasSubstr(message),
                            HasSubstr("expected a signature of \"" + kDigest + "\" by a key of")));
  }
  EXPECT_THAT(verify({store({})}), HasSubstr("there is no signature"));
}

TEST_F(VerificationTest, RefusesWhatHasExpired) {
  const std::vector<std::string> then = {"--faked-system-time", "20200601T180000"};
  EXPECT_EQ(verify({store({keys->sign("release", signed_text(kDigest), then)})}), "verified");
  auto for_a_day = then;
  for_a_day.insert(for_a_day.end(), {"--default-sig-expire", "1d"});
  EXPECT_THAT(verify({store({keys->sign("release", signed_text(kDigest), for_a_day)})}),
              HasSubstr("the signature has expired"));
  const std::string by_expired = keys->sign("expired", signed_text(kDigest), then);
  settings.keyring_file = keys->keyring("expired", false);
  EXPECT_THAT(verify({store({by_expired})}), HasSubstr("the key that signed has expired"));
}

TEST_F(VerificationTest, IsNotPossibleWithoutStoresKeysOrADigest) {  // case 62
  const std::string place = store({good()});
  EXPECT_EQ(verify({}), "verification is not possible");
  EXPECT_THAT(verify({place}, ""),
              HasSubstr("verification is not possible: expected an image that is named by its digest"));
  EXPECT_THAT(verify({place}, "sha256:../../etc"), HasSubstr("verification is not possible"));
  settings.keyring_file = "";
  EXPECT_EQ(verify({place}), "verification is not possible");
  settings.keyring_file = temp.path("no-keyring");
  EXPECT_THAT(verify({place}), HasSubstr("no-keyring"));
  settings.keyring_file = temp.write("empty", "");
  EXPECT_THAT(verify({place}), HasSubstr("the key that signed is not in the keyring"));
  settings.keyring_file = keys->keyring("release", false);
  settings.program = "no-such-gpgv";
  EXPECT_THAT(verify({place}), HasSubstr("no-such-gpgv"));
}

TEST_F(VerificationTest, DoesNotLetAStoreKeepItBusy) {
  std::vector<std::string> many(kMostSignatures, "garbage");
  many.push_back(good());
  EXPECT_THAT(verify({store(many)}), HasSubstr("signature-16"));
}

}  // namespace
}  // namespace fairway::clusterversion

#include "clusterversion/verification.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "async/deadline.hpp"
#include "async/files.hpp"
#include "base/text.hpp"
#include "clusterversion/signature.hpp"
#include "oci/digest.hpp"

namespace fairway::clusterversion {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileScheme = "file://";
constexpr Duration kReadTimeout = std::chrono::seconds(30);

std::unexpected<Error> impossible() {
  return fail(ErrorCode::Unsupported, "verification is not possible");
}

// A folder that nobody else can look into, gone with its object.
class PrivateFolder {
 public:
  static Result<PrivateFolder> make() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "fairway-keys-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr)
      return fail(ErrorCode::Internal,
                  "cannot make a folder for the keyring; make room in the temporary one");
    return PrivateFolder(name);
  }
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit PrivateFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

struct Check {
  std::string keyring_file;
  std::string program;
  Duration timeout;
  std::string digest;
  std::string signature;
};

// A keyring as gpgv reads it, for as long as this lives: the file itself, or a copy out of its armour.
struct UsableKeyring {
  std::string file = {};
  std::optional<PrivateFolder> copy = {};

  static Result<UsableKeyring> open(const std::string& file) {
    FAIRWAY_TRY(const std::string text, read_file(file));
    auto keys = dearmor_keyring(text);
    if (!keys) return std::unexpected(std::move(keys).error().within("while reading " + quoted(file)));
    std::error_code ignored;
    if (*keys == text) return UsableKeyring{.file = fs::absolute(file, ignored).string()};
    FAIRWAY_TRY(PrivateFolder folder, PrivateFolder::make());
    const std::string copy = (folder.path() / "keyring.gpg").string();
    FAIRWAY_CHECKED(replace_file(copy, *keys));
    return UsableKeyring{.file = copy, .copy = std::move(folder)};
  }
};

// On a thread of the pool.
Result<void> run_check(Process& process, const Check& check) {
  FAIRWAY_TRY(const UsableKeyring keyring, UsableKeyring::open(check.keyring_file));
  FAIRWAY_TRY(const ProcessResult result,
              process.run({.program = check.program,
                           .arguments = {"--homedir", fs::path(keyring.file).parent_path().string(),
                                         "--keyring", keyring.file, "--status-fd", "2", "--output", "-"},
                           .environment = {{"LC_ALL", "C"}},
                           .input = check.signature,
                           .timeout = check.timeout,
                           .max_output = 1024 * 1024}));
  FAIRWAY_CHECKED(judge_gpgv(result.exit_code, result.error_output));
  return check_signed_text(result.output, check.digest);
}

// Keeps the query of a store's address, should it have one.
std::string path_below(std::string_view base, std::string_view path) {
  const std::size_t question = std::min(base.find('?'), base.size());
  std::string_view folder = base.substr(0, question);
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return fmt::format("{}/{}{}", folder, path, base.substr(question));
}

}  // namespace

ReleaseVerifier::ReleaseVerifier(VerificationSettings settings, http::Transport& transport, TimerClock& clock,
                                 async::WorkerPool& pool, Process& process)
    : settings_(std::move(settings)), transport_(transport), clock_(clock), pool_(pool), process_(process) {}

Task<void> ReleaseVerifier::verify(std::string digest, std::vector<std::string> stores) {
  if (stores.empty() || settings_.keyring_file.empty()) co_return impossible();
  if (!oci::Digest::parse(digest)) {
    co_return fail(ErrorCode::Unsupported,
                   fmt::format("verification is not possible: expected an image that is named by its digest, "
                               "found {}; only such can be signed",
                               digest.empty() ? "none" : quoted(digest)));
  }
  co_return co_await async::with_deadline(clock_, clock_.steady() + settings_.timeout,
                                          search(std::move(digest), std::move(stores)));
}

Task<void> ReleaseVerifier::search(std::string digest, std::vector<std::string> stores) {
  std::vector<std::string> found;
  for (const std::string& store : stores) {
    auto outcome = co_await search_store(digest, store);
    if (outcome) co_return Result<void>{};
    if (outcome.error().code == ErrorCode::Cancelled) co_return outcome;
    found.push_back(fmt::format("in {}: {}", quoted(store), outcome.error().describe()));
  }
  co_return fail(ErrorCode::Forbidden,
                 fmt::format("expected a signature of {} by a key of {}, found none that is "
                             "valid: {}",
                             quoted(digest), quoted(settings_.keyring_file), join(found, "; ")));
}

Task<void> ReleaseVerifier::search_store(std::string digest, std::string store) {
  std::vector<std::string> wrong;
  for (std::size_t number = 1; number <= kMostSignatures; ++number) {
    const auto signature = co_await fetch(store, signature_path(digest, number));
    if (!signature && signature.error().code == ErrorCode::NotFound) break;
    if (!signature) {
      // What was found so far says more than that there may be others.
      wrong.push_back(signature.error().describe());
      if (signature.error().code == ErrorCode::Cancelled) co_return std::unexpected(signature.error());
      break;
    }
    auto checked = co_await check(digest, *signature);
    if (checked) co_return Result<void>{};
    if (checked.error().code == ErrorCode::Cancelled) co_return checked;
    wrong.push_back(fmt::format("signature-{}: {}", number, checked.error().describe()));
  }
  if (wrong.empty()) co_return fail(ErrorCode::NotFound, "there is no signature");
  co_return fail(ErrorCode::Forbidden, join(wrong, ", "));
}

Task<std::string> ReleaseVerifier::fetch(std::string store, std::string path) {
  if (http::is_url(store)) {
    FAIRWAY_CO_TRY(http::Url url, http::Url::parse(store));
    url.path = path_below(url.path, path);
    co_return co_await fetch_url(std::move(url));
  }
  if (co_await async::is_cancelled()) co_return async::cancelled();
  if (store.starts_with(kFileScheme)) store.erase(0, kFileScheme.size());
  co_return co_await pool_.run(
      [file = (fs::path(store) / path).string()] { return read_file(file, kMostSignatureBytes); });
}

Task<std::string> ReleaseVerifier::fetch_url(http::Url url) {
  const std::string where = url.origin() + url.path;
  FAIRWAY_CO_TRY(const auto answer, co_await transport_.open({.url = std::move(url)}));
  if (answer->status() == 404)
    co_return fail(ErrorCode::NotFound, fmt::format("{} is not there", quoted(where)));
  if (answer->status() != 200) {
    co_return fail(ErrorCode::Unavailable,
                   fmt::format("expected 200 from {}, found {} {}", quoted(where), answer->status(),
                               http::reason_phrase(answer->status())));
  }
  std::string body;
  for (;;) {
    FAIRWAY_CO_TRY(const std::string piece, co_await answer->read(kReadTimeout));
    if (piece.empty()) co_return body;
    body += piece;
    if (body.size() > kMostSignatureBytes) {
      co_return fail(ErrorCode::Invalid, fmt::format("expected a signature of at most {} bytes from {}",
                                                     kMostSignatureBytes, quoted(where)));
    }
  }
}

Task<void> ReleaseVerifier::check(std::string digest, std::string signature) {
  if (co_await async::is_cancelled()) co_return async::cancelled();
  Check check{.keyring_file = settings_.keyring_file,
              .program = settings_.program,
              .timeout = settings_.timeout,
              .digest = std::move(digest),
              .signature = std::move(signature)};
  co_return co_await pool_.run(
      [&process = process_, check = std::move(check)] { return run_check(process, check); });
}

}  // namespace fairway::clusterversion

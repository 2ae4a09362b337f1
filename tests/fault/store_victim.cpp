// store_victim: a process that writes to a store as fast as it can, says so on its standard output, and is
// killed.
//
//   store_victim --dir DIR --seed N --run TEXT --resume REVISION [--writes N] [--die-at N]
//
// With --die-at it kills itself at the N-th write, sync or truncation of a file of the store: before it, in
// the middle of it or after it. The lines that it prints are those of history.hpp; each is written at once,
// so that what was acknowledged before the end is known.
#include <atomic>
#include <memory>
#include <string>

#include "store/store.hpp"
#include "store/testing/fault_vfs.hpp"
#include "store/testing/test_loop.hpp"
#include "tests/fault/victim.hpp"
#include "tests/fault/workload.hpp"

namespace fairway::fault {
namespace {

std::unique_ptr<store::FaultVfs> deadly_vfs(std::uint64_t die_at) {
  auto count = std::make_shared<std::atomic<std::uint64_t>>(0);
  return std::make_unique<store::FaultVfs>("deadly", [count, die_at](const store::IoEvent&) {
    if (++*count != die_at) return store::IoFault::None;
    constexpr store::IoFault kEnds[] = {store::IoFault::KillBefore, store::IoFault::KillTorn,
                                        store::IoFault::KillAfter};
    return kEnds[die_at % 3];
  });
}

int run(const Arguments& arguments) {
  const SystemClock clock;
  store::TestLoop loop;
  std::unique_ptr<store::FaultVfs> vfs;
  store::StoreOptions options{.directory = arguments.at("--dir"), .clock = clock, .post = loop.poster()};
  options.ring_changes = 100;
  options.log = {
      .idle_checkpoint_bytes = 128 << 10, .forced_checkpoint_bytes = 512 << 10, .reserve_block = 512};
  if (const std::uint64_t die_at = number(arguments, "--die-at", 0); die_at != 0) {
    vfs = deadly_vfs(die_at);
    options.log.vfs = "deadly";
  }
  const auto store = store::Store::open(std::move(options));
  if (!store) {
    print("failed open: " + store.error().describe());
    return 2;
  }
  const std::uint64_t resume = number(arguments, "--resume", 0);
  Workload workload(**store,
                    {.seed = number(arguments, "--seed", 1),
                     .run = arguments.at("--run"),
                     .resume = resume,
                     .writes = number(arguments, "--writes", ~std::uint64_t{0})},
                    print);
  workload.start();
  // What the watch has seen is not needed again; dropping it is one more thing to be killed in.
  if (resume % 3 == 0) (*store)->compact(resume, [](const Result<void>&) {});
  loop.run_until([&] { return workload.is_finished(); });
  const Result<void> closed = (*store)->close();
  print(closed ? "closed" : "failed close: " + closed.error().describe());
  return closed ? 0 : 2;
}

}  // namespace
}  // namespace fairway::fault

int main(int argc, char** argv) {
  return fairway::fault::victim_main(argc, argv, fairway::fault::run);
}

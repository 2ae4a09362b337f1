#!/bin/sh
# Each lint finds a tiny bad example, names its file and line, and is content with the good one beside it.
# usage: lints_can_fail.sh ROOT [PYTHON]
set -eu
root=$1
python=${2:-python3}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# put PATH: standard input becomes that file of the example tree.
put() {
  mkdir -p "$(dirname "$tree/$1")"
  cat >"$tree/$1"
}

# finds LINT PLACE: the lint fails and names the place.
finds() {
  if output=$("$python" "$root/tools/check-$1" "$tree" 2>&1); then
    echo "FAILED: check-$1 did not find $2"
    failures=$((failures + 1))
  elif ! printf '%s\n' "$output" | grep -q "^$2: "; then
    echo "FAILED: check-$1 did not name $2; it said:"
    printf '%s\n' "$output"
    failures=$((failures + 1))
  fi
  rm -rf "${tree:?}/src" "$tree/tests"
}

# accepts LINT WHAT: the lint finds nothing.
accepts() {
  if ! output=$("$python" "$root/tools/check-$1" "$tree" 2>&1); then
    echo "FAILED: check-$1 does not accept $2; it said:"
    printf '%s\n' "$output"
    failures=$((failures + 1))
  fi
  rm -rf "${tree:?}/src" "$tree/tests"
}

# Layers.
printf '#include "base/text.hpp"\n#include "http/server.hpp"\n' | put src/json/value.cpp
finds layers src/json/value.cpp:2
printf '#include "store/store.hpp"\n' | put src/http/server.cpp
finds layers src/http/server.cpp:1
printf '#include "fleet/rollout.hpp"\n' | put src/ingress/scope.cpp
finds layers src/ingress/scope.cpp:1
printf '\n#include <sqlite3.h>\n' | put src/apiserver/objects.cpp
finds layers src/apiserver/objects.cpp:2
printf '#include <boost/asio/steady_timer.hpp>\n' | put src/kube/client/watch.cpp
finds layers src/kube/client/watch.cpp:1
printf '#include <spdlog/logger.h>\n' | put src/store/store.cpp
finds layers src/store/store.cpp:1
printf '#include <fstream>\n' | put src/graph/load.cpp
finds layers src/graph/load.cpp:1
printf '#include <boost/asio/any_io_executor.hpp>\n' | put src/kube/core/names.cpp
finds layers src/kube/core/names.cpp:1
printf 'int x;\n' | put src/helpers/x.cpp
finds layers src/helpers/x.cpp:1
printf '#include "value.hpp"\n' | put src/json/value.cpp
finds layers src/json/value.cpp:1
printf '#include "fleet/observe.hpp"\n' | put src/fleet/decide.cpp
printf '\n#include "kube/client/client.hpp"\n' | put src/fleet/observe.hpp
finds layers src/fleet/observe.hpp:2
printf '#include "kube/core/names.hpp"\n#include "fleet/plan.hpp"\n' | put src/fleet/decide.cpp
printf '#include "base/clock.hpp"\n' | put src/fleet/plan.hpp
printf '#include <boost/asio/awaitable.hpp>\n' | put src/http/server.hpp
printf '// #include "cli/help.hpp"\n#include "base/result.hpp"\n' | put src/async/task.hpp
printf '#include <fstream>\n#include <thread>\n' | put src/json/yaml_test.cpp
accepts layers "what the rule allows"

# Clock.
printf 'auto t = std::chrono::system_clock::now();\n' | put src/store/core.cpp
finds clock src/store/core.cpp:1
printf '\nvoid f() { std::this_thread::sleep_for(1s); }\n' | put src/http/server_test.cpp
finds clock src/http/server_test.cpp:2
printf 'void f() { usleep(10); }\n' | put tests/fault/kill.cpp
finds clock tests/fault/kill.cpp:1
printf 'asio::steady_timer timer;\n' | put src/kube/client/watch.cpp
finds clock src/kube/client/watch.cpp:1
printf 'auto t = std::time(nullptr);\n' | put src/cli/main.cpp
finds clock src/cli/main.cpp:1
printf 'bool b = ready.wait_for(lock, 1s);\n' | put src/store/worker.cpp
finds clock src/store/worker.cpp:1
printf '// steady_clock::now() is not for us\nauto t = clock.now(); auto s = "sleep(1)"; co_await sleep_for(clock, 1s);\n' |
  put src/fleet/observe.cpp
printf 'return std::chrono::steady_clock::now();\n' | put src/base/clock.cpp
accepts clock "an injected clock"

# Coroutines.
printf 'auto t = [&]() -> Task<void> {\n  co_return Result<void>{};\n};\n' | put src/http/server.cpp
finds coroutines src/http/server.cpp:1
printf 'void f() {\n  spawn([this, n = 1](int x) mutable noexcept -> Task<int> { FAIRWAY_CO_TRY(auto y, g(x)); });\n}\n' |
  put src/fleet/run.cpp
finds coroutines src/fleet/run.cpp:2
printf 'void f() {\n  g([] {\n    return [=] { co_await h(); };\n  });\n}\n' | put tests/contract/a.cpp
finds coroutines tests/contract/a.cpp:3
printf 'auto x = return_it(\n  [self] { co_await self->run(); });\n' | put src/oci/pull.cpp
finds coroutines src/oci/pull.cpp:2
cat <<'CODE' | put src/async/good.cpp
[[nodiscard]] int table[3] = {1, 2, 3};
Task<int> f(Things things) {
  auto inner = [](Things owned) -> Task<int> { co_return owned.size(); };
  auto plain = [&things](int i) { return things[i]; };
  auto outer = [&] { return spawn([](int n) -> Task<void> { co_await wait(n); }, things[0]); };
  // [&] { co_await comment(); }
  log("[&] { co_await text(); }");
  if (things[0] > 1'000) co_return 1;
  co_await start([&](auto done) { things.start(done); });
  co_return table[things[1]];
}
CODE
accepts coroutines "lambdas that are safe"

# Nothing to look at is not a success.
if "$python" "$root/tools/check-clock" "$tree" >/dev/null 2>&1; then
  echo "FAILED: check-clock is content with an empty tree"
  failures=$((failures + 1))
fi

[ "$failures" = 0 ] || exit 1
echo "all lints find what they are for"

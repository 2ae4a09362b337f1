#!/usr/bin/env python3
"""How long `fairway up` takes until it has said that it is ready, and how much memory it has then: up_bench.py [MEMBERS [RUNS]].

Each run starts twice on the same data: a first start, and one that finds everything there. FAIRWAY names the binary; data lies where
FAIRWAY_BENCH_DISK says, or here.
"""
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

GOAL_SECONDS, GOAL_MEGABYTES, GOAL_MEMBERS = 3.0, 250, 6


def resident_megabytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) / 1024


def start(data, members):
    """Seconds to ready, and the most memory until then."""
    began = time.monotonic()
    process = subprocess.Popen([os.environ["FAIRWAY"], "up", "--data", data, "--listen", "127.0.0.1:0", "--clusters", str(members)],
                               stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if "Ctrl-C stops" in line:
            break
    else:
        sys.exit(f"up_bench: it ended with {process.wait()} before it was ready")
    took, memory = time.monotonic() - began, resident_megabytes(process.pid)
    process.send_signal(signal.SIGTERM)
    process.wait()
    return took, memory


def main():
    members = int(sys.argv[1]) if len(sys.argv) > 1 else GOAL_MEMBERS
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    times, memories = {"first": [], "second": []}, []
    for _ in range(runs):
        data = tempfile.mkdtemp(prefix="up-bench-", dir=os.environ.get("FAIRWAY_BENCH_DISK", "."))
        try:
            for which in times:
                took, memory = start(data, members)
                times[which].append(took)
                memories.append(memory)
        finally:
            shutil.rmtree(data)
    goal = lambda is_met: f" ({'within' if is_met else 'above'} the goal)" if members == GOAL_MEMBERS else ""
    for which, taken in times.items():
        middle = statistics.median(taken)
        print(f"{members} members, {which} start to ready: {middle:.2f} s, {min(taken):.2f} to {max(taken):.2f}{goal(middle < GOAL_SECONDS)}")
    print(f"most resident memory: {max(memories):.0f} MB{goal(max(memories) < GOAL_MEGABYTES)}")


if __name__ == "__main__":
    main()

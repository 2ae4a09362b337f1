#!/usr/bin/env python3
"""Our answers to generated queries, and to the queries of real risks, compared with those of a real Prometheus.

Starts Debian's prometheus on a free port with backfilled samples and asks both the same. Debian 12 has version
2.42, whose ranges still include the sample at their start; no sample lies on such a boundary here, and what later
versions brought is not asked. Exit code 77 means "not run": there is no prometheus.
"""
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from prometheus import Prometheus

FAIRWAY = os.environ["FAIRWAY"]
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RISKS = ROOT / "tests" / "corpus" / "promql" / "risks.json"
REAL_QUERIES = ROOT.parent / "shared" / "data" / "promql" / "real_queries_head.json"

GENERATED = int(os.environ.get("FAIRWAY_PROMQL_QUERIES", "400"))
SEED = int(os.environ.get("FAIRWAY_PROMQL_SEED", "20240229"))
START = 1_700_000_040            # 0 s past a minute
LENGTH = 2 * 3600
TOLERANCE = 1e-9


# --- samples -----------------------------------------------------------------------------------------------------

def generated_samples():
    """(series, seconds, value); times have a fraction, so that no range begins or ends on one."""
    rng = random.Random(SEED)
    samples = []
    times = [START + 30 * i + 0.123 for i in range(LENGTH // 30)]
    for job in ("api", "web", "db"):
        for instance in ("i-0", "i-1", "i-2"):
            for code in ("200", "500"):
                series = f'http_requests_total{{job="{job}",instance="{instance}",code="{code}"}}'
                value = rng.uniform(1e4, 1e5)
                for t in times:
                    value = rng.uniform(1e4, 2e4) if rng.random() < 0.01 else value + rng.expovariate(0.2)
                    samples.append((series, t, value))
            buckets = [rng.uniform(1e4, 2e4)] * 5
            for t in times:
                for i in range(5):
                    step = rng.randrange(6)
                    buckets = [b + (step if j >= i else 0) for j, b in enumerate(buckets)]
                for le, count in zip(("0.05", "0.1", "0.5", "1", "+Inf"), buckets):
                    samples.append((f'latency_bucket{{job="{job}",instance="{instance}",le="{le}"}}', t, count))
        samples += [(f'build_info{{job="{job}",version="{v}"}}', t, 1) for t in times
                    for v in (["1.9", "1.10"] if job == "web" else ["2.0"])]
        samples += [(f'leader{{job="{job}",zone="z{len(job)}"}}', t, 1 + times.index(t) % 3) for t in times[::2]]
    for room in ("attic", "cellar", "hall", "garage"):
        for i, t in enumerate(times):
            if room == "garage" and 50 <= i < 100 or room == "attic" and i > 200:
                continue  # gaps longer than the lookback
            value = 20 * math.sin(i / 20 + len(room)) + rng.gauss(0, 3)
            if room == "cellar" and i % 25 == 0:
                value = rng.choice([math.nan, math.inf, -math.inf])
            samples.append((f'temperature{{room="{room}",floor="{len(room) % 3}"}}', t, value))
    return samples


SCENARIOS = ("matching", "not matching", "missing", "twice", "NaN", "ended", "both")
SLOT = 75 * 60  # a scenario's metrics are gone when the next one's ranges begin


def with_label(line, label):
    name, rest = re.match(r"([a-z_]+)(.*)", line).groups()
    return f"{name}{{{label},{rest[1:]}" if rest.startswith("{") else f"{name}{{{label}}}{rest}"


def scenario_lines(risk, scenario):
    if scenario == "missing":
        return []
    if scenario == "not matching":
        return risk["notMatching"]
    if scenario == "both":
        return risk["matching"] + [l for l in risk["notMatching"] if l.rsplit(" ", 1)[0] not in
                                   {m.rsplit(" ", 1)[0] for m in risk["matching"]}]
    if scenario == "twice":
        return risk["matching"] + [with_label(line, 'prometheus="b"') for line in risk["matching"]]
    if scenario == "NaN":
        return [line.rsplit(" ", 1)[0] + " NaN" for line in risk["matching"]]
    return risk["matching"]


def risk_cases():
    """(query, risk, scenario, time, samples): each at a time of its own, so that all fit into one Prometheus."""
    if not REAL_QUERIES.exists():
        return []
    queries = json.loads(REAL_QUERIES.read_text())
    risks = json.loads(RISKS.read_text())
    cases = []
    for query, risk in zip(queries, risks):
        for scenario in SCENARIOS:
            at = START + LENGTH + 2 * SLOT + len(cases) * SLOT
            age = 600 if scenario == "ended" else 0
            samples = [(series, at - age - 60 * minute - 0.877, float(value))
                       for line in scenario_lines(risk, scenario)
                       for series, value in [line.rsplit(" ", 1)] for minute in range(9, -1, -1)]
            cases.append((query["q"], risk, scenario, at, samples))
    return cases


def number(value):
    return "NaN" if math.isnan(value) else ("+Inf" if value > 0 else "-Inf") if math.isinf(value) else repr(value)


def write_open_metrics(path, samples):
    with open(path, "w") as out:
        for series, seconds, value in sorted(samples, key=lambda s: (s[1], s[0])):
            out.write(f"{series} {number(value)} {seconds:.3f}\n")
        out.write("# EOF\n")


# --- queries -----------------------------------------------------------------------------------------------------

class Generator:
    """Queries that mostly have an answer: operands of one shape are combined with each other."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def pick(self, *options):
        return self.rng.choice(options)

    def number(self):
        return self.pick("0", "1", "2", "0.5", "10", "1e3", "-3", "100", "7.25")

    def matchers(self, metric):
        choices = {
            "http_requests_total": ['job="api"', 'job!="db"', 'code=~"2.."', 'instance=~"i-[01]"', 'code!~"5.*"',
                                    'instance!=""', 'job=~"api|web"', 'nolabel=""'],
            "temperature": ['room="hall"', 'room=~".*a.*"', 'floor!="0"', 'room!~"cel.*"'],
            "latency_bucket": ['le="0.1"', 'job=~"a.*|w.*"', 'le!="+Inf"'],
            "leader": ['job!="x"', 'zone=~"z."'],
        }[metric]
        count = self.pick(0, 1, 1, 2)
        return "{" + ",".join(self.rng.sample(choices, min(count, len(choices)))) + "}" if count else ""

    def modifiers(self):
        text = ""
        if self.rng.random() < 0.15:
            text += f" offset {self.pick('1m', '90s', '20m', '-2m', '1h')}"
        if self.rng.random() < 0.08:
            text += f" @ {self.pick(START + 3601, START + 1802, 'start()', 'end()')}"
        return text

    def selector(self, metric=None):
        metric = metric or self.pick("http_requests_total", "temperature", "leader")
        return metric + self.matchers(metric) + self.modifiers()

    def range(self, metric):
        return f"{metric}{self.matchers(metric)}[{self.pick('1m', '2m', '5m', '10m', '17m', '1h')}]{self.modifiers()}"

    def over_time(self):
        if self.rng.random() < 0.45:
            return f"{self.pick('rate', 'increase', 'irate', 'resets')}({self.range('http_requests_total')})"
        function = self.pick("avg_over_time", "sum_over_time", "min_over_time", "max_over_time", "count_over_time",
                             "stddev_over_time", "stdvar_over_time", "last_over_time", "present_over_time", "delta",
                             "idelta", "deriv", "changes", "resets", "absent_over_time")
        if self.rng.random() < 0.2:
            return f"quantile_over_time({self.pick('0.1', '0.5', '0.99', '1.5')}, {self.range('temperature')})"
        if self.rng.random() < 0.15:
            return f"predict_linear({self.range('temperature')}, {self.number()})"
        return f"{function}({self.range(self.pick('temperature', 'temperature', 'leader'))})"

    def subquery(self, depth):
        inner = self.pick(self.selector(), self.over_time(), f"sum by (job) ({self.selector('http_requests_total')})")
        function = self.pick("avg_over_time", "max_over_time", "min_over_time", "sum_over_time", "count_over_time",
                             "last_over_time", "changes", "stddev_over_time", "deriv", "delta")
        step = self.pick("30s", "1m", "20s", "")
        return f"{function}(({inner})[{self.pick('5m', '10m', '21m')}:{step}])"

    def function(self, depth):
        inner = self.vector(depth - 1)
        kind = self.rng.randrange(6)
        if kind == 0:
            return f"{self.pick('clamp_min', 'clamp_max', 'round')}({inner}, {self.pick('1', '5', '0.5', '100')})"
        if kind == 1:
            return f"clamp({inner}, -5, {self.pick('10', '1000', '-6')})"
        if kind == 2:
            return f"{self.pick('timestamp', 'sgn', 'abs', 'ceil', 'floor', 'exp', 'sqrt', 'ln', 'log2', 'log10')}({inner})"
        if kind == 3:
            return f"{self.pick('sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'tanh', 'asinh', 'rad', 'deg')}({inner})"
        if kind == 4:
            part = self.pick("minute", "hour", "day_of_week", "day_of_month", "day_of_year", "days_in_month", "month",
                             "year")
            return self.pick(f"{part}()", f"{part}(timestamp({inner}) * {self.pick('1', '1.01', '0.9')})")
        return self.pick(f"sort({inner})", f"sort_desc({inner})", f"absent({inner})", f"-({inner})",
                         f"vector(scalar({inner}))")

    def aggregation(self, depth):
        inner = self.vector(depth - 1)
        by = self.pick("", " by (job)", " by (job, code)", " without (instance)", " by (floor)", " without (job, room)")
        kind = self.rng.randrange(5)
        if kind == 0:
            # Values that are never equal: which of two equal ones is chosen, Prometheus leaves open.
            inner = self.pick("http_requests_total", "rate(http_requests_total[5m])", "temperature",
                              "avg_over_time(temperature[10m])", "deriv(temperature[17m])")
            return f"{self.pick('topk', 'bottomk')}{by} ({self.pick('1', '2', '3')}, {inner})"
        if kind == 1:
            return f"quantile{by} ({self.pick('0.25', '0.9', '1', '-1')}, {inner})"
        if kind == 2:
            return f'count_values{by} ("value", round({inner}, 10))'
        return f"{self.pick('sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar')}{by} ({inner})"

    def labels(self, depth):
        inner = self.vector(depth - 1)
        return self.pick(
            f'label_replace({inner}, "new", "${{1}}-x$2", "instance", "i-(.)(.*)")',
            f'label_replace({inner}, "job", "same", "job", ".*")',
            f'label_join({inner}, "joined", "/", "job", "room", "code")')

    def histogram(self):
        rate = f"rate(latency_bucket{self.matchers('latency_bucket') if self.rng.random() < 0.3 else ''}[{self.pick('5m', '20m')}])"
        return f"histogram_quantile({self.pick('0.1', '0.5', '0.9', '0.99', '2')}, {self.pick(rate, f'sum by (le, job) ({rate})')})"

    def arithmetic(self, depth):
        operator = self.pick("+", "-", "*", "/", "%", "^")
        comparison = self.pick("==", "!=", ">", "<", ">=", "<=")
        kind = self.rng.randrange(8)
        http = lambda: self.pick("http_requests_total", "rate(http_requests_total[5m])",
                                 'increase(http_requests_total{code="200"}[10m])', "http_requests_total offset 5m")
        if kind == 0:
            return f"({self.vector(depth - 1)}) {operator} {self.number()}"
        if kind == 1:
            return f"{self.number()} {operator} ({self.vector(depth - 1)})"
        if kind == 2:
            bool_ = self.pick("", "bool ")
            return f"({self.vector(depth - 1)}) {comparison} {bool_}{self.number()}"
        if kind == 3:
            return f"{http()} {self.pick(operator, comparison, comparison + ' bool')} {http()}"
        if kind == 4:
            match = self.pick("on (job, instance, code)", "ignoring (nolabel)", "ignoring (code)", "on (instance)")
            return f"{http()} {operator} {match} {http()}"
        if kind == 5:
            grouped = self.pick("", "zone", "zone, nolabel")
            return f"{http()} {operator} on (job) group_left ({grouped}) leader"
        if kind == 6:
            return f"abs({http()} atan2 {http()})"  # before Prometheus 3 atan2 alone kept the name
        return f"leader {operator} on (job) group_right (zone) {http()}"

    def sets(self, depth):
        left, right = self.vector(depth - 1), self.vector(depth - 1)
        match = self.pick("", "", "on (job) ", "on (instance) ", "ignoring (code, instance) ", "on () ")
        return f"({left}) {self.pick('and', 'or', 'unless')} {match}({right})"

    def scalar(self):
        return self.pick("time()", "pi() * 2", f"scalar({self.selector()})", f"{self.number()} ^ 2",
                         f"{self.number()} > bool {self.number()}", "time() % 3600 / 60")

    def vector(self, depth):
        if depth <= 0:
            return self.pick(self.selector(), self.selector(), self.over_time())
        return self.pick(self.selector, self.over_time, self.over_time, lambda: self.subquery(depth),
                         lambda: self.function(depth), lambda: self.aggregation(depth),
                         lambda: self.aggregation(depth), lambda: self.labels(depth), self.histogram,
                         lambda: self.arithmetic(depth), lambda: self.arithmetic(depth), lambda: self.sets(depth))()

    def query(self):
        roll = self.rng.random()
        if roll < 0.05:
            return self.scalar()
        return self.vector(self.pick(1, 2, 2, 3))


# --- the two -----------------------------------------------------------------------------------------------------

def ask_fairway(questions, metrics):
    """The answers, in order, of one process that reads the metrics once."""
    done = subprocess.run([FAIRWAY, "promql", "eval", "--batch", "--metrics", str(metrics), "--timeout", "2m"],
                          input="".join(json.dumps(q) + "\n" for q in questions), capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(answers) != len(questions):
        sys.exit(f"{len(questions)} questions, {len(answers)} answers, exit code {done.returncode}: {done.stderr}")
    return answers


def same_value(left, right):
    left, right = float(left), float(right)
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return left == right or abs(left - right) <= TOLERANCE * max(abs(left), abs(right), 1e-6)


def same_points(left, right):
    return len(left) == len(right) and all(float(a[0]) == float(b[0]) and same_value(a[1], b[1])
                                           for a, b in zip(left, right))


def difference(theirs, ours, ordered):
    """Nothing when both say the same."""
    if theirs["status"] != ours["status"]:
        return f"status {ours['status']} ({ours.get('error')}) instead of {theirs['status']} ({theirs.get('error')})"
    if theirs["status"] == "error":
        head = lambda answer: re.sub(r"^.*parse error.*$", "parse error", answer["error"])[:45]
        return None if head(theirs) == head(ours) else f"error {ours['error']!r} instead of {theirs['error']!r}"
    theirs, ours = theirs["data"], ours["data"]
    if theirs["resultType"] != ours["resultType"]:
        return f"type {ours['resultType']} instead of {theirs['resultType']}"
    if theirs["resultType"] in ("scalar", "string"):
        return None if same_points([theirs["result"]], [ours["result"]]) else f"{ours['result']} instead of {theirs['result']}"
    points = lambda series: series.get("values") or [series["value"]]
    key = lambda series: json.dumps(series["metric"], sort_keys=True)
    expected = {key(s): points(s) for s in theirs["result"]}
    actual = {key(s): points(s) for s in ours["result"]}
    for name in expected.keys() | actual.keys():
        if name not in actual:
            return f"{name} is missing, expected {expected[name][:5]}"
        if name not in expected:
            return f"{name} is too much, with {actual[name][:5]}"
        if not same_points(expected[name], actual[name]):
            return f"{name} has {actual[name][:8]} instead of {expected[name][:8]}"
    # Sums of the same samples may differ in their last bit from one run of Prometheus to the next, so of two series
    # with the same value either may come first: place by place the values count.
    if ordered and not all(same_points(points(a), points(b)) for a, b in zip(theirs["result"], ours["result"])):
        return "the order is another one"
    return None


def without_labels(answer):
    """Of equal values we choose by labels and Prometheus by which it sees first: then only the values count."""
    if answer["status"] == "success" and answer["data"]["resultType"] == "vector":
        values = sorted((s["value"] for s in answer["data"]["result"]), key=lambda value: value[1])
        answer = {**answer, "data": {"resultType": "vector", "result": [
            {"metric": {"place": str(i)}, "value": value} for i, value in enumerate(values)]}}
    return answer


def verdict_of(answer):
    if answer["status"] != "success" or answer["data"]["resultType"] != "vector" or len(answer["data"]["result"]) != 1:
        return "unknown"
    return {0.0: "does not apply", 1.0: "applies"}.get(float(answer["data"]["result"][0]["value"][1]), "unknown")


def questions():
    """Half instant, half range queries, at times that are no multiples of a subquery's step."""
    generator = Generator(SEED)
    for i in range(GENERATED):
        query = generator.query()
        at = START + 3600 + generator.rng.randrange(0, 55) * 60 + 17
        if i % 2 == 0:
            yield {"query": query, "time": str(at)}
        else:
            start = at - generator.rng.randrange(5, 40) * 60
            yield {"query": query, "start": str(start), "end": str(at), "step": generator.pick("60", "120", "300")}


def main():
    if not shutil.which("prometheus") or not shutil.which("promtool"):
        print("not run: there is no prometheus (apt-get install prometheus)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = risk_cases()
        samples = generated_samples()
        write_open_metrics(folder / "all.om", samples + [s for case in cases for s in case[4]])
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", folder / "all.om", folder / "data"], check=True,
                       stdout=subprocess.DEVNULL)
        prometheus = Prometheus(folder, None, "--storage.tsdb.retention.time=100y")
        try:
            return compare(prometheus, folder, cases)
        finally:
            prometheus.stop()


def compare(prometheus, folder, cases):
    failures, empty, errors = [], 0, 0
    asked = list(questions())
    questions_of_risks = [{"query": query, "time": str(at)} for query, _, _, at, _ in cases]
    ours = ask_fairway(asked + questions_of_risks, folder / "all.om")
    for question, answer in zip(asked, ours):
        theirs = prometheus.ask(question, "query_range" if "start" in question else "query")
        empty += theirs["status"] == "success" and theirs["data"]["result"] == []
        errors += theirs["status"] == "error"
        ordered = "time" in question and question["query"].startswith("sort")
        if problem := difference(theirs, answer, ordered):
            failures.append(f"{question}\n    {problem}")
    for (query, risk, scenario, _, _), question, answer in zip(cases, questions_of_risks, ours[len(asked):]):
        theirs = prometheus.ask(question)
        if re.search("topk|bottomk", query):
            problem = difference(without_labels(theirs), without_labels(answer), False)
        else:
            problem = difference(theirs, answer, False)
        if not problem and answer["risk"]["verdict"] != verdict_of(theirs):
            problem = f"verdict {answer['risk']['verdict']} instead of {verdict_of(theirs)}"
        if problem:
            failures.append(f"{risk['risk']}, {scenario}\n    {problem}")
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(asked)} generated queries ({empty} with an empty answer, {errors} refused), "
          f"{len(cases)} answers to risks: {len(failures)} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Throws mutated test inputs at the tools and looks for crashes.

    fuzz.py [--seconds=600] [--rounds=N] [--seed=0] [--jobs=1] [--bin=build/bin]
            [--keep=DIR] [--only-planner]

A case is a mutated input and a command: ckpt-opt with some passes, ckpt-run with
some plan on the emulated device, or ckpt-plan on a graph: to plan, or to verify a
mutated plan and certificate of its own. Findings:

* crash: a signal, an assertion, a sanitizer's report, an undocumented exit status;
* hang: no end within --timeout seconds;
* silent: a failure without an error message;
* verifier: a pass of ours that leaves IR behind which the verifier rejects;
* contradiction: an answer of ckpt-plan that cannot be true.

Each kind of finding is written to DIR once, minimised by lines, with its command.
What upstream does alone, without a pass of ours, is kept, but no finding. The
cases depend on the seed and their number only. Prints a summary; exits 1 if there
are findings.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

import fuzz_commands
import mutations
import plan_cases

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLEANUPS = [
    "-canonicalize", "-cse", "-symbol-dce", "-inline", "-sccp",
    "-loop-invariant-code-motion", "-linalg-generalize-named-ops",
    "-linalg-fuse-elementwise-ops", "-convert-elementwise-to-linalg",
    "-mem2reg", "-lower-affine",
]
# All passes in the order of the pipelines; PLAN stands for the planner's options.
STAGES = [
    "-ckpt-inline-regions", "-convert-elementwise-to-linalg", "-ckpt-fuse-elementwise",
    "-ckpt-differentiate", "-symbol-dce", "-ckpt-fuse-elementwise", "-ckpt-normalize-step",
    "-canonicalize", "-ckpt-plan=PLAN", "-ckpt-materialize", "-cse", "-ckpt-verify-plan",
    "-ckpt-bufferize-step", "-ckpt-place-buffers", "-ckpt-outline-kernels",
    "-ckpt-lower-kernels", "-ckpt-lower-host", "-ckpt-verify-lowered",
]
# Each turns inputs of the stages before it into inputs of those after it.
GROWTH = [
    ["-ckpt-fuse-elementwise", "-ckpt-differentiate", "-ckpt-normalize-step"],
    ["-ckpt-plan=solver=all"], ["-ckpt-materialize"], ["-ckpt-bufferize-step"],
    ["-ckpt-place-buffers"], ["-ckpt-outline-kernels"], ["-ckpt-lower-kernels"],
]
OURS = [stage for stage in STAGES if stage.startswith("-ckpt")]
# What our pipelines run of upstream: a crash of these alone is upstream's.
UPSTREAM = ["-convert-elementwise-to-linalg", "-canonicalize", "-cse", "-symbol-dce"]
BUFFERIZATION = ["-one-shot-bufferize=bufferize-function-boundaries"]
SOLVERS = [
    "none", "all", "sqrt", "policy", "auto", "greedy", "chen-greedy", "min-cut", "chain-dp",
    "interval", "exact", "brute-force",
]
BUDGETS = ["min", "10%", "50%", "80%", "100%", "1000", "1GiB", "0"]
# Exit statuses that the tools document.
STATUSES = {"ckpt-opt": {0, 1}, "ckpt-run": {0, 1}, "ckpt-plan": {0, 1, 2}}
SEPARATOR = "// -----\n"
PARSE = ["ckpt-opt", "INPUT", "-allow-unregistered-dialect"]
LOSS = re.compile(r"-> \(?tensor<\w+>")
# A tensor with more elements is compiled, not executed.
MOST_ELEMENTS = 1 << 14


@dataclasses.dataclass
class Case:
    """One execution of a tool; the input's path replaces INPUT, and the names of the
    other files, which are read or written, theirs."""

    text: str
    command: list
    files: dict = dataclasses.field(default_factory=dict)

    @property
    def tool(self):
        return self.command[0]


@dataclasses.dataclass
class Outcome:
    status: int  # None: the time is over
    stdout: str
    stderr: str
    files: dict = dataclasses.field(default_factory=dict)

    def crashed(self, tool):
        return self.status not in STATUSES[tool] or "Sanitizer" in self.stderr


@dataclasses.dataclass(frozen=True)
class Finding:
    kind: str
    key: str  # findings of the same kind and key have the same cause


def load_corpus():
    """Single inputs, without the lines that only lit reads."""
    texts = []
    for folder, most in (("test", None), ("examples", 20000)):
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            text = path.read_text()
            if most and len(text) > most:
                continue
            for part in text.split(SEPARATOR):
                lines = [l for l in part.split("\n") if l and not l.lstrip().startswith("//")]
                if lines:
                    texts.append("\n".join(lines) + "\n")
    return texts


def grow_corpus(corpus, judge, most=20000):
    """Adds what the passes make of the inputs."""
    texts = corpus
    for passes in GROWTH:
        case = Case(SEPARATOR.join(texts), PARSE + ["-split-input-file", *passes])
        parts = judge.execute(case).stdout.split(SEPARATOR)
        texts = [part for part in parts if part.strip() and len(part) < most]
        corpus = corpus + texts
    return corpus


#===-----------------------------------------------------------------------===#
# Cases
#===-----------------------------------------------------------------------===#


def plan_options(rng):
    options = [f"solver={rng.choice(SOLVERS)}"]
    if rng.random() < 0.3:
        options.append(f"interval={rng.choice(['0', '1', '2', '7', '-1', '2147483647'])}")
    if rng.random() < 0.5:
        options.append(f"budget={rng.choice(BUDGETS)}")
    if rng.random() < 0.3:
        options.append(f"order={rng.choice(['free', 'program'])}")
    if rng.random() < 0.2:
        options.append(f"target={rng.choice(['h200', 'a100', 'l4', 'x'])}")
    # The search of the better solvers may take as long as one allows it to.
    return " ".join(options + [f"effort={rng.choice(['0', '50', '500'])}"])


def passes(rng):
    kind = rng.random()
    if kind < 0.35:
        chosen = [rng.choice(OURS)]
    elif kind < 0.55:
        chosen = [rng.choice(OURS + CLEANUPS) for _ in range(rng.randrange(2, 5))]
    elif kind < 0.85:
        first = rng.choice([0, 0, rng.randrange(len(STAGES))])
        chosen = []
        for stage in STAGES[first : rng.randrange(first, len(STAGES)) + 1]:
            chosen.append(stage)
            if rng.random() < 0.15:
                chosen.append(rng.choice(CLEANUPS))
    else:
        chosen = [f'-ckpt-training-step=plan="{plan_options(rng)}"']
        chosen += rng.sample(CLEANUPS, rng.choice([0, 0, 2]))
        chosen += rng.choice([[], ["-ckpt-to-nvvm"], ["-ckpt-verify-plan", "-ckpt-to-nvvm"]])
    return [p.replace("PLAN", plan_options(rng)) for p in chosen]


def opt_case(rng, text):
    return Case(text, ["ckpt-opt", "INPUT", "-allow-unregistered-dialect", *passes(rng)])


def most_elements(text):
    most = 0
    for shape in re.findall(r"<((?:\d+x)+)", text):
        elements = 1
        for size in shape.split("x")[:-1]:
            elements *= int(size)
        most = max(most, elements)
    return most


def run_case(rng, text):
    functions = re.findall(r"func\.func (?:private |public )?@(\w+)", text) or ["main"]
    plan = rng.choice(SOLVERS)
    command = ["ckpt-run", "INPUT", f"--entry={rng.choice(functions)}", "--device=emulated"]
    command.append("--plan=" + ("interval=2" if plan == "interval" else plan))
    if rng.random() < 0.4:
        command.append(f"--wrt={rng.choice(['none', '0', '1', '0,1', '1,0', '-1', '0,0'])}")
    if rng.random() < 0.4:
        command.append(f"--budget={rng.choice(BUDGETS)}")
    if most_elements(text) > MOST_ELEMENTS:
        command.append("--compile-only")
    elif rng.random() < 0.4:
        command.append("--check")
    return Case(text, command)


def plan_case(rng, judge):
    text, command = plan_cases.graph(rng), plan_cases.command(rng)
    if rng.random() < 0.25:
        return verify_case(rng, judge, text)
    return Case(plan_cases.mutate(rng, text), command)


def verify_case(rng, judge, text):
    """A plan and a certificate that the tool wrote, mutated."""
    order = rng.choice(["program", "free"])
    solver = rng.choice(["auto", "greedy", "exact"])
    plan = Case(
        text,
        ["ckpt-plan", "INPUT", f"--budget={rng.choice(['80%', '90%', '100%'])}", "--effort=50",
         f"--solver={solver}", f"--order={order}", "--plan-out=PLAN", "--certificate-out=PROOF"],
        {"PLAN": "", "PROOF": ""},
    )
    files = judge.execute(plan).files
    if not files["PLAN"]:
        return plan
    mutated = {name: plan_cases.mutate(rng, content) for name, content in files.items()}
    command = ["ckpt-plan", "INPUT", "--verify=PLAN", "--effort=1000", f"--order={order}"]
    if rng.random() < 0.7:
        command.append("--certificate=PROOF")
    if rng.random() < 0.3:
        command.append(f"--budget={rng.choice(['50%', '100%', '1000'])}")
    if rng.random() < 0.5:
        command.append("--json")
    return Case(text, command, mutated)


def make_cases(rng, text):
    """What is done with a mutant that parses."""
    cases = [opt_case(rng, text) for _ in range(3)]
    if LOSS.search(text) or rng.random() < 0.1:
        cases += [run_case(rng, text) for _ in range(2)]
    return cases


#===-----------------------------------------------------------------------===#
# Execution and judgement
#===-----------------------------------------------------------------------===#


class Judge:
    def __init__(self, binaries, scratch, timeout, memory):
        self.binaries, self.scratch = binaries, scratch
        self.timeout, self.memory = timeout, memory

    def limit_resources(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self.memory:
            resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))

    def execute(self, case):
        paths = {"INPUT": self.write(case.text, ".mlir")}
        paths.update((name, self.write(text, ".json")) for name, text in case.files.items())
        arguments = [fuzz_commands.with_paths(argument, paths) for argument in case.command[1:]]
        files = {}
        try:
            done = subprocess.run(
                [self.binaries / case.tool, *arguments],
                stdin=subprocess.DEVNULL, capture_output=True, timeout=self.timeout,
                preexec_fn=self.limit_resources, cwd=self.scratch,
            )
            status, stdout, stderr = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as expired:
            status, stdout, stderr = None, b"", expired.stderr or b""
        finally:
            for name, path in paths.items():
                if name in case.files:
                    files[name] = pathlib.Path(path).read_text(errors="replace")
                os.unlink(path)
        # Paths differ from run to run.
        text = stderr.decode(errors="replace")
        for name, path in paths.items():
            text = text.replace(path, name)
        return Outcome(status, stdout.decode(errors="replace"), text, files)

    def write(self, text, suffix):
        handle, path = tempfile.mkstemp(suffix=suffix, dir=self.scratch)
        with os.fdopen(handle, "w", errors="replace") as file:
            file.write(text)
        return path

    def keep_parsing(self, texts):
        """Those texts that parse, and cases that show how the parser fails."""
        outcome = self.execute(Case(SEPARATOR.join(texts), PARSE + ["-split-input-file"]))
        parts = outcome.stdout.split(SEPARATOR)
        if outcome.crashed("ckpt-opt") or len(parts) != len(texts):
            return [], [Case(text, PARSE) for text in texts]
        return [t for t, part in zip(texts, parts) if part.strip()], []

    def judge(self, case):
        """The outcome of a case, and the finding in it or None."""
        outcome = self.execute(case)
        if outcome.status is None:
            return outcome, Finding("hang", " ".join(fuzz_commands.strip_options(case.command)))
        if outcome.crashed(case.tool):
            return outcome, Finding("crash", fuzz_commands.crash_key(outcome))
        if outcome.status and not fuzz_commands.MESSAGE.search(outcome.stderr):
            return outcome, Finding("silent", self.failing_pass(case))
        if outcome.status == 0 and case.tool == "ckpt-plan":
            wrong = plan_cases.contradiction(case.command, outcome.stdout)
            if wrong:
                return outcome, Finding("contradiction", wrong)
        if outcome.status and case.tool == "ckpt-plan" and outcome.stderr.count("\n") != 1:
            return outcome, Finding("silent", "ckpt-plan: not one line")
        if outcome.status and case.tool == "ckpt-opt":
            error = fuzz_commands.first_error(outcome)
            unverified = self.execute(Case(case.text, case.command + ["-verify-each=false"]))
            if error not in unverified.stderr:
                key = re.sub(r"\d+|'[^']*'|@\w+|<.*>", "*", error)
                return outcome, Finding("verifier", f"{self.failing_pass(case)}: {key}")
        return outcome, None

    def failing_pass(self, case):
        if case.tool != "ckpt-opt":
            return case.tool
        flags = ["-mlir-print-ir-after-failure", "-mlir-disable-threading"]
        stderr = self.execute(Case(case.text, case.command + flags)).stderr
        names = re.findall(r"IR Dump After \w+ Failed \(([\w-]+)", stderr)
        return names[0] if names else "no pass"

    def is_upstream(self, case, finding):
        """Whether the same happens without any pass, or attribute, of ours."""
        if case.tool == "ckpt-plan":
            return False
        theirs = [a for a in case.command if a in CLEANUPS]
        for passes in ([], theirs, UPSTREAM, BUFFERIZATION):
            again, same = self.judge(Case(case.text, PARSE + passes))
            if finding.kind == "verifier":
                # The pass that upstream's verifier blames is another one here.
                if same and same.key.split(": ")[1:] == finding.key.split(": ")[1:]:
                    return True
            elif again.crashed("ckpt-opt"):
                # The parser may be that of our dialect.
                return bool(passes) or "ckpt::" not in again.stderr
        return False

    def minimize(self, case, finding):
        """Removes ever smaller runs of lines as long as the finding stays."""
        lines = case.text.split("\n")
        size = len(lines) // 2
        deadline = time.monotonic() + 60
        while size:
            at = 0
            while at < len(lines) and time.monotonic() < deadline:
                rest = lines[:at] + lines[at + size :]
                _, again = self.judge(Case("\n".join(rest), case.command, case.files))
                if again == finding:
                    lines = rest
                else:
                    at += size
            size //= 2
        return Case("\n".join(lines), case.command, case.files)


class Session:
    def __init__(self, options, corpus, judge):
        self.options, self.corpus, self.judge = options, corpus, judge
        self.findings = collections.Counter()
        self.upstream = set()
        self.counts = collections.Counter()

    def run_round(self, number):
        """Mutants, of which those that parse become several cases each."""
        rng = random.Random(f"{self.options.seed}:{number}")
        texts, cases = [], []
        if not self.options.only_planner:
            texts = [
                mutations.mutate(rng, rng.choice(self.corpus), self.corpus)
                for _ in range(self.options.batch)
            ]
            parsing, cases = self.judge.keep_parsing(texts)
            for text in parsing:
                cases += make_cases(rng, text)
        graphs = self.options.batch // (1 if self.options.only_planner else 8)
        cases += [plan_case(rng, self.judge) for _ in range(graphs)]
        results = []
        for case in cases:
            if self.is_over():
                break
            results.append((case, *self.judge.judge(case)))
        return number, len(texts), results

    def record(self, number, mutants, results):
        self.counts["mutants"] += mutants
        for case, outcome, finding in results:
            self.counts["cases"] += 1
            self.counts["accepted"] += outcome.status == 0
            if not finding:
                continue
            if finding not in self.findings and finding not in self.upstream:
                small = self.judge.minimize(case, finding)
                theirs = finding.kind != "silent" and self.judge.is_upstream(small, finding)
                self.save(number, small, finding, "upstream-" if theirs else "")
                if theirs:
                    self.upstream.add(finding)
            if finding in self.upstream:
                self.counts["upstream"] += 1
            else:
                self.findings[finding] += 1

    def save(self, number, case, finding, prefix):
        name = f"{prefix}{finding.kind}-{number}-{len(self.findings)}"
        stem = self.options.keep / name
        stderr = self.judge.execute(case).stderr
        suffix = ".json" if case.tool == "ckpt-plan" else ".mlir"
        path = stem.with_suffix(suffix)
        path.write_text(case.text, errors="replace")
        paths = {"INPUT": str(path)}
        for other, text in case.files.items():
            paths[other] = f"{stem}.{other.lower()}.json"
            pathlib.Path(paths[other]).write_text(text, errors="replace")
        command = [fuzz_commands.with_paths(argument, paths) for argument in case.command]
        line = " ".join(shlex.quote(a) for a in command)
        stem.with_suffix(".txt").write_text(f"{line}\n{finding.key}\n\n{stderr}")
        print(f"fuzz: {prefix}{finding.kind}: {line}\n    {finding.key[:300]}", flush=True)

    def is_over(self):
        return time.monotonic() - self.start > self.options.seconds

    def run(self):
        self.start = time.monotonic()
        limit = self.options.rounds or sys.maxsize
        number, pending = 0, set()
        jobs = self.options.jobs
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            while True:
                while number < limit and len(pending) < jobs and not self.is_over():
                    pending.add(pool.submit(self.run_round, number))
                    number += 1
                if not pending:
                    break
                done, pending = concurrent.futures.wait(
                    pending, return_when=concurrent.futures.FIRST_COMPLETED
                )
                for result in sorted((f.result() for f in done), key=lambda r: r[0]):
                    self.record(*result)
        self.elapsed = time.monotonic() - self.start

    def summary(self):
        counts = self.counts
        return (
            f"fuzz: {counts['mutants']} mutants, {counts['cases']} cases "
            f"({counts['accepted']} accepted), "
            f"{len(self.findings)} findings ({sum(self.findings.values())} cases), "
            f"{counts['upstream']} cases fail upstream alone; "
            f"seed {self.options.seed}, {self.elapsed:.0f} s"
        )


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--rounds", type=int, help="at most so many rounds of mutants")
    parser.add_argument("--batch", type=int, default=32, help="mutants of a round")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--only-planner", action="store_true", help="only ckpt-plan, without MLIR")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for findings")
    parser.add_argument("--timeout", type=float, default=20, help="seconds for one case")
    parser.add_argument(
        "--memory", type=int, default=4096, help="MiB of address space; 0 under sanitizers"
    )
    options = parser.parse_args()
    for tool in ["ckpt-plan"] if options.only_planner else STATUSES:
        if not (options.bin / tool).exists():
            parser.error(f"no {tool} in {options.bin}")
    options.bin = options.bin.resolve()
    options.keep = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="ckpt-fuzz-"))
    options.keep.mkdir(parents=True, exist_ok=True)
    return options


def main():
    options = parse_options()
    with tempfile.TemporaryDirectory() as scratch:
        judge = Judge(options.bin, scratch, options.timeout, options.memory << 20)
        corpus = [] if options.only_planner else grow_corpus(load_corpus(), judge)
        session = Session(options, corpus, judge)
        session.run()
    print(session.summary())
    return 1 if session.findings else 0


if __name__ == "__main__":
    sys.exit(main())

"""Throws mutated graphs and command lines at ckpt-plan.

    fuzz-ckpt-plan.py --tool build/bin/ckpt-plan [--seconds 60] [--seed 0] [GRAPH ...]

Every call must end within the time limit with exit status 0 (a plan), 1 (bad input,
one line on stderr) or 2 (no plan, one line on stderr). A plan must be one that the
tool's own JSON agrees with. The first call that does otherwise is kept in a file
whose name is printed, and ends the run with status 1.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

SEEDS = [
    '{"nodes":[{"id":0,"cost":10,"bytes":100,"deps":[]},'
    '{"id":1,"name":"b","cost":20,"bytes":60,"deps":[0]},'
    '{"id":2,"cost":30,"bytes":80,"deps":[1]},'
    '{"id":3,"cost":40,"bytes":10,"deps":[2,0]}],"outputs":[3],"fixed":7}',
    '{"name":"n","nodes":[{"id":0,"cost":1,"bytes":9,"deps":[]},'
    '{"id":1,"cost":1,"results":[{"bytes":5},{"bytes":4,"must_stay":true}],"deps":[0]},'
    '{"id":2,"cost":2,"bytes":5,"deps":[[1,0]],"in_place_of":[1,0],"workspace":3},'
    '{"id":3,"cost":0,"bytes":0,"view_of":2,"deps":[2],"recomputable":false},'
    '{"id":4,"cost":1,"bytes":1,"deps":[3],"after":[1],"movable":false}],'
    '"outputs":[4,[1,1]]}',
    '{"graph":{"name":"l","order":["a","b"]},'
    '"nodes":[{"id":"a","cost_cpu":1,"cost_ram":2},{"id":"b","cost_cpu":1,"cost_ram":2}],'
    '"links":[{"source":"a","target":"b"}]}',
]
TOKENS = [
    "{", "}", "[", "]", ",", ":", '"', "\\", "\\u", "\\ud800", "null", "true", "false",
    "0", "-1", "1e999", "9223372036854775807", "9223372036854775808", "NaN", "1.5",
    '"id"', '"deps"', '"view_of"', '"in_place_of"', '"results"', '"links"', '"after"',
    "\x00", "\xff", "[" * 600, '{"a":' * 600,
]


def mutate(draw, text):
    for _ in range(draw.randint(1, 6)):
        kind = draw.randrange(6)
        at = draw.randrange(len(text) + 1)
        end = min(len(text), at + draw.choice([1, 1, 2, 5, 20, 200]))
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + draw.choice(TOKENS) + text[at:]
        elif kind == 2:
            text = text[:at] + draw.choice(TOKENS) + text[end:]
        elif kind == 3:
            text = text[:at] + text[at:end] * draw.choice([2, 3]) + text[end:]
        elif kind == 4:
            digits = [i for i, c in enumerate(text) if c.isdigit()]
            if digits:
                i = draw.choice(digits)
                value = draw.choice(["0", "1", "2", "3", "9", "77777777777777777777"])
                text = text[:i] + value + text[i + 1 :]
        elif kind == 5:
            text = text[:at]
    return text


def random_graph(draw):
    """A graph that is fine, of up to 40 nodes."""
    nodes = []
    for i in range(draw.randint(0, 40)):
        deps = draw.sample(range(i), min(i, draw.randint(0, 3)))
        size = draw.choice([0, 1, 5, 1 << 20, 1 << 40, 1 << 55])
        cost = draw.choice([0, 1, 9, 1 << 30, 1 << 56])
        nodes.append({"id": i, "cost": cost, "bytes": size, "deps": deps})
    outputs = draw.sample(range(len(nodes)), min(len(nodes), draw.randint(0, 3)))
    return json.dumps({"nodes": nodes, "outputs": outputs})


def check(done, text, command):
    """What is wrong with the outcome of a call, or an empty string."""
    if done.returncode not in (0, 1, 2):
        return f"exit status {done.returncode}"
    lines = done.stderr.decode("utf-8", "replace").rstrip("\n").split("\n")
    if done.returncode and (len(lines) != 1 or not lines[0]):
        return f"{len(lines)} lines on stderr"
    if done.returncode == 0 and "--json" in command:
        try:
            result = json.loads(done.stdout)
        except ValueError:
            return "the output is no JSON"
        rows = result if isinstance(result, list) else [result]
        for row in rows:
            if row["status"] == "plan" and row["peak"] > row["budget_bytes"]:
                return "a peak above the budget"
            if row["status"] == "plan" and row["cost"] < row["bound"]:
                return "a cost below the bound"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("graphs", nargs="*")
    options = parser.parse_args()
    seeds = list(SEEDS)
    for path in options.graphs:
        with open(path, encoding="utf-8") as file:
            seeds.append(file.read())
    draw = random.Random(options.seed)
    end = time.monotonic() + options.seconds
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "graph.json")
    calls = {0: 0, 1: 0, 2: 0}
    while time.monotonic() < end:
        text = random_graph(draw) if draw.random() < 0.3 else draw.choice(seeds)
        if draw.random() < 0.7:
            text = mutate(draw, text)
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        budget = draw.choice(["50%", "80%", "min", "1GiB", "190", "0", "100%", "30.5%"])
        what = draw.choice([f"--budget={budget}"] * 4 + ["--sweep=20:100:20"])
        solvers = ["auto"] * 4 + ["exact", "greedy", "sqrt", "min-cut", "chain-dp", "all"]
        command = [options.tool, path, what, f"--solver={draw.choice(solvers)}"]
        command += ["--effort=100", f"--order={draw.choice(['free', 'program'])}"]
        if draw.random() < 0.7:
            command.append("--json")
        try:
            done = subprocess.run(command, capture_output=True, timeout=60, check=False)
            wrong = check(done, text, command)
        except subprocess.TimeoutExpired:
            wrong = "no end after 60 s"
        if wrong:
            sys.exit(f"{wrong}: {' '.join(command)}")
        calls[done.returncode] += 1
    print(f"{sum(calls.values())} calls: {calls[0]} plans, {calls[1]} bad inputs, "
          f"{calls[2]} without a plan")


if __name__ == "__main__":
    main()

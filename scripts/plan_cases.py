"""Graphs, plans and command lines of ckpt-plan, for fuzz.py.

Graphs are random ones that are fine, small or of extreme sizes, and examples of both
formats; most are mutated, as text by the line and by the token. Plans and certificates
of a graph are those that the tool writes, mutated.
"""

import json
import re

from mutations import (
    INTEGERS, delete_line, duplicate_line, flip_bytes, on_lines, swap_lines, swap_token, truncate,
)

EXAMPLES = [
    '''{"nodes":[{"id":0,"cost":10,"bytes":100,"deps":[]},
{"id":1,"name":"b","cost":20,"bytes":60,"deps":[0]},
{"id":2,"cost":30,"bytes":80,"deps":[1]},
{"id":3,"cost":40,"bytes":10,"deps":[2,0]}],"outputs":[3],"fixed":7}''',
    '''{"name":"n","nodes":[{"id":0,"cost":1,"bytes":9,"deps":[]},
{"id":1,"cost":1,"results":[{"bytes":5},{"bytes":4,"must_stay":true}],"deps":[0]},
{"id":2,"cost":2,"bytes":5,"deps":[[1,0]],"in_place_of":[1,0],"workspace":3},
{"id":3,"cost":0,"bytes":0,"view_of":2,"deps":[2],"recomputable":false},
{"id":4,"cost":1,"bytes":1,"deps":[3],"after":[1],"movable":false}],
"outputs":[4,[1,1]]}''',
    '''{"graph":{"name":"l","order":["a","b"]},
"nodes":[{"id":"a","cost_cpu":1,"cost_ram":2},{"id":"b","cost_cpu":1,"cost_ram":2}],
"links":[{"source":"a","target":"b"}]}''',
]
TOKENS = [
    "{", "}", "[", "]", ",", ":", '"', "\\", "\\u", "\\ud800", "null", "true", "false",
    "0", "-1", "1e999", "9223372036854775807", "9223372036854775808", "NaN", "1.5",
    '"id"', '"deps"', '"view_of"', '"in_place_of"', '"results"', '"links"', '"after"',
    '"free"', '"in_place"', '"cases"', '"1p+0"', '"inf"', "\x00", "\xff", "[" * 600,
    '{"a":' * 600,
]
SOLVERS = [
    "none", "all", "sqrt", "auto", "auto", "auto", "greedy", "chen-greedy", "min-cut",
    "chain-dp", "interval", "exact", "brute-force",
]
BUDGETS = [
    "min", "10%", "30.5%", "50%", "80%", "100%", "0", "190", "1000", "1GiB", "0.19kB",
    "9223372036854775807",
]


def small_graph(rng):
    """A graph with every feature, of up to 13 nodes; now and then one that is not
    fine: a view with bytes, or an update in place that is too large."""
    nodes = []
    sizes = {}
    for i in range(rng.randrange(1, 14)):
        made = sorted(sizes)
        deps = sorted(rng.sample(made, min(len(made), rng.choice([0, 1, 1, 2, 3]))))
        node = {"id": i, "cost": rng.randrange(50), "deps": deps}
        if rng.random() < 0.2:
            node["results"] = [{"bytes": rng.randrange(9)} for _ in range(rng.randrange(3))]
            if node["results"]:
                sizes[i] = node["results"][0]["bytes"]
        else:
            node["bytes"] = sizes[i] = rng.randrange(100)
            if deps and rng.random() < 0.1:
                node["view_of"] = rng.choice(deps)
                node["bytes"] = sizes[i] = 0 if rng.random() < 0.9 else 1
            elif deps and rng.random() < 0.1:
                node["in_place_of"] = rng.choice(deps)
                if rng.random() < 0.9:
                    node["bytes"] = sizes[i] = min(sizes[i], sizes[node["in_place_of"]])
        if rng.random() < 0.15:
            node["recomputable"] = False
        if rng.random() < 0.1:
            node["movable"] = False
        if i and rng.random() < 0.1:
            node["after"] = [rng.randrange(i)]
        if rng.random() < 0.2:
            node["workspace"] = rng.randrange(50)
        nodes.append(node)
    outputs = sorted(rng.sample(sorted(sizes), min(len(sizes), rng.randrange(1, 4))))
    text = json.dumps({"name": "fuzz", "nodes": nodes, "outputs": outputs})
    return text.replace("}, ", "},\n")


def extreme_graph(rng):
    """Up to 40 nodes, sizes and costs up to where their sums just fit into 63 bits."""
    nodes = []
    for i in range(rng.randint(0, 40)):
        deps = rng.sample(range(i), min(i, rng.randint(0, 3)))
        size = rng.choice([0, 1, 5, 1 << 20, 1 << 40, 1 << 55])
        cost = rng.choice([0, 1, 9, 1 << 30, 1 << 56])
        nodes.append({"id": i, "cost": cost, "bytes": size, "deps": deps})
    outputs = rng.sample(range(len(nodes)), min(len(nodes), rng.randint(0, 3)))
    return json.dumps({"nodes": nodes, "outputs": outputs}).replace("}, ", "},\n")


def tweak(rng, text):
    """Another digit, or one more."""
    digits = [i for i, c in enumerate(text) if c.isdigit()]
    if not digits:
        return text
    i = rng.choice(digits)
    value = rng.choice(["", "0", "1", "2", "3", "9", "77777777777777777777"])
    return text[:i] + value + text[i + rng.choice([0, 1, 1]) :]


def mutate_tokens(rng, text):
    """Cuts, repeats, and JSON where it does not belong."""
    at = rng.randrange(len(text) + 1)
    end = min(len(text), at + rng.choice([1, 1, 2, 5, 20, 200]))
    kind = rng.randrange(4)
    if kind == 0:
        return text[:at] + text[end:]
    if kind == 1:
        return text[:at] + rng.choice(TOKENS) + text[at:]
    if kind == 2:
        return text[:at] + rng.choice(TOKENS) + text[end:]
    return text[:at] + text[at:end] * rng.choice([2, 3]) + text[end:]


def mutate(rng, text):
    """`text`, JSON, after up to six mutations."""
    number = re.compile(r"-?\d+")
    key = re.compile(r'"\w+"')
    words = INTEGERS + ["1.5", "1e3", "1e999", "null", "true", '""', "[0, 1]", "{}", "[]"]
    edits = [
        swap_token(number, words),
        swap_token(number, INTEGERS),
        swap_token(key, ['"view_of"', '"in_place_of"', '"after"', '"links"', '"id"']),
        on_lines(delete_line),
        on_lines(duplicate_line),
        on_lines(swap_lines),
        truncate,
        flip_bytes,
    ]
    for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 2, 6])):
        kind = rng.random()
        if kind < 0.4:
            text = tweak(rng, text)
        elif kind < 0.7:
            text = mutate_tokens(rng, text)
        else:
            text = rng.choice(edits)(rng, text, [text])
    return text


def graph(rng):
    kind = rng.random()
    if kind < 0.5:
        return small_graph(rng)
    return extreme_graph(rng) if kind < 0.8 else rng.choice(EXAMPLES)


def command(rng):
    """How ckpt-plan is called with a graph."""
    result = ["ckpt-plan", "INPUT", f"--solver={rng.choice(SOLVERS)}", "--effort=100"]
    if rng.random() < 0.2:
        result.append("--sweep=" + rng.choice(["20:100:20", "0:100:50", "100:100:1"]))
    else:
        result.append(f"--budget={rng.choice(BUDGETS)}")
    if rng.random() < 0.4:
        result.append(f"--order={rng.choice(['program', 'free'])}")
    if rng.random() < 0.5:
        result.append("--json")
    return result


def contradiction(command_line, stdout):
    """What an accepted call says that cannot be true, or an empty string."""
    if "--json" not in command_line:
        return ""
    try:
        content = json.loads(stdout)
    except ValueError:
        return "the output is no JSON"
    for row in content if isinstance(content, list) else [content]:
        if row.get("peak") is None:
            continue
        if row["peak"] > row["budget_bytes"]:
            return "a peak above the budget"
        if row["cost"] < row["bound"]:
            return "a cost below the bound"
    return ""

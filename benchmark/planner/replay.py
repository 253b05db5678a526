"""Graphs and plans for the methods that the planner is compared with.

Reads the graphs that ckpt-plan reads, as far as the methods know them: one result per
node, views, workspace. Ids are those of plans: positions in the program order.
"""
import json


class Unsupported(Exception):
    """The method does not take this graph, or a package is missing."""


class Graph:
    """`deps` and `users` include the buffers below views."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        self.outputs = []
        if "links" in content:
            self._read_links(content)
        else:
            self._read_nodes(content)
        self.n = len(self.time)
        self.users = [[] for _ in range(self.n)]
        for node, deps in enumerate(self.deps):
            for dep in deps:
                self.users[dep].append(node)
        self.is_output = [False] * self.n
        for node in self.outputs:
            self.is_output[node] = True
        self.total_time = sum(self.time)
        self.program_peak = self.replay(range(self.n))[0]

    def _read_nodes(self, content):
        nodes = content["nodes"]
        for node in nodes:
            if {"results", "in_place_of", "after", "must_stay"} & node.keys():
                raise Unsupported("several results, in-place updates or effects")
        self.names = [node.get("name", "") for node in nodes]
        self.time = [int(node["cost"]) for node in nodes]
        self.size = [int(node["bytes"]) for node in nodes]
        self.workspace = [int(node.get("workspace", 0)) for node in nodes]
        self.recomputable = [node.get("recomputable", True) for node in nodes]
        self.outputs = content.get("outputs", [])
        base = {n["id"]: n["view_of"] for n in nodes if n.get("view_of") is not None}
        self.deps = []
        for node in nodes:
            deps = set(node["deps"])
            for dep in node["deps"]:
                while dep in base:
                    dep = base[dep]
                    deps.add(dep)
            self.deps.append(sorted(deps))
        phases = [node.get("phase") for node in nodes]
        self.backward = [p == "bwd" for p in phases] if any(phases) else None

    def _read_links(self, content):
        nodes = {str(n.get("id", n.get("name"))): n for n in content["nodes"]}
        before = {key: [] for key in nodes}
        after = {key: [] for key in nodes}
        for link in content["links"]:
            source = str(link.get("source", link.get("0")))
            target = str(link.get("target", link.get("1")))
            before[target].append(source)
            after[source].append(target)
        order = [str(key) for key in content.get("graph", {}).get("order", [])]
        if not order:
            missing = {key: len(deps) for key, deps in before.items()}
            order = [key for key in nodes if not missing[key]]
            for key in order:
                for user in after[key]:
                    missing[user] -= 1
                    if not missing[user]:
                        order.append(user)
        place = {key: i for i, key in enumerate(order)}
        ordered = [nodes[key] for key in order]
        self.names = [str(node.get("name", "")) for node in ordered]
        self.time = [int(n.get("cost_cpu", n.get("duration", 0))) for n in ordered]
        self.size = [int(n.get("cost_ram", n.get("out_cost", 0))) for n in ordered]
        self.workspace = [0] * len(order)
        self.recomputable = [True] * len(order)
        self.deps = [sorted({place[d] for d in before[key]}) for key in order]
        flags = [node.get("backward") for node in ordered]
        self.backward = [bool(f) for f in flags] if any(flags) else None

    def replay(self, runs):
        """(peak, time) of a sequence of runs in which each copy of a value dies after
        its last use."""
        runs = list(runs)
        needed = list(self.is_output)
        dying = [()] * len(runs)
        for k in range(len(runs) - 1, -1, -1):
            node = runs[k]
            dead = [] if needed[node] else [node]
            needed[node] = False
            for dep in self.deps[node]:
                if not needed[dep]:
                    needed[dep] = True
                    dead.append(dep)
            dying[k] = dead
        memory = peak = time = 0
        for k, node in enumerate(runs):
            memory += self.size[node]
            peak = max(peak, memory + self.workspace[node])
            time += self.time[node]
            memory -= sum(self.size[dead] for dead in dying[k])
        return peak, time

    def first_backward(self):
        """The first op of the backward pass: where the graph says so, else the op at
        which storing everything takes most memory."""
        if self.backward:
            return self.backward.index(True)
        memory, most, where = 0, -1, 0
        last = [max(users, default=i) for i, users in enumerate(self.users)]
        for node in range(self.n):
            memory += self.size[node]
            if memory > most:
                most, where = memory, node
            for value in {node, *self.deps[node]}:
                if last[value] == node and not self.is_output[value]:
                    memory -= self.size[value]
        return where

    def recompute_late(self, stored, boundary):
        """The runs of a training step whose backward pass, from `boundary` on, finds
        the forward values of `stored` and computes others again when it first needs
        them."""
        runs = list(range(boundary))
        present = set(stored)
        for node in range(boundary, self.n):
            stack = [node]
            while stack:
                missing = [d for d in self.deps[stack[-1]] if d not in present]
                if missing:
                    stack.extend(reversed(missing))
                    continue
                done = stack.pop()
                if done not in present:
                    runs.append(done)
                    present.add(done)
        for node in self.outputs:
            if node not in present and node >= boundary:
                runs.append(node)
        return runs


def write_plan(path, runs):
    """A plan without frees: each value dies after its last use."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schedule": list(runs)}, file)

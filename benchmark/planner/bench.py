"""What the parts of the benchmark share: the tool, the graphs, and the text."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MARK = re.compile(r"^<!-- part: (\w+) -->$", re.MULTILINE)


class Bench:
    def __init__(self, options, introduction):
        self.options = options
        self.folder = tempfile.mkdtemp()
        self.introduction = introduction
        self.lines = []
        self.proofs = {}
        self.parts = self._earlier_parts()

    def _earlier_parts(self):
        """The text of each part that the output has already."""
        try:
            with open(self.options.out, encoding="utf-8") as file:
                pieces = MARK.split(file.read())
        except FileNotFoundError:
            return {}
        return dict(zip(pieces[1::2], (text.strip() for text in pieces[2::2])))

    def write(self, line=""):
        self.lines.append(line)
        print(line, flush=True)

    def finish_part(self, name, order):
        """Writes the whole output, with this part anew."""
        self.parts[name] = "\n".join(self.lines).strip()
        self.lines = []
        text = self.introduction
        for part in order:
            if part in self.parts:
                text += f"\n<!-- part: {part} -->\n\n{self.parts[part]}\n"
        temporary = self.options.out + ".tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, self.options.out)

    def generate(self, name, make):
        path = os.path.join(self.folder, name + ".json")
        if not os.path.exists(path):
            make().save(path)
        return path

    def external(self, *parts):
        if not self.options.graphs:
            return None
        path = os.path.join(self.options.graphs, *parts)
        return path if os.path.exists(path) else None

    def public_graphs(self, pattern):
        """{short name: path} of the published graphs whose file matches."""
        folder = self.external("public")
        found = {}
        for file in sorted(os.listdir(folder)) if folder else []:
            match = re.match(pattern, file)
            if match:
                found[match[1]] = os.path.join(folder, file)
        return found

    def plan(self, path, budget, solver="auto", **limits):
        """The tool's JSON, with the wall time of the whole call; exits where the
        tool fails for another reason than that there is no plan."""
        command = [self.options.tool, path, f"--budget={budget}", "--json"]
        command.append(f"--solver={solver}")
        command += [f"--{key.replace('_', '-')}={value}" for key, value in limits.items()]
        start = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 2):
            if solver == "chain-dp":
                return None
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        result = json.loads(done.stdout)
        result["wall"] = time.monotonic() - start
        return result

    def checked_plan(self, path, budget, **limits):
        """The same by solver auto, with its plan and its bound verified from files;
        exits where they are refuted. How bounds were proven is counted."""
        plan = os.path.join(self.folder, "plan.json")
        proof = os.path.join(self.folder, "proof.json")
        for file in (plan, proof):
            if os.path.exists(file):
                os.unlink(file)
        result = self.plan(path, budget, plan_out=plan, certificate_out=proof, **limits)
        if os.path.exists(plan):
            verdict = self.verify(path, plan, result["budget_bytes"], f"--certificate={proof}")
            proven = "unproven" if "unproven_bound" in verdict else verdict["proof"]
            self.proofs[proven] = self.proofs.get(proven, 0) + 1
        return result

    def write_proofs(self):
        """How the bounds since the last call were proven."""
        counts = ", ".join(f"{proof} {n}" for proof, n in sorted(self.proofs.items()))
        self.proofs = {}
        self.write(
            "Every plan and bound of this table was checked by `ckpt-plan --verify`; "
            f"bounds were proven by: {counts or 'none'}."
        )

    def method(self, name, path, budget_bytes, seconds=0):
        """What a competing method does (see method.py), with the peak and the overhead
        of its plan as `ckpt-plan --verify` finds them."""
        plan = os.path.join(self.folder, "method-plan.json")
        command = [sys.executable, os.path.join(HERE, "method.py"), name, path]
        command += [str(budget_bytes), str(seconds), plan]
        start = time.monotonic()
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False,
                timeout=3 * seconds + 120,
            )
        except subprocess.TimeoutExpired:
            return {"status": "none", "proven": False, "seconds": 3 * seconds + 120}
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        result = json.loads(done.stdout)
        result["seconds"] = time.monotonic() - start
        if result["status"] == "plan":
            result.update(self.verify(path, plan))
            result["fits"] = result["peak"] <= budget_bytes
        return result

    def verify(self, path, plan, budget=2**63 - 1, *more):
        command = [self.options.tool, path, f"--verify={plan}", f"--budget={budget}"]
        command += ["--json", *more]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        return json.loads(done.stdout)


def overhead(result):
    if result is None:
        return ""
    if result["overhead_percent"] is None:
        return "none"
    return f"{result['overhead_percent']:.2f}"


def bound_percent(result):
    if result["overhead_percent"] is None:
        return "-"
    return f"{result['overhead_percent'] - result['gap_percent']:.2f}"


def first_percent(result):
    if result["overhead_percent"] is None:
        return "-"
    ratio = result["first_cost"] / result["cost"]
    return f"{100 * ((1 + result['overhead_percent'] / 100) * ratio - 1):.2f}"


def gap(result):
    return "-" if result["overhead_percent"] is None else f"{result['gap_percent']:.3f}"


def method_cell(result, scale_peak):
    """A method's overhead, or why there is none: `scale_peak` is what percentages of
    peaks refer to."""
    if result["status"] == "skipped":
        return f"skipped: {result['why']}"
    if result["status"] == "none":
        return "none"
    if not result["fits"]:
        return f"misses: {100 * result['peak'] / scale_peak:.0f}%"
    return f"{result['overhead_percent']:.2f}"


def readme_rows(path):
    """The cells of each row of the tables in a README."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = [field.strip() for field in line.strip().strip("|").split("|")]
            if len(fields) > 4:
                yield fields

"""Commands of fuzz.py, and what tells their failures apart: same key, same cause."""
import re

MESSAGE = re.compile(r"error: |^ckpt-[\w-]+: |^<?[\w. ]+>?: .*(argument|option)", re.M)


def strip_options(command):
    return [part.split("=")[0] for part in command]


def first_error(outcome):
    lines = [l for l in outcome.stderr.split("\n") if MESSAGE.search(l)]
    return lines[0].split("error: ")[-1] if lines else ""


def crash_key(outcome):
    """What tells crashes apart: the assertion, the sanitizer, or where it was."""
    for pattern in (r"Assertion `.*", r"LLVM ERROR: .*", r"ERROR: \w+Sanitizer: [\w-]+"):
        match = re.search(pattern, outcome.stderr)
        if match:
            return re.sub(r"0x[0-9a-f]+|\d+", "*", match.group())
    frames = re.findall(r"^\s*#\d+ 0x[0-9a-f]+ (.*)$", outcome.stderr, re.M)
    places = [f for f in frames if "libLLVM" not in f and "libc.so" not in f]
    return " | ".join(places[:3]) or f"status {outcome.status}"


def with_paths(argument, paths):
    """`argument`, or the value of an option, replaced if it names a file."""
    option, equals, value = argument.rpartition("=")
    return option + equals + paths.get(value, value)

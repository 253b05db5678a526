"""Mutations of MLIR text, for fuzz.py.

Every mutation is a function of a text, a random generator and the corpus. Texts
stay close to the original, so that many mutants still parse and reach the
passes.
"""

import re

OP = re.compile(r"(?<![\w%@#!\"./])[a-z_]\w*(?:\.\w+)+")
SHAPED = re.compile(r"(?:tensor|memref|vector)<[^<>]*(?:<[^<>]*>)?[^<>]*>")
DIMENSION = re.compile(r"(?<=[<x])(?:\d+|\?)(?=x)")
ELEMENT = re.compile(r"\b(?:bf16|f16|f32|f64|i1|i8|i32|i64|index)\b")
INTEGER = re.compile(r"(?<![\w.%#@-])-?\d+(?![\w.])")
FLOAT = re.compile(r"(?<![\w.%#@])-?\d+\.\d*(?:[eE][+-]?\d+)?")
ITERATOR = re.compile(r'"(?:parallel|reduction)"')
MAP = re.compile(r"affine_map<[^>]*->[^>]*>")
VALUE = re.compile(r"%\w+(?:#\d+)?")
SYMBOL = re.compile(r"@\w+")
ATTRIBUTES = re.compile(r"\{[^{}\n]*=[^{}\n]*\}")

ELEMENTS = [
    "bf16", "f16", "f32", "f64", "f128", "f8E4M3FN", "tf32", "i1", "i4", "i8", "i32",
    "i64", "i65", "si8", "ui32", "index", "none", "complex<f32>", "vector<4xf32>",
    "tuple<f32>", "!quant.any<i8:f32>", "!llvm.ptr", "memref<2xf32>",
]
TYPES = [
    "tensor<*xf32>", "tensor<?xf32>", "tensor<?x?xf32>", "tensor<0xf32>", "tensor<f32>",
    "tensor<1x1xf32>", "tensor<4xf32, 1 : i32>", "memref<4xf32>", "memref<?xf32>",
    "memref<4x4xf32, strided<[?, 1], offset: ?>>", "memref<*xf32>", "memref<4xf32, 3>",
    "memref<64xi8>", "vector<4xf32>", "vector<[4]xf32>", "complex<f32>", "index", "f32",
    "tensor<4xindex>", "tensor<4x!unknown.type>", "!gpu.async.token", "none", "tuple<>",
    "(f32) -> f32", "tensor<65536x65536x65536xf32>", "tensor<1x2x3x4x5x6x7xf32>",
]
DIMENSIONS = [
    "?", "0", "1", "2", "3", "5", "7", "33", "128", "1000", "65536", "70000",
    "4294967296", "9223372036854775807",
]
INTEGERS = [
    "0", "-1", "1", "2", "3", "7", "31", "64", "255", "65535", "2147483647",
    "-2147483648", "4294967296", "9223372036854775807", "-9223372036854775808",
    "18446744073709551616",
]
FLOATS = ["0.0", "-0.0", "1.0", "1.0e38", "1.0e-45", "0x7FC00000", "0xFF800000", "-1.0e400"]
MAPS = [
    "affine_map<() -> ()>", "affine_map<(d0) -> (d0)>", "affine_map<(d0) -> (0)>",
    "affine_map<(d0) -> ()>", "affine_map<(d0) -> (d0 + 1)>",
    "affine_map<(d0) -> (-d0 + 3)>", "affine_map<(d0) -> (d0 floordiv 2)>",
    "affine_map<(d0) -> (d0, d0)>", "affine_map<(d0)[s0] -> (d0 + s0)>",
    "affine_map<(d0, d1) -> (d1, d0)>", "affine_map<(d0, d1) -> (d0 + d1)>",
    "affine_map<(d0, d1) -> (d0 * 2 + d1)>", "affine_map<(d0, d1) -> (d0 mod 2, d1)>",
    "affine_map<(d0, d1) -> (0, d1)>", "affine_map<(d0, d1) -> (d0)>",
    "affine_map<(d0, d1, d2) -> (d0, d2)>", "affine_map<(d0, d1, d2) -> (d2, d1)>",
    "affine_map<(d0, d1, d2, d3) -> (d0, d1 + d3, d2)>",
]
# Lines that are legal in a function's body.
STATEMENTS = [
    '"unknown.effect"() : () -> ()',
    '%unknown = "unknown.value"() : () -> tensor<4xf32>',
    '"unknown.region"() ({ "unknown.inner"() : () -> () }) : () -> ()',
    "%memory = memref.alloc() : memref<4xf32>",
    "%stack = memref.alloca() : memref<4xf32>",
    "%lanes = arith.constant dense<1.0> : vector<4xf32>",
    "%nothing = tensor.empty() : tensor<0x4xf32>",
    "%size = arith.constant 3 : index",
    "%flag = arith.constant true",
    "%text = arith.constant dense_resource<blob> : tensor<4xf32>",
    "%poison = ub.poison : tensor<4xf32>",
    "scf.execute_region { scf.yield }",
    "func.call @missing() : () -> ()",
    "gpu.barrier",
    "cf.br ^next\n^next:",
    "return",
    "llvm.unreachable",
    "module { }",
]


def choose_match(rng, pattern, text):
    matches = list(pattern.finditer(text))
    return rng.choice(matches) if matches else None


def replace_match(text, match, new):
    return text[: match.start()] + new + text[match.end() :]


def swap_token(pattern, alternatives):
    """A mutation that replaces what `pattern` matches, once or everywhere."""

    def mutate(rng, text, corpus):
        match = choose_match(rng, pattern, text)
        if not match:
            return text
        new = rng.choice(alternatives)
        if rng.random() < 0.5:
            other = choose_match(rng, pattern, rng.choice(corpus))
            new = other.group() if other else new
        if rng.random() < 0.5:
            return replace_match(text, match, new)
        old = match.group()
        return pattern.sub(lambda m: new if m.group() == old else m.group(), text)

    return mutate


def on_lines(edit):
    def mutate(rng, text, corpus):
        lines = text.split("\n")
        edit(rng, lines, rng.randrange(len(lines)), corpus)
        return "\n".join(lines)

    return mutate


def delete_line(rng, lines, at, corpus):
    del lines[at : at + rng.choice([1, 1, 1, 2, 4])]


def duplicate_line(rng, lines, at, corpus):
    lines.insert(rng.randrange(len(lines) + 1), lines[at])


def swap_lines(rng, lines, at, corpus):
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def insert_foreign_line(rng, lines, at, corpus):
    lines.insert(at, rng.choice(rng.choice(corpus).split("\n")))


def insert_statement(rng, lines, at, corpus):
    bodies = [i for i, line in enumerate(lines) if line.rstrip().endswith("{")]
    lines.insert(rng.choice(bodies) + 1 if bodies else at, rng.choice(STATEMENTS))


def truncate_line(rng, lines, at, corpus):
    lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]


def drop_operand(rng, text, corpus):
    match = choose_match(rng, re.compile(r", %\w+(?:#\d+)?|%\w+(?:#\d+)?, "), text)
    return replace_match(text, match, "") if match else text


def rename_value(rng, text, corpus):
    match, other = choose_match(rng, VALUE, text), choose_match(rng, VALUE, text)
    return replace_match(text, match, other.group()) if match else text


def rename_symbol(rng, text, corpus):
    match, other = choose_match(rng, SYMBOL, text), choose_match(rng, SYMBOL, text)
    return replace_match(text, match, other.group()) if match else text


def truncate(rng, text, corpus):
    return text[: rng.randrange(len(text) + 1)]


def flip_bytes(rng, text, corpus):
    characters = list(text)
    for _ in range(rng.choice([1, 1, 2, 8])):
        if characters:
            at = rng.randrange(len(characters))
            characters[at] = chr(ord(characters[at]) % 128 ^ 1 << rng.randrange(7))
    return "".join(characters)


def nest(rng, text, corpus):
    prefix, body = [], []
    for line in text.split("\n"):
        (prefix if re.match(r"\s*[#!]\w+ =", line) else body).append(line)
    name = rng.choice(["", "@outer ", "attributes {ckpt.policy = 1} "])
    return "\n".join(prefix + [f"module {name}{{"] + body + ["}"])


def join(rng, text, corpus):
    return text + "\n" + rng.choice(corpus)


MUTATIONS = [
    swap_token(OP, ["arith.addf", "math.exp", "linalg.matmul", "func.call", "ckpt.barrier"]),
    swap_token(OP, ["arith.divf", "linalg.fill", "tensor.empty", "scf.yield", "ckpt.name"]),
    swap_token(SHAPED, TYPES),
    swap_token(SHAPED, TYPES),
    swap_token(DIMENSION, DIMENSIONS),
    swap_token(DIMENSION, DIMENSIONS),
    swap_token(ELEMENT, ELEMENTS),
    swap_token(ELEMENT, ELEMENTS),
    swap_token(INTEGER, INTEGERS),
    swap_token(INTEGER, INTEGERS),
    swap_token(FLOAT, FLOATS),
    swap_token(ITERATOR, ['"parallel"', '"reduction"', '"window"']),
    swap_token(MAP, MAPS),
    swap_token(ATTRIBUTES, ["{}", "{ckpt.op = 0 : i64}", "{ckpt.policy = 3}"]),
    on_lines(delete_line),
    on_lines(duplicate_line),
    on_lines(swap_lines),
    on_lines(insert_foreign_line),
    on_lines(insert_statement),
    on_lines(insert_statement),
    on_lines(truncate_line),
    drop_operand,
    rename_value,
    rename_value,
    rename_symbol,
    truncate,
    flip_bytes,
    nest,
    join,
]


def mutate(rng, text, corpus):
    """`text` after one to four mutations."""
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])):
        text = rng.choice(MUTATIONS)(rng, text, corpus)
    return text

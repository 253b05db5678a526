#!/usr/bin/env python3
"""Writes forward functions for measuring how compile time grows.

    generate_chain.py ops N        a chain of N ops (matrix product and tanh in turn)
    generate_chain.py arguments N  a sum over N arguments, each through tanh

The entry is @loss; its first result is the loss.
"""

import sys

HEAD = """#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
"""


def tanh(name: str, source: str) -> list[str]:
    return [
        f'  {name} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}}',
        f"      ins({source} : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {{",
        "  ^bb0(%v: f32, %unused: f32):",
        "    %t = math.tanh %v : f32",
        "    linalg.yield %t : f32",
        "  } -> tensor<8x8xf32>",
    ]


def product(name: str, left: str, right: str) -> list[str]:
    return [
        f"  {name} = linalg.matmul ins({left}, {right} : tensor<8x8xf32>, tensor<8x8xf32>) "
        "outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>"
    ]


def loss(source: str) -> list[str]:
    return [
        "  %es = tensor.empty() : tensor<f32>",
        "  %init = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>",
        '  %loss = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]}',
        f"      ins({source} : tensor<8x8xf32>) outs(%init : tensor<f32>) {{",
        "  ^bb0(%v: f32, %sum: f32):",
        "    %p = arith.mulf %v, %v : f32",
        "    %s = arith.addf %sum, %p : f32",
        "    linalg.yield %s : f32",
        "  } -> tensor<f32>",
        "  return %loss : tensor<f32>",
        "}",
    ]


def start(arguments: list[str]) -> list[str]:
    types = ", ".join(f"{a}: tensor<8x8xf32>" for a in arguments)
    return [
        HEAD + f"func.func @loss({types}) -> tensor<f32> {{",
        "  %zero = arith.constant 0.0 : f32",
        "  %e = tensor.empty() : tensor<8x8xf32>",
        "  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>",
    ]


def chain(count: int) -> list[str]:
    lines, value = start(["%x", "%w"]), "%x"
    for i in range(count):
        name = f"%v{i}"
        lines += product(name, value, "%w") if i % 2 == 0 else tanh(name, value)
        value = name
    return lines + loss(value)


def arguments(count: int) -> list[str]:
    names = [f"%x{i}" for i in range(count)]
    lines, value = start(names), names[0]
    for i, name in enumerate(names[1:]):
        lines += tanh(f"%t{i}", name) + product(f"%p{i}", value, f"%t{i}")
        value = f"%p{i}"
    return lines + loss(value)


def main() -> None:
    kinds = {"ops": chain, "arguments": arguments}
    if len(sys.argv) != 3 or sys.argv[1] not in kinds or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    print("\n".join(kinds[sys.argv[1]](int(sys.argv[2]))))


if __name__ == "__main__":
    main()

"""Training graphs for the planner, made from the shapes of known models.

A forward pass is recorded op by op, with floating-point operations and bytes; the
backward pass follows from what each op's gradient formulas read. Times are in
nanoseconds on a roofline: the larger of compute and memory traffic, plus a launch.
Gradients of parameters go to buffers that exist already (no bytes of their own);
parameters and those buffers are the graph's fixed bytes.

    graphs.py KIND OUT.json [key=value ...]
"""
import argparse
import ast
import json
import random

FLOPS_PER_NS = 400e3
BYTES_PER_NS = 2.5e3
LAUNCH_NS = 2000


class Graph:
    """Nodes in program order, as the native format wants them."""

    def __init__(self, name):
        self.name = name
        self.nodes = []
        self.outputs = []
        self.fixed = 0

    def add(self, name, cost, size, deps, phase):
        node = len(self.nodes)
        self.nodes.append(
            {
                "id": node,
                "name": name,
                "cost": int(cost),
                "bytes": int(size),
                "deps": sorted(set(deps)),
                "phase": phase,
            }
        )
        return node

    def size(self, node):
        return self.nodes[node]["bytes"]

    def save(self, path):
        content = {
            "name": self.name,
            "nodes": self.nodes,
            "outputs": self.outputs,
            "fixed": self.fixed,
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file, separators=(",", ":"))


def roofline(flops, traffic):
    return max(flops / FLOPS_PER_NS, traffic / BYTES_PER_NS) + LAUNCH_NS


class Gradient:
    """One gradient formula of an op: for input `wrt` (None: a parameter), reading
    the values `reads` ("out" is the op's own result) besides the incoming gradient,
    with so many operations and result elements. `wrt` with reads=None passes the
    incoming gradient on unchanged."""

    def __init__(self, wrt, reads, flops=0, elements=0):
        self.wrt = wrt
        self.reads = reads
        self.flops = flops
        self.elements = elements


class Recorder:
    """Forward ops, with what their gradients need."""

    element = 2

    def __init__(self, name):
        self.graph = Graph(name)
        self.tape = []
        self.parameters = 0

    def op(self, name, inputs, elements, flops=0, gradients=(), traffic=None):
        graph = self.graph
        size = elements * self.element
        if traffic is None:
            traffic = size + sum(graph.size(i) for i in inputs)
        node = graph.add(name, roofline(flops, traffic), size, inputs, "fwd")
        self.tape.append((node, name, gradients))
        return node

    def source(self, name, elements):
        return self.op(name, [], elements)

    def linear(self, name, x, rows, inner, columns):
        self.parameters += inner * columns
        flops = 2 * rows * inner * columns
        traffic = self.element * (rows * inner + inner * columns + rows * columns)
        gradients = [
            Gradient(None, [x], flops),
            Gradient(x, [], flops, rows * inner),
        ]
        return self.op(name, [x], rows * columns, flops, gradients, traffic)

    def conv(self, name, x, batch, channels, side, filters, kernel, stride=1, groups=1):
        out = side // stride
        weights = filters * channels * kernel * kernel // groups
        flops = 2 * batch * filters * out * out * channels * kernel * kernel // groups
        self.parameters += weights
        gradients = [
            Gradient(None, [x], flops),
            Gradient(x, [], flops, batch * channels * side * side),
        ]
        return self.op(name, [x], batch * filters * out * out, flops, gradients)

    def pointwise(self, name, x, elements, reads, flops=8):
        """reads: "in" or "out", what the derivative is computed from."""
        needed = [x] if reads == "in" else ["out"]
        gradient = Gradient(x, needed, flops * elements, elements)
        return self.op(name, [x], elements, flops * elements, [gradient])

    def add(self, name, x, y, elements):
        gradients = [Gradient(x, None), Gradient(y, None)]
        return self.op(name, [x, y], elements, elements, gradients)

    def product(self, name, a, b, flops, elements, size_a, size_b):
        gradients = [Gradient(a, [b], flops, size_a), Gradient(b, [a], flops, size_b)]
        return self.op(name, [a, b], elements, flops, gradients)

    def concat(self, name, parts, sizes):
        gradients = [Gradient(x, [], 0, n) for x, n in zip(parts, sizes)]
        return self.op(name, parts, sum(sizes), 0, gradients)

    def pool(self, name, x, before, after):
        return self.op(name, [x], after, before, [Gradient(x, [x], before, before)])

    def upsample(self, name, x, before, after):
        return self.op(name, [x], after, after, [Gradient(x, [], after, before)])

    def backward(self, loss):
        """Appends the backward pass; returns the finished graph."""
        graph = self.graph
        incoming = {loss: []}
        for node, name, gradients in reversed(self.tape):
            if node not in incoming:
                continue
            total = self._accumulate(name, incoming.pop(node))
            for gradient in gradients:
                if gradient.reads is None:
                    incoming.setdefault(gradient.wrt, []).append(total[0])
                    continue
                reads = [node if r == "out" else r for r in gradient.reads]
                size = gradient.elements * self.element
                traffic = sum(graph.size(r) for r in reads + total) + size
                label = ("dW." if gradient.wrt is None else "dx.") + name
                made = graph.add(
                    label, roofline(gradient.flops, traffic), size, reads + total, "bwd"
                )
                if gradient.wrt is not None:
                    incoming.setdefault(gradient.wrt, []).append(made)
        graph.fixed = 2 * self.parameters * self.element
        return graph

    def _accumulate(self, name, parts):
        """Adds up gradients that arrive from several users, oldest first."""
        while len(parts) > 1:
            size = self.graph.size(parts[0])
            cost = roofline(size // self.element, 3 * size)
            made = self.graph.add("acc." + name, cost, size, parts[:2], "bwd")
            parts = [made] + parts[2:]
        return parts


def mlp(layers=50, batch=4096, width=1024):
    net = Recorder(f"mlp{layers}")
    elements = batch * width
    x = net.source("x", elements)
    for i in range(layers):
        x = net.linear(f"l{i}.fc", x, batch, width, width)
        x = net.pointwise(f"l{i}.relu", x, elements, "out", 1)
    gradient = Gradient(x, [x], elements, elements)
    return net.backward(net.op("loss", [x], 1, elements, [gradient]))


def chain(layers=50, hetero=False, seed=0):
    """F1 ... FL, loss, BL ... B1; Bi reads x[i-1] and the gradient of x[i]."""
    draw = random.Random(seed)
    graph = Graph(f"chain{layers}{'h' if hetero else 'u'}")
    cost = [draw.randint(5, 50) if hetero else 10 for _ in range(layers)]
    size = [draw.randint(5, 50) if hetero else 10 for _ in range(layers + 1)]
    x = [graph.add("x0", 0, size[0], [], "fwd")]
    for i in range(layers):
        x.append(graph.add(f"F{i + 1}", cost[i], size[i + 1], [x[i]], "fwd"))
    d = graph.add("loss", 0, size[layers], [x[layers]], "bwd")
    for i in range(layers, 0, -1):
        d = graph.add(f"B{i}", 2 * cost[i - 1], size[i - 1], [x[i - 1], d], "bwd")
    return graph


def gpt(layers=12, batch=8, length=1024, width=1024, heads=16, vocab=32000, flash=False):
    net = Recorder(f"gpt{layers}{'f' if flash else ''}")
    tokens = batch * length
    n = tokens * width
    scores = batch * heads * length * length
    product_flops = 2 * batch * length * length * width
    x = net.op("embed", [], n, 0, [Gradient(None, [])], traffic=4 * n)
    net.parameters += vocab * width
    for i in range(layers):
        p = f"h{i}."
        h = net.pointwise(p + "ln1", x, n, "in")
        q, k, v = (net.linear(p + t, h, tokens, width, width) for t in "qkv")
        if flash:
            flops = 2 * product_flops
            gradients = [
                Gradient(q, [q, k, v, "out"], flops, n),
                Gradient(k, [q, k, v, "out"], flops, n),
                Gradient(v, [q, k, v, "out"], flops // 2, n),
            ]
            o = net.op(p + "attn", [q, k, v], n, flops, gradients)
        else:
            a = net.product(p + "qk", q, k, product_flops, scores, n, n)
            a = net.pointwise(p + "softmax", a, scores, "out", 5)
            o = net.product(p + "pv", a, v, product_flops, n, scores, n)
        o = net.linear(p + "proj", o, tokens, width, width)
        x = net.add(p + "res1", x, o, n)
        h = net.pointwise(p + "ln2", x, n, "in")
        h = net.linear(p + "fc1", h, tokens, width, 4 * width)
        h = net.pointwise(p + "gelu", h, 4 * n, "in")
        h = net.linear(p + "fc2", h, tokens, 4 * width, width)
        x = net.add(p + "res2", x, h, n)
    x = net.pointwise("lnf", x, n, "in")
    logits = net.linear("head", x, tokens, width, vocab)
    flops = 5 * tokens * vocab
    gradient = Gradient(logits, [logits], flops, tokens * vocab)
    return net.backward(net.op("loss", [logits], 1, flops, [gradient]))


def resnet(blocks=(3, 4, 6, 3), batch=64, side=224):
    net = Recorder(f"resnet{3 * sum(blocks) + 2}")

    def unit(name, x, channels, size, filters, kernel, stride=1, relu=True):
        x = net.conv(name + ".conv", x, batch, channels, size, filters, kernel, stride)
        n = batch * filters * (size // stride) ** 2
        x = net.pointwise(name + ".bn", x, n, "in")
        return net.pointwise(name + ".relu", x, n, "out", 1) if relu else x

    x = net.source("img", batch * 3 * side * side)
    x = unit("stem", x, 3, side, 64, 7, 2)
    size = side // 2
    x = net.pool("maxpool", x, batch * 64 * size * size, batch * 64 * (size // 2) ** 2)
    size //= 2
    channels = 64
    for stage, count in enumerate(blocks):
        inner = 64 << stage
        filters = 4 * inner
        for b in range(count):
            stride = 2 if b == 0 and stage > 0 else 1
            p = f"s{stage}b{b}"
            y = unit(p + ".1", x, channels, size, inner, 1)
            y = unit(p + ".2", y, inner, size, inner, 3, stride)
            y = unit(p + ".3", y, inner, size // stride, filters, 1, relu=False)
            if b == 0:
                x = unit(p + ".down", x, channels, size, filters, 1, stride, relu=False)
            size //= stride
            channels = filters
            n = batch * filters * size * size
            x = net.pointwise(p + ".relu", net.add(p + ".add", x, y, n), n, "out", 1)
    n = batch * channels * size * size
    x = net.op("avgpool", [x], batch * channels, n, [Gradient(x, [], n, n)])
    x = net.linear("fc", x, batch, channels, 1000)
    n = batch * 1000
    return net.backward(net.op("loss", [x], 1, n, [Gradient(x, [x], n, n)]))


def unet(depth=4, batch=8, side=512, base=64, convs=2):
    net = Recorder(f"unet{depth}x{convs}")

    def block(x, channels, filters, size, name):
        n = batch * filters * size * size
        for j in range(convs):
            x = net.conv(f"{name}.c{j}", x, batch, channels, size, filters, 3)
            x = net.pointwise(f"{name}.bn{j}", x, n, "in")
            x = net.pointwise(f"{name}.r{j}", x, n, "out", 1)
            channels = filters
        return x

    size, channels = side, 3
    x = net.source("img", batch * 3 * size * size)
    skips = []
    for level in range(depth):
        filters = base << level
        x = block(x, channels, filters, size, f"enc{level}")
        skips.append((x, filters))
        channels = filters
        n = batch * channels * size * size
        x = net.pool(f"pool{level}", x, n, batch * channels * (size // 2) ** 2)
        size //= 2
    x = block(x, channels, base << depth, size, "mid")
    channels = base << depth
    for level in reversed(range(depth)):
        n = batch * channels * size * size
        x = net.upsample(f"up{level}", x, n, 4 * n)
        size *= 2
        skip, filters = skips[level]
        x = net.conv(f"upc{level}", x, batch, channels, size, filters, 3)
        n = batch * filters * size * size
        x = net.concat(f"cat{level}", [x, skip], [n, n])
        x = block(x, 2 * filters, filters, size, f"dec{level}")
        channels = filters
    x = net.conv("head", x, batch, channels, size, 2, 1)
    n = batch * 2 * size * size
    return net.backward(net.op("loss", [x], 1, n, [Gradient(x, [x], n, n)]))


def mobilenet(batch=128, side=224):
    """MobileNetV2: (expansion, channels, repeats, stride) per group."""
    groups = [
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ]
    net = Recorder("mobilenetv2")

    def unit(name, x, channels, size, filters, kernel, stride=1, split=1, relu=True):
        x = net.conv(name, x, batch, channels, size, filters, kernel, stride, split)
        n = batch * filters * (size // stride) ** 2
        x = net.pointwise(name + ".bn", x, n, "in")
        return net.pointwise(name + ".r6", x, n, "out", 1) if relu else x

    x = net.source("img", batch * 3 * side * side)
    x = unit("stem", x, 3, side, 32, 3, 2)
    size, channels = side // 2, 32
    for g, (expansion, filters, repeats, first_stride) in enumerate(groups):
        for b in range(repeats):
            stride = first_stride if b == 0 else 1
            p = f"g{g}b{b}"
            y, wide = x, channels * expansion
            if expansion > 1:
                y = unit(p + ".exp", y, channels, size, wide, 1)
            y = unit(p + ".dw", y, wide, size, wide, 3, stride, wide)
            size //= stride
            y = unit(p + ".pr", y, wide, size, filters, 1, relu=False)
            if stride == 1 and filters == channels:
                y = net.add(p + ".add", x, y, batch * filters * size * size)
            x, channels = y, filters
    x = unit("last", x, channels, size, 1280, 1)
    n = batch * 1280 * size * size
    x = net.op("avg", [x], batch * 1280, n, [Gradient(x, [], 0, n)])
    x = net.linear("fc", x, batch, 1280, 1000)
    n = batch * 1000
    return net.backward(net.op("loss", [x], 1, n, [Gradient(x, [x], n, n)]))


def densenet(layers=(6, 12, 24, 16), batch=64, side=224, growth=32):
    net = Recorder(f"densenet{sum(layers) * 2 + 5}")
    size, channels = side // 4, 2 * growth
    half = batch * channels * (side // 2) ** 2
    x = net.source("img", batch * 3 * side * side)
    x = net.conv("stem", x, batch, 3, side, channels, 7, 2)
    x = net.pointwise("stem.bn", x, half, "in")
    x = net.pool("mp", x, half, batch * channels * size * size)
    for block, count in enumerate(layers):
        features = [(x, channels)]
        area = batch * size * size
        for layer in range(count):
            p = f"d{block}l{layer}"
            total = sum(c for _, c in features)
            y = features[0][0]
            if len(features) > 1:
                y = net.concat(p + ".cat", *zip(*[(f, area * c) for f, c in features]))
            y = net.pointwise(p + ".bn1", y, area * total, "in")
            y = net.pointwise(p + ".r1", y, area * total, "out", 1)
            y = net.conv(p + ".c1", y, batch, total, size, 4 * growth, 1)
            y = net.pointwise(p + ".bn2", y, area * 4 * growth, "in")
            y = net.pointwise(p + ".r2", y, area * 4 * growth, "out", 1)
            y = net.conv(p + ".c2", y, batch, 4 * growth, size, growth, 3)
            features.append((y, growth))
        channels = sum(c for _, c in features)
        x = net.concat(f"d{block}.cat", *zip(*[(f, area * c) for f, c in features]))
        if block + 1 < len(layers):
            x = net.pointwise(f"t{block}.bn", x, area * channels, "in")
            x = net.conv(f"t{block}.c", x, batch, channels, size, channels // 2, 1)
            channels //= 2
            n = area * channels
            x = net.pool(f"t{block}.avg", x, n, n // 4)
            size //= 2
    n = batch * channels * size * size
    x = net.op("avg", [x], batch * channels, n, [Gradient(x, [], 0, n)])
    x = net.linear("fc", x, batch, channels, 1000)
    n = batch * 1000
    return net.backward(net.op("loss", [x], 1, n, [Gradient(x, [x], n, n)]))


def lstm(steps=100, batch=64, width=1024, layers=2):
    net = Recorder(f"lstm{steps}x{layers}")
    n = batch * width
    xs = [None] * steps
    for layer in range(layers):
        h = net.source(f"h0.{layer}", n)
        c = net.source(f"c0.{layer}", n)
        out = []
        for t in range(steps):
            if layer == 0:
                xs[t] = net.source(f"x{t}", n)
            p = f"l{layer}t{t}."
            flops = 16 * n * width
            gradients = [
                Gradient(None, [xs[t], h], flops),
                Gradient(xs[t], [], flops // 2, n),
                Gradient(h, [], flops // 2, n),
            ]
            z = net.op(p + "gates", [xs[t], h], 4 * n, flops, gradients)
            a = net.pointwise(p + "act", z, 4 * n, "out")
            gradients = [Gradient(a, [a, c], 6 * n, 4 * n), Gradient(c, [a], n, n)]
            new = net.op(p + "c", [a, c], n, 3 * n, gradients)
            gradients = [
                Gradient(a, [new], 8 * n, 4 * n),
                Gradient(new, [a, new], 8 * n, n),
            ]
            h = net.op(p + "h", [a, new], n, 8 * n, gradients)
            c = new
            out.append(h)
        xs = out
    net.parameters = layers * 8 * width * width
    gradient = Gradient(xs[-1], [xs[-1]], n, n)
    return net.backward(net.op("loss", [xs[-1]], 1, n, [gradient]))


def layered(ops=200, width=0.3, seed=0, back=0.2):
    """A random layered graph without a backward pass, in the spirit of those that
    Moccasin was measured on."""
    draw = random.Random(seed)
    graph = Graph(f"layered{ops}")
    mean = max(2, int(ops**0.5 * 2 * width))
    layers, done = [], 0
    while done < ops:
        size = min(ops - done, max(1, int(draw.gauss(mean, mean * 0.3))))
        layers.append(list(range(done, done + size)))
        done += size
    for i, layer in enumerate(layers):
        for node in layer:
            deps = set()
            if i:
                deps.add(draw.choice(layers[i - 1]))
                while draw.random() < 0.45:
                    deps.add(draw.choice(layers[i - 1]))
                if draw.random() < back and i > 1:
                    deps.add(draw.choice(layers[draw.randrange(i - 1)]))
            cost = draw.randint(1, 1000)
            graph.add(f"v{node}", cost, draw.randint(1, 5000), deps, "fwd")
    return graph


KINDS = {
    f.__name__: f
    for f in (mlp, chain, gpt, resnet, unet, mobilenet, densenet, lstm, layered)
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("out")
    parser.add_argument("arguments", nargs="*", metavar="key=value")
    options = parser.parse_args()
    arguments = dict(item.split("=", 1) for item in options.arguments)
    graph = KINDS[options.kind](**{k: ast.literal_eval(v) for k, v in arguments.items()})
    graph.save(options.out)
    print(f"{graph.name}: {len(graph.nodes)} ops")


if __name__ == "__main__":
    main()

"""More training graphs, of architectures that the planner's searches were not made for:
what it does on them is about what to expect on a network that it has not seen. (The size
of sections and how full a moment must be to be a candidate were chosen with them in view;
the last shares of moves and time, of kin, sinks and orders, were checked on some of them
among others.)

    architectures.py KIND OUT.json
"""
import argparse

from graphs import Gradient, Recorder


class Network(Recorder):
    """What the architectures below have in common."""

    def finish(self, x, elements):
        gradient = Gradient(x, [x], elements, elements)
        return self.backward(self.op("loss", [x], 1, elements, [gradient]))

    def unit(self, name, x, batch, channels, side, filters, kernel=3, stride=1):
        """Convolution, normalisation, activation."""
        n = batch * filters * (side // stride) ** 2
        x = self.conv(name + ".c", x, batch, channels, side, filters, kernel, stride)
        x = self.pointwise(name + ".bn", x, n, "in")
        return self.pointwise(name + ".r", x, n, "out", 1)

    def attention(self, name, x, memory, batch, length, others, width, heads):
        n, m = batch * length * width, batch * others * width
        scores = batch * heads * length * others
        flops = 2 * batch * length * others * width
        query = self.linear(name + "q", x, batch * length, width, width)
        key = self.linear(name + "k", memory, batch * others, width, width)
        value = self.linear(name + "v", memory, batch * others, width, width)
        a = self.product(name + "qk", query, key, flops, scores, n, m)
        a = self.pointwise(name + "softmax", a, scores, "out", 5)
        o = self.product(name + "pv", a, value, flops, n, scores, m)
        return self.linear(name + "o", o, batch * length, width, width)

    def feed_forward(self, name, x, tokens, width):
        n = tokens * width
        y = self.pointwise(name + "ln", x, n, "in")
        y = self.linear(name + "fc1", y, tokens, width, 4 * width)
        y = self.pointwise(name + "gelu", y, 4 * n, "in")
        y = self.linear(name + "fc2", y, tokens, 4 * width, width)
        return self.add(name + "+", x, y, n)

    def pooled(self, name, x, n):
        return self.pool(name, x, n, n // 4)

    def upsampled(self, name, x, n):
        return self.upsample(name, x, n, 4 * n)


def encoder_decoder(layers=4, batch=16, source=256, target=128, width=512, vocab=8000):
    """A transformer for translation: all layers of the decoder read what the encoder
    made."""
    net = Network(f"encoder-decoder{layers}")
    n, m, heads = batch * source * width, batch * target * width, 8
    x = net.source("source", n)
    for i in range(layers):
        p = f"e{i}."
        y = net.pointwise(p + "ln1", x, n, "in")
        y = net.attention(p, y, y, batch, source, source, width, heads)
        x = net.feed_forward(p, net.add(p + "r", x, y, n), batch * source, width)
    memory = net.pointwise("memory", x, n, "in")
    x = net.source("target", m)
    for i in range(layers):
        p = f"d{i}."
        y = net.pointwise(p + "ln1", x, m, "in")
        y = net.attention(p + "self.", y, y, batch, target, target, width, heads)
        x = net.add(p + "r1", x, y, m)
        y = net.pointwise(p + "ln2", x, m, "in")
        y = net.attention(p + "cross.", y, memory, batch, target, source, width, heads)
        x = net.feed_forward(p, net.add(p + "r2", x, y, m), batch * target, width)
    x = net.linear("head", x, batch * target, width, vocab)
    return net.finish(x, batch * target * vocab)


def unet_plus_plus(depth=3, batch=8, side=256, base=32):
    """Zhou et al. 2018: each node of a triangle reads all those of its level before it
    and one of the level below."""
    net = Network(f"unet++{depth}")
    image = net.source("image", batch * 3 * side * side)
    nodes = {}
    for j in range(depth + 1):
        for i in range(depth + 1 - j):
            size, filters = side >> i, base << i
            n = batch * filters * size * size
            if j > 0:
                up = net.upsampled(f"u{i}{j}", nodes[i + 1, j - 1], n // 2)
                before = [nodes[i, k] for k in range(j)]
                x = net.concat(f"cat{i}{j}", before + [up], [n] * j + [2 * n])
                channels = filters * (j + 2)
            elif i > 0:
                x = net.pooled(f"p{i}", nodes[i - 1, 0], 2 * n)
                channels = filters // 2
            else:
                x, channels = image, 3
            x = net.unit(f"x{i}{j}a", x, batch, channels, size, filters)
            nodes[i, j] = net.unit(f"x{i}{j}b", x, batch, filters, size, filters)
    x = net.conv("head", nodes[0, depth], batch, base, side, 2, 1)
    return net.finish(x, batch * 2 * side * side)


def feature_pyramid(batch=16, side=256, width=64):
    """Lin et al. 2017: stages of a residual net, joined from the top down, with a head
    for each."""
    net = Network("feature-pyramid")
    x, size, channels, stages = net.source("image", batch * 3 * side * side), side, 3, []
    for level, filters in enumerate((32, 64, 128, 256)):
        x = net.unit(f"s{level}", x, batch, channels, size, filters, 3, 2)
        size //= 2
        for b in range(2):
            p = f"s{level}b{b}"
            y = net.unit(p + ".1", x, batch, filters, size, filters)
            y = net.unit(p + ".2", y, batch, filters, size, filters)
            x = net.add(p + "+", x, y, batch * filters * size * size)
        stages.append((x, filters, size))
        channels = filters
    top, heads, sizes = None, [], []
    for level, (x, filters, size) in reversed(list(enumerate(stages))):
        n = batch * width * size * size
        x = net.conv(f"lateral{level}", x, batch, filters, size, width, 1)
        if top is not None:
            x = net.add(f"down{level}", x, net.upsampled(f"up{level}", top, n // 4), n)
        top = x
        x = net.unit(f"out{level}", x, batch, width, size, width)
        x = net.unit(f"head{level}", x, batch, width, size, width)
        heads.append(net.conv(f"predict{level}", x, batch, width, size, 18, 1))
        sizes.append(batch * 18 * size * size)
    return net.finish(net.concat("all", heads, sizes), sum(sizes))


def hourglass(stacks=4, depth=3, batch=4, side=64, width=128):
    """Newell et al. 2016: U-shaped nets in a row, with a loss for each."""
    net = Network(f"hourglass{stacks}")
    n, outs = batch * width * side * side, []

    def shape(p, x, level, size):
        n = batch * width * size * size
        skip = net.unit(p + "skip", x, batch, width, size, width)
        x = net.pooled(p + "pool", x, n)
        x = net.unit(p + "in", x, batch, width, size // 2, width)
        if level > 1:
            x = shape(p + ".", x, level - 1, size // 2)
        else:
            x = net.unit(p + "mid", x, batch, width, size // 2, width)
        x = net.unit(p + "out", x, batch, width, size // 2, width)
        return net.add(p + "+", skip, net.upsampled(p + "up", x, n // 4), n)

    x = net.source("features", n)
    for i in range(stacks):
        y = shape(f"s{i}", x, depth, side)
        y = net.unit(f"f{i}", y, batch, width, side, width, 1)
        outs.append(net.conv(f"out{i}", y, batch, width, side, 16, 1))
        if i + 1 < stacks:
            back = net.conv(f"back{i}", outs[-1], batch, 16, side, width, 1)
            y = net.conv(f"next{i}", y, batch, width, side, width, 1)
            x = net.add(f"x{i}", x, net.add(f"y{i}", y, back, n), n)
    m = batch * 16 * side * side
    return net.finish(net.concat("all", outs, [m] * stacks), stacks * m)


def optical_flow(steps=10, batch=4, side=48, width=96):
    """In the manner of RAFT (Teed and Deng 2020): a recurrent unit that looks into one
    large table at each step."""
    net = Network(f"optical-flow{steps}")
    n = batch * side * side

    def encode(p, image):
        x = net.unit(p + "1", image, batch, 3, 4 * side, 32, 3, 2)
        x = net.unit(p + "2", x, batch, 32, 2 * side, 64, 3, 2)
        return net.conv(p + "3", x, batch, 64, side, width, 1)

    first, second = (net.source(f"image{i}", 48 * n) for i in (1, 2))
    a, b = encode("a", first), encode("b", second)
    m, all_pairs = n * width, n * side**2
    table = net.product("table", a, b, 2 * width * all_pairs, all_pairs, m, m)
    context = encode("context", first)
    h = net.pointwise("h", context, m, "out")
    flow, flows = net.source("flow", 2 * n), []
    for i in range(steps):
        p = f"t{i}."
        look = [
            Gradient(table, [flow], 324 * n, all_pairs),
            Gradient(flow, [table], 324 * n, 2 * n),
        ]
        x = net.op(p + "look", [table, flow], 81 * n, 324 * n, look)
        x = net.conv(p + "motion", x, batch, 81, side, 64, 3)
        x = net.pointwise(p + "r", x, 64 * n, "out", 1)
        flops = 54 * n * (2 * width + 64) * width
        gates = [Gradient(None, [h, x, context], flops)]
        for v, size in ((h, m), (x, 64 * n), (context, m)):
            gates.append(Gradient(v, [], flops // 3, size))
        z = net.op(p + "gates", [h, x, context], 3 * m, flops, gates)
        z = net.pointwise(p + "act", z, 3 * m, "out")
        new = [Gradient(z, [h, z], 6 * m, 3 * m), Gradient(h, [z], m, m)]
        h = net.op(p + "h", [h, z], m, 6 * m, new)
        x = net.conv(p + "d1", h, batch, width, side, 64, 3)
        x = net.pointwise(p + "d", x, 64 * n, "out", 1)
        x = net.conv(p + "d2", x, batch, 64, side, 2, 3)
        flow = net.add(p + "flow", flow, x, 2 * n)
        flows.append(net.upsample(p + "up", flow, 2 * n, 32 * n))
    return net.finish(net.concat("all", flows, [32 * n] * steps), 32 * n * steps)


def jumping_knowledge(layers=8, nodes=200_000, edges=1_600_000, width=64):
    """Xu et al. 2018: a graph network whose head reads the results of all layers."""
    net = Network(f"jumping-knowledge{layers}")
    x, results, n, m = net.source("x", nodes * width), [], nodes * width, edges * width
    for i in range(layers):
        p = f"l{i}."
        y = net.op(p + "gather", [x], m, m, [Gradient(x, [], m, n)])
        y = net.linear(p + "edge", y, edges, width, width)
        y = net.pointwise(p + "er", y, m, "out", 1)
        y = net.op(p + "sum", [y], n, m, [Gradient(y, [], m, m)])
        y = net.pointwise(p + "bn", net.linear(p + "node", y, nodes, width, width), n, "in")
        x = net.pointwise(p + "r", y, n, "out", 1)
        results.append(x)
    x = net.concat("all", results, [n] * layers)
    return net.finish(net.linear("head", x, nodes, layers * width, 40), nodes * 40)


def inception(blocks=6, batch=32, side=28):
    """Szegedy et al. 2015: four branches that are joined, in a row."""
    net = Network(f"inception{blocks}")
    channels, filters = 192, (64, 128, 32, 32)
    x = net.source("x", batch * channels * side * side)
    for i in range(blocks):
        p, pixels = f"b{i}.", batch * side * side
        a = net.unit(p + "a", x, batch, channels, side, 64, 1)
        b = net.unit(p + "b1", x, batch, channels, side, 96, 1)
        b = net.unit(p + "b2", b, batch, 96, side, 128)
        c = net.unit(p + "c1", x, batch, channels, side, 16, 1)
        c = net.unit(p + "c2", c, batch, 16, side, 32, 5)
        d = net.pool(p + "pool", x, channels * pixels, channels * pixels)
        d = net.unit(p + "d", d, batch, channels, side, 32, 1)
        x = net.concat(p + "cat", [a, b, c, d], [pixels * f for f in filters])
        channels = sum(filters)
        if i % 2 == 1:
            x = net.pooled(p + "half", x, channels * pixels)
            side //= 2
    n = batch * channels * side * side
    x = net.op("avg", [x], batch * channels, n, [Gradient(x, [], n, n)])
    return net.finish(net.linear("fc", x, batch, channels, 1000), batch * 1000)


def squeeze_excite(blocks=8, batch=32, side=56, channels=128):
    """Hu et al. 2018: residual blocks whose channels are scaled by what all pixels say."""
    net = Network(f"squeeze-excite{blocks}")
    n, m = batch * channels * side * side, batch * channels
    x = net.source("x", n)
    for i in range(blocks):
        p = f"b{i}."
        y = net.unit(p + "1", x, batch, channels, side, channels)
        y = net.conv(p + "c2", y, batch, channels, side, channels, 3)
        y = net.pointwise(p + "bn", y, n, "in")
        z = net.op(p + "squeeze", [y], m, n, [Gradient(y, [], 0, n)])
        z = net.linear(p + "fc1", z, batch, channels, channels // 16)
        z = net.linear(p + "fc2", z, batch, channels // 16, channels)
        z = net.pointwise(p + "gate", z, m, "out")
        y = net.product(p + "scale", y, z, n, n, n, m)
        x = net.pointwise(p + "r", net.add(p + "+", x, y, n), n, "out", 1)
    return net.finish(x, n)


def diffusion(batch=4, side=64, base=64):
    """A U-Net with attention and an embedding of time that every block reads (Ho et al.
    2020)."""
    net = Network("diffusion")
    time = net.linear("t1", net.source("t", batch * 256), batch, 256, 256)
    time = net.pointwise("t2", time, batch * 256, "in")

    def block(p, x, channels, filters, size, attend):
        n = batch * filters * size * size
        y = net.pointwise(p + ".n1", x, batch * channels * size * size, "in")
        y = net.conv(p + ".c1", y, batch, channels, size, filters, 3)
        y = net.add(p + ".t+", y, net.linear(p + ".t", time, batch, 256, filters), n)
        y = net.pointwise(p + ".n2", y, n, "in")
        y = net.conv(p + ".c2", y, batch, filters, size, filters, 3)
        if channels != filters:
            x = net.conv(p + ".short", x, batch, channels, size, filters, 1)
        x = net.add(p + ".+", x, y, n)
        if attend:
            y, length = net.pointwise(p + ".n3", x, n, "in"), size * size
            y = net.attention(p + ".", y, y, batch, length, length, filters, 4)
            x = net.add(p + ".a+", x, y, n)
        return x

    x, size, channels = net.source("x", batch * 3 * side * side), side, base
    x = net.conv("in", x, batch, 3, side, base, 3)
    skips = [(x, base)]
    for level, factor in enumerate((1, 2, 4)):
        for j in range(2):
            x = block(f"d{level}{j}", x, channels, base * factor, size, level > 0)
            channels = base * factor
            skips.append((x, channels))
        if level < 2:
            x = net.conv(f"down{level}", x, batch, channels, size, channels, 3, 2)
            size //= 2
            skips.append((x, channels))
    x = block("m1", x, channels, channels, size, True)
    x = block("m2", x, channels, channels, size, False)
    for level, factor in reversed(list(enumerate((1, 2, 4)))):
        for j in range(3):
            skip, others = skips.pop()
            pixels = batch * size * size
            sizes = [pixels * channels, pixels * others]
            x = net.concat(f"cat{level}{j}", [x, skip], sizes)
            filters = base * factor
            x = block(f"u{level}{j}", x, channels + others, filters, size, level > 0)
            channels = filters
        if level > 0:
            x = net.upsampled(f"up{level}", x, batch * channels * size * size)
            size *= 2
            x = net.conv(f"upc{level}", x, batch, channels, size, channels, 3)
    x = net.conv("out", x, batch, channels, size, 3, 3)
    return net.finish(x, batch * 3 * side * side)


KINDS = {
    f.__name__: f
    for f in (
        encoder_decoder,
        unet_plus_plus,
        feature_pyramid,
        hourglass,
        optical_flow,
        jumping_knowledge,
        inception,
        squeeze_excite,
        diffusion,
    )
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("out")
    options = parser.parse_args()
    graph = KINDS[options.kind]()
    graph.save(options.out)
    print(f"{graph.name}: {len(graph.nodes)} ops")


if __name__ == "__main__":
    main()

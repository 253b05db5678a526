//===- TextFormat.cpp - Reading graphs ------------------------------------===//
#include "ckpt/Planner/TextFormat.h"

#include "Text/GraphText.h"
#include "Text/Json.h"

#include <algorithm>
#include <unordered_map>

namespace ckpt::planner {

namespace {
class GraphReader {
public:
  explicit GraphReader(std::string_view text) : reader(text) {}

  std::optional<Problem> run(std::string &error) {
    bool ok = readTop() && (isNodeLink ? buildNodeLink() : buildNative());
    if (ok)
      fail(problem.check());
    error = message.empty() ? reader.error() : message;
    if (!error.empty())
      return std::nullopt;
    return std::move(problem);
  }

private:
  JsonReader reader;
  Problem problem;
  std::string message;
  std::vector<Node> nodes;
  std::vector<std::pair<std::string, std::string>> links;
  std::vector<std::string> order;
  std::vector<Reference> outputs;
  bool isNodeLink = false, hasNodes = false;

  bool fail(const std::string &what) {
    if (message.empty())
      message = what;
    return message.empty();
  }

  //===--------------------------------------------------------------------===//
  // Text to nodes
  //===--------------------------------------------------------------------===//

  bool readReference(Reference &reference) {
    if (reader.peek() != '[')
      return reader.readInteger(reference.node);
    int64_t parts[2] = {0, 0};
    size_t count = 0;
    bool ok = reader.readArray([&] {
      if (count == 2)
        return reader.fail("a value is a node's id or [id, result]");
      return reader.readInteger(parts[count++]);
    });
    reference = {parts[0], parts[1]};
    return ok && (count == 2 ||
                  reader.fail("a value is a node's id or [id, result]"));
  }

  bool readReferences(std::vector<Reference> &list) {
    return reader.readArray([&] {
      list.emplace_back();
      return readReference(list.back());
    });
  }

  /// An id of a node-link graph: a number or a string.
  bool readKey(std::string &key) {
    if (reader.peek() == '"') {
      if (!reader.readString(key))
        return false;
      key.insert(0, 1, '"');
      return true;
    }
    int64_t number = 0;
    if (!reader.readInteger(number))
      return false;
    key = std::to_string(number);
    return true;
  }

  bool readResultField(const std::string &key, ResultSpec &result) {
    if (key == "bytes")
      return reader.readInteger(result.bytes);
    if (key == "view_of" || key == "in_place_of") {
      if (reader.peek() == 'n')
        return reader.readNull();
      bool isView = key == "view_of";
      (isView ? result.isView : result.isInPlace) = true;
      return readReference(isView ? result.viewOf : result.inPlaceOf);
    }
    if (key == "must_stay")
      return reader.readBool(result.mustStay);
    return reader.skip();
  }

  bool readResult(ResultSpec &result) {
    std::string key;
    if (!reader.beginObject())
      return false;
    while (reader.nextKey(key))
      if (!readResultField(key, result))
        return false;
    return !reader.failed();
  }

  bool readNodeField(const std::string &key, Node &node, ResultSpec &only) {
    if (key == "id") {
      node.hasId = true;
      if (reader.peek() != '"')
        return reader.readInteger(node.id);
      return readKey(node.key);
    }
    if (key == "name") {
      if (reader.peek() == '"')
        return reader.readString(node.name);
      return readKey(node.name);
    }
    if (key == "cost" || key == "cost_cpu" || key == "duration") {
      node.hasCost = true;
      return reader.readInteger(node.cost);
    }
    if (key == "bytes" || key == "cost_ram" || key == "out_cost") {
      node.hasBytes = true;
      return reader.readInteger(only.bytes);
    }
    if (key == "deps") {
      node.hasDeps = true;
      return readReferences(node.deps);
    }
    if (key == "workspace")
      return reader.readInteger(node.workspace);
    if (key == "recomputable")
      return reader.readBool(node.recomputable);
    if (key == "movable")
      return reader.readBool(node.movable);
    if (key == "after")
      return reader.readArray([&] {
        node.after.push_back(0);
        return reader.readInteger(node.after.back());
      });
    if (key == "results") {
      node.hasBytes = true;
      return reader.readArray([&] {
        node.results.emplace_back();
        return readResult(node.results.back());
      });
    }
    return readResultField(key, only);
  }

  bool readNode() {
    nodes.emplace_back();
    Node &node = nodes.back();
    ResultSpec only;
    bool hasList = false;
    std::string key;
    if (!reader.beginObject())
      return false;
    while (reader.nextKey(key)) {
      hasList |= key == "results";
      if (!readNodeField(key, node, only))
        return false;
    }
    if (!hasList)
      node.results.push_back(only);
    return !reader.failed();
  }

  bool readLink() {
    links.emplace_back();
    bool hasSource = false, hasTarget = false;
    std::string key;
    if (!reader.beginObject())
      return false;
    while (reader.nextKey(key)) {
      bool source = key == "source" || key == "0";
      bool target = key == "target" || key == "1";
      hasSource |= source;
      hasTarget |= target;
      bool ok = source   ? readKey(links.back().first)
                : target ? readKey(links.back().second)
                         : reader.skip();
      if (!ok)
        return false;
    }
    if (reader.failed())
      return false;
    return (hasSource && hasTarget) ||
           reader.fail("a link needs a source and a target");
  }

  bool readGraphInfo() {
    std::string key;
    if (!reader.beginObject())
      return false;
    while (reader.nextKey(key)) {
      bool ok = true;
      if (key == "name" && reader.peek() == '"')
        ok = reader.readString(problem.name);
      else if (key == "order" && reader.peek() == '[')
        ok = reader.readArray([&] {
          order.emplace_back();
          return readKey(order.back());
        });
      else
        ok = reader.skip();
      if (!ok)
        return false;
    }
    return !reader.failed();
  }

  bool readTop() {
    std::string key;
    if (!reader.beginObject())
      return false;
    while (reader.nextKey(key)) {
      bool ok = true;
      if (key == "nodes") {
        if (hasNodes)
          return reader.fail("a second list of nodes");
        hasNodes = true;
        ok = reader.readArray([&] { return readNode(); });
      } else if (key == "links") {
        isNodeLink = true;
        ok = reader.readArray([&] { return readLink(); });
      } else if (key == "graph") {
        ok = readGraphInfo();
      } else if (key == "outputs") {
        ok = readReferences(outputs);
      } else if (key == "fixed") {
        ok = reader.readInteger(problem.fixedBytes);
      } else if (key == "name") {
        ok = reader.peek() == '"' ? reader.readString(problem.name)
                                  : reader.skip();
      } else {
        ok = reader.skip();
      }
      if (!ok)
        return false;
    }
    if (reader.failed() || !reader.atEnd())
      return false;
    return hasNodes || fail("the graph has no \"nodes\"");
  }

  //===--------------------------------------------------------------------===//
  // Nodes to a problem
  //===--------------------------------------------------------------------===//

  std::string nodeName(size_t i) const {
    std::string text = "node " + std::to_string(i);
    return nodes[i].name.empty() ? text : text + " '" + nodes[i].name + "'";
  }

  bool checkNodes() {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node &node = nodes[i];
      for (auto [has, field] : {std::pair(node.hasId, "id"),
                                {node.hasCost, "cost"},
                                {node.hasBytes, "bytes"},
                                {node.hasDeps, "deps"}})
        if (!has)
          return fail(nodeName(i) + " has no \"" + field + "\"");
      if (!node.key.empty())
        return fail(nodeName(i) + " has an id that is no number");
      // All nodes before have the ids of their places.
      if (node.id >= 0 && node.id < static_cast<int64_t>(i))
        return fail(nodeName(i) + " has the id " + std::to_string(node.id) +
                    ", and so has " + nodeName(static_cast<size_t>(node.id)));
      if (node.id != static_cast<int64_t>(i))
        return fail(nodeName(i) + " has the id " + std::to_string(node.id) +
                    ": ids count from 0 in the order of the list");
    }
    return true;
  }

  bool checkReference(size_t i, Reference reference, const char *how) {
    if (reference.node < 0 ||
        reference.node >= static_cast<int64_t>(nodes.size()))
      return fail(nodeName(i) + " " + how + " node " +
                  std::to_string(reference.node) + ", which does not exist");
    int64_t count = static_cast<int64_t>(nodes[reference.node].results.size());
    if (reference.index < 0 || reference.index >= count)
      return fail(nodeName(i) + " " + how + " result " +
                  std::to_string(reference.index) + " of " +
                  nodeName(reference.node) + ", which does not exist");
    return true;
  }

  /// Every dependency must point backwards; tells a cycle from a bad order.
  bool checkOrder() {
    for (size_t i = 0; i < nodes.size(); ++i)
      for (Reference dep : nodes[i].deps) {
        if (!checkReference(i, dep, "depends on"))
          return false;
        if (dep.node >= static_cast<int64_t>(i))
          return fail(describeBadOrder(i, dep.node));
      }
    return true;
  }

  /// Node `i` depends on the later node `dep`: is `i` among the ancestors of
  /// `dep`? Then the two are on a cycle.
  std::string describeBadOrder(size_t i, int64_t dep) const {
    std::vector<char> seen(nodes.size(), false);
    std::vector<int64_t> stack = {dep};
    while (!stack.empty()) {
      int64_t node = stack.back();
      stack.pop_back();
      if (node < 0 || node >= static_cast<int64_t>(nodes.size()) || seen[node])
        continue;
      seen[node] = true;
      for (Reference next : nodes[node].deps)
        stack.push_back(next.node);
    }
    if (dep == static_cast<int64_t>(i) || seen[i])
      return nodeName(i) + " and " + nodeName(dep) +
             " depend on each other (a cycle)";
    return nodeName(i) + " depends on " + nodeName(dep) +
           ", which comes after it: the list must be in an order in which the "
           "nodes can run";
  }

  ValueId valueOf(Reference reference) const {
    return problem.ops[reference.node].firstResult +
           static_cast<ValueId>(reference.index);
  }

  void addNode(const Node &node, const std::vector<ValueId> &inputs) {
    problem.addOp(node.cost, inputs, node.workspace);
    problem.ops.back().recomputable = node.recomputable;
    problem.ops.back().movable = node.movable;
    for (const ResultSpec &result : node.results) {
      problem.addResult(result.bytes);
      problem.values.back().mustStay = result.mustStay;
    }
    problem.opNames.push_back(node.name);
  }

  bool buildNative() {
    if (!checkNodes() || !checkOrder())
      return false;
    if (nodes.size() > (size_t(1) << 30))
      return fail("more than 2^30 nodes");
    for (size_t i = 0; i < nodes.size(); ++i) {
      std::vector<ValueId> inputs;
      inputs.reserve(nodes[i].deps.size());
      for (Reference dep : nodes[i].deps)
        inputs.push_back(valueOf(dep));
      addNode(nodes[i], inputs);
      for (int64_t before : nodes[i].after) {
        if (before < 0 || before >= static_cast<int64_t>(i))
          return fail(nodeName(i) + " must come after node " +
                      std::to_string(before) + ", which is not before it");
        problem.ops.back().after.push_back(static_cast<OpId>(before));
      }
      if (!addSharing(i))
        return false;
    }
    for (Reference output : outputs) {
      bool exists = output.node >= 0 &&
                    output.node < static_cast<int64_t>(nodes.size()) &&
                    output.index >= 0 &&
                    output.index <
                        static_cast<int64_t>(nodes[output.node].results.size());
      if (!exists)
        return fail("the output [" + std::to_string(output.node) + ", " +
                    std::to_string(output.index) + "] does not exist");
      problem.values[valueOf(output)].output = true;
    }
    return true;
  }

  bool addSharing(size_t i) {
    for (size_t r = 0; r < nodes[i].results.size(); ++r) {
      const ResultSpec &result = nodes[i].results[r];
      Value &value = problem.values[problem.ops[i].firstResult + r];
      if (result.isView) {
        if (!checkReference(i, result.viewOf, "is a view of"))
          return false;
        if (result.viewOf.node >= static_cast<int64_t>(i))
          return fail(nodeName(i) + " is a view of a node that is not before "
                                    "it");
        value.aliasOf = valueOf(result.viewOf);
      }
      if (result.isInPlace) {
        if (!checkReference(i, result.inPlaceOf, "is in place of"))
          return false;
        if (result.inPlaceOf.node >= static_cast<int64_t>(i))
          return fail(nodeName(i) + " is in place of a node that is not "
                                    "before it");
        value.inPlaceOf = valueOf(result.inPlaceOf);
      }
    }
    return true;
  }

  /// Links and string ids become positions: those of "order" where the graph
  /// gives one, else generation by generation, in the order of the list.
  bool buildNodeLink() {
    std::unordered_map<std::string, size_t> byKey;
    for (size_t i = 0; i < nodes.size(); ++i) {
      Node &node = nodes[i];
      if (node.key.empty())
        node.key = node.hasId ? std::to_string(node.id) : node.name;
      const std::string &key = node.key;
      if (key.empty())
        return fail(nodeName(i) + " has neither an id nor a name");
      if (!node.hasCost || !node.hasBytes)
        return fail(nodeName(i) + " has no cost or no size");
      if (!byKey.emplace(key, i).second)
        return fail(nodeName(i) + " has the id of another node");
    }
    // Names that are strings are looked up as such.
    auto find = [&](const std::string &key) {
      auto it = byKey.find(key);
      if (it == byKey.end() && key[0] == '"')
        it = byKey.find(key.substr(1));
      return it == byKey.end() ? nodes.size() : it->second;
    };
    std::vector<std::vector<size_t>> before(nodes.size()), after(nodes.size());
    for (const auto &[source, target] : links) {
      size_t s = find(source), t = find(target);
      if (s == nodes.size() || t == nodes.size())
        return fail("a link names a node that does not exist: " +
                    (s == nodes.size() ? source : target));
      before[t].push_back(s);
      after[s].push_back(t);
    }
    std::vector<size_t> sequence;
    if (!order.empty()) {
      std::vector<char> seen(nodes.size(), false);
      for (const std::string &key : order) {
        size_t i = find(key);
        if (i == nodes.size() || seen[i])
          return fail("the \"order\" names a node that does not exist, or one "
                      "twice");
        seen[i] = true;
        sequence.push_back(i);
      }
    } else {
      std::vector<size_t> missing(nodes.size());
      for (size_t i = 0; i < nodes.size(); ++i) {
        missing[i] = before[i].size();
        if (missing[i] == 0)
          sequence.push_back(i);
      }
      for (size_t k = 0; k < sequence.size(); ++k)
        for (size_t next : after[sequence[k]])
          if (--missing[next] == 0)
            sequence.push_back(next);
      if (sequence.size() != nodes.size())
        return fail("the links form a cycle");
    }
    if (sequence.size() != nodes.size())
      return fail("the \"order\" does not name all nodes");
    std::vector<ValueId> position(nodes.size(), kNone);
    for (size_t k = 0; k < sequence.size(); ++k) {
      std::vector<ValueId> inputs;
      for (size_t source : before[sequence[k]]) {
        if (position[source] == kNone)
          return fail(nodeName(sequence[k]) + " comes before " +
                      nodeName(source) +
                      ", on which it depends, in the \"order\"");
        inputs.push_back(position[source]);
      }
      position[sequence[k]] = static_cast<ValueId>(k);
      addNode(nodes[sequence[k]], inputs);
    }
    return true;
  }
};
} // namespace

std::optional<Problem> parseProblem(std::string_view text, std::string &error) {
  return GraphReader(text).run(error);
}

} // namespace ckpt::planner

//===- TextFormatTest.cpp - Graphs and plans as text ----------------------===//
#include "ckpt/Planner/TextFormat.h"
#include "RandomProblems.h"

#include "gtest/gtest.h"

using namespace ckpt::planner;
using namespace ckpt::planner::test;

static std::string errorOf(const std::string &text) {
  std::string error;
  return parseProblem(text, error) ? "" : error;
}

/// A graph of one good node and what is given.
static std::string withNode(const std::string &node) {
  return R"({"nodes":[{"id":0,"cost":1,"bytes":2,"deps":[]},)" + node + "]}";
}

TEST(TextFormat, Simple) {
  std::string error;
  std::optional<Problem> problem = parseProblem(
      R"({"name":"g","nodes":[
           {"id":0,"name":"a","cost":3,"bytes":4,"deps":[],"phase":"fwd"},
           {"id":1,"name":"v","cost":0,"bytes":0,"deps":[0],"view_of":0},
           {"id":2,"name":"b","cost":5.9,"bytes":6e2,"deps":[1],"workspace":7}],
          "outputs":[2],"fixed":100,"budget":null})",
      error);
  ASSERT_TRUE(problem) << error;
  EXPECT_EQ(problem->name, "g");
  EXPECT_EQ(problem->numOps(), 3);
  EXPECT_EQ(problem->fixedBytes, 100);
  EXPECT_EQ(problem->values[1].aliasOf, 0);
  EXPECT_EQ(problem->ops[2].time, 5);
  EXPECT_EQ(problem->values[2].bytes, 600);
  EXPECT_EQ(problem->ops[2].workspace, 7);
  EXPECT_TRUE(problem->values[2].output);
  EXPECT_EQ(problem->opName(2), "op 2 'b'");
}

TEST(TextFormat, NodeLink) {
  std::string error;
  std::optional<Problem> problem = parseProblem(
      R"({"directed":true,"graph":{"name":"nl"},
          "nodes":[{"id":"z","cost_cpu":1,"cost_ram":10},
                   {"id":"y","cost_cpu":2,"cost_ram":20},
                   {"id":"x","cost_cpu":3,"cost_ram":30}],
          "links":[{"source":"x","target":"y"},{"source":"x","target":"z"}]})",
      error);
  ASSERT_TRUE(problem) << error;
  EXPECT_EQ(problem->ops[0].time, 3);
  EXPECT_EQ(problem->ops[1].inputs, std::vector<ValueId>{0});
  EXPECT_FALSE(problem->values[2].output);
  problem = parseProblem(
      R"({"graph":{"order":[1,0]},
          "nodes":[{"name":0,"duration":1,"out_cost":10},
                   {"name":1,"duration":2,"out_cost":20}],
          "links":[{"0":1,"1":0}]})",
      error);
  ASSERT_TRUE(problem) << error;
  EXPECT_EQ(problem->ops[0].time, 2);
}

TEST(TextFormat, MalformedText) {
  EXPECT_EQ(errorOf(""), "line 1, column 1: the text ends where an object is "
                         "expected");
  EXPECT_EQ(errorOf("{\"nodes\":[\n{\"id\":0,"),
            "line 2, column 9: the text ends where a string is expected");
  EXPECT_EQ(errorOf(R"({"nodes":[]} x)"),
            "line 1, column 14: text after the end of the value");
  EXPECT_EQ(errorOf(R"({"nodes":[{"id":NaN}]})"),
            "line 1, column 17: expected a number");
  EXPECT_EQ(errorOf(R"({"nodes":[{"id":01}]})"),
            "line 1, column 19: a number with a leading zero");
  EXPECT_EQ(errorOf(R"({"a":"\x"})"),
            "line 1, column 9: an unknown escape within a string");
  std::string deep = R"({"x":)" + std::string(100000, '[');
  EXPECT_EQ(errorOf(deep), "line 1, column 518: nested deeper than 512");
  EXPECT_EQ(errorOf("{}"), "the graph has no \"nodes\"");
}

TEST(TextFormat, BadGraphs) {
  EXPECT_EQ(errorOf(withNode(R"({"id":0,"cost":1,"bytes":1,"deps":[]})")),
            "node 1 has the id 0, and so has node 0");
  EXPECT_EQ(errorOf(withNode(R"({"id":2,"cost":1,"bytes":1,"deps":[]})")),
            "node 1 has the id 2: ids count from 0 in the order of the list");
  EXPECT_EQ(errorOf(withNode(R"({"id":1,"cost":1,"bytes":1,"deps":[9]})")),
            "node 1 depends on node 9, which does not exist");
  EXPECT_EQ(errorOf(withNode(R"({"id":1,"cost":1,"bytes":1,"deps":[1]})")),
            "node 1 and node 1 depend on each other (a cycle)");
  EXPECT_EQ(errorOf(withNode(
                R"({"id":1,"cost":1,"bytes":1,"deps":[2]},
                   {"id":2,"cost":1,"bytes":1,"deps":[1]})")),
            "node 1 and node 2 depend on each other (a cycle)");
  EXPECT_EQ(errorOf(withNode(
                R"({"id":1,"cost":1,"bytes":1,"deps":[2]},
                   {"id":2,"cost":1,"bytes":1,"deps":[0]})")),
            "node 1 depends on node 2, which comes after it: the list must be "
            "in an order in which the nodes can run");
  EXPECT_EQ(errorOf(withNode(R"({"id":1,"cost":-1,"bytes":1,"deps":[]})")),
            "op 1 has a negative time");
  EXPECT_EQ(errorOf(withNode(R"({"id":1,"cost":1,"bytes":-1,"deps":[]})")),
            "result 0 of op 1 has a negative size");
  EXPECT_EQ(errorOf(withNode(R"({"id":1,"bytes":1,"deps":[]})")),
            "node 1 has no \"cost\"");
  EXPECT_EQ(errorOf(withNode(
                R"({"id":1,"cost":1,"bytes":9223372036854775808,"deps":[]})")),
            "line 1, column 93: the number is outside of the 64-bit integers");
  EXPECT_EQ(errorOf(withNode(R"({"id":1,"cost":1,"bytes":1e999,"deps":[]})")),
            "line 1, column 79: the number is outside of the 64-bit integers");
  EXPECT_EQ(errorOf(withNode(
                R"({"id":1,"cost":1,"bytes":9223372036854775807,"deps":[]})")),
            "the sizes add up to more than 2^63-1 bytes");
  EXPECT_EQ(errorOf(R"({"nodes":[],"outputs":[3]})"),
            "the output [3, 0] does not exist");
  EXPECT_EQ(errorOf(R"({"nodes":[{"id":0,"cost_cpu":1,"cost_ram":1},
                               {"id":1,"cost_cpu":1,"cost_ram":1}],
                       "links":[{"source":0,"target":1},
                                {"source":1,"target":0}]})"),
            "the links form a cycle");
}

TEST(TextFormat, LargeSizes) {
  std::string error;
  std::optional<Problem> problem = parseProblem(
      R"({"nodes":[{"id":0,"cost":4611686018427387904,
                    "bytes":4611686018427387904,"deps":[]}]})",
      error);
  ASSERT_TRUE(problem) << error;
  Options options;
  options.budget = int64_t(1) << 62;
  EXPECT_TRUE(solve(*problem, options).solved());
}

TEST(TextFormat, ProblemsRoundTrip) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    Problem problem = randomProblem(random, 12);
    problem.name = "a \"name\"\n\\";
    std::string text = printProblem(problem), error;
    std::optional<Problem> again = parseProblem(text, error);
    ASSERT_TRUE(again) << error << "\n" << text;
    EXPECT_EQ(printProblem(*again), text);
  }
}

TEST(TextFormat, PlansRoundTrip) {
  std::mt19937 random(12);
  for (int round = 0; round < 300; ++round) {
    Problem problem = randomProblem(random, 8);
    Options options;
    options.solver = "exact";
    options.budget = storeAllPeak(problem) * 3 / 4;
    Result result = solve(problem, options);
    if (!result.solved())
      continue;
    std::string error;
    std::optional<WrittenPlan> written =
        parsePlan(problem, printPlan(problem, result, options.budget), error);
    ASSERT_TRUE(written) << error;
    EXPECT_TRUE(written->plan.events == result.plan.events);
    EXPECT_EQ(written->claims.bound, result.bound.time);
    Simulation s = simulate(problem, written->plan, options.budget);
    EXPECT_TRUE(s.valid) << s.error;
    EXPECT_EQ(s.peak, result.peak);
    EXPECT_EQ(s.time, result.time);
  }
}

TEST(TextFormat, PricesRoundTrip) {
  Problem problem;
  problem.addOp(1, {});
  problem.addResult(1);
  problem.addResult(2);
  problem.addOp(1, {0, 1});
  problem.addResult(1);
  BoundClaim claim;
  claim.bound.time = 7;
  claim.bound.order = Order::Program;
  claim.budget = 5;
  BoundCase &which = claim.bound.certificate.cases.emplace_back();
  which.once = {0};
  which.again = {1};
  which.moment = {1, 0.1, 64};
  BoundCase &second = claim.bound.certificate.cases.emplace_back();
  second.facts = {{Fact::Kind::Held, 1, 1, true},
                  {Fact::Kind::Ran, 1, 0, false}};
  second.grid = 0;
  second.multipliers = {0, 0, 5e-324, 1e300 / 7, 0, 1e-300 / 3, 0};
  claim.bound.certificate.grids.push_back({{0, 1}, {{0, 2}, {1, 2}}, {1, 64}});
  std::string text = printCertificate(problem, claim), error;
  std::optional<BoundClaim> again = parseCertificate(problem, text, error);
  ASSERT_TRUE(again) << error << text;
  EXPECT_EQ(printCertificate(problem, *again), text);
  const Certificate &certificate = again->bound.certificate;
  ASSERT_EQ(certificate.cases.size(), 2u);
  EXPECT_EQ(certificate.cases[0].moment.op, 1);
  EXPECT_EQ(certificate.cases[0].moment.bytePrice, 0.1);
  EXPECT_EQ(certificate.cases[0].moment.granularity, 64);
  EXPECT_EQ(certificate.cases[0].grid, -1);
  EXPECT_EQ(certificate.cases[1].moment.op, kNone);
  EXPECT_EQ(certificate.cases[1].facts[0].kind, Fact::Kind::Held);
  EXPECT_EQ(certificate.cases[1].facts[0].id, 1);
  EXPECT_TRUE(certificate.cases[1].facts[0].holds);
  EXPECT_EQ(certificate.cases[1].multipliers, second.multipliers);
  EXPECT_EQ(certificate.grids[0].windows[1].first, 1);
  EXPECT_EQ(certificate.grids[0].granularities[1], 64);
  EXPECT_EQ(again->budget, 5);
  EXPECT_EQ(again->bound.time, 7);
  EXPECT_EQ(again->bound.order, Order::Program);
}

TEST(TextFormat, BadCertificates) {
  Problem problem;
  problem.addOp(1, {});
  problem.addResult(1);
  auto error = [&](const std::string &cases) {
    std::string message, text = R"({"bound":1,"budget":1,"cases":[)" + cases;
    return parseCertificate(problem, text + "]}", message) ? "" : message;
  };
  EXPECT_EQ(error(""), "");
  EXPECT_EQ(error(R"({"once":[1]})"),
            "line 1, column 42: node 1 does not exist");
  EXPECT_EQ(error(R"({"moment":0,"price":1.5})"),
            "line 1, column 52: expected a string");
  EXPECT_EQ(error(R"({"moment":0,"price":"0x1"})"),
            "line 1, column 57: a price is a string like \"1.8p-3\": "
            "hexadecimal digits and a binary exponent");
  EXPECT_EQ(error(R"({"facts":[["held",0,[0,1],true]]})"),
            "line 1, column 57: result 1 of node 0 does not exist");
  EXPECT_EQ(error(R"({"facts":[["was",0,0,true]]})"),
            "line 1, column 51: a fact is [\"held\", moment, value, true or "
            "false], or \"ran\" with an op");
  EXPECT_EQ(error(R"({"multipliers":[99999999999]})"),
            "line 1, column 59: more than 2^26 multipliers");
  std::string message;
  EXPECT_FALSE(parseCertificate(problem, R"({"cases":[]})", message));
  EXPECT_EQ(message, "line 1, column 13: a certificate needs \"bound\", "
                     "\"budget\" and \"cases\"");
}

TEST(TextFormat, BadPlans) {
  Problem problem;
  problem.addOp(1, {});
  problem.addResult(1);
  problem.addOp(1, {0});
  problem.addResult(1);
  auto error = [&](const std::string &text) {
    std::string message;
    return parsePlan(problem, text, message) ? "" : message;
  };
  EXPECT_EQ(error(R"({"schedule":[0,1]})"), "");
  EXPECT_EQ(error(R"({"schedule":[1,0]})"), "");
  EXPECT_EQ(error("{}"), "line 1, column 3: the plan has no \"schedule\"");
  EXPECT_EQ(error(R"({"schedule":[5]})"),
            "line 1, column 15: node 5 does not exist");
  EXPECT_EQ(error(R"({"schedule":[0,1],"schedule":[]})"),
            "line 1, column 30: a second schedule");
  EXPECT_EQ(error(R"({"schedule":[0,["in_place",1,0]]})"),
            "line 1, column 30: an event of too many parts");
  EXPECT_EQ(error(R"({"schedule":[["melt",0]]})"),
            "line 1, column 24: an event of an unknown kind");
}

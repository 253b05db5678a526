//===- CertificateText.cpp - Writing and reading certificates -------------===//
#include "Text/PlanText.h"

#include <charconv>

namespace ckpt::planner {

/// Exactly, as a string: hexadecimal digits and a binary exponent.
static std::string priceText(double price) {
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), price,
                           std::chars_format::hex);
  return '"' + std::string(buffer, end.ptr) + '"';
}

template <typename List, typename Fn>
static std::string joined(const List &items, const char *separator, Fn print) {
  std::string result = "[";
  for (const auto &item : items)
    result += (result.size() > 1 ? separator : "") + print(item);
  return result + "]";
}

static std::string opsText(const std::vector<OpId> &list) {
  return joined(list, ", ", [](OpId op) { return std::to_string(op); });
}

static std::string gridText(const WindowGrid &grid) {
  return "{\"moments\": " + opsText(grid.moments) + ", \"windows\": " +
         joined(grid.windows, ", ",
                [](Window window) {
                  return "[" + std::to_string(window.first) + ", " +
                         std::to_string(window.last) + "]";
                }) +
         ", \"granularities\": " +
         joined(grid.granularities, ", ",
                [](int64_t unit) { return std::to_string(unit); }) +
         "}";
}

static std::string factText(const Problem &problem, const Fact &fact) {
  bool isHeld = fact.kind == Fact::Kind::Held;
  return std::string(isHeld ? "[\"held\", " : "[\"ran\", ") +
         std::to_string(fact.moment) + ", " +
         (isHeld ? referenceText(problem, fact.id) : std::to_string(fact.id)) +
         (fact.holds ? ", true]" : ", false]");
}

/// Zeros are written as how many there are in a row.
static std::string multipliersText(const std::vector<double> &multipliers) {
  std::string text = "[";
  auto add = [&](const std::string &item) {
    text += (text.size() > 1 ? ", " : "") + item;
  };
  size_t zeros = 0;
  for (double multiplier : multipliers) {
    if (multiplier == 0) {
      ++zeros;
      continue;
    }
    if (zeros)
      add(std::to_string(zeros));
    zeros = 0;
    add(priceText(multiplier));
  }
  if (zeros)
    add(std::to_string(zeros));
  return text + "]";
}

static std::string caseText(const Problem &problem, const BoundCase &which) {
  std::string text = "{\"once\": " + opsText(which.once) +
                     ", \"again\": " + opsText(which.again);
  if (!which.facts.empty())
    text += ", \"facts\": " + joined(which.facts, ", ", [&](const Fact &fact) {
              return factText(problem, fact);
            });
  if (which.moment.op != kNone) {
    text += ", \"moment\": " + std::to_string(which.moment.op) +
            ", \"price\": " + priceText(which.moment.bytePrice);
    if (which.moment.granularity)
      text += ", \"granularity\": " + std::to_string(which.moment.granularity);
  }
  if (which.grid >= 0)
    text += ", \"grid\": " + std::to_string(which.grid) +
            ", \"multipliers\": " + multipliersText(which.multipliers);
  return text + "}";
}

std::string printCertificate(const Problem &problem, const BoundClaim &claim) {
  const TimeBound &bound = claim.bound;
  std::string text =
      "{\"bound\": " + std::to_string(bound.time) +
      ", \"budget\": " + std::to_string(claim.budget) + ", \"order\": \"" +
      (bound.order == Order::Program ? "program" : "free") + "\"";
  if (bound.bySearch)
    text += ", \"by_search\": true";
  if (!bound.certificate.grids.empty())
    text += ",\n\"grids\": " + joined(bound.certificate.grids, ",\n", gridText);
  return text + ",\n\"cases\": " +
         joined(
             bound.certificate.cases, ",\n",
             [&](const BoundCase &which) { return caseText(problem, which); }) +
         "}\n";
}

namespace {
class CertificateReader {
public:
  CertificateReader(const Problem &problem, std::string_view text)
      : problem(problem), reader(text) {}

  std::optional<BoundClaim> run(std::string &error) {
    bool hasBound = false, hasBudget = false, hasCases = false,
         hasGrids = false;
    TimeBound &bound = claim.bound;
    std::string key;
    if (reader.beginObject())
      while (reader.nextKey(key)) {
        hasBound |= key == "bound";
        hasBudget |= key == "budget";
        bool repeated =
            (hasCases && key == "cases") || (hasGrids && key == "grids");
        hasCases |= key == "cases";
        hasGrids |= key == "grids";
        bool ok = repeated             ? reader.fail("a second list of " + key)
                  : key == "bound"     ? reader.readInteger(bound.time)
                  : key == "budget"    ? reader.readInteger(claim.budget)
                  : key == "order"     ? readOrder(reader, bound.order)
                  : key == "by_search" ? reader.readBool(bound.bySearch)
                  : key == "grids"     ? readGrids()
                  : key == "cases"     ? readCases()
                                       : reader.skip();
        if (!ok)
          break;
      }
    if (reader.atEnd() && !(hasBound && hasBudget && hasCases))
      reader.fail("a certificate needs \"bound\", \"budget\" and \"cases\"");
    error = reader.error();
    if (reader.failed())
      return std::nullopt;
    return std::move(claim);
  }

private:
  const Problem &problem;
  JsonReader reader;
  BoundClaim claim;
  /// Zeros among the multipliers read so far.
  int64_t rows = 0;

  bool readCases() {
    return reader.readArray([&] {
      BoundCase &which = claim.bound.certificate.cases.emplace_back();
      return reader.readObject([&](const std::string &key) {
        if (key == "once")
          return readOps(which.once);
        if (key == "again")
          return readOps(which.again);
        if (key == "facts")
          return reader.readArray(
              [&] { return readFact(which.facts.emplace_back()); });
        if (key == "moment")
          return readOpId(reader, problem, which.moment.op);
        if (key == "price")
          return readPrice(which.moment.bytePrice);
        if (key == "granularity")
          return reader.readInteger(which.moment.granularity);
        if (key == "grid")
          return readIndex(which.grid);
        if (key == "multipliers")
          return readMultipliers(which.multipliers);
        return reader.skip();
      });
    });
  }

  bool readGrids() {
    return reader.readArray([&] {
      WindowGrid &grid = claim.bound.certificate.grids.emplace_back();
      return reader.readObject([&](const std::string &key) {
        if (key == "moments")
          return readOps(grid.moments);
        if (key == "windows")
          return reader.readArray(
              [&] { return readWindow(grid.windows.emplace_back()); });
        if (key == "granularities")
          return reader.readArray([&] {
            return reader.readInteger(grid.granularities.emplace_back());
          });
        return reader.skip();
      });
    });
  }

  bool readOps(std::vector<OpId> &list) {
    return reader.readArray(
        [&] { return readOpId(reader, problem, list.emplace_back()); });
  }

  bool readIndex(int32_t &index) {
    int64_t number = 0;
    if (!reader.readInteger(number))
      return false;
    index = static_cast<int32_t>(number);
    return (number >= 0 && number <= INT32_MAX) ||
           reader.fail("an index that is negative or too large");
  }

  bool readWindow(Window &window) {
    bool ok = reader.beginArray() && reader.nextElement() &&
              readIndex(window.first) && reader.nextElement() &&
              readIndex(window.last) && !reader.nextElement();
    return ok ? !reader.failed()
              : reader.fail("a window is [first moment, last moment]");
  }

  bool readFact(Fact &fact) {
    std::string kind;
    bool ok = reader.beginArray() && reader.nextElement() &&
              reader.readString(kind) && reader.nextElement() &&
              readOpId(reader, problem, fact.moment) && reader.nextElement();
    fact.kind = kind == "held" ? Fact::Kind::Held : Fact::Kind::Ran;
    ok = ok && (kind == "held"  ? readValueId(reader, problem, fact.id)
                : kind == "ran" ? readOpId(reader, problem, fact.id)
                                : false);
    ok = ok && reader.nextElement() && reader.readBool(fact.holds) &&
         !reader.nextElement();
    return ok ? !reader.failed()
              : reader.fail("a fact is [\"held\", moment, value, true or "
                            "false], or \"ran\" with an op");
  }

  bool readMultipliers(std::vector<double> &multipliers) {
    return reader.readArray([&] {
      if (reader.peek() == '"')
        return readPrice(multipliers.emplace_back());
      int64_t zeros = 0;
      if (!reader.readInteger(zeros))
        return false;
      constexpr int64_t most = int64_t(1) << 26;
      if (zeros < 0 || zeros > most - rows)
        return reader.fail("more than 2^26 multipliers");
      rows += zeros;
      multipliers.resize(multipliers.size() + static_cast<size_t>(zeros), 0);
      return true;
    });
  }

  bool readPrice(double &price) {
    std::string text;
    if (!reader.readString(text))
      return false;
    const char *end = text.data() + text.size();
    auto [stop, error] =
        std::from_chars(text.data(), end, price, std::chars_format::hex);
    return (error == std::errc() && stop == end) ||
           reader.fail("a price is a string like \"1.8p-3\": hexadecimal "
                       "digits and a binary exponent");
  }
};
} // namespace

std::optional<BoundClaim> parseCertificate(const Problem &problem,
                                           std::string_view text,
                                           std::string &error) {
  return CertificateReader(problem, text).run(error);
}

} // namespace ckpt::planner

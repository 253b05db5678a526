//===- CertificateText.cpp - Writing and reading certificates -------------===//
#include "PlanText.h"

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

static std::string momentText(const Problem &problem,
                              const PricedMoment &moment) {
  std::string text = "{\"op\": " + std::to_string(moment.op) +
                     ", \"price\": " + priceText(moment.bytePrice);
  if (moment.granularity)
    text += ", \"granularity\": " + std::to_string(moment.granularity);
  if (!moment.linkPrices.empty()) {
    std::vector<ValueId> linked;
    for (ValueId v = 0; v < problem.numValues(); ++v)
      if (moment.linkPrices[v] != 0)
        linked.push_back(v);
    text += ", \"links\": " + joined(linked, ", ", [&](ValueId v) {
              return "[" + referenceText(problem, v) + ", " +
                     priceText(moment.linkPrices[v]) + "]";
            });
  }
  return text + "}";
}

std::string printCertificate(const Problem &problem, const BoundClaim &claim) {
  const TimeBound &bound = claim.bound;
  auto ops = [](const std::vector<OpId> &list) {
    return joined(list, ", ", [](OpId op) { return std::to_string(op); });
  };
  std::string text =
      "{\"bound\": " + std::to_string(bound.time) +
      ", \"budget\": " + std::to_string(claim.budget) + ", \"order\": \"" +
      (bound.order == Order::Program ? "program" : "free") + "\"";
  if (bound.bySearch)
    text += ", \"by_search\": true";
  text += ",\n\"cases\": " +
          joined(bound.certificate.cases, ",\n", [&](const BoundCase &which) {
            std::string fields = "\"once\": " + ops(which.once) +
                                 ", \"again\": " + ops(which.again) +
                                 ", \"moments\": ";
            return "{" + fields +
                   joined(which.moments, ",\n  ",
                          [&](const PricedMoment &moment) {
                            return momentText(problem, moment);
                          }) +
                   "}";
          });
  return text + "}\n";
}

namespace {
class CertificateReader {
public:
  CertificateReader(const Problem &problem, std::string_view text)
      : problem(problem), reader(text) {}

  std::optional<BoundClaim> run(std::string &error) {
    bool hasBound = false, hasBudget = false, hasCases = false;
    TimeBound &bound = claim.bound;
    std::string key;
    if (reader.beginObject())
      while (reader.nextKey(key)) {
        hasBound |= key == "bound";
        hasBudget |= key == "budget";
        bool repeated = hasCases && key == "cases";
        hasCases |= key == "cases";
        bool ok = repeated             ? reader.fail("a second list of cases")
                  : key == "bound"     ? reader.readInteger(bound.time)
                  : key == "budget"    ? reader.readInteger(claim.budget)
                  : key == "order"     ? readOrder(reader, bound.order)
                  : key == "by_search" ? reader.readBool(bound.bySearch)
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

  /// Calls `element` at each element of an array.
  template <typename Fn>
  bool readArray(Fn element) {
    if (!reader.beginArray())
      return false;
    while (reader.nextElement())
      if (!element())
        return false;
    return !reader.failed();
  }

  /// Calls `field` with each key of an object.
  template <typename Fn>
  bool readObject(Fn field) {
    std::string key;
    if (!reader.beginObject())
      return false;
    while (reader.nextKey(key))
      if (!field(key))
        return false;
    return !reader.failed();
  }

  bool readCases() {
    return readArray([&] {
      BoundCase &which = claim.bound.certificate.cases.emplace_back();
      return readObject([&](const std::string &key) {
        if (key == "once")
          return readOps(which.once);
        if (key == "again")
          return readOps(which.again);
        if (key == "moments")
          return readArray(
              [&] { return readMoment(which.moments.emplace_back()); });
        return reader.skip();
      });
    });
  }

  bool readOps(std::vector<OpId> &list) {
    return readArray(
        [&] { return readOpId(reader, problem, list.emplace_back()); });
  }

  bool readMoment(PricedMoment &moment) {
    bool ok = readObject([&](const std::string &key) {
      if (key == "op")
        return readOpId(reader, problem, moment.op);
      if (key == "price")
        return readPrice(moment.bytePrice);
      if (key == "granularity")
        return reader.readInteger(moment.granularity);
      if (key == "links") {
        moment.linkPrices.assign(problem.numValues(), 0);
        return readArray([&] { return readLink(moment.linkPrices); });
      }
      return reader.skip();
    });
    return ok && (moment.op != kNone || reader.fail("a moment without an op"));
  }

  bool readLink(std::vector<double> &prices) {
    ValueId v = kNone;
    double price = 0;
    reader.beginArray();
    bool ok = reader.nextElement() && readValueId(reader, problem, v) &&
              reader.nextElement() && readPrice(price) && !reader.nextElement();
    if (!ok)
      return reader.fail("a link is [value, price]");
    prices[v] = price;
    return !reader.failed();
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

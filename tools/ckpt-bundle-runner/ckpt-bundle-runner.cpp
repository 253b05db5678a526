//===- ckpt-bundle-runner.cpp - Runs a compiled step without the compiler -===//
//
// Plain C++17, so that it can be built where it runs, in one command in the
// source's root: c++ -std=c++17 -O2 -rdynamic -Iinclude -o ckpt-bundle-runner
// tools/ckpt-bundle-runner/*.cpp lib/Runtime/*.cpp lib/Runtime/Cuda/*.cpp
// lib/Support/*.cpp -ldl
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ckpt::bundle;

static const char usage[] =
    "usage: ckpt-bundle-runner FOLDER [--device=cuda|cuda:N] [--runs=N]\n"
    "                          [--tolerance=X]\n"
    "\n"
    "Runs the compiled step in FOLDER, writes FOLDER/results, compares with\n"
    "FOLDER/expected where there is one, and prints a table and a line of "
    "JSON.\n"
    "Exit 0: ran and within tolerance; 2: results are off; 1: could not run.\n";

static bool parseOption(const std::string &argument, Options &options) {
  const size_t equals = argument.find('=');
  if (equals == std::string::npos)
    return false;
  const std::string name = argument.substr(0, equals);
  const std::string value = argument.substr(equals + 1);
  const char *last = value.data() + value.size();
  if (name == "--device") {
    options.device = value;
    return !value.empty();
  }
  if (name == "--runs") {
    auto [end, code] = std::from_chars(value.data(), last, options.runs);
    return code == std::errc() && end == last && options.runs >= 1;
  }
  if (name == "--tolerance") {
    char *end = nullptr;
    options.tolerance = std::strtod(value.c_str(), &end);
    return !value.empty() && end == value.c_str() + value.size() &&
           options.tolerance >= 0;
  }
  return false;
}

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help") {
      std::fputs(usage, stdout);
      return 0;
    }
    if (argument.rfind("--", 0) != 0 && options.folder.empty()) {
      options.folder = argument;
      continue;
    }
    if (!parseOption(argument, options)) {
      std::fprintf(stderr, "ckpt-bundle-runner: bad argument '%s'\n%s", argv[i],
                   usage);
      return 1;
    }
  }
  if (options.folder.empty()) {
    std::fputs(usage, stderr);
    return 1;
  }
  Report report;
  std::string error;
  if (!runBundle(options, report, error)) {
    std::fprintf(stderr, "ckpt-bundle-runner: error: %s\n", error.c_str());
    return 1;
  }
  std::fputs(formatTable(report).c_str(), stdout);
  std::puts(formatJson(report).c_str());
  return report.passed() ? 0 : 2;
}

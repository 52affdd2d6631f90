// What a configuration is chosen for: equal keys share one.
#pragma once  // public
#include <string>

namespace tessera {

// The key of a configuration.
struct OperationKey {
  std::string device;     // its name, machine and version: "interpreter v5e|1"
  std::string operation;  // its name and version: "grouped_matmul@v1"
  std::string call;       // shapes, types, options and buckets of the sizes, never their values

  bool operator==(const OperationKey&) const = default;
  // All three parts, joined: equal for equal keys only.
  std::string full_text() const { return device + "|" + operation + "|" + call; }
  // "device|operation|16 hex digits", as errors and listings name it.
  std::string text() const;
  // The name of its entry in a cache: a hash of full_text().
  std::string id() const;
};

}  // namespace tessera

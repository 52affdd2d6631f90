// What a configuration is chosen for: equal keys share one.
#pragma once  // public
#include <string>

namespace tessera {

struct OperationKey {
  std::string device;     // its kind and the version of what runs there: "interpreter v5e|1"
  std::string operation;  // its name and version: "grouped_matmul@v1"
  std::string call;       // shapes, types, options and buckets of the sizes, never their values

  bool operator==(const OperationKey&) const = default;
  // Everything, for comparison.
  std::string everything() const { return device + "|" + operation + "|" + call; }
  // "device|operation|16 hex digits", as errors and listings name it.
  std::string text() const;
  // The name of its entry in a cache.
  std::string id() const;
};

}  // namespace tessera

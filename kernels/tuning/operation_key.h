// Key of a configuration: calls with equal keys share one.
#pragma once  // public
#include <string>

namespace tessera {

// The key of a configuration.
struct OperationKey {
  // Name, machine and version: "interpreter v5e|1".
  std::string device;
  std::string operation;  // name and version: "grouped_matmul@v1"
  std::string call;       // shapes, types, options and size buckets, without the sizes

  bool operator==(const OperationKey&) const = default;
  // All three parts, joined. Equal only for equal keys.
  std::string full_text() const { return device + "|" + operation + "|" + call; }
  // "device|operation|16 hex digits", for errors and listings.
  std::string text() const;
  // Name of the key's entry in a cache: a hash of full_text().
  std::string id() const;
};

}  // namespace tessera

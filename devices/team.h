// Processes that run one command line together, each with some of the devices of the run.
#pragma once  // public
#include <string>
#include <vector>

namespace tessera {

// What these processes do not agree upon ends all of them. A run leaves the results of all devices
// in process 0, which alone reports.
class Team {
 public:
  virtual ~Team() = default;
  // This process's number, from 0, and how many there are.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The last that a process does of a command: it tells the exit code that it would have, and,
  // where it failed, why. Waits for all others. For process 0: why others failed, empty where none
  // has, or its own work has ended with that.
  virtual std::string end(int code, const std::string& why) = 0;
  // Sentences on the last run: how many processes, what they sent each other.
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace tessera

// Processes that run one command line together. Each has some of the devices of the run.
#pragma once  // public
#include <string>
#include <vector>

namespace tessera {

// If the processes disagree, all of them end. After a run, process 0 has the results of all
// devices, and only process 0 reports.
class Team {
 public:
  virtual ~Team() = default;
  // Number of this process, from 0, and number of processes.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The last call of a process for a command; waits for all others. code: exit code; 2 or more if
  // the process failed. why: reason if it failed. Returns to process 0 the reason why another
  // process failed; empty if none failed with another exit code, or if the work of process 0 has
  // already ended with that reason. Returns an empty text to all other processes.
  virtual std::string end(int code, const std::string& why) = 0;
  // Remarks on the last run: number of processes, messages between them.
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace tessera

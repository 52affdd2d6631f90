// The choice of the MPI library, and the devices of a process. Runs with several processes are
// tested in tests/mpi.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "devices/mpi/library.h"
#include "devices/mpi/shares.h"

namespace tessera {
namespace {

using mpi::Launcher;
using mpi::Library;
using mpi::Shares;
using Environment = std::map<std::string, std::string>;

Expected<Launcher> launcher(const Environment& environment) {
  return mpi::launcher([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

std::string refused(const Environment& environment) {
  const auto found = launcher(environment);
  return found ? "" : found.diags().front().message;
}

TEST(MpiLibrary, is_that_of_the_launcher) {
  const auto open = launcher({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "1"}});
  ASSERT_TRUE(open);
  EXPECT_EQ(open->library, Library::openmpi);
  EXPECT_EQ(open->size, 4);
  const auto hydra = launcher({{"PMI_SIZE", "3"}, {"PMI_RANK", "0"}, {"PMI_FD", "5"}});
  ASSERT_TRUE(hydra);
  EXPECT_EQ(hydra->library, Library::mpich);
  EXPECT_EQ(hydra->size, 3);
  const auto slurm = launcher({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "64"}});
  ASSERT_TRUE(slurm);
  EXPECT_EQ(slurm->library, Library::openmpi);
  EXPECT_EQ(slurm->size, 64);
}

TEST(MpiLibrary, is_the_chosen_one_where_the_launcher_leaves_it_open) {
  const auto chosen = launcher({{"PMIX_RANK", "0"}, {"TESSERA_MPI", "mpich"}});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->library, Library::mpich);
  EXPECT_EQ(refused({{"OMPI_COMM_WORLD_SIZE", "4"}, {"TESSERA_MPI", "mpich"}}),
            "TESSERA_MPI is mpich, and the launcher belongs to Open MPI: mpirun.mpich starts "
            "programs of MPICH");
  EXPECT_EQ(refused({{"PMI_SIZE", "4"}, {"TESSERA_MPI", "intel"}}),
            "TESSERA_MPI is intel, expected openmpi or mpich");
}

TEST(MpiLibrary, is_none_where_nothing_has_started_several_processes) {
  EXPECT_EQ(refused({}),
            "no MPI launcher has started this process; use `mpirun -n 4 gmm-run ... --devices 4 "
            "--device mpi`, or srun");
}

TEST(MpiShares, are_devices_in_a_row_the_first_processes_with_one_more) {
  for (int processes = 1; processes <= 9; ++processes)
    for (int devices = processes; devices <= 20; ++devices) {
      const Shares shares(devices, processes);
      EXPECT_EQ(shares.first(0), 0);
      EXPECT_EQ(shares.first(processes), devices);
      for (int process = 0; process < processes; ++process) {
        const int count = shares.first(process + 1) - shares.first(process);
        EXPECT_GE(count, devices / processes);
        EXPECT_LE(count, devices / processes + 1);
        const std::vector<bool> held = shares.held(process);
        for (int device = 0; device < devices; ++device)
          EXPECT_EQ(held[static_cast<std::size_t>(device)], shares.owner(device) == process);
      }
    }
  EXPECT_EQ(Shares(8, 8).text(), "8 processes, a device each");
  EXPECT_EQ(Shares(8, 4).text(), "4 processes, 2 devices each");
  EXPECT_EQ(Shares(8, 3).text(), "3 devices each on 2 of 3 processes, 2 on the others");
}

}  // namespace
}  // namespace tessera

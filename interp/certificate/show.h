// Runs that show a race: both of its orders.
#pragma once
#include "interp/certificate/certificate.h"

namespace tessera {

// Runs both schedules of the witness and says in it whether they were seen, and how they end.
Diags show(const Simulate& simulate, RunOptions options, RaceWitness& race);
// Shows those that have a witness, as many as the options ask for.
void show_races(const Simulate& simulate, const CertifyOptions& options, Certificate& certificate);

}  // namespace tessera

#include "interp/machine/machine_image.h"

#include "core/report/check.h"

namespace tessera {
namespace {

std::int64_t bytes_of(std::size_t entries, std::size_t each) {
  return static_cast<std::int64_t>(entries * each);
}

}  // namespace

std::shared_ptr<const MachineImage> Machine::save(const HeldBytes& held) {
  CHECK(can_be_saved() && moving_ == nullptr);
  auto image = std::make_shared<MachineImage>();
  std::int64_t bytes = 0;
  copies_.settle_staging();
  for (const CoreIndex s : topology_.core_ids()) {
    CoreState& from = core_state(s);
    MachineImage::OfCore& to = image->cores.emplace_back(MachineImage::OfCore{
        from.core.save(), from.semaphores.save(held), from.lives, from.usage, {}});
    bytes += bytes_of(to.core.registers.size(), sizeof(std::int64_t));
    for (const BufferId b : from.storages.ids())
      if (topology_.owner(s, program_.buffers[b].space) == s)
        to.storages.push_back(from.storages[b]->save(held));
    bytes += bytes_of(to.storages.size(), sizeof(Storage::SharedImage) + sizeof(std::int64_t));
  }
  image->copies = copies_.save(held);
  bytes += bytes_of(image->copies.used.size(), sizeof(Copies::Image::OfCopy));
  image->ready = ready_;
  image->blocked = blocked_;
  image->scheduler = scheduler_->clone();
  image->hash = hash_;
  image->numbers = {step_,       passed_,   limits_look_,       starts_,
                    turn_steps_, is_begun_, is_checked_at_end_, stopped_,
                    end_};
  image->turn = turn_;
  image->refused = refused_;
  image->findings = findings_;
  image->recorded = recorded_;
  bytes += bytes_of(recorded_.size(), sizeof(ScheduleItem));
  image->stats = stats_;
  image->held.emplace(held, bytes);
  return image;
}

void Machine::restore(const MachineImage& image) {
  copies_.let_go();
  for (const CoreIndex s : topology_.core_ids())
    for (const auto& storage : core_state(s).storages) storage->drop_aliases();
  for (const CoreIndex s : topology_.core_ids()) {
    const MachineImage::OfCore& from = image.cores[static_cast<std::size_t>(s.index)];
    CoreState& to = core_state(s);
    to.core.restore(from.core);
    to.semaphores.restore(from.semaphores);
    to.lives = from.lives;
    to.usage = from.usage;
    auto storage = from.storages.begin();
    for (const BufferId b : to.storages.ids())
      if (topology_.owner(s, program_.buffers[b].space) == s) to.storages[b]->restore(*storage++);
  }
  for (const CoreIndex s : topology_.core_ids()) {
    auto storage = image.cores[static_cast<std::size_t>(s.index)].storages.begin();
    for (const BufferId b : core_state(s).storages.ids())
      if (topology_.owner(s, program_.buffers[b].space) == s)
        core_state(s).storages[b]->restore_aliases(**storage++);
  }
  copies_.restore(image.copies, options_.checks.enabled ? Checks::on : Checks::off);
  ready_ = image.ready;
  blocked_ = image.blocked;
  scheduler_ = image.scheduler->clone();
  hash_ = image.hash;
  step_ = image.numbers.step;
  passed_ = image.numbers.passed;
  limits_look_ = image.numbers.limits_look;
  starts_ = image.numbers.starts;
  turn_steps_ = image.numbers.turn_steps;
  is_begun_ = image.numbers.is_begun;
  is_checked_at_end_ = image.numbers.is_checked_at_end;
  stopped_ = image.numbers.is_stopped;
  end_ = image.numbers.end;
  turn_ = image.turn;
  refused_ = image.refused;
  findings_ = image.findings;
  recorded_ = image.recorded;
  stats_ = image.stats;
  moving_ = nullptr;
}

}  // namespace tessera

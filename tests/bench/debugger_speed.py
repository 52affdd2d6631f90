#!/usr/bin/env python3
"""How long a debugger takes to go to places of a run, and a step back from there.

tests/bench/debugger_speed.py build/release/bin/gmm-run [--places 30] [--print NAME] -- ag-matmul \
    --devices 256 --m 8 --k 512 --n 8

The session is driven through a pipe as a user would drive it. `--print` asks for values at each
place as well. Places are drawn with a fixed seed. Peak memory is the session's, and that of the
plain run, which is timed too. Of wall and processor time (a tick more, for its clock is coarse)
the shorter one counts, so that others on the machine change little."""

import argparse
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import time

TICK = 1 / os.sysconf("SC_CLK_TCK")
END = "there is no stop with number `999999`"


class Debugger:
    def __init__(self, words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)

    def seconds(self):
        """Of the processor, which others on the machine do not change."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, command):
        """The answer, and how many seconds it took."""
        begin, begin_processor = time.monotonic(), self.seconds()
        self.process.stdin.write(command + "\ndelete 999999\n")
        self.process.stdin.flush()
        answer = []
        while True:
            line = self.process.stdout.readline()
            if line == "":
                sys.exit("the debugger ended:\n" + "".join(answer))
            if END in line:
                took = min(time.monotonic() - begin, self.seconds() - begin_processor + TICK)
                return "".join(answer), took
            answer.append(line)

    def quit(self):
        self.process.stdin.write("quit\n")
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


def peak_mib():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def row(name, seconds):
    print(f"{name:<24} median {statistics.median(seconds) * 1000:8.1f} ms, worst {max(seconds) * 1000:8.1f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gmm_run")
    parser.add_argument("--places", type=int, default=30)
    parser.add_argument("--print", dest="name", default="")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()

    begin = time.monotonic()
    subprocess.run([given.gmm_run, *given.command, "--interpret", "--no-verify"], check=True, stdout=subprocess.DEVNULL)
    print(f"{'plain run':<24} {time.monotonic() - begin:.2f} s, peak {peak_mib():.0f} MiB")

    debugger = Debugger([given.gmm_run, "debug", *given.command])
    debugger.ask("info findings")
    answer, seconds = debugger.ask("continue")
    events = int(re.findall(r"event (\d+)", answer)[-1])
    print(f"{'to the end':<24} {seconds:.2f} s, {events} events")
    if given.name:
        _, seconds = debugger.ask("print " + given.name)
        print(f"{'its values':<24} {seconds:.2f} s")

    draw = random.Random(1)
    goto, back, step_back, values = [], [], [], []
    for place in [draw.randrange(events) for _ in range(given.places)]:
        goto.append(debugger.ask(f"goto {place}")[1])
        if given.name:
            values.append(debugger.ask("print " + given.name)[1])
        back.append(debugger.ask("reverse-stepi")[1])
        step_back.append(debugger.ask("reverse-step")[1])
        if given.name:
            values.append(debugger.ask("print " + given.name)[1])
    row("goto", goto)
    row("reverse-stepi", back)
    row("reverse-step", step_back)
    if given.name:
        row("print there", values)
    debugger.quit()
    print(f"{'peak of both':<24} {peak_mib():.0f} MiB")


main()

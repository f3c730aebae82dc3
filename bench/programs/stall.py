"""How long a training loop stands still for one checkpoint: printed as JSON, in seconds.

    stall.py DIRECTORY BYTES ROUNDS

Three ways in turns: a plain write with fsync, as a careful program does it; Checkpointer in the background; and one copy in
memory that is there already, which is the least that a consistent checkpoint can cost.
"""

import json
import os
import sys
import time

from trainyard import Checkpointer

DIRECTORY, BYTES, ROUNDS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def timed(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def write_and_sync(state, path):
    with open(path, "wb") as file:
        file.write(state)
        file.flush()
        os.fsync(file.fileno())


def save_bytes(state, path):
    with open(path, "wb") as file:
        file.write(state)


def copy(state, spare):
    memoryview(spare)[:] = state


def main():
    state = bytearray(os.urandom(1 << 20)) * (BYTES >> 20)
    background = Checkpointer(os.path.join(DIRECTORY, "background"), keep=1, save=save_bytes, background=True)
    spare = bytearray(BYTES)
    seconds = {"write": [], "background": [], "copy": []}
    for round_ in range(ROUNDS):
        seconds["write"].append(timed(lambda: write_and_sync(state, os.path.join(DIRECTORY, "plain"))))
        seconds["background"].append(timed(lambda: background.save(state, round_ + 1)))
        background.wait()
        seconds["copy"].append(timed(lambda: copy(state, spare)))
    background.close()
    print(json.dumps(seconds))


main()

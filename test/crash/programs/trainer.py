#!/usr/bin/env python3
"""A trainer whose end state is known beforehand, for those who disturb it.

    trainer.py HABIT SEED STEPS EVERY BALLAST STORY RESULT

The state after step n is the SHA-256 of the state after n - 1 and n. Every so many steps it writes a checkpoint into
TRAINYARD_CHECKPOINTS, by one of the habits of real programs, and only then tells its story: `saved STEP`. It begins where
TRAINYARD_RESUME_FROM says, and tells `began STEP`, or `broken WHY` when that is no whole checkpoint.
"""

import hashlib
import json
import os
import sys
import time

HABIT, SEED, STEPS, EVERY, BALLAST, STORY, RESULT = sys.argv[1:8]
STEPS, EVERY, BALLAST = int(STEPS), int(EVERY), int(BALLAST)
SECONDS_PER_STEP = 0.004
SHARDS = 3


def tell(*words):
    """One write, so that a line is there or not."""
    fd = os.open(STORY, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(fd, (" ".join(map(str, words)) + "\n").encode())
    os.close(fd)


def next_state(state, step):
    return hashlib.sha256(f"{state} {step}".encode()).hexdigest()


def content(state, step):
    """Like a real checkpoint it is large and mostly noise; and it can tell whether it is whole."""
    ballast = hashlib.shake_128(f"{SEED} {step}".encode()).hexdigest(BALLAST)
    body = {"state": state, "step": step, "ballast": ballast}
    body["sum"] = sum_of(body)
    return body


def sum_of(body):
    return hashlib.sha256(f"{body['state']} {body['step']} {body['ballast']}".encode()).hexdigest()


def save_beside_and_rename(directory, state, step):
    path = f"{directory}/step-{step:06d}.json"
    with open(f"{path}.tmp", "w") as file:
        json.dump(content(state, step), file)
    os.rename(f"{path}.tmp", path)


def save_in_place(directory, state, step):
    with open(f"{directory}/epoch-{step}.json", "w") as file:
        json.dump(content(state, step), file)


def save_over_the_last(directory, state, step):
    """One name, written anew each time."""
    with open(f"{directory}/.last.json", "w") as file:
        json.dump(content(state, step), file)
    os.rename(f"{directory}/.last.json", f"{directory}/last.json")


def save_as_directory(directory, state, step):
    path = f"{directory}/checkpoint-{step}"
    os.makedirs(path, exist_ok=True)
    text = json.dumps(content(state, step))
    size = len(text) // SHARDS + 1
    for shard in range(SHARDS):
        with open(f"{path}/shard-{shard}.bin", "w") as file:
            file.write(text[shard * size : (shard + 1) * size])
    with open(f"{path}/COMPLETE", "w"):
        pass


SAVE = {
    "rename": save_beside_and_rename,
    "in-place": save_in_place,
    "last": save_over_the_last,
    "directory": save_as_directory,
}


def text_of(path):
    if not os.path.isdir(path):
        with open(path) as file:
            return file.read()
    texts = []
    for shard in range(SHARDS):
        with open(f"{path}/shard-{shard}.bin") as file:
            texts.append(file.read())
    return "".join(texts)


def resume():
    path = os.environ.get("TRAINYARD_RESUME_FROM")
    if path is None:
        return f"seed {SEED}", 0
    try:
        body = json.loads(text_of(path))
        if sum_of(body) != body["sum"]:
            raise ValueError("its sum is wrong")
        return body["state"], body["step"]
    except Exception as error:
        tell("broken", path, repr(error))
        raise


def main():
    directory = os.environ["TRAINYARD_CHECKPOINTS"]
    os.makedirs(directory, exist_ok=True)
    state, step = resume()
    tell("began", step)
    while step < STEPS:
        step += 1
        state = next_state(state, step)
        time.sleep(SECONDS_PER_STEP)
        if step % EVERY == 0 or step == STEPS:
            SAVE[HABIT](directory, state, step)
            tell("saved", step)
    with open(f"{RESULT}.tmp", "w") as file:
        file.write(state)
    os.rename(f"{RESULT}.tmp", RESULT)


main()

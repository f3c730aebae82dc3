"""Python functions as jobs, by submitit. Prints what became of each as one JSON object.

usage: submitit_jobs.py FOLDER (results | arrays | cancelled | interrupted | timed-out)
"""

import json
import os
import sys
import time
from pathlib import Path

import submitit

FOLDER = Path(sys.argv[1])


def executor(**parameters):
    chosen = submitit.AutoExecutor(folder=FOLDER)
    assert chosen.cluster == "slurm", chosen.cluster
    chosen.update_parameters(timeout_min=5, cpus_per_task=1, **parameters)
    return chosen


def add(left, right):
    return left + right


def fail():
    raise ValueError("not today")


def describe():
    environment = submitit.JobEnvironment()
    return {
        "rank": environment.global_rank,
        "ranks": environment.num_tasks,
        "local": environment.local_rank,
        "nodes": environment.num_nodes,
        "hosts": len(environment.hostnames),
    }


def wait_for_ever():
    (FOLDER / "waiting").touch()
    time.sleep(600)


def state_when_known(job, wanted):
    """The queue's own word for it, once it is the one that must come."""
    for _ in range(300):
        state = job.watcher.get_state(job.job_id, mode="force")
        if wanted in state:
            return state
        time.sleep(0.2)
    return state


class Counter:
    """Counts to its goal and notes each number; interrupted, it goes on from where it was."""

    def __init__(self, notes, goal, pause):
        self.notes = Path(notes)
        self.goal = goal
        self.pause = pause
        self.reached = 0

    def __call__(self):
        while self.reached < self.goal:
            time.sleep(self.pause)
            self.reached += 1
            with open(self.notes, "a", encoding="ascii") as notes:
                restarts = os.environ.get("SLURM_RESTART_COUNT", "0")
                notes.write(f"{self.reached} {restarts}\n")
        return self.reached

    def checkpoint(self):
        return submitit.helpers.DelayedSubmission(self)


def results():
    good = executor().submit(add, 2, 3)
    bad = executor().submit(fail)
    ranks = executor(tasks_per_node=2).submit(describe)
    try:
        bad.result()
        raised = None
    except submitit.core.utils.FailedJobError as error:
        raised = str(error)
    return {
        "sum": good.result(),
        "raised": "not today" in (raised or ""),
        "ranks": ranks.results(),
        "state": state_when_known(good, "COMPLETED"),
        "badState": state_when_known(bad, "FAILED"),
        "numeric": good.job_id.isdigit(),
    }


def arrays():
    chosen = executor(slurm_array_parallelism=2)
    jobs = chosen.map_array(add, [1, 2, 3, 4], [10, 20, 30, 40])
    with chosen.batch():
        more = [chosen.submit(add, n, n) for n in range(3)]
    return {
        "sums": [job.result() for job in jobs],
        "more": [job.result() for job in more],
        "elements": [job.job_id.split("_")[1] for job in jobs],
        "states": sorted({state_when_known(job, "COMPLETED") for job in jobs}),
    }


def cancelled():
    job = executor().submit(wait_for_ever)
    while not (FOLDER / "waiting").exists():
        time.sleep(0.05)
    running = state_when_known(job, "RUNNING")
    job.cancel(check=True)
    state = state_when_known(job, "CANCELLED")
    return {"running": running, "state": state.split()[0], "done": job.done()}


def interrupted():
    """As a preemption does it: USR2 to the step, then submitit saves and asks for a requeue."""
    notes = FOLDER / "notes"
    job = executor().submit(Counter(notes, 8, 0.25))
    while not notes.exists() or len(notes.read_text().splitlines()) < 2:
        time.sleep(0.05)
    job._interrupt()
    return counted(job, notes)


def timed_out():
    """The time limit is a minute and the warning comes a few seconds after the start."""
    notes = FOLDER / "notes"
    chosen = executor(slurm_signal_delay_s=56)
    chosen.update_parameters(timeout_min=1)
    return counted(chosen.submit(Counter(notes, 20, 0.25)), notes)


def counted(job, notes):
    reached = job.result()
    pairs = [tuple(map(int, line.split())) for line in notes.read_text().splitlines()]
    return {
        "reached": reached,
        "numbers": [number for number, _ in pairs],
        "restarts": sorted({restart for _, restart in pairs}),
        "state": state_when_known(job, "COMPLETED"),
    }


SCENARIOS = {
    "results": results,
    "arrays": arrays,
    "cancelled": cancelled,
    "interrupted": interrupted,
    "timed-out": timed_out,
}

print(json.dumps(SCENARIOS[sys.argv[2]]()))

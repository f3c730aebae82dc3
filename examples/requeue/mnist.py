#!/usr/bin/env python3
"""Trains on handwritten digits in short runs: each trains for a few seconds, saves, and asks to be queued again.

The network and the data are those of ../digits, with a momentum optimizer of its own; the part to copy into your
own training is the section CUSTOM CLUSTER OVERHEAD. It needs Python's standard library and nothing else.

Exit status: 0 trained to the end; 3 there is more to do, queue me again; 1 a file could not be read or written;
2 wrong arguments.
"""

import argparse
import json
import random
import signal
import sys
import time
from pathlib import Path

DIGITS = Path(__file__).resolve().parent.parent / "digits"
sys.path.insert(0, str(DIGITS))
import train as digits  # noqa: E402

SEED = 1
HIDDEN_UNITS = 32


# --- CUSTOM CLUSTER OVERHEAD --------------------------------------------------------------------------------

COMPLETE = 0
REQUEUE = 3


class ClusterStateManager:
    """Knows whether this run has to end, and with which exit status.

    Signals from outside (preemption, Ctrl-C) and a timer of its own only leave a note here. Nothing is saved in
    a handler: it may interrupt a half-done update, and on a GPU kernels may still be under way. The training
    loop looks at `should_exit` between iterations, where the state is whole, and saves there.
    """

    def __init__(self, seconds):
        self.reason = None
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            signal.signal(number, self._on_signal)
        signal.signal(signal.SIGALRM, self._on_timer)
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def _on_signal(self, number, _frame):
        self.reason = f"signal {signal.Signals(number).name}"

    def _on_timer(self, _number, _frame):
        self.reason = self.reason or "time is up"

    def should_exit(self):
        return self.reason is not None

    def exit_code(self, finished):
        """What the cluster makes of the exit status: 0 and it is done, 3 and it is queued again."""
        return COMPLETE if finished else REQUEUE


def save_checkpoint(path, network, optimizer, epoch):
    """Written beside the old one and renamed over it: there is always one that is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digits.write_whole(
        path, {"network": vars(network), "optimizer": optimizer.state(), "epoch": epoch}
    )


def load_checkpoint(path, network, optimizer):
    """Fills network and optimizer, and gives the number of epochs done; 0 when there is no checkpoint."""
    try:
        saved = json.loads(path.read_text(encoding="ascii"))
    except FileNotFoundError:
        return 0
    vars(network).update(saved["network"])
    optimizer.restore(saved["optimizer"])
    return saved["epoch"]


# --- Training -----------------------------------------------------------------------------------------------


class Momentum:
    """Gradient descent that remembers where it was going. Without its state, a resumed run would go elsewhere."""

    def __init__(self, network, learning_rate=0.03, momentum=0.9):
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.velocity = [[0.0] * len(row) for row in network.hidden + network.output]

    def step(self, network, gradients, examples):
        for row, speed, gradient in zip(network.hidden + network.output, self.velocity, gradients):
            speed[:] = [self.momentum * old - new / examples for old, new in zip(speed, gradient)]
            digits.add_scaled(row, self.learning_rate, speed)

    def state(self):
        return {"velocity": self.velocity}

    def restore(self, state):
        self.velocity = state["velocity"]


def train_epoch(network, optimizer, examples, epoch):
    """Sees every digit once, in an order that depends on the epoch alone. Gives the mean loss."""
    order = examples[:]
    random.Random(f"{SEED} epoch {epoch}").shuffle(order)
    loss = 0.0
    for start in range(0, len(order), digits.BATCH_SIZE):
        batch = order[start : start + digits.BATCH_SIZE]
        batch_loss, gradients = digits.gradients(network, batch)
        optimizer.step(network, gradients, len(batch))
        loss += batch_loss
    return loss / len(order)


def train(options):
    cluster = ClusterStateManager(options.seconds)
    training, validation = digits.split(digits.read_digits(DIGITS / "digits.csv.gz"), SEED)
    network = digits.new_network(len(training[0][0]), HIDDEN_UNITS, SEED)
    optimizer = Momentum(network)
    epoch = load_checkpoint(options.checkpoint, network, optimizer)
    print(f"beginning after epoch {epoch}, for {options.seconds:g} seconds", flush=True)

    while epoch < options.epochs:
        started = time.monotonic()
        loss = train_epoch(network, optimizer, training, epoch)
        epoch += 1
        save_checkpoint(options.checkpoint, network, optimizer, epoch)
        print(
            f"epoch {epoch}/{options.epochs} loss {loss:.4f} "
            f"accuracy {digits.accuracy(network, validation):.4f} seconds {time.monotonic() - started:.2f}",
            flush=True,
        )
        if cluster.should_exit():
            break

    finished = epoch >= options.epochs
    print("done" if finished else f"{cluster.reason}: more to do after epoch {epoch}", flush=True)
    return cluster.exit_code(finished)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=digits.positive(int), default=60, help="how often to see every digit (60)")
    parser.add_argument("--seconds", type=digits.positive(float), default=10, help="how long one run trains (10)")
    parser.add_argument("--checkpoint", type=Path, default=Path("checkpoint.json"), metavar="FILE")
    return parser.parse_args()


def main():
    try:
        return train(parse_arguments())
    except OSError as error:
        sys.stderr.write(f"mnist.py: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())

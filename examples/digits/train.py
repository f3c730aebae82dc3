#!/usr/bin/env python3
"""Trains a small neural network to read handwritten digits, with nothing but Python's standard library.

It behaves as a job should that may be stopped at any moment: after every epoch, and when it is asked to stop
(SIGTERM or SIGUSR1), it saves a checkpoint; started again, it goes on from there and ends with exactly the
weights that it would have had without the interruption.

Exit status: 0 trained to the end; 75 stopped early, run it again to go on from the checkpoint; 1 a file
could not be read or written; 2 wrong arguments, or a checkpoint that belongs to other settings.
"""

import argparse
import gzip
import json
import math
import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from operator import mul
from pathlib import Path

CLASSES = 10
BATCH_SIZE = 16
VALIDATION_SHARE = 0.2
STOPPED_EARLY = 75  # EX_TEMPFAIL of sysexits.h: "try again later"


# --- Data ---------------------------------------------------------------------------------------------------


def read_digits(path):
    """Gives (pixels, label) pairs; pixels from 0 to 1, with a constant 1 at the end that serves as the bias."""
    with gzip.open(path, "rt", encoding="ascii") as lines:
        rows = [[int(number) for number in line.split(",")] for line in lines]
    return [([pixel / 16 for pixel in row[:-1]] + [1.0], row[-1]) for row in rows]


def split(examples, seed):
    """Gives (training, validation), always the same for the same seed."""
    shuffled = examples[:]
    random.Random(f"{seed} split").shuffle(shuffled)
    held_back = int(len(shuffled) * VALIDATION_SHARE)
    return shuffled[held_back:], shuffled[:held_back]


# --- Model --------------------------------------------------------------------------------------------------


@dataclass
class Network:
    """One hidden layer of rectified units, then one score per class. Each row is the weights of one unit."""

    hidden: list
    output: list


def new_network(inputs, units, seed):
    source = random.Random(f"{seed} weights")

    def layer(rows, columns):
        reach = math.sqrt(6 / (rows + columns))
        return [[source.uniform(-reach, reach) for _ in range(columns)] for _ in range(rows)]

    return Network(hidden=layer(units, inputs), output=layer(CLASSES, units + 1))


def forward(network, pixels):
    """Gives the activations of the hidden layer (with its bias) and the probability of each class."""
    activations = [max(0.0, dot(row, pixels)) for row in network.hidden]
    activations.append(1.0)
    scores = [dot(row, activations) for row in network.output]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    total = sum(powers)
    return activations, [power / total for power in powers]


def gradients(network, batch):
    """Gives the batch's summed loss, and for every row of weights its summed gradient, hidden layer first."""
    loss = 0.0
    hidden_steps = [[0.0] * len(row) for row in network.hidden]
    output_steps = [[0.0] * len(row) for row in network.output]
    for pixels, label in batch:
        activations, errors = forward(network, pixels)
        loss -= math.log(max(errors[label], 1e-12))
        errors[label] -= 1.0  # the gradient of the loss by the scores: probability minus truth
        for unit, activation in enumerate(activations[:-1]):
            if activation > 0:
                blame = sum(error * row[unit] for error, row in zip(errors, network.output))
                add_scaled(hidden_steps[unit], blame, pixels)
        for step, error in zip(output_steps, errors):
            add_scaled(step, error, activations)
    return loss, hidden_steps + output_steps


def train_batch(network, batch, learning_rate):
    """One step of gradient descent. Gives the batch's summed loss."""
    loss, steps = gradients(network, batch)
    rate = -learning_rate / len(batch)
    for row, step in zip(network.hidden + network.output, steps):
        add_scaled(row, rate, step)
    return loss


def accuracy(network, examples):
    right = 0
    for pixels, label in examples:
        _, probabilities = forward(network, pixels)
        right += probabilities.index(max(probabilities)) == label
    return right / len(examples)


def dot(left, right):
    return sum(map(mul, left, right))


def add_scaled(row, factor, other):
    """row += factor * other, in place."""
    row[:] = [value + factor * change for value, change in zip(row, other)]


# --- Checkpoints --------------------------------------------------------------------------------------------


@dataclass
class Progress:
    """Where training stands: whole epochs done, and how far the one in hand has come."""

    epoch: int = 0
    batch: int = 0
    loss: float = 0.0
    seconds: float = 0.0


def save_checkpoint(directory, settings, network, progress):
    directory.mkdir(parents=True, exist_ok=True)
    saved = {"settings": settings, "progress": vars(progress), "network": vars(network)}
    write_whole(directory / "checkpoint.json", saved)


def write_whole(path, value, unfinished_in=None):
    """Under its name there is at every instant a whole file: the old one, or this one.

    What is not finished yet is beside it, or in another directory of the same disk when somebody copies this one.
    """
    unfinished = (unfinished_in or path.parent) / f"{path.name}.{os.getpid()}"
    with open(unfinished, "w", encoding="ascii") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def load_checkpoint(directory, settings):
    """Gives (network, progress), or None when there is none."""
    path = directory / "checkpoint.json"
    try:
        saved = json.loads(path.read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
    if saved["settings"] != settings:
        sys.stderr.write(
            f"{path} was made with {describe(saved['settings'])}, and this run has {describe(settings)}: "
            "use the same settings, or another --checkpoint directory\n"
        )
        sys.exit(2)
    return Network(**saved["network"]), Progress(**saved["progress"])


def describe(settings):
    return ", ".join(f"{name} {value}" for name, value in settings.items())


# --- Training -----------------------------------------------------------------------------------------------


class StopRequest:
    """Notes that somebody asked to stop. Nothing else happens inside the signal handler."""

    def __init__(self):
        self.signal = None
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, self.note)

    def note(self, number, _frame):
        self.signal = signal.Signals(number)


def train_epoch(network, examples, options, progress, stop):
    """Goes on with the epoch in hand. Gives False when it was asked to stop before the end."""
    order = examples[:]
    random.Random(f"{options.seed} epoch {progress.epoch}").shuffle(order)
    started = time.monotonic() - progress.seconds
    for start in range(progress.batch * BATCH_SIZE, len(order), BATCH_SIZE):
        if stop.signal is not None:
            return False
        progress.loss += train_batch(network, order[start : start + BATCH_SIZE], options.lr)
        progress.batch += 1
        progress.seconds = time.monotonic() - started
    return True


def report(options, metrics):
    """One line for people (and for whoever reads the log), one line of JSON for programs."""
    print(
        f"epoch {metrics['epoch']}/{options.epochs} loss {metrics['loss']:.4f} "
        f"accuracy {metrics['accuracy']:.4f} seconds {metrics['seconds']:.2f}",
        flush=True,
    )
    if options.metrics is not None:
        options.metrics.parent.mkdir(parents=True, exist_ok=True)
        with open(options.metrics, "a", encoding="ascii") as file:
            file.write(json.dumps(metrics) + "\n")


def train(options):
    stop = StopRequest()
    training, validation = split(read_digits(options.data), options.seed)
    settings = {"hidden": options.hidden, "lr": options.lr, "seed": options.seed}
    network, progress = new_network(len(training[0][0]), options.hidden, options.seed), Progress()
    if options.checkpoint is not None:
        saved = load_checkpoint(options.checkpoint, settings)
        if saved is not None:
            network, progress = saved
            print(f"resumed with {progress.epoch} epochs and {progress.batch} batches done", flush=True)

    print(f"training on {len(training)} digits, validating on {len(validation)}", flush=True)
    while progress.epoch < options.epochs:
        finished = train_epoch(network, training, options, progress, stop)
        if finished:
            metrics = {
                "epoch": progress.epoch + 1,
                "loss": progress.loss / len(training),
                "accuracy": accuracy(network, validation),
                "seconds": progress.seconds,
            }
            report(options, metrics)
            progress = Progress(epoch=progress.epoch + 1)
        if options.checkpoint is not None:
            save_checkpoint(options.checkpoint, settings, network, progress)
        if stop.signal is not None and progress.epoch < options.epochs:
            kept = "nothing saved" if options.checkpoint is None else f"saved in {options.checkpoint}"
            print(f"stopped by {stop.signal.name} in epoch {progress.epoch + 1}, {kept}", flush=True)
            return STOPPED_EARLY
    print(f"done accuracy {accuracy(network, validation):.4f}", flush=True)
    return 0


def positive(kind):
    def parse(text):
        value = kind(text)
        if not 0 < value < math.inf:
            raise ValueError
        return value

    parse.__name__ = f"positive {kind.__name__}"
    return parse


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=positive(int), default=20, help="how often to see every digit (20)")
    parser.add_argument("--hidden", type=positive(int), default=32, help="units of the hidden layer (32)")
    parser.add_argument("--lr", type=positive(float), default=0.15, help="learning rate (0.15)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same result (1)")
    parser.add_argument("--data", type=Path, default=Path(__file__).with_name("digits.csv.gz"), metavar="FILE")
    parser.add_argument("--checkpoint", type=Path, metavar="DIR", help="save here, and resume from here")
    parser.add_argument("--metrics", type=Path, metavar="FILE", help="append one line of JSON per epoch")
    return parser.parse_args()


def main():
    options = parse_arguments()
    try:
        return train(options)
    except OSError as error:
        sys.stderr.write(f"train.py: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())

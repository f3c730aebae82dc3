#!/usr/bin/env python3
"""Trains a small network to read handwritten digits, as a job of a queueing system.

Nothing but Python's standard library is needed, so the script can be copied to any home directory and submitted from
there. What to do is said by the environment:

  MLP_DATA_DIR   where digits.csv.gz is
  OUTPUT_DIR     where to put what is learnt, in a directory with the time as its name
  NUM_EPOCHS     how often to see every digit (10)
  HIDDEN_UNITS   units of the hidden layer (24)
  LEARNING_RATE  of gradient descent (0.2)
  SEED           the same seed gives the same network (1)

It writes checkpoints/model.ckpt-STEP after every epoch, train-summaries/ and valid-summaries/ for TensorBoard, and
run.npz, the statistics by epoch, for NumPy and Matplotlib.

Exit status: 0 trained to the end; 1 a variable is missing or wrong, or a file could not be read or written.
"""

import datetime
import gzip
import io
import math
import os
import random
import socket
import struct
import sys
import time
import zipfile
from array import array
from operator import mul
from pathlib import Path

CLASSES = 10
BATCH_SIZE = 16
VALIDATION_SHARE = 0.2


# --- What to do ---------------------------------------------------------------------------------------------


def directory_from(name, purpose):
    """A path in a variable. `qsub -v OUTPUT_DIR='$HOME/experiments'` leaves the $HOME to us."""
    value = os.environ.get(name, "")
    if value == "":
        raise ValueError(
            f"{name} must be set to the directory {purpose}: use qsub -v {name}=..., "
            f"or `export {name}=...` in the script that starts this one"
        )
    return Path(os.path.expanduser(os.path.expandvars(value)))


def number_from(name, kind, default):
    text = os.environ.get(name, str(default))
    try:
        value = kind(text)
    except ValueError:
        value = 0
    if not 0 < value < math.inf:
        raise ValueError(f"{name} must be a positive number, not {text!r}")
    return value


# --- Data ---------------------------------------------------------------------------------------------------


def read_digits(directory):
    """Gives (pixels, label) pairs; pixels from 0 to 1, with a constant 1 at the end that serves as the bias."""
    with gzip.open(directory / "digits.csv.gz", "rt", encoding="ascii") as lines:
        rows = [[int(number) for number in line.split(",")] for line in lines]
    return [([pixel / 16 for pixel in row[:-1]] + [1.0], row[-1]) for row in rows]


def split(examples, seed):
    """Gives (training, validation), always the same for the same seed."""
    shuffled = examples[:]
    random.Random(f"{seed} split").shuffle(shuffled)
    held_back = int(len(shuffled) * VALIDATION_SHARE)
    return shuffled[held_back:], shuffled[:held_back]


# --- Model --------------------------------------------------------------------------------------------------


def new_network(inputs, units, seed):
    """One hidden layer of rectified units, then one score per class. Each row is the weights of one unit."""
    source = random.Random(f"{seed} weights")

    def layer(rows, columns):
        reach = math.sqrt(6 / (rows + columns))
        return [[source.uniform(-reach, reach) for _ in range(columns)] for _ in range(rows)]

    return {"hidden": layer(units, inputs), "output": layer(CLASSES, units + 1)}


def forward(network, pixels):
    """Gives the activations of the hidden layer (with its bias) and the probability of each class."""
    activations = [max(0.0, dot(row, pixels)) for row in network["hidden"]]
    activations.append(1.0)
    scores = [dot(row, activations) for row in network["output"]]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    total = sum(powers)
    return activations, [power / total for power in powers]


def train_batch(network, batch, learning_rate):
    """One step of gradient descent. Gives the batch's mean error and accuracy before the step."""
    hidden, output = network["hidden"], network["output"]
    hidden_steps = [[0.0] * len(row) for row in hidden]
    output_steps = [[0.0] * len(row) for row in output]
    error = right = 0.0
    for pixels, label in batch:
        activations, blames = forward(network, pixels)
        error -= math.log(max(blames[label], 1e-12))
        right += blames[label] == max(blames)
        blames[label] -= 1.0  # the gradient of the error by the scores: probability minus truth
        for unit, activation in enumerate(activations[:-1]):
            if activation > 0:
                add_scaled(hidden_steps[unit], sum(b * row[unit] for b, row in zip(blames, output)), pixels)
        for step, blame in zip(output_steps, blames):
            add_scaled(step, blame, activations)
    for row, step in zip(hidden + output, hidden_steps + output_steps):
        add_scaled(row, -learning_rate / len(batch), step)
    return error / len(batch), right / len(batch)


def evaluate(network, examples):
    """Gives the mean error and the accuracy."""
    error = right = 0.0
    for pixels, label in examples:
        _, probabilities = forward(network, pixels)
        error -= math.log(max(probabilities[label], 1e-12))
        right += probabilities[label] == max(probabilities)
    return error / len(examples), right / len(examples)


def dot(left, right):
    return sum(map(mul, left, right))


def add_scaled(row, factor, other):
    """row += factor * other, in place."""
    row[:] = [value + factor * change for value, change in zip(row, other)]


# --- Files --------------------------------------------------------------------------------------------------


def write_whole(path, data):
    """Under its name there is at every instant a whole file: the old one, or this one."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    with open(unfinished, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


def npz(arrays):
    """The bytes of an .npz file: a zip of .npy files. Each array is a list of numbers, or of rows of numbers."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as names:
        for name, values in arrays.items():
            rows = values if isinstance(values[0], list) else [values]
            shape = f"{len(values)}, {len(rows[0])}" if rows is values else f"{len(values)},"
            header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}"
            # The data begins at a multiple of 64 bytes; magic, version and length take the first ten.
            header = header.ljust(-(-(len(header) + 11) // 64) * 64 - 11) + "\n"
            numbers = array("d", [value for row in rows for value in row])
            if sys.byteorder == "big":
                numbers.byteswap()
            start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
            names.writestr(f"{name}.npy", start + header.encode("ascii") + numbers.tobytes())
    return archive.getvalue()


def save_checkpoint(directory, network, step):
    path = directory / f"model.ckpt-{step}"
    write_whole(path, npz({**network, "global_step": [float(step)]}))
    write_whole(directory / "checkpoint", f'model_checkpoint_path: "{path.name}"\n'.encode("ascii"))
    return path


# --- Summaries for TensorBoard ------------------------------------------------------------------------------


class SummaryWriter:
    """An event file: records with checksums, each a protocol buffer of the type tensorflow.Event."""

    def __init__(self, directory):
        directory.mkdir()
        now = time.time()
        self.file = open(directory / f"events.out.tfevents.{int(now):010d}.{socket.gethostname()}", "wb")
        self.write(now, text_field(3, b"brain.Event:2"))

    def add(self, step, scalars):
        values = b"".join(
            text_field(1, text_field(1, tag.encode()) + tagged(2, 5) + struct.pack("<f", value))
            for tag, value in scalars.items()
        )
        self.write(time.time(), tagged(2, 0) + varint(step) + text_field(5, values))
        return self

    def write(self, wall_time, fields):
        event = tagged(1, 1) + struct.pack("<d", wall_time) + fields
        length = struct.pack("<Q", len(event))
        self.file.write(length + checksum(length) + event + checksum(event))

    def flush(self):
        self.file.flush()


def tagged(number, wire_type):
    return varint(number << 3 | wire_type)


def text_field(number, data):
    return tagged(number, 2) + varint(len(data)) + data


def varint(number):
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC32C = crc32c_table()


def checksum(data):
    """CRC-32C, turned and shifted, so that a record may hold records without confusing anybody."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC32C[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


# --- Training -----------------------------------------------------------------------------------------------


def new_experiment(output):
    """A directory that is named by the time, and this job's own even when another begins in the same second."""
    name = datetime.datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    attempt = 1
    while True:
        directory = output / (name if attempt == 1 else f"{name}_{attempt}")
        try:
            directory.mkdir(parents=True)
            return directory
        except FileExistsError:
            attempt += 1


def train_epoch(network, examples, epoch, learning_rate, seed):
    """Gives the error and the accuracy of one batch after the other."""
    order = examples[:]
    random.Random(f"{seed} epoch {epoch}").shuffle(order)
    for start in range(0, len(order), BATCH_SIZE):
        yield train_batch(network, order[start : start + BATCH_SIZE], learning_rate)


def train():
    data = directory_from("MLP_DATA_DIR", "with the data")
    output = directory_from("OUTPUT_DIR", "for what is learnt")
    epochs, units = number_from("NUM_EPOCHS", int, 10), number_from("HIDDEN_UNITS", int, 24)
    learning_rate, seed = number_from("LEARNING_RATE", float, 0.2), os.environ.get("SEED", "1")

    training, validation = split(read_digits(data), seed)
    network = new_network(len(training[0][0]), units, seed)
    experiment = new_experiment(output)
    checkpoints = experiment / "checkpoints"
    checkpoints.mkdir()
    train_writer = SummaryWriter(experiment / "train-summaries")
    valid_writer = SummaryWriter(experiment / "valid-summaries")
    statistics = {name: [] for name in ("train_error", "train_accuracy", "valid_error", "valid_accuracy")}
    print(f"Training on {len(training)} digits, validating on {len(validation)}", flush=True)
    print(f"Writing to {experiment}", flush=True)

    step = 0
    for epoch in range(1, epochs + 1):
        batches = []
        for error, accuracy in train_epoch(network, training, epoch, learning_rate, seed):
            step += 1
            batches.append((error, accuracy))
            train_writer.add(step, {"error": error, "accuracy": accuracy})
        train_error, train_accuracy = (sum(column) / len(batches) for column in zip(*batches))
        valid_error, valid_accuracy = evaluate(network, validation)
        valid_writer.add(step, {"error": valid_error, "accuracy": valid_accuracy})
        for writer in (train_writer, valid_writer):
            writer.flush()
        for name, value in zip(statistics, (train_error, train_accuracy, valid_error, valid_accuracy)):
            statistics[name].append(value)
        write_whole(experiment / "run.npz", npz(statistics))
        checkpoint = save_checkpoint(checkpoints, network, step)
        print(
            f"End of epoch {epoch:02d}: err(train)={train_error:.4f} acc(train)={train_accuracy:.4f}\n"
            f"                 err(valid)={valid_error:.4f} acc(valid)={valid_accuracy:.4f}",
            flush=True,
        )
    print(f"Saved {checkpoint}", flush=True)


def main():
    try:
        train()
    except (OSError, ValueError) as error:
        sys.stderr.write(f"example-tf-mnist-train-job.py: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

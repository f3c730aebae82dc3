#!/usr/bin/env python3
"""What each of the ranks runs: the digits of ../../../digits, trained by rank 0.

It has the options of a Keras program under Horovod and their meaning: checkpoints are looked for in one directory
(on storage that lasts) and written to another (on the node's own disk), and only one rank writes. It does not share
the work between ranks: the others say that they are there, and are done.
"""

import argparse
import json
import os
import random
import re
import sys
import time
from pathlib import Path

DIGITS = Path(__file__).resolve().parents[3] / "digits"
sys.path.insert(0, str(DIGITS))
import train as digits  # noqa: E402

SEED = 1
HIDDEN_UNITS = 32
LEARNING_RATE = 0.15


def data_file(directory):
    """The digits in the directory that was named; otherwise those of the example, and it says so."""
    named = directory / "digits.csv.gz"
    if named.exists():
        return named
    print(f"there is no digits.csv.gz in {directory}: taking the one of the digits example", flush=True)
    return DIGITS / "digits.csv.gz"


def latest_checkpoint(directory):
    """Gives (epochs done, network) of the newest checkpoint, or None."""
    numbered = [(re.fullmatch(r"checkpoint-(\d+)\.json", path.name), path) for path in directory.glob("*.json")]
    found = sorted((int(match[1]), path) for match, path in numbered if match)
    if not found:
        return None
    epoch, path = found[-1]
    return epoch, digits.Network(**json.loads(path.read_text(encoding="ascii")))


def train_epoch(network, examples, epoch):
    order = examples[:]
    random.Random(f"{SEED} epoch {epoch}").shuffle(order)
    loss = 0.0
    for start in range(0, len(order), digits.BATCH_SIZE):
        loss += digits.train_batch(network, order[start : start + digits.BATCH_SIZE], LEARNING_RATE)
    return loss / len(order)


def train(options):
    training, validation = digits.split(digits.read_digits(data_file(options.data_dir)), SEED)
    epoch, network = latest_checkpoint(options.read_checkpoints_from) or (
        0,
        digits.new_network(len(training[0][0]), HIDDEN_UNITS, SEED),
    )
    if epoch > 0:
        print(f"resumed after epoch {epoch}", flush=True)
    while epoch < options.epochs:
        started = time.monotonic()
        loss = train_epoch(network, training, epoch)
        epoch += 1
        # One directory up, where the rsync of the job script does not meet what is not finished.
        checkpoints = options.write_checkpoints_to
        digits.write_whole(checkpoints / f"checkpoint-{epoch}.json", vars(network), checkpoints.parent)
        metrics = {"epoch": epoch, "loss": loss, "accuracy": digits.accuracy(network, validation)}
        with open(options.tensorboard_logging_dir / "metrics.jsonl", "a", encoding="ascii") as file:
            file.write(json.dumps(metrics) + "\n")
        print(
            f"epoch {epoch}/{options.epochs} loss {loss:.4f} accuracy {metrics['accuracy']:.4f} "
            f"seconds {time.monotonic() - started:.2f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--read-checkpoints-from", type=Path, required=True)
    parser.add_argument("--write-checkpoints-to", type=Path, required=True)
    parser.add_argument("--tensorboard-logging-dir", type=Path, required=True)
    parser.add_argument("--epochs", type=digits.positive(int), default=10)
    options = parser.parse_args()
    rank, size = int(os.environ["HOROVOD_RANK"]), int(os.environ["HOROVOD_SIZE"])
    print(f"rank {rank} of {size}", flush=True)
    if rank == 0:
        train(options)


if __name__ == "__main__":
    main()

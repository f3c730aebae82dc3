#!/usr/bin/env python3
"""The training of mnist.py, without a word about signals, time or exit codes: the yard carries it on.

It saves after each epoch and begins with the newest checkpoint that is whole. That is all that a training needs to be
chained through time limits, preemption and crashes.
"""

import argparse
import sys
import time
from pathlib import Path

import mnist
from trainyard import Checkpointer, progress


def train(options):
    digits, examples = mnist.digits, mnist.digits.read_digits(mnist.DIGITS / "digits.csv.gz")
    training, validation = digits.split(examples, mnist.SEED)
    network = digits.new_network(len(training[0][0]), mnist.HIDDEN_UNITS, mnist.SEED)
    optimizer = mnist.Momentum(network)

    checkpoints = Checkpointer(options.checkpoints, name="epoch-{step}.ckpt")
    resumed = checkpoints.resume()
    epoch = 0
    if resumed is not None:
        saved, epoch = resumed
        vars(network).update(saved["network"])
        optimizer.restore(saved["optimizer"])
    print(f"beginning after epoch {epoch}", flush=True)

    while epoch < options.epochs:
        started = time.monotonic()
        loss = mnist.train_epoch(network, optimizer, training, epoch)
        epoch += 1
        checkpoints.save({"network": vars(network), "optimizer": optimizer.state()}, epoch)
        progress(epoch=epoch, step=epoch, steps=options.epochs, loss=loss)
        print(
            f"epoch {epoch}/{options.epochs} loss {loss:.4f} "
            f"accuracy {digits.accuracy(network, validation):.4f} seconds {time.monotonic() - started:.2f}",
            flush=True,
        )
    print("done", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=mnist.digits.positive(int), default=60, help="how often to see every digit (60)")
    parser.add_argument("--checkpoints", type=Path, help="where to save; a yard says where by itself")
    train(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())

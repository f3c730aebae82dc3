"""The data of examples/digits for the three scripts beside this, and its trainer for where a framework is missing."""

import argparse
import importlib.util
import random
import sys
from pathlib import Path

from trainyard import simulated

HIDDEN_UNITS = 32
LEARNING_RATE = 0.15
SEED = 1
# What one epoch is on a simulated GPU that has nothing else to do.
EPOCH_SECONDS = 0.3


def _trainer():
    path = Path(__file__).resolve().parent.parent / "digits" / "train.py"
    spec = importlib.util.spec_from_file_location("digits_trainer", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


trainer = _trainer()
DATA = Path(trainer.__file__).with_name("digits.csv.gz")


def load():
    """Gives (training, validation): lists of 64 pixels from 0 to 1 with a constant 1, and the digit."""
    return trainer.split(trainer.read_digits(DATA), SEED)


def load_arrays():
    """The same for frameworks: training pixels, training digits, validation pixels, validation digits."""
    return [[example[part] for example in examples] for examples in load() for part in (0, 1)]


def batches(count, batch_size, epoch):
    """Lists of indexes, in another order in each epoch."""
    order = list(range(count))
    random.Random(f"{SEED} epoch {epoch}").shuffle(order)
    return [order[start : start + batch_size] for start in range(0, count, batch_size)]


def train_without(framework, epochs, batch_size):
    """With the standard library, for real. Gives the network."""
    print(f"{framework} is not installed: training with Python's standard library instead", flush=True)
    training, validation = load()
    network = trainer.new_network(len(training[0][0]), HIDDEN_UNITS, SEED)
    for epoch in range(epochs):
        loss = 0.0
        for batch in batches(len(training), batch_size, epoch):
            loss += trainer.train_batch(network, [training[index] for index in batch], LEARNING_RATE)
        report(epoch, epochs, loss / len(training), trainer.accuracy(network, validation))
    return network


def report(epoch, epochs, loss, accuracy):
    """Also the moment at which a simulated GPU takes its time."""
    simulated.work(EPOCH_SECONDS)
    print(f"epoch {epoch + 1}/{epochs} loss {loss:.4f} accuracy {accuracy:.4f}", flush=True)


def parse_arguments(text):
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=4, help="how often to see every digit (4)")
    parser.add_argument("--batch-size", type=int, default=16, help="how many digits make one step (16)")
    return parser.parse_args()

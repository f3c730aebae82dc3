#!/usr/bin/env python3
"""Restores a network that example-tf-mnist-train-job.py saved, and says how well it reads.

  MLP_DATA_DIR=... restore-checkpoint.py $HOME/experiments/2017-02-10_12-30-00/checkpoints/model.ckpt-900

A directory stands for its last checkpoint. Keep this file beside the one that trains: the model is described there.
SEED must be what it was in training, so that the same digits are held back.
"""

import ast
import os
import re
import runpy
import struct
import sys
import zipfile
from array import array
from pathlib import Path


def restore(path):
    """Gives the arrays in a checkpoint by their names: lists of rows, or of numbers."""
    with zipfile.ZipFile(path) as archive:
        return {name[: -len(".npy")]: read_npy(archive.read(name)) for name in archive.namelist()}


def read_npy(data):
    (length,) = struct.unpack("<H", data[8:10])
    shape = ast.literal_eval(data[10 : 10 + length].decode("ascii"))["shape"]
    numbers = array("d", data[10 + length :])
    if sys.byteorder == "big":
        numbers.byteswap()
    if len(shape) == 1:
        return numbers.tolist()
    rows, columns = shape
    return [numbers[row * columns : (row + 1) * columns].tolist() for row in range(rows)]


def last_checkpoint(path):
    if not path.is_dir():
        return path
    name = re.search(r'"(.+)"', (path / "checkpoint").read_text(encoding="ascii"))[1]
    return path / name


def main():
    if len(sys.argv) != 2:
        sys.stderr.write(__doc__)
        return 2
    trainer = runpy.run_path(str(Path(__file__).with_name("example-tf-mnist-train-job.py")))
    try:
        path = last_checkpoint(Path(sys.argv[1]))
        network = restore(path)
        digits = trainer["read_digits"](trainer["directory_from"]("MLP_DATA_DIR", "with the data"))
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        sys.stderr.write(f"restore-checkpoint.py: {error}\n")
        return 1
    _, validation = trainer["split"](digits, os.environ.get("SEED", "1"))
    error, accuracy = trainer["evaluate"](network, validation)
    print(f"Restored {path.name}: err(valid)={error:.4f} acc(valid)={accuracy:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

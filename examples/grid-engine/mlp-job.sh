#!/bin/sh

# Without `export` a variable stays in this shell, and Python never sees it.
export MLP_DATA_DIR="${MLP_DATA_DIR:-$HOME/data}"
export OUTPUT_DIR="${OUTPUT_DIR:-$HOME/experiments}"
python3 "$HOME/example-tf-mnist-train-job.py"

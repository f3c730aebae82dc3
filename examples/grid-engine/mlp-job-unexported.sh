#!/bin/sh

MLP_DATA_DIR="$HOME/data"
python3 "$HOME/example-tf-mnist-train-job.py"

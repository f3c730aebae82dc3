#!/bin/sh
#YARD --name digits
#YARD --cpus 1
#YARD --memory 256M
#YARD --time 10m
#YARD --output runs/%j.out
#YARD --signal USR1@30s

# Reads handwritten digits. Submit it from this directory; whatever follows its name goes to the trainer:
#
#   trainyard submit train.sh --hidden 64
#
# Each job keeps its checkpoint in a directory of its own. A new job begins anew; one that was stopped and
# started again goes on where it was. Half a minute before its time is over it is told so, and saves.

run=${RUNS_DIR:-runs}/$TRAINYARD_JOB_ID
if [ "$TRAINYARD_RESTARTS" = 0 ]; then
  rm -f "$run/checkpoint.json" "$run/metrics.jsonl"
fi
exec python3 train.py --checkpoint "$run" --metrics "$run/metrics.jsonl" "$@"

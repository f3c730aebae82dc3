"""One training job on a simulated GPU: so much memory, so much load, so many seconds of work on it."""

import sys

from trainyard import simulated

memory, load, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with simulated.claim(memory=memory, load=load):
    simulated.work(seconds)

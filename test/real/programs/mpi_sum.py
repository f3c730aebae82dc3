"""What each rank of `mpirun` does here: adds up the ranks' numbers, counted from one, with all the others."""

import os

from mpi4py import MPI

world = MPI.COMM_WORLD
total = world.allreduce(world.rank + 1)
node = os.environ.get("SLURMD_NODENAME") or os.environ.get("HOSTNAME", "?")
os.write(1, f"rank {world.rank} of {world.size} sum {total} on {node}\n".encode())

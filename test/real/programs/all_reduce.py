"""What each rank of `torchrun` does here: adds up the ranks' numbers, counted from one, with all the others."""

import os

import torch
import torch.distributed

torch.distributed.init_process_group("gloo")
total = torch.tensor([torch.distributed.get_rank() + 1.0])
torch.distributed.all_reduce(total)
rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
os.write(1, f"rank {rank} of {size} sum {total.item():g}\n".encode())

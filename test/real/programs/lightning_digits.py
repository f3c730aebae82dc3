"""Handwritten digits by PyTorch Lightning, with what it does by itself under Slurm: it finds its ranks in the
environment, and on SIGUSR1 it saves, asks `scontrol` for a requeue, and goes on from there in the next run.

usage: lightning_digits.py DIGITS_FILE EPOCHS RANKS_PER_NODE
"""

import gzip
import logging
import os
import sys
import time

import pytorch_lightning as pl
import torch
from pytorch_lightning.plugins.environments import SLURMEnvironment
from torch.utils.data import DataLoader, TensorDataset

digits_file, epochs, ranks_per_node = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
logging.getLogger("pytorch_lightning").setLevel(logging.INFO)
torch.set_num_threads(1)


def say(text):
    """In one write, so that the lines of two ranks do not run into each other."""
    os.write(1, f"{text}\n".encode())


def read_digits():
    with gzip.open(digits_file, "rt") as lines:
        rows = torch.tensor([[int(number) for number in line.split(",")] for line in lines])
    return TensorDataset(rows[:, :-1] / 16, rows[:, -1])


class Reader(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10)
        )

    def training_step(self, batch, _index):
        pixels, labels = batch
        return torch.nn.functional.cross_entropy(self.layers(pixels), labels)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)

    def on_train_start(self):
        environment = SLURMEnvironment()
        assert environment.global_rank() == self.global_rank
        assert environment.world_size() == self.trainer.world_size
        say(
            f"rank {self.global_rank} of {self.trainer.world_size} in {environment.job_name()} "
            f"restart {os.environ.get('SLURM_RESTART_COUNT', '0')} begins after epoch {self.current_epoch}"
        )

    def on_train_epoch_end(self):
        if self.global_rank == 0:
            say(f"epoch {self.current_epoch + 1} steps {self.global_step}")
            time.sleep(0.3)


say(f"detected {SLURMEnvironment.detect()}")
pl.seed_everything(1, workers=True)
trainer = pl.Trainer(
    accelerator="cpu",
    devices=ranks_per_node,
    num_nodes=int(os.environ["SLURM_NNODES"]),
    strategy="ddp" if ranks_per_node > 1 else "auto",
    max_epochs=epochs,
    enable_progress_bar=False,
    enable_model_summary=False,
    logger=False,
)
trainer.fit(Reader(), DataLoader(read_digits(), batch_size=64, shuffle=True))
say(f"done after epoch {trainer.current_epoch}")

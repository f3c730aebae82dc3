"""What is read from the environment of a job."""

from __future__ import annotations

import os
import unittest
from pathlib import Path

from surroundings import TestCase

from trainyard import _environment, is_restart, resume_from
from trainyard._environment import find_place

BATCH = {"TRAINYARD_RANK": "0", "TRAINYARD_RANKS": "8", "SLURM_PROCID": "0", "SLURM_NTASKS": "8"}


class Ranks(unittest.TestCase):
    def test_whoever_started_this_process_knows_best(self) -> None:
        for told, expected in (
            ({}, (0, 1)),
            ({"TRAINYARD_RANK": "1", "TRAINYARD_RANKS": "4"}, (1, 4)),
            ({"SLURM_PROCID": "2", "SLURM_NTASKS": "3"}, (2, 3)),
            ({"SLURM_PROCID": "1", "SLURM_NTASKS": "8", "SLURM_STEP_NUM_TASKS": "2"}, (1, 2)),
            ({**BATCH, "OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "8"}, (5, 8)),
            ({**BATCH, "HOROVOD_RANK": "3", "HOROVOD_SIZE": "4"}, (3, 4)),
            ({**BATCH, "RANK": "6", "WORLD_SIZE": "16"}, (6, 16)),
            # A job of one rank that calls mpirun, and mpirun that calls torchrun on each node.
            (
                {"RANK": "0", "WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"},
                (1, 2),
            ),
            (
                {
                    "TORCHELASTIC_RUN_ID": "a",
                    "RANK": "9",
                    "WORLD_SIZE": "16",
                    "OMPI_COMM_WORLD_RANK": "1",
                    "OMPI_COMM_WORLD_SIZE": "2",
                },
                (9, 16),
            ),
            ({"RANK": "1"}, (0, 1)),
            ({"RANK": "4", "WORLD_SIZE": "4"}, (0, 1)),
            ({"RANK": "one", "WORLD_SIZE": "²"}, (0, 1)),
        ):
            with self.subTest(told=told):
                self.assertEqual(find_place(told), expected)


class Job(TestCase):
    def test_a_restart_is_known_in_every_dialect(self) -> None:
        self.assertFalse(is_restart())
        for name, no, yes in (
            ("TRAINYARD_RESTARTS", "0", "2"),
            ("SLURM_RESTART_COUNT", "0", "1"),
            ("RESTARTED", "0", "1"),
        ):
            for value, expected in ((no, False), (yes, True), ("", False)):
                with self.subTest(f"{name}={value}"):
                    os.environ[name] = value
                    self.assertEqual(is_restart(), expected)
                    del os.environ[name]

    def test_where_to_resume_from(self) -> None:
        self.assertIsNone(resume_from())
        os.environ["TRAINYARD_RESUME_FROM"] = "/scratch/step 7.ckpt"
        self.assertEqual(resume_from(), Path("/scratch/step 7.ckpt"))
        os.environ["TRAINYARD_RESUME_FROM"] = ""
        self.assertIsNone(resume_from())

    def test_groups_of_ranks_have_names_of_their_own_that_are_file_names(self) -> None:
        names = set()
        for told in (
            {},
            {"TRAINYARD_STEP": "3"},
            {"SLURM_STEP_ID": "../x"},
            {"TORCHELASTIC_RESTART_COUNT": "1"},
        ):
            os.environ.update(told)
            names.add(_environment.group_name())
            self.assertNotIn("/", _environment.group_name())
            for name in told:
                del os.environ[name]
        self.assertEqual(len(names), 4)


if __name__ == "__main__":
    unittest.main()

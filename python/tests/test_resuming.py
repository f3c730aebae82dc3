"""Finding the newest checkpoint that is whole, wherever it is and whoever asks."""

from __future__ import annotations

import os
import pickle
import unittest
import warnings
from unittest import mock

from checkpoint_case import Case
from surroundings import end_of, fork

from trainyard import Checkpointer, _saves


class Resuming(Case):
    def setUp(self) -> None:
        super().setUp()
        for step in (1, 2, 3):
            self.checkpointer().save(f"state {step}", step)

    def test_a_damaged_one_is_set_aside_and_the_one_before_it_used(self) -> None:
        self.spoil("step-00000003.ckpt")
        with self.assertWarnsRegex(
            RuntimeWarning, "step-00000003.ckpt is damaged.*now step-00000003.ckpt.damaged"
        ):
            self.assertEqual(self.checkpointer().resume(), ("state 2", 2))
        self.assertEqual(
            self.names(), ["step-00000001.ckpt", "step-00000002.ckpt", "step-00000003.ckpt.damaged"]
        )
        self.checkpointer().save("again", 3)
        self.spoil("step-00000003.ckpt")
        with self.assertWarnsRegex(RuntimeWarning, "now step-00000003.ckpt.2.damaged"):
            self.assertEqual(self.checkpointer().resume(), ("state 2", 2))

    def test_when_all_are_damaged_training_begins_anew(self) -> None:
        for step in (1, 2, 3):
            self.spoil(f"step-0000000{step}.ckpt")
        with self.assertWarns(RuntimeWarning):
            self.assertIsNone(self.checkpointer().resume())

    def test_a_rank_that_does_not_save_renames_nothing(self) -> None:
        self.spoil("step-00000003.ckpt")
        with self.assertWarns(RuntimeWarning):
            self.assertEqual(self.checkpointer(rank=1, ranks=2).resume(), ("state 2", 2))
        self.assertIn("step-00000003.ckpt", self.names())

    def test_without_sums_what_does_not_load_is_damaged(self) -> None:
        (self.directory / "kept" / ".sums.json").write_text("{not json")
        (self.directory / "kept" / "step-00000003.ckpt").write_bytes(b"\x80\x05half")
        with self.assertWarnsRegex(RuntimeWarning, "cannot be loaded"):
            self.assertEqual(self.checkpointer().resume(), ("state 2", 2))

    def test_a_whole_one_that_does_not_load_is_not_thrown_away(self) -> None:
        def load(_path: object) -> None:
            raise KeyError("optimizer")

        with self.assertRaisesRegex(KeyError, "optimizer"):
            self.checkpointer(load=load).resume()
        self.assertEqual(len(self.checkpointer().steps()), 3)

    def test_the_lasting_copies_are_used_where_the_local_ones_are_gone(self) -> None:
        os.environ["TRAINYARD_PERSIST"] = str(self.directory / "kept")
        local = self.checkpointer(directory=self.directory / "local")
        self.assertEqual(local.resume(), ("state 3", 3))
        local.save("state 4", 4)
        self.assertEqual(local.resume(), ("state 4", 4))
        self.spoil("step-00000004.ckpt", "local")
        self.spoil("step-00000003.ckpt")
        with self.assertWarnsRegex(RuntimeWarning, "damaged"):
            self.assertEqual(local.resume(), ("state 2", 2))
        # What lasts is not this program's to rename.
        self.assertEqual(self.names(), [f"step-0000000{step}.ckpt" for step in (1, 2, 3)])

    def test_one_that_lies_elsewhere_is_somebodys_choice(self) -> None:
        elsewhere = self.checkpointer(directory=self.directory / "elsewhere")
        os.environ["TRAINYARD_RESUME_FROM"] = str(elsewhere.save("chosen", 1))
        self.assertEqual(self.checkpointer().resume(), ("chosen", 1))
        os.environ["TRAINYARD_RESUME_FROM"] = str(self.directory / "gone")
        self.assertEqual(self.checkpointer().resume(), ("state 3", 3))

    def test_one_of_its_own_does_not_hide_what_this_run_has_saved_since(self) -> None:
        os.environ["TRAINYARD_RESUME_FROM"] = str(self.directory / "kept" / "step-00000002.ckpt")
        self.assertEqual(self.checkpointer().resume(), ("state 3", 3))

    def test_one_of_another_name_is_used_when_there_is_nothing_else(self) -> None:
        path = self.directory / "kept" / "model-70.pickle"
        path.write_bytes(pickle.dumps("other"))
        os.environ["TRAINYARD_RESUME_FROM"] = str(path)
        self.assertEqual(self.checkpointer().resume(), ("state 3", 3))
        self.assertEqual(self.checkpointer(name="{step}.ckpt").resume(), ("other", 70))

    def test_how_long_saving_took_is_known_from_the_run_before(self) -> None:
        with mock.patch.object(_saves, "_longest_seconds", 0.0):
            self.checkpointer().resume()
            self.assertGreater(_saves.longest_save_seconds(), 0)


class AllRanks(Case):
    def ranks(self) -> list[Checkpointer]:
        return [self.checkpointer(all_ranks=True, rank=rank, ranks=2) for rank in (0, 1)]

    def test_each_resumes_its_part_of_the_newest_step_that_all_have(self) -> None:
        one, two = self.ranks()
        for step in (1, 2):
            one.save(f"one {step}", step)
            two.save(f"two {step}", step)
        one.save("one 3", 3)
        self.assertEqual([each.resume() for each in self.ranks()], [("one 2", 2), ("two 2", 2)])

    def test_a_damaged_part_makes_all_of_them_go_back(self) -> None:
        one, two = self.ranks()
        for step in (1, 2):
            one.save(f"one {step}", step)
            two.save(f"two {step}", step)
        self.spoil("step-00000002.rank-0.ckpt")
        with self.assertWarns(RuntimeWarning):
            # Rank 1 first: it leaves the part of the other alone.
            self.assertEqual(two.resume(), ("two 1", 1))
            self.assertEqual(one.resume(), ("one 1", 1))
        self.assertIn("step-00000002.rank-0.ckpt.damaged", self.names())
        self.assertIn("step-00000002.rank-1.ckpt", self.names())


class TwoProcesses(Case):
    def test_a_second_one_in_the_same_directory_is_told(self) -> None:
        self.checkpointer().save("mine", 1)

        def other() -> int:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.checkpointer().save("theirs", 2)
            return 0 if "another process" in "".join(str(each.message) for each in caught) else 1

        self.assertEqual(end_of(fork(other)), 0)
        self.assertEqual(self.checkpointer().resume(), ("theirs", 2))


if __name__ == "__main__":
    unittest.main()

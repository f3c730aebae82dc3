"""Saving and keeping, with any function that saves."""

from __future__ import annotations

import json
import os
import pickle
import unittest
from pathlib import Path
from typing import Any

from checkpoint_case import Case

from trainyard import Checkpointer


class Saving(Case):
    def test_what_is_saved_comes_back(self) -> None:
        state = {"weights": [0.5, -1.0], "epoch": 3}
        self.assertIsNone(self.checkpointer().resume())
        path = self.checkpointer().save(state, 120)
        self.assertEqual(path, self.directory / "kept" / "step-00000120.ckpt")
        self.assertEqual(self.checkpointer().resume(), (state, 120))

    def test_the_newest_are_kept_and_nothing_else_is_touched(self) -> None:
        checkpointer = self.checkpointer(keep=2)
        (self.directory / "kept").mkdir()
        for other in ("notes.txt", "step-1.ckpt", "step-00000001.ckpt.bak", "model-00000001.ckpt"):
            (self.directory / "kept" / other).touch()
        for step in (10, 20, 30, 40):
            checkpointer.save(step, step)
        self.assertEqual(
            self.names(),
            [
                "model-00000001.ckpt",
                "notes.txt",
                "step-00000001.ckpt.bak",
                "step-00000030.ckpt",
                "step-00000040.ckpt",
                "step-1.ckpt",
            ],
        )
        self.assertEqual(checkpointer.steps(), [40, 30])

    def test_all_are_kept_when_asked(self) -> None:
        checkpointer = self.checkpointer(keep=None)
        for step in range(10):
            checkpointer.save(step, step)
        self.assertEqual(len(checkpointer.steps()), 10)

    def test_the_last_stays_though_its_step_is_the_smallest(self) -> None:
        checkpointer = self.checkpointer(keep=1)
        checkpointer.save("old", 500)
        checkpointer.save("anew", 1)
        self.assertEqual(checkpointer.steps(), [500, 1])

    def test_the_best_is_never_removed(self) -> None:
        for best, expected in (("min", 20), ("max", 10)):
            with self.subTest(best):
                checkpointer = self.checkpointer(directory=self.directory / best, keep=1, best=best)
                for step, metric in ((10, 0.9), (20, 0.1), (30, 0.4), (40, None), (50, float("nan"))):
                    checkpointer.save(step, step, metric=metric)
                self.assertEqual(checkpointer.steps(), [50, expected])
                self.assertEqual(pickle.loads((self.directory / best / "best").read_bytes()), expected)
                # Also when another process goes on.
                again = self.checkpointer(directory=self.directory / best, keep=1, best=best)
                again.save(60, 60, metric=0.5)
                self.assertEqual(again.steps(), [60, expected])

    def test_a_step_that_is_saved_again_replaces_the_first(self) -> None:
        checkpointer = self.checkpointer()
        for state in ("first", "second"):
            checkpointer.save(state, 7)
            self.assertEqual(self.checkpointer().resume(), (state, 7))

    def test_an_error_in_saving_leaves_all_as_it_was(self) -> None:
        def half(_state: object, file: Any) -> None:
            file.write(b"half")
            raise OSError("no more")

        self.checkpointer().save("whole", 1)
        before = sorted(os.listdir(self.directory / "kept"))
        with self.assertRaisesRegex(OSError, "no more"):
            self.checkpointer(save=half).save("next", 2)
        with self.assertRaises((AttributeError, pickle.PicklingError)):
            self.checkpointer().save(lambda: None, 2)
        self.assertEqual(sorted(os.listdir(self.directory / "kept")), before)
        self.assertEqual(self.checkpointer().resume(), ("whole", 1))

    def test_only_rank_0_saves_and_all_resume(self) -> None:
        ranks = [self.checkpointer(rank=rank, ranks=2) for rank in (0, 1)]
        self.assertEqual([each.save("state", 1) is None for each in ranks], [False, True])
        self.assertEqual([each.resume() for each in ranks], [("state", 1)] * 2)

    def test_the_yard_says_where(self) -> None:
        os.environ["TRAINYARD_CHECKPOINTS"] = str(self.directory / "yard")
        self.assertEqual(Checkpointer().directory, self.directory / "yard")
        del os.environ["TRAINYARD_CHECKPOINTS"]
        self.assertEqual(Checkpointer().directory, Path("checkpoints"))

    def test_mistakes_are_told_at_once(self) -> None:
        for options, message in (
            ({"keep": 0}, "keep is 0"),
            ({"best": "most"}, "choose 'min' or 'max'"),
            ({"name": "model.pt"}, "has to hold {step}"),
            ({"name": "{step:x}.pt"}, "as a whole number"),
            ({"name": "{epoch}.pt"}, "no {epoch}"),
            ({"name": ".{step}"}, "begin with a dot"),
            ({"name": "a/{step}"}, "slash"),
            ({"name": "{step"}, "cannot be read"),
            ({"name": "{step:q}"}, "cannot be filled in"),
            ({"name": "{step}", "all_ranks": True}, "has to hold {rank}"),
            ({"rank": 3, "ranks": 2}, "not one of 2 ranks"),
        ):
            with self.subTest(str(options)), self.assertRaisesRegex(ValueError, message):
                self.checkpointer(**options)
        for step in (-1, 1.5):
            with self.assertRaisesRegex(ValueError, "whole number"):
                self.checkpointer().save("state", step)  # type: ignore[arg-type]


class AnyFunction(Case):
    def test_one_that_wants_a_file(self) -> None:
        checkpointer = self.checkpointer(save=pickle.dump, load=pickle.load)
        checkpointer.save(["a", "b"], 1)
        self.assertEqual(checkpointer.resume(), (["a", "b"], 1))

    def test_one_that_wants_a_file_for_text(self) -> None:
        checkpointer = self.checkpointer(save=json.dump, load=json.load, name="{step}.json")
        checkpointer.save({"a": [1, "é"]}, 1)
        self.assertEqual(checkpointer.resume(), ({"a": [1, "é"]}, 1))

    def test_one_that_wants_a_path_and_looks_at_its_end(self) -> None:
        def save(state: str, path: Any) -> None:
            self.assertTrue(str(path).endswith("5.weights"))
            with open(path, "w") as file:
                file.write(state)

        checkpointer = self.checkpointer(save=save, load=lambda path: path.read_text(), name="{step}.weights")
        checkpointer.save("state", 5)
        self.assertEqual(checkpointer.resume(), ("state", 5))

    def test_one_that_writes_a_directory(self) -> None:
        def save(state: str, path: Path) -> None:
            (path / "shards").mkdir(parents=True)
            for number in range(3):
                (path / "shards" / f"{number}").write_text(f"{state} {number}")

        checkpointer = self.checkpointer(
            save=save, load=lambda path: (path / "shards" / "2").read_text(), keep=2
        )
        for step in (1, 2, 3, 3):
            checkpointer.save(f"state {step}", step)
        self.assertEqual(checkpointer.resume(), ("state 3 2", 3))
        (self.directory / "kept" / "step-00000003.ckpt" / "shards" / "1").unlink()
        with self.assertWarnsRegex(RuntimeWarning, "damaged"):
            self.assertEqual(checkpointer.resume(), ("state 2 2", 2))

    def test_one_that_writes_elsewhere_is_told(self) -> None:
        def save(state: str, path: Any) -> None:
            Path(f"{path}.npz").write_text(state)

        with self.assertRaisesRegex(FileNotFoundError, "wrote nothing to"):
            self.checkpointer(save=save).save("state", 1)
        self.assertEqual(self.names(), [])
        self.assertFalse([each for each in os.listdir(self.directory / "kept") if "draft" in each])

    def test_saving_without_loading_is_a_mistake_only_when_there_is_something_to_load(self) -> None:
        checkpointer = self.checkpointer(save=pickle.dump)
        self.assertIsNone(checkpointer.resume())
        checkpointer.save("state", 1)
        with self.assertRaisesRegex(TypeError, "needs load="):
            checkpointer.resume()
        self.assertEqual(self.names(), ["step-00000001.ckpt"])


if __name__ == "__main__":
    unittest.main()

"""The copy in memory: apart from the state, alike in shape, and made in memory that is used again."""

from __future__ import annotations

import unittest
from array import array
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

from trainyard._snapshot import take_snapshot

Pair = namedtuple("Pair", "one two")


class Model:
    def __init__(self, weights: list[float]) -> None:
        self.weights = weights


class Tensor:
    """As far as torch's has to be known: it says where it is, and what it was copied to."""

    def __init__(self, numbers: list[float], device: str = "cpu", requires_grad: bool = False) -> None:
        self.numbers, self.device, self.requires_grad = numbers, device, requires_grad
        self.dtype = "float32"

    @property
    def shape(self) -> tuple[int]:
        return (len(self.numbers),)

    def detach(self) -> Tensor:
        return Tensor(self.numbers, self.device)

    def to(self, device: str, copy: bool) -> Tensor:
        return Tensor(self.numbers[:] if copy else self.numbers, device)

    def copy_(self, other: Tensor) -> Tensor:
        self.numbers[:] = other.numbers
        return self

    def requires_grad_(self) -> Tensor:
        self.requires_grad = True
        return self


Tensor.__module__ = "torch"


class Apart(unittest.TestCase):
    def test_every_kind_comes_back_equal_and_of_its_type(self) -> None:
        ordered = OrderedDict(a=[1], b=bytearray(b"x"))
        ordered._metadata = {"version": 1}  # type: ignore[attr-defined]
        state = {
            "numbers": [1, 2.0, True, None, "text", b"bytes", 1j],
            "nested": [[1.0, 2.0], (3, [4]), {"five": {5}}],
            "ordered": ordered,
            "counts": defaultdict(int, a=1),
            "pair": Pair([1], 2),
            "array": array("d", [1.5, 2.5]),
            7: frozenset({8}),
        }
        taken = take_snapshot(state)
        self.assertEqual(taken, state)
        for name in state:
            self.assertIs(type(taken[name]), type(state[name]))
        self.assertEqual(taken["ordered"]._metadata, {"version": 1})
        for change in (
            lambda: state["numbers"].append(3),  # type: ignore[attr-defined]
            lambda: state["nested"][1][1].append(5),  # type: ignore[index]
            lambda: state["nested"][2]["five"].add(6),  # type: ignore[index]
            lambda: ordered["b"].extend(b"y"),
            lambda: state["pair"].one.append(2),  # type: ignore[attr-defined]
            lambda: state["array"].append(0.0),  # type: ignore[attr-defined]
            lambda: state["counts"].update(b=1),  # type: ignore[attr-defined]
        ):
            change()
        self.assertEqual(taken["nested"], [[1.0, 2.0], (3, [4]), {"five": {5}}])
        self.assertEqual(taken["ordered"]["b"], b"x")
        self.assertEqual((taken["pair"], taken["counts"]), (Pair([1], 2), {"a": 1}))
        self.assertEqual((len(taken["numbers"]), len(taken["array"])), (7, 2))

    def test_what_is_shared_stays_shared_and_a_circle_stays_one(self) -> None:
        weights = bytearray(b"tied")
        model = Model([1.0])
        state: dict[str, Any] = {
            "one": weights,
            "two": weights,
            "model": model,
            "models": [model, Pair(model, 1)],
        }
        state["self"] = state
        taken = take_snapshot(state)
        self.assertIs(taken["one"], taken["two"])
        self.assertIs(taken["self"], taken)
        self.assertIs(taken["model"], taken["models"][0])
        self.assertIs(taken["model"], taken["models"][1].one)
        self.assertIsNot(taken["model"], model)

    def test_a_tensor_comes_to_main_memory(self) -> None:
        tensor = Tensor([1.0], device="cuda")
        taken = take_snapshot({"weights": tensor, "learned": Tensor([2.0], requires_grad=True)})
        tensor.numbers[0] = 9.0
        self.assertEqual((taken["weights"].device, taken["weights"].numbers), ("cpu", [1.0]))
        self.assertTrue(taken["learned"].requires_grad)


class UsedAgain(unittest.TestCase):
    def test_large_leaves_are_copied_into_the_memory_of_the_one_before(self) -> None:
        def state(number: int) -> dict[str, Any]:
            return {
                "bytes": bytearray([number] * 9),
                "layers": [array("q", [number]), (Tensor([float(number)]),)],
            }

        first = take_snapshot(state(1))
        second = take_snapshot(state(2), first)
        self.assertIs(second["bytes"], first["bytes"])
        self.assertIs(second["layers"][0], first["layers"][0])
        self.assertIs(second["layers"][1][0], first["layers"][1][0])
        self.assertEqual(second["bytes"], bytearray([2] * 9))
        self.assertEqual(second["layers"][0], array("q", [2]))
        self.assertEqual(second["layers"][1][0].numbers, [2.0])

    def test_what_does_not_fit_is_made_anew(self) -> None:
        spare = {
            "bytes": bytearray(3),
            "array": array("q", [1]),
            "other": array("i", [1]),
            "gone": bytearray(1),
        }
        state = {
            "bytes": bytearray(b"long"),
            "array": array("d", [2.5]),
            "other": bytearray(b"x"),
            "new": [bytearray(b"y")],
        }
        self.assertEqual(take_snapshot(state, spare), state)
        self.assertEqual(take_snapshot([bytearray(b"z")], "nothing of the kind"), [bytearray(b"z")])

    def test_two_values_never_share_memory_that_was_shared_before(self) -> None:
        shared = bytearray(b"aa")
        first = take_snapshot([shared, shared])
        self.assertEqual(take_snapshot([bytearray(b"bb"), bytearray(b"cc")], first), [b"bb", b"cc"])


if __name__ == "__main__":
    unittest.main()

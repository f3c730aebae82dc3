"""Where the yard is looked for that shares out GPUs, and which directories are trusted."""

from __future__ import annotations

import os
import unittest
from unittest import mock

from fake_yard import FakeYard
from surroundings import TestCase

from trainyard._balancers import Place, Places, address_of, places_in
from trainyard._pointer import Untrusted
from trainyard.gpu import lease

UID = os.geteuid()


def looked_for(**environ: str) -> list[str]:
    return [place.path for place in places_in(environ).places]


def path_in(place: Place) -> str | None:
    address = address_of(place)
    return None if address is None else address.path


USUAL = [f"/var/tmp/trainyard-{UID}", f"/tmp/trainyard-{UID}"]


class Order(unittest.TestCase):
    def test_a_named_balancer_and_nothing_else(self) -> None:
        found = looked_for(TRAINYARD_GLB_DIR="/a", TRAINYARD_DIR="/b", SLURM_JOB_ID="5", HOME="/home/ada")
        self.assertEqual(found, ["/a"])
        self.assertEqual(looked_for(TRAINYARD_GLB_DIR="beside"), [os.path.abspath("beside")])

    def test_the_usual_places_of_a_yard(self) -> None:
        self.assertEqual(looked_for(), USUAL)
        self.assertEqual(looked_for(HOME="/home/ada"), ["/home/ada/.local/state/trainyard", *USUAL])
        self.assertEqual(looked_for(HOME="/home/ada", XDG_STATE_HOME="/state"), ["/state/trainyard", *USUAL])
        self.assertEqual(looked_for(XDG_STATE_HOME="state"), USUAL)
        self.assertEqual(looked_for(HOME="/home/ada", TRAINYARD_DIR="/b"), ["/b"])

    def test_a_job_of_a_yard_with_gpus_has_its_own_balancer_or_none(self) -> None:
        within = {"TRAINYARD_JOB_ID": "17", "TRAINYARD_DIR": "/b", "SLURM_JOB_ID": "17"}
        own = places_in({**within, "CUDA_VISIBLE_DEVICES": "0"})
        self.assertEqual([place.path for place in own.places], [f"/tmp/trainyard-glb-{UID}/job-17"])
        self.assertTrue(own.has_own_gpus)
        named = places_in({**within, "CUDA_VISIBLE_DEVICES": "0", "TRAINYARD_YARD": "0a1b"})
        self.assertEqual([place.path for place in named.places], [f"/tmp/trainyard-glb-{UID}/job-0a1b-17"])
        for none in ({}, {"CUDA_VISIBLE_DEVICES": ""}):
            other = places_in({**within, **none})
            self.assertEqual([place.path for place in other.places], ["/b"])
            self.assertFalse(other.has_own_gpus)

    def test_jobs_of_other_systems_have_theirs_before_the_usual_places(self) -> None:
        self.assertEqual(looked_for(SLURM_JOB_ID="5"), [f"/tmp/trainyard-glb-{UID}/slurm-5", *USUAL])
        self.assertEqual(looked_for(JOB_ID="6", SGE_ROOT="/sge"), [f"/tmp/trainyard-glb-{UID}/sge-6", *USUAL])
        self.assertEqual(looked_for(JOB_ID="6"), USUAL)
        self.assertEqual(looked_for(SLURM_JOB_ID="../../home")[0], f"/tmp/trainyard-glb-{UID}/slurm-home")


class Trust(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.yard = FakeYard(self.directory / "yard")
        self.addCleanup(self.yard.die)

    def test_the_socket_is_where_the_file_says(self) -> None:
        place = Place(str(self.yard.directory), False)
        self.assertEqual(path_in(place), str(self.yard.directory / "1.sock"))
        for text in ("", "\n", f"/{'x' * 107}", "yard.sock\n", "/yard.sock\n1 1\n"):
            (self.yard.directory / "socket").write_text(text)
            self.assertIsNone(path_in(place), text)

    def test_a_copied_directory_does_not_lead_to_the_original(self) -> None:
        facts = os.stat(self.yard.directory)
        pointer = self.yard.directory / "socket"
        pointer.write_text(f"{pointer.read_text()}{facts.st_dev} {facts.st_ino}\n")
        copy = self.directory / "copy"
        copy.mkdir()
        (copy / "socket").write_bytes(pointer.read_bytes())
        self.assertIsNotNone(path_in(Place(str(self.yard.directory), False)))
        self.assertIsNone(path_in(Place(str(copy), False)))

    def test_what_is_no_plain_file_makes_nobody_wait(self) -> None:
        place = Place(str(self.yard.directory), False)
        pointer = self.yard.directory / "socket"
        real = self.yard.directory / "real"
        pointer.rename(real)
        pointer.symlink_to(real)
        self.assertIsNone(path_in(place))
        pointer.unlink()
        os.mkfifo(pointer)
        self.assertIsNone(path_in(place))
        pointer.unlink()
        pointer.mkdir()
        self.assertIsNone(path_in(place))

    def test_what_others_may_have_put_there_does_not_count(self) -> None:
        shared = Place(str(self.yard.directory), True)
        self.assertIsNotNone(path_in(shared))
        link = self.directory / "link"
        link.symlink_to(self.yard.directory)
        self.assertIsNone(path_in(Place(str(link), True)), "a link could lead anywhere")
        self.assertIsNotNone(path_in(Place(str(link), False)), "one that the user named leads to the user's")
        with mock.patch("os.geteuid", return_value=UID + 1), self.assertRaisesRegex(Untrusted, "another user"):
            path_in(shared)
        for mode in (0o720, 0o702):
            self.yard.directory.chmod(mode)
            with self.assertRaisesRegex(Untrusted, "other users may write"):
                path_in(shared)

    def test_a_pointer_that_others_can_write_does_not_count(self) -> None:
        (self.yard.directory / "socket").chmod(0o666)
        self.assertIsNone(path_in(Place(str(self.yard.directory), False)))

    def test_the_first_that_answers_is_asked(self) -> None:
        dead = FakeYard(self.directory / "dead")
        dead.die()
        places = (Place(str(dead.directory), False), Place(str(self.yard.directory), False))
        found = Places(places, has_own_gpus=False)
        with mock.patch("trainyard._holding.places_in", return_value=found), lease("x") as grant:
            self.assertEqual(grant.lease, "17.1")


if __name__ == "__main__":
    unittest.main()

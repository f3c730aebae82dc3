"""examples/gpu-sharing: its trainers learn on a lease of their kind and claim what they say, without any framework."""

from __future__ import annotations

import ast
import subprocess
import sys
import unittest
from pathlib import Path

from fake_yard import Asked
from gpu_case import GpuCase
from surroundings import PACKAGE, PATIENCE_SECONDS

EXAMPLE = PACKAGE.parent / "examples" / "gpu-sharing"
WITHOUT = """
import sys, runpy
for name in ("tensorflow", "torch", "jax", "flax"):
    sys.modules[name] = None
sys.path.insert(0, ".")
sys.argv = [sys.argv[1], "--epochs", "1"]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@unittest.skipUnless(EXAMPLE.exists(), "the example does not come with the package")
class Example(GpuCase):
    def test_the_trainers(self) -> None:
        for script, framework, claimed in (
            ("tf_mnist_train.py", "TensorFlow", "3435973837 20"),
            ("torch_mnist_train.py", "PyTorch", "1717986918 35"),
            ("jax_mnist_train.py", "JAX", "2576980378 25"),
        ):
            with self.subTest(script):
                gpus = self.directory / script
                seen = self.run_on(gpus, script)
                self.assertIn(f"{framework} is not installed", seen)
                self.assertRegex(seen, r"epoch 1/1 loss [\d.]+ accuracy 0\.[89]")
                asked = self.yard.next_asked()
                self.assertEqual(asked.body["kind"], f"{script}::train_job")
                self.assertEqual(self.yard.next_completed()[1], {"succeeded": True, "outOfMemory": False})
                self.assertEqual((gpus / "seen").read_text(), claimed)

    def run_on(self, gpus: Path, script: str) -> str:
        """On a simulated GPU; whoever is started is seen by a trainer that looks at itself while it works."""
        (gpus / "0").mkdir(parents=True)
        (gpus / "devices").write_text(f"0 {16 << 30} simulated\n")

        def grant(asked: Asked) -> None:
            asked.grant(0, is_learning=False, TRAINYARD_SIMULATED_GPUS=str(gpus))

        self.yard.on_ask = grant
        looks = (
            "from trainyard import simulated, _claims\n"
            "def look(seconds):\n"
            f"    (claim,) = _claims.live_claims(simulated.Path({str(gpus / '0')!r})).values()\n"
            f"    simulated.Path({str(gpus / 'seen')!r}).write_text(f'{{claim.memory_bytes}} {{claim.load:g}}')\n"
            "simulated.work = look\n"
        )
        ended = subprocess.run(
            [sys.executable, "-B", "-c", looks + WITHOUT, script],
            cwd=EXAMPLE,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return ended.stdout

    def test_the_workflow_has_nine_jobs_under_both_names(self) -> None:
        names = [
            node.name
            for node in ast.parse((EXAMPLE / "mnist_doit.py").read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef)
        ]
        self.assertEqual(names, [f"task_{number}" for number in range(9)])
        self.assertIn("from mnist_doit import *", (EXAMPLE / "example_doit.py").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()

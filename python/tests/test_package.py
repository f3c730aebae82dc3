"""What holds for the package as a whole: it runs where only Python is, from 3.9 on, and says its types."""

from __future__ import annotations

import ast
import sys
import unittest

from surroundings import PACKAGE

import trainyard

SOURCES = sorted(source for name in ("trainyard", "glb") for source in (PACKAGE / name).glob("*.py"))


class Package(unittest.TestCase):
    def test_it_exports_what_it_says(self) -> None:
        for name in trainyard.__all__:
            self.assertTrue(hasattr(trainyard, name), name)

    def test_every_file_can_be_read_by_the_oldest_python(self) -> None:
        self.assertGreater(len(SOURCES), 5)
        for source in SOURCES:
            with self.subTest(source.name):
                ast.parse(source.read_text(encoding="utf-8"), feature_version=(3, 9))

    @unittest.skipIf(sys.version_info < (3, 10), "this Python has no list of its own modules")
    def test_it_needs_the_standard_library_and_nothing_else(self) -> None:
        known = {*sys.stdlib_module_names, "trainyard"}  # type: ignore[attr-defined, unused-ignore]
        for source in SOURCES:
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                named = [each.name for each in node.names] if isinstance(node, ast.Import) else []
                named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                for module in named:
                    self.assertIn(module.split(".")[0], known, source.name)

    def test_every_function_says_its_types(self) -> None:
        for name in ("trainyard", "glb"):
            self.assertTrue((PACKAGE / name / "py.typed").exists())
        for source in SOURCES:
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef):
                    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                    bare = [each.arg for each in given if each.annotation is None and each.arg != "self"]
                    self.assertEqual((bare, node.returns is None), ([], False), f"{source.name}: {node.name}")


if __name__ == "__main__":
    unittest.main()

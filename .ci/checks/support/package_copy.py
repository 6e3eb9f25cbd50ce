"""Makes a copy of the package with its own build, for checks that change the sources."""
import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[3]


def copied(name):
    """Copies the package's sources and tests to the folder `name`, which keeps its build, and returns the folder."""
    copy = ROOT / name
    for folder in ("Sources", "Tests"):
        shutil.rmtree(copy / folder, ignore_errors=True)
        shutil.copytree(ROOT / folder, copy / folder, symlinks=True, ignore=shutil.ignore_patterns(".build*"))
    shutil.copy(ROOT / "Package.swift", copy / "Package.swift")
    return copy

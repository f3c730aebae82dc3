"""The workflow of mnist_doit.py under the other name that it is known by."""

from mnist_doit import *  # noqa: F403

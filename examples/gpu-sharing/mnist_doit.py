"""Nine training jobs for doit, three of each kind. None needs another, so all of them can run at the same time."""

import shutil
import sys

from doit.task import clean_targets

PYTHON = shutil.which("python") or sys.executable


def task_0():
    return {
        'doc': 'Tensorflow MNIST training 0',
        'file_dep': [],
        'targets': [],
        'actions': [[PYTHON, 'tf_mnist_train.py']],
        'clean': [clean_targets],
    }


def task_1():
    return {
        'doc': 'Tensorflow MNIST training 1',
        'file_dep': [],
        'targets': [],
        'actions': [[PYTHON, 'tf_mnist_train.py']],
        'clean': [clean_targets],
    }


def task_2():
    return {
        'doc': 'Tensorflow MNIST training 2',
        'file_dep': [],
        'targets': [],
        'actions': [[PYTHON, 'tf_mnist_train.py']],
        'clean': [clean_targets],
    }


def task_3():
    return {
        'doc': 'PyTorch MNIST training 0',
        'file_dep': [],
        'targets': [],
        'actions': [[PYTHON, 'torch_mnist_train.py']],
        'clean': [clean_targets],
    }


def task_4():
    return {
        'doc': 'PyTorch MNIST training 1',
        'file_dep': [],
        'targets': [],
        'actions': [[PYTHON, 'torch_mnist_train.py']],
        'clean': [clean_targets],
    }


def task_5():
    return {
        'doc': 'PyTorch MNIST training 2',
        'file_dep': [],
        'targets': [],
        'actions': [[PYTHON, 'torch_mnist_train.py']],
        'clean': [clean_targets],
    }


def task_6():
    return {
        'doc': 'JAX MNIST training 0',
        'file_dep': [],
        'targets': [],
        'actions': [[PYTHON, 'jax_mnist_train.py']],
        'clean': [clean_targets],
    }


def task_7():
    return {
        'doc': 'JAX MNIST training 1',
        'file_dep': [],
        'targets': [],
        'actions': [[PYTHON, 'jax_mnist_train.py']],
        'clean': [clean_targets],
    }


def task_8():
    return {
        'doc': 'JAX MNIST training 2',
        'file_dep': [],
        'targets': [],
        'actions': [[PYTHON, 'jax_mnist_train.py']],
        'clean': [clean_targets],
    }

"""Functions as tasks of an array, by pysge: their results, in order."""

import json

import pysge


def power(base, exponent=2):
    return base**exponent


if __name__ == "__main__":
    tasks = [{"task": power, "args": [base], "kwargs": {"exponent": 3}} for base in range(1, 6)]
    results = pysge.sge_submit(
        tasks, "powers", "areas", options="-q cpu -l h_rt=600", quiet=True, sleep=0.5, request_resubmission_options=False
    )
    print(json.dumps(results))

"""Workers of dask, each a job of Grid Engine: squares computed on them, by whom, and that they are gone afterwards."""

import json
import os
import subprocess
import sys

from dask.distributed import Client
from dask_jobqueue import SGECluster


def square(number):
    return number * number, os.environ["JOB_ID"]


def listed():
    return subprocess.run(["qstat"], capture_output=True, text=True, check=True).stdout.count("dask-worke")


def main():
    cluster = SGECluster(
        queue="cpu",
        cores=1,
        memory="500MB",
        walltime="00:10:00",
        interface="lo",
        python=sys.executable,
        log_directory="logs",
        local_directory=os.getcwd(),
        scheduler_options={"dashboard_address": None},
    )
    with cluster, Client(cluster) as client:
        cluster.scale(jobs=2)
        client.wait_for_workers(2, timeout=90)
        running = listed()
        results = client.gather(client.map(square, range(20)))
    squares = [value for value, _ in results]
    print(json.dumps({"squares": sum(squares), "running": running, "script": cluster.job_script()}))


if __name__ == "__main__":
    main()

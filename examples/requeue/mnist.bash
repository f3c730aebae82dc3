#!/bin/bash
#SBATCH --job-name=mnist
#SBATCH --output=mnist-%j.out
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=256M
#SBATCH --time=00:05:00

# Submit it from this directory; what follows its name goes to mnist.py:
#
#   sbatch mnist.bash --epochs 20 --seconds 15

# When the job is told to stop, every process of it is, and this shell too: it has to outlive python, to pass on
# what python says.
trap : TERM INT USR1

# A job that is queued again keeps its number, so it finds its own checkpoint; a new job begins anew.
python3 mnist.py --checkpoint "checkpoints/$SLURM_JOB_ID.json" "$@"
status=$?

echo "run ${SLURM_RESTART_COUNT:-0} on $SLURMD_NODENAME ended with $status"
exit $status

#!/bin/bash
#SBATCH --job-name=chained
#SBATCH --output=chained-%j.out
#SBATCH --open-mode=append
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=256M
#SBATCH --time=00:01:00
#YARD checkpoints=checkpoints/%x-%j keep=3 chain

exec python3 chained.py "$@"

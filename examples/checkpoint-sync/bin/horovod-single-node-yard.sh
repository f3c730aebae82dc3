#!/bin/bash --login
#SBATCH --nodes=1
#SBATCH --time=24:00:00
#SBATCH --mem=0
#SBATCH --ntasks=8
#SBATCH --tasks-per-node=8
#SBATCH --cpus-per-task=6
#SBATCH --gres=gpu:v100:8
#SBATCH --constraint=cpu_intel_platinum_8260
#SBATCH --partition=batch
#SBATCH --output=../results/%x/slurm-%j.out
#SBATCH --error=../results/%x/slurm-%j.err
#SBATCH --open-mode=append
#YARD checkpoints=$SCRATCH/checkpoints persist=../results/%x/logs/checkpoints keep=3 chain
#YARD logs=$SCRATCH/tensorboard:../results/%x/logs/tensorboard gpu-log=../results/%x/logs/nvidia-smi.log

SRC_DIR=${SRC_DIR:-../src/horovod-keras-example}
TRAINING_SCRIPT=${TRAINING_SCRIPT:-$SRC_DIR/train.py}

module load cuda/10.0.130
conda activate ../env

mkdir -p $SCRATCH/tensorboard
horovodrun -np $SLURM_NTASKS python $TRAINING_SCRIPT \
    --data-dir $DATA_DIR \
    --read-checkpoints-from $TRAINYARD_CHECKPOINTS \
    --write-checkpoints-to  $TRAINYARD_CHECKPOINTS \
    --tensorboard-logging-dir $SCRATCH/tensorboard

import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../model/bytes.ts';
import { unexportedVariables } from './unexported.ts';

const RUN = '/disk/scratch/mlp/miniconda2/bin/python $HOME/train-model.py';
const SET = "MLP_DATA_DIR='/disk/scratch/mlp/data'";

function names(script: string, environment: readonly string[] = []): readonly string[] {
  const found = unexportedVariables(bytesFromText(script), (name) => environment.includes(name));
  return found.map(({ name, line }) => `${name}:${line}`);
}

describe('a variable that no program sees', () => {
  it('is named with its line, and the program with its own', () => {
    const script = `#!/bin/sh\n\n${SET}\n${RUN}\n`;
    expect(unexportedVariables(bytesFromText(script), () => false)).toEqual([
      { name: 'MLP_DATA_DIR', line: 3, program: '/disk/scratch/mlp/miniconda2/bin/python', programLine: 4 },
    ]);
  });

  it.each([
    ['without a first line', `${SET}\n${RUN}\n`],
    ['among directives', `#!/bin/bash\n#$ -cwd\n# MLP_DATA_DIR is for the data\n${SET}\nexec ${RUN}\n`],
    ['before a program in a loop', `${SET}\nfor i in 1 2; do\n  ${RUN} $i || exit 1\ndone\n`],
    ['before a function that runs one', `train() { ${RUN}; }\n${SET}\ntrain\n`],
    ['next to others that are used', `OUT=$HOME/out\n${SET}\nmkdir -p "$OUT"\n${RUN} > "$OUT/log"\n`],
    ['after a well-known file is read', `source ~/miniconda3/bin/activate mlp\n${SET}\n${RUN}\n`],
    ['after conda is set up', `eval "$(conda shell.bash hook)"\nconda activate mlp\n${SET}\n${RUN}\n`],
    ['to a value of variables', `MLP_DATA_DIR=$HOME/data/$USER\n${RUN}\n`],
    ['added to itself', `LD_LIBRARY_PATH=/opt/cuda/lib:$LD_LIBRARY_PATH\n${RUN}\n`],
  ])('%s', (_, script) => expect(names(script)).toHaveLength(1));
});

describe('nothing is said of a variable', () => {
  it.each([
    ['exported before', `export ${SET}\n${RUN}\n`],
    ['exported later', `${SET}\nexport MLP_DATA_DIR\n${RUN}\n`],
    ['exported by name on the same line', `${SET}; export MLP_DATA_DIR OTHER\n${RUN}\n`],
    ['declared', `declare -x ${SET}\n${RUN}\n`],
    ['on the line of the command', `${SET} ${RUN}\n`],
    ['on the lines of the command', `${SET} \\\n  OTHER_DIR=/x \\\n  ${RUN}\n`],
    ['with set -a', `set -a\n${SET}\n${RUN}\n`],
    ['with set -ea', `set -ea\n${SET}\n${RUN}\n`],
    ['with set -o allexport', `set -o allexport\n${SET}\nset +o allexport\n${RUN}\n`],
    ['under a shell with -a', `#!/bin/sh -a\n${SET}\n${RUN}\n`],
    ['that the shell uses', `${SET}\n${RUN} --data $MLP_DATA_DIR\n`],
    ['that the shell uses in quotes', `${SET}\n${RUN} --data "\${MLP_DATA_DIR}/x"\n`],
    ['that the shell uses later', `${SET}\nargs() { echo "--data=$MLP_DATA_DIR"; }\n${RUN} $(args)\n`],
    ['in an arithmetic', `EPOCHS=10\nfor ((i = 0; i < EPOCHS; i++)); do ${RUN}; done\n`],
    ['in a test', `DEBUG=1\nif [[ $DEBUG == 1 ]]; then set -x; fi\n${RUN}\n`],
    ['in a here-document', `${SET}\n${RUN} <<EOF\ndata: $MLP_DATA_DIR\nEOF\n`],
    ['in a trap', `LOCK_FILE=/tmp/x\ntrap 'rm -f $LOCK_FILE' EXIT\n${RUN}\n`],
    ['that is handed on by name', `${SET}\nsrun --export=MLP_DATA_DIR ${RUN}\n`],
    ['by the name of another', `${SET}\nname=MLP_DATA_DIR\n${RUN} "\${!name}"\n`],
    ['that another file may use', `${SET}\n. ./common.sh\n${RUN}\n`],
    ['that an eval may use', `${SET}\neval "$COMMAND"\n${RUN}\n`],
    ['in small letters', `data_dir=/data\n${RUN}\n`],
    ['of one or two letters', `N=4\nID=7\n${RUN}\n`],
    ['of the shell itself', `IFS=,\nPS4='+ '\nSECONDS=0\n${RUN}\n`],
    ['that every job has', `PATH=/opt/bin:$PATH\nTMPDIR=/scratch\nLC_ALL=C\n${RUN}\n`],
    ['that takes what a command prints', `IGNORED=$(module load cuda)\n${RUN}\n`],
    ['that is an array', `OPTIONS=(--lr 1)\n${RUN}\n`],
    ['in a function', `setup() { MODE_NAME=x; }\nsetup\n${RUN}\n`],
    ['after the last program', `${RUN}\nEND_STATE=done\n`],
    ['when only everyday tools follow', `${SET}\nmkdir -p /x\ncp a b\necho done\n`],
    ['in a heredoc', `cat > run.sh <<'END'\n${SET}\n${RUN}\nEND\n${RUN}\n`],
    ['in a comment', `# ${SET}\n${RUN}\n`],
    ['in Python', `#!/usr/bin/env python3\nDATA_DIR = '/x'\nDATA_DIR='/x'\nprint(1)\n`],
    ['in what is no shell script', `${SET}\nif then fi done (\n${RUN}\n`],
  ])('%s', (_, script) => expect(names(script)).toEqual([]));

  it('that the job has from outside', () => {
    const script = `#!/bin/sh\n${SET}\n${RUN}\n`;
    expect(names(script, ['MLP_DATA_DIR'])).toEqual([]);
    expect(names(script, ['OTHER'])).toEqual(['MLP_DATA_DIR:2']);
  });
});

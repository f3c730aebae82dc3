import { describe, expect, it } from 'vitest';
import { findingsOf, gridEngineScript, said, slurmScript } from '../fake-world.ts';

describe('variables that a job does not get', () => {
  const use = 'srun python train.py --data $DATA_DIR';
  const environment = ['DATA_DIR'];
  const left = ['3 warning not-passed-on'];

  it.each([
    ['--export=ALL', []],
    ['--export=NONE', left],
    ['--export=OTHER', left],
    ['--export=OTHER,DATA_DIR', []],
    ['--export=DATA_DIR=/x', []],
    ['--export=ALL,OTHER=1', []],
    ['-J a', []],
  ])('with %s', (directive, expected) => {
    expect(said(slurmScript([directive], use), { environment })).toEqual(expected);
  });

  it('without -V in Grid Engine', () => {
    const run = 'python train.py --data "$DATA_DIR/x"';
    expect(said(gridEngineScript(['-cwd'], run), { environment })).toEqual(left);
    for (const directive of ['-V', '-v DATA_DIR', '-v A=1,DATA_DIR=/x']) {
      expect(said(gridEngineScript([directive], run), { environment })).toEqual([]);
    }
  });

  it('or that nobody sets', () => {
    expect(said(slurmScript(['-J a'], use))).toEqual(['3 hint not-passed-on']);
    expect(findingsOf(gridEngineScript(['-V'], 'python $MAIN'))[0]?.advice).toContain('-v MAIN=');
  });

  it.each([
    ['DATA_DIR=/x'],
    ['export DATA_DIR=/x'],
    ['read -r DATA_DIR < where'],
    ['for DATA_DIR in a b; do echo; done'],
    [`DATA_DIR=\${DATA_DIR:-/x}`],
    ['[ -n "$DATA_DIR" ] || exit 1'],
    [`: "\${DATA_DIR:?set it}"`],
    ['source settings.sh'],
    ['module load data'],
    ['eval "$SETTINGS_LINE"'],
  ])('unless it may be set: %s', (line) => {
    const found = said(slurmScript(['--export=NONE'], `${line}\n${use}`), { environment });
    expect(found.filter((each) => each.startsWith('4'))).toEqual([]);
  });

  it.each([
    ['$SLURM_JOB_ID $SLURM_NTASKS $HOME $USER $PATH'],
    ['$HOSTNAME $RANDOM $1 $@ $? $$ $!'],
    ["'$DATA_DIR'"],
    ['$data'],
  ])('but not %s', (words) =>
    expect(said(slurmScript(['--export=NONE'], `srun echo ${words}`), { environment })).toEqual([]),
  );

  it('nothing is said about scripts for no system', () => {
    expect(said('#!/bin/bash\npython $DATA_DIR\n')).toEqual([]);
  });
});

describe('variables that are not exported', () => {
  it('are named with the program', () => {
    const [finding] = findingsOf('#!/bin/bash\nDATA_DIR=/x\npython train.py\n');
    expect(finding).toEqual({
      line: 2,
      level: 'warning',
      rule: 'not-exported',
      sentence: 'DATA_DIR is set but not exported: python in line 3 does not see it',
      advice: 'write export DATA_DIR=…',
    });
  });

  it('unless the job has them already', () => {
    const environment = ['DATA_DIR'];
    const body = 'DATA_DIR=/x\nsrun python train.py';
    expect(said(slurmScript([], body), { environment })).toEqual([]);
    expect(said(slurmScript(['--export=NONE'], body), { environment })).toEqual(['3 warning not-exported']);
    expect(said(gridEngineScript(['-cwd'], body), { environment })).toEqual(['3 warning not-exported']);
    expect(said(gridEngineScript(['-V'], body), { environment })).toEqual([]);
    expect(said(gridEngineScript(['-v DATA_DIR=/y'], body))).toEqual([]);
  });
});

describe('variables of another system', () => {
  it.each([
    ['SGE_TASK_ID', 'SLURM_ARRAY_TASK_ID'],
    ['JOB_ID', 'SLURM_JOB_ID'],
    ['NSLOTS', 'SLURM_NTASKS'],
    ['PBS_ARRAYID', 'SLURM_ARRAY_TASK_ID'],
  ])('%s in a script for Slurm', (name, meant) => {
    const [finding, ...others] = findingsOf(slurmScript(['--array=1-4'], `srun a $${name}\nsrun b $${name}`));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      line: 3,
      level: 'warning',
      rule: 'other-system',
      advice: `use ${meant}`,
    });
  });

  it('SLURM_ARRAY_TASK_ID in a script for Grid Engine', () => {
    const [finding] = findingsOf(gridEngineScript(['-t 1-4'], 'python a.py $SLURM_ARRAY_TASK_ID'));
    expect(finding).toMatchObject({ rule: 'other-system', advice: 'use SGE_TASK_ID' });
  });

  it.each([
    [`JOB_ID=\${SLURM_JOB_ID}\nsrun a $JOB_ID`],
    [`srun a \${SGE_TASK_ID:-$SLURM_ARRAY_TASK_ID}`],
    ['if [ -n "$SGE_TASK_ID" ]; then srun a $SGE_TASK_ID; fi'],
  ])('%s is no mistake', (body) => {
    expect(said(slurmScript(['--array=1-4'], body))).toEqual([]);
  });

  it('a script for both may use both', () => {
    const script = '#!/bin/bash\n#SBATCH --array=1-2\n#$ -t 1-2\na $SLURM_ARRAY_TASK_ID $SGE_TASK_ID\n';
    expect(said(script)).toEqual(['3 hint directive-place']);
  });

  it('an index without an array', () => {
    expect(said(slurmScript([], 'srun a $SLURM_ARRAY_TASK_ID'))).toEqual([]);
    expect(said(slurmScript(['-J a'], 'srun a $SLURM_ARRAY_TASK_ID'))).toEqual(['3 hint other-system']);
    expect(said(slurmScript(['-a 1-4'], 'srun a $SLURM_ARRAY_TASK_ID'))).toEqual([]);
    expect(said(gridEngineScript(['-cwd'], 'a $SGE_TASK_ID'))).toEqual(['3 hint other-system']);
    expect(said(gridEngineScript(['-t 1-4'], 'a $SGE_TASK_ID'))).toEqual([]);
  });
});

describe('devices', () => {
  const gpus = ['--gres=gpu:2'];
  it.each([
    ['export CUDA_VISIBLE_DEVICES=0,1', ['3 warning devices']],
    ['CUDA_VISIBLE_DEVICES=0 python a.py', ['3 warning devices']],
    ['CUDA_VISIBLE_DEVICES=$SLURM_LOCALID python a.py', []],
    ['export CUDA_VISIBLE_DEVICES=', []],
    ['export CUDA_DEVICE_ORDER=PCI_BUS_ID', []],
  ])('%s', (line, expected) => expect(said(slurmScript(gpus, line))).toEqual(expected));

  it('may be chosen by a job that was given none', () => {
    expect(said(slurmScript(['-J a'], 'export CUDA_VISIBLE_DEVICES=0'))).toEqual([]);
    expect(said(slurmScript(['--gres=shard:1'], 'export CUDA_VISIBLE_DEVICES=0'))).toEqual([
      '3 warning devices',
    ]);
    expect(said(gridEngineScript(['-l gpu=1'], 'export CUDA_VISIBLE_DEVICES=0'))).toEqual([
      '3 warning devices',
    ]);
  });
});

describe('results in a directory that goes away', () => {
  it.each([
    ['python a.py --output-dir $TMPDIR/out', ['3 hint scratch']],
    ['python a.py --save_path="$SLURM_TMPDIR/out"', ['3 hint scratch']],
    ['python a.py --output-dir $TMPDIR/out\ncp -r $TMPDIR/out $HOME', []],
    ['python a.py --cache-dir $TMPDIR/cache', []],
    ['python a.py --data $TMPDIR/data', []],
  ])('%s', (body, expected) => expect(said(slurmScript(['-J a'], body))).toEqual(expected));
});

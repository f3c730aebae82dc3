import { describe, expect, it } from 'vitest';
import { findingsOf, gridEngineScript, said, slurmScript } from '../fake-world.ts';

/** What is said of a script of these lines, without the line numbers of its head. */
const bash = (body: string) => said(`#!/bin/bash\n${body}\n`);

describe('programs in the background', () => {
  it.each([
    ['python train.py &'],
    ['python a.py &\npython b.py &\necho started'],
    ['for i in 0 1 2 3; do\n  python train.py $i &\n  sleep 1\ndone'],
    ['nohup python train.py > log 2>&1 &'],
    ['cd /work\nsrun -n1 a &\nsrun -n1 b &'],
    ['python train.py 2>&1 | tee log &'],
  ])('%s is ended with the job', (body) => {
    const found = bash(body).filter((each) => each.endsWith('background'));
    expect(found).toHaveLength(1);
  });

  it.each([
    ['python train.py &\nwait'],
    ['python train.py &\nPID=$!\nwait $PID'],
    ['python train.py & wait'],
    ['nvidia-smi dmon > smi.log &\npython train.py'],
    ['python server.py &\npython client.py'],
    ['python monitor.py &\nMON=$!\npython train.py\nkill $MON'],
    ['python train.py &\nP=$!\nwhile kill -0 $P; do sleep 10; done'],
    ['python train.py &\nsleep 600'],
    ["trap 'wait' EXIT\npython train.py &"],
    ['run() { python a.py & wait; }\nrun'],
    ['tail -f log &\necho'],
    ['x=$(python a.py &)'],
  ])('%s is fine', (body) => expect(bash(body).filter((each) => each.endsWith('background'))).toEqual([]));

  it('a copy beside the training is what it waits for', () => {
    const script = [
      'horovodrun -np $SLURM_NTASKS python train.py &',
      'HOROVODRUN_PID=$!',
      'HOROVODRUN_STATE=$(ps -h --pid $HOROVODRUN_PID -o state | head -n 1)',
      `while [ "\${HOROVODRUN_STATE}" != "" ]`,
      '    do',
      '        rsync -a a/ b',
      '        sleep 600',
      '        HOROVODRUN_STATE=$(ps -h --pid $HOROVODRUN_PID -o state | head -n 1)',
      'done',
      'rsync -a a/ b',
    ].join('\n');
    expect(said(slurmScript(['--ntasks=8'], script))).toEqual([]);
  });
});

describe('signals', () => {
  const trap = "trap 'scontrol requeue $SLURM_JOB_ID' USR1";
  it.each([
    ['--signal=B:USR1@60', `${trap}\nsrun python a.py &\nwait`, []],
    ['--signal=USR1@60', 'srun python a.py', []],
    ['--signal=B:USR1@60', `${trap}\nsrun python a.py`, ['3 warning signal']],
    ['--signal=USR1@60', `${trap}\nsrun python a.py &\nwait`, ['3 warning signal']],
    ['--signal=B:USR1@60', 'srun python a.py', ['2 warning signal']],
    ['--signal=B:USR1@60', 'exec python a.py', []],
    ['--signal=B:USR1@60', '. ./traps.sh\nsrun python a.py', []],
    ['-J a', `${trap}\nsrun python a.py &\nwait`, ['3 hint signal']],
    ['-J a', `${trap}\n(sleep 60; kill -USR1 $$) &\nsrun python a.py &\nwait`, []],
    ['-J a', 'trap : TERM INT USR1\nsrun python a.py', []],
    ['-J a', 'trap cleanup EXIT INT TERM\nsrun python a.py', []],
  ])('%s and %s', (directive, body, expected) => {
    expect(said(slurmScript([directive], body))).toEqual(expected);
  });

  it.each([
    ['-notify', "trap 'save' USR1 USR2\npython a.py &\nwait", []],
    ['-notify', 'python a.py', ['2 hint signal']],
    ['-notify', 'exec python a.py', []],
    ['-cwd', "trap 'save' USR2\npython a.py", ['3 hint signal']],
    ['-l s_rt=600', "trap 'save' USR1\npython a.py", []],
  ])('%s and %s in Grid Engine', (directive, body, expected) => {
    expect(said(gridEngineScript([directive], body))).toEqual(expected);
  });
});

describe('statuses that are lost', () => {
  it.each([
    ['python train.py | tee log', ['2 warning lost-status']],
    ['python train.py 2>&1 |& tee log', ['2 warning lost-status']],
    ['set -e\npython train.py | tee log\npython test.py', ['3 warning lost-status']],
    ['python train.py | tee log\npython test.py', []],
    ['set -o pipefail\npython train.py | tee log', []],
    ['set -euo pipefail\npython train.py | tee log', []],
    [`python train.py | tee log\nexit \${PIPESTATUS[0]}`, []],
    ['echo start | tee log', []],
    ['python list.py | grep good', []],
    ['python train.py', []],
  ])('%s', (body, expected) => expect(bash(body)).toEqual(expected));

  it.each([
    ['python train.py\necho done', ['2 hint lost-status']],
    ['python train.py\necho\ndate', ['2 hint lost-status']],
    ['set -e\npython train.py\necho done', []],
    ['python train.py && echo done', []],
    ['python train.py || exit 1\necho done', []],
    ['python train.py\nstatus=$?\necho done\nexit $status', []],
    ['cp a b\necho done', []],
    ['echo done', []],
  ])('%s', (body, expected) => expect(bash(body)).toEqual(expected));

  it('sh has no pipefail', () => {
    expect(findingsOf('#!/bin/sh\npython a.py | tee log\n')[0]?.advice).toContain('#!/bin/bash');
  });
});

describe('tasks', () => {
  it.each([
    ['--ntasks=4', 'python train.py', ['2 hint tasks']],
    ['--nodes=2', 'python train.py', ['2 warning tasks']],
    ['--ntasks=4', 'srun python train.py', []],
    ['--ntasks=4', 'mpirun python train.py', []],
    ['--nodes=2', 'torchrun --nnodes 2 train.py', []],
    ['--nodes=2', 'python -m torch.distributed.launch train.py', []],
    ['--ntasks=4', 'python train.py --workers $SLURM_NTASKS', []],
    ['--ntasks=4', './simulate', []],
    ['--ntasks=1', 'python train.py', []],
    ['--cpus-per-task=4', 'python train.py', []],
    ['-n 2', 'python a.py &\npython b.py &\nwait', []],
  ])('%s and %s', (directive, body, expected) => {
    expect(said(slurmScript([directive], body))).toEqual(expected);
  });
});

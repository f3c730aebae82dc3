/** What `scontrol update PartitionName=…` makes of each state. The real one was asked the same. */

import { describe, expect, it } from 'vitest';
import { PLAIN_QUEUE_STATE } from '../../../model/plain.ts';
import type { QueueState } from '../../../model/policy.ts';
import { aQueue, type FakeYard, fakeYard, runDialect } from '../../fake-yard.ts';
import type { SlurmCommand } from '../command.ts';
import { slurmProgram } from '../run.ts';
import { sinfo } from '../sinfo/sinfo.ts';
import { scontrol } from './scontrol.ts';

function yardWith(state: QueueState = PLAIN_QUEUE_STATE, open = true): FakeYard {
  return fakeYard({ queues: [{ queue: aQueue({ open }), state, waiting: 0, running: 0 }] });
}

function run(yard: FakeYard, command: SlurmCommand, line: string) {
  return runDialect(slurmProgram(command), yard, [command.name, ...line.split(' ')]);
}

function update(yard: FakeYard, words: string) {
  return run(yard, scontrol, `update ${words}`);
}

const DOWN = { disabled: true };
const UP = { disabled: false, suspended: false };

describe('the state of a partition', () => {
  it.each<[string, Partial<QueueState>]>([
    ['PartitionName=main State=DOWN', DOWN],
    ['State=down Partition=main', DOWN],
    ['PartitionName=main State=D', DOWN],
    ['PartitionName=main State=UP', UP],
    ['PartitionName=main State=DOWN State=up', UP],
    ['partitionname main state UP', UP],
  ])('%s', (words, change) => {
    const yard = yardWith();
    expect(update(yard, words)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(yard.commands).toEqual([{ type: 'setQueue', queue: 'main', by: 'ada', ...change }]);
  });

  it.each([
    ['INACTIVE', 'it is DOWN: jobs may be submitted to it, and wait'],
    ['Drain', 'it is DOWN: jobs may be submitted to it, and none of those that wait starts'],
  ])('%s is the nearest that there is, with a word about it', (state, warning) => {
    const yard = yardWith();
    expect(update(yard, `PartitionName=main State=${state}`)).toEqual({
      code: 0,
      stdout: '',
      stderr: `scontrol: warning: partition main: ${warning}\n`,
    });
    expect(yard.commands).toMatchObject([{ type: 'setQueue', ...DOWN }]);
  });

  it('what the config has closed stays closed', () => {
    expect(update(yardWith(PLAIN_QUEUE_STATE, false), 'PartitionName=main State=UP').stderr).toBe(
      'scontrol: warning: partition main: it is closed in trainyard.toml, and stays DOWN\n',
    );
  });

  it('is shown afterwards', () => {
    const shown = (state: QueueState) =>
      [
        run(yardWith(state), sinfo, '-h -o %P:%a').stdout,
        /State=\w+/.exec(run(yardWith(state), scontrol, 'show partition').stdout)?.[0],
      ].join('');
    expect(shown(PLAIN_QUEUE_STATE)).toBe('main*:up\nState=UP');
    expect(shown({ disabled: true, suspended: false })).toBe('main*:down\nState=DOWN');
    expect(shown({ disabled: false, suspended: true })).toBe('main*:down\nState=DOWN');
  });

  it.each([
    ['PartitionName=main', 'scontrol: error: No changes specified'],
    ['PartitionName=nope State=DOWN', 'slurm_update error: Invalid partition name specified'],
    ['PartitionName=main,nope State=DOWN', 'slurm_update error: Invalid partition name specified'],
    ['PartitionName=main State', 'scontrol: error: Invalid input: State  Request aborted'],
    [
      'PartitionName=main State=FOO',
      'scontrol: error: Invalid input: State=FOO\nscontrol: error: Acceptable State values are UP, DOWN, DRAIN and INACTIVE',
    ],
    [
      'PartitionName=main State=',
      'scontrol: error: Invalid input: State=\nscontrol: error: Acceptable State values are UP, DOWN, DRAIN and INACTIVE',
    ],
    [
      'PartitionName=main State=DOWN Bogus=3',
      'scontrol: error: Update of this parameter is not supported: Bogus=3\nscontrol: error: Request aborted',
    ],
    [
      'PartitionName=main MaxTime=10',
      'scontrol: error: MaxTime of a partition comes from trainyard.toml: change it there\nscontrol: error: Request aborted',
    ],
  ])('%s is refused', (words, stderr) => {
    const yard = yardWith();
    expect(update(yard, words)).toEqual({ code: 1, stdout: '', stderr: `${stderr}\n` });
    expect(yard.commands).toEqual([]);
  });
});

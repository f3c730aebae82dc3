/** `scontrol` against what the real one printed in the same situation, letter by letter. */

import { describe, expect, it } from 'vitest';
import { type FakeYard, runDialect } from '../../../src/dialects/fake-yard.ts';
import { slurmProgram } from '../../../src/dialects/slurm/run.ts';
import { scontrol } from '../../../src/dialects/slurm/scontrol/scontrol.ts';
import { fillPattern } from '../../../src/model/pattern.ts';
import { PLAIN_QUEUE_STATE } from '../../../src/model/plain.ts';
import type { JobView, NodeView } from '../../../src/model/query.ts';
import { refusal } from '../../../src/model/refusal.ts';
import { capturedNode, capturedYard, QUEUES } from './captured-yard.ts';
import { captured } from './captures.ts';

const SCRIPT = '#!/bin/sh\nsleep 300\n';

/** The situation of the captures, with the words of the submitters and the paths of their files. */
function lab(changes: Partial<FakeYard> = {}): FakeYard {
  const yard = capturedYard({ scripts: new Map([[2, SCRIPT]]), ...changes });
  yard.views = yard.views.map(inTheirWords);
  const queues = QUEUES.map((queue) => ({
    ...queue,
    preempt: queue.name === 'high' ? ('off' as const) : ('requeue' as const),
  }));
  yard.queues = queues.map((queue) => ({ queue, state: PLAIN_QUEUE_STATE, waiting: 0, running: 0 }));
  yard.policy = { ...yard.policy, queues, graceMs: 2000 };
  return yard;
}

function inTheirWords(view: JobView): JobView {
  const { job } = view;
  const { element, array } = job;
  const stdout = element === null && array === null ? 'slurm-%j.out' : 'slurm-%A_%a.out';
  const words = { ...job.spec.origin.words, submitHost: 'localhost' };
  const spec = {
    ...job.spec,
    workDir: '/home/user/work',
    streams: { ...job.spec.streams, stdout },
    origin: { dialect: 'slurm', words: { ...words, command: '/home/user/work/sleep.sh' } },
  };
  return { ...view, job: { ...job, spec }, stdoutPath: fillPattern(stdout, { ...job, spec }, null, null, 0) };
}

function ran(words: readonly string[], yard = lab(), user = 'root') {
  return runDialect(slurmProgram(scontrol), yard, ['scontrol', ...words], { user, uid: 0 });
}

function wordsOf(command: string): string[] {
  return command.split(' ').slice(1);
}

/** What a yard has no diary of: who scheduled, when nobody had a turn yet, from which session. */
function withoutOwnAffairs(text: string): string {
  return text
    .replace(/LastSchedEval=\S+ Scheduler=\S+/g, '')
    .replace(/AccrueTime=\S+/g, '')
    .replace(/AllocNode:Sid=(\S+):\d+/g, '$1');
}

describe('scontrol show job prints what the real one prints', () => {
  it.each([
    'slurm-scontrol-show-job',
    'slurm-scontrol-show-job-2nodes',
    'slurm-scontrol-show-job-array',
    'slurm-scontrol-show-job-d',
    'slurm-scontrol-show-job-none',
    'slurm-scontrol-show-job-oneliner',
  ])('%s', (name) => {
    const { commands, stderr, code } = captured(name);
    const [{ command, stdout }] = commands as [(typeof commands)[0]];
    const { stdout: told, ...rest } = ran(wordsOf(command));
    expect(withoutOwnAffairs(told)).toBe(withoutOwnAffairs(stdout));
    expect(rest).toEqual({ stderr, code });
  });
});

describe('scontrol says what the real one says', () => {
  it.each([
    'slurm-scontrol-bad-cmd',
    'slurm-scontrol-show-hostlist',
    'slurm-scontrol-show-hostnames',
    'slurm-scontrol-show-node-bad',
    'slurm-scontrol-show-partition',
    'slurm-scontrol-update-bad',
    'slurm-scontrol-write-batch',
  ])('%s', (name) => {
    const { commands, stderr, code } = captured(name);
    const [{ command, stdout }] = commands as [(typeof commands)[0]];
    expect(ran(wordsOf(command))).toEqual({ stdout, stderr, code });
  });

  it('slurm-scontrol-ping', () => {
    const { commands, code } = captured('slurm-scontrol-ping');
    const stdout = commands[0]?.stdout.replace(' vm ', ' box.example.org ');
    expect(ran(['ping'])).toEqual({ stdout, stderr: '', code });
  });

  it('slurm-scancel-not-owner: who may not hold a job', () => {
    const { stderr } = captured('slurm-scancel-not-owner');
    const refused = refusal('notAllowed', 'job 6 belongs to root');
    const { code, stderr: told } = ran(
      ['hold', '6'],
      lab({ answer: () => ({ ok: false, refusal: refused }) }),
      'user2',
    );
    expect(told).toBe(stderr.split('\n').slice(1).join('\n'));
    expect(code).toBe(1);
  });
});

describe('scontrol show node', () => {
  /** What nobody has told a yard of its machines: the kind, how busy they are, when they were switched on. */
  function withoutMachine(text: string): string {
    return text
      .replace(/ Arch=\S+/g, '')
      .replace(/CPULoad=\S+/g, '')
      .replace(/NodeAddr=.*Version/g, 'Version')
      .replace(/ *OS=.*\n/g, '')
      .replace(/FreeMem=\S+/g, '')
      .replace(/BootTime=\S+ SlurmdStartTime=\S+/g, '')
      .replace(/LastBusyTime=\S+/g, '')
      .replace(/ \[\w+@[\d:T-]+\]/g, '');
  }

  const full = (name: string, gpus: readonly number[] = []): NodeView => ({
    ...capturedNode(name),
    cpusUsed: 2,
    memoryUsedBytes: 400 * 1024 ** 2,
    devices: [0, 1].map((index) => ({
      index,
      usedMillis: gpus.includes(index) ? 1000 : 0,
      jobs: gpus.includes(index) ? [5] : [],
    })),
    jobs: [1, 2],
  });

  it.each(['slurm-scontrol-show-node', 'slurm-scontrol-show-node-n1'])('%s', (name) => {
    const { commands, code } = captured(name);
    const [{ command, stdout }] = commands as [(typeof commands)[0]];
    const yard = lab({ nodes: [full('n1'), full('n2'), full('n3', [0]), full('n4')] });
    const told = ran(wordsOf(command), yard);
    expect(withoutMachine(told.stdout)).toBe(withoutMachine(stdout));
    expect(told.code).toBe(code);
  });

  it('slurm-sinfo-unhealthy', () => {
    const { commands } = captured('slurm-sinfo-unhealthy');
    const shown = commands.find(({ command }) => command === 'scontrol show node n4');
    const yard = lab({ nodes: [capturedNode('n4', { state: 'lost', reason: 'Not responding' })] });
    const told = ran(['show', 'node', 'n4'], yard);
    expect(withoutMachine(told.stdout)).toBe(withoutMachine(shown?.stdout ?? ''));
  });
});

describe('slurm-scontrol-show-config', () => {
  const { commands } = captured('slurm-scontrol-show-config');
  const valuesIn = (text: string) =>
    new Map(
      [...text.matchAll(/^([\w[\]]+) *= (.*)$/gm)].map(([line, name, value]) => [name, { line, value }]),
    );
  const real = valuesIn(commands[0]?.stdout ?? '');
  const told = ran(['show', 'config']).stdout;

  it('has the same heading and the same end', () => {
    expect(told.split('\n')[0]).toBe(commands[0]?.stdout.split('\n')[0]);
    expect(told.endsWith('\n\nSlurmctld(primary) at box.example.org is UP\n')).toBe(true);
  });

  it('knows no name that the real one does not know, and keeps its order', () => {
    const names = [...valuesIn(told).keys()].filter(
      (name) => !/^Priority(?:Weight|MaxAge|Decay)/.test(name ?? ''),
    );
    expect(names).toEqual([...real.keys()].filter((name) => names.includes(name)));
  });

  it.each([
    'MinJobAge',
    'KillWait',
    'SLURM_VERSION',
    'SchedulerType',
    'PreemptMode',
    'PreemptType',
    'SelectType',
    'GresTypes',
    'MaxNodeCount',
    'JobRequeue',
    'SlurmUser',
  ])('says the same of %s', (name) => {
    const yard = lab();
    yard.users = [...yard.users, { name: 'ada', uid: 0, gid: 0, group: 'root' }];
    const value = valuesIn(ran(['show', 'config'], yard).stdout).get(name)?.line;
    expect(value?.replace('ada', 'root')).toBe(real.get(name)?.line);
  });
});

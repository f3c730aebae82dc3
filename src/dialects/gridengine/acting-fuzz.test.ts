import { expect, it } from 'vitest';
import type { JobView } from '../../model/query.ts';
import { rangeOf } from '../../model/ranges.ts';
import { type RefusalCode, refusal } from '../../model/refusal.ts';
import { type Random, seededRandom } from '../../sim/random.ts';
import { aView, endedJob, type FakeYard, fakeYard, runDialect } from '../fake-yard.ts';
import type { CommandResult } from '../program.ts';
import type { GridEngineCommand } from './command.ts';
import { aNodeView, aQueueView } from './fake-hosts.ts';
import { arrayOf, held, IN_DELETION, inError, inWords, running, waiting } from './fake-jobs.ts';
import { qhold, qrls } from './holds/commands.ts';
import { qalter } from './qalter/qalter.ts';
import { qdel } from './qdel/qdel.ts';
import { qmod } from './qmod/qmod.ts';
import { gridEngineProgram } from './run.ts';
import { SUBMIT_FLAGS } from './submit/flag-table.ts';

const ROUNDS = 1500;

const ACTING: readonly GridEngineCommand[] = [qdel, qhold, qrls, qmod, qalter];

const FLAGS = [
  ...['-f', '-u', '-t', '-h', '-help', '-c', '-cj', '-cq', '-d', '-e', '-r', '-rj', '-rq', '-s', '-sj'],
  ...['-sq', '-us', '-usj', '-usq', '-@', '-x', '-', '--'],
  ...SUBMIT_FLAGS.map(({ flag }) => flag),
];

const WORDS = [
  ...['1', '2', '3', '4', '5', '6', '10', '10.1', '10.2-4', '10.9-3:2', '10.0', '1.1', '1,2,3', '10.'],
  ...['0', '99999', '1x2', 'sweep', 'sw*', '*', '[', '[!s]*', 'nosuch', '', ',', 'root,ada', 'ada', '**'],
  ...['u', 'n', 'UOS', 'usx', 'cpu', 'cpu@vm', '*@*', 'gpu,cpu', '@allhosts', 'cpu@@allhosts', '!cpu', '(('],
  ...['1-3', '3-1', '1-', '1-3:0', '-5', '5000', 'y', 'no', 'v', 'e', 'w', 'p', 'smp', '2-4', '0-0', '-4'],
  ...[
    'h_rt=60',
    'h_vmem=1G,gpu=1',
    'h_rt=x',
    'hostname=vm',
    'qname=cpu',
    'slots=3',
    'nosuch=1',
    '=',
    'a=1,b',
  ],
  ...[
    '12312359',
    '202613400000',
    '/tmp/x',
    'vm:/tmp/y',
    '~/$JOB_ID',
    'bea',
    'a@b',
    'A=1,B',
    'linear:2',
    'set',
  ],
  ...['__proto__', 'constructor', '\u0000', '\u001b[31m', '\udc80', '%j', '$HOME', 'x'.repeat(5000)],
];

const CODES: readonly RefusalCode[] = ['noSuchJob', 'notAllowed', 'wrongState', 'neverPossible', 'busy'];

function someViews(): readonly JobView[] {
  return [
    waiting(1, { name: 'sweep' }),
    held(2, inWords({ holds: 'uo' })),
    running(3, { name: 'sweep', user: 'bob' }),
    running(4, {}, IN_DELETION),
    inError(5),
    aView(endedJob(6)),
    ...arrayOf(10, rangeOf(1, 9), { 1: running(11), 2: inError(12), 3: held(13) }),
  ];
}

/** A yard that may do as it is told, do nothing, or say no, and whose jobs may end at any time. */
function someYard(random: Random): FakeYard {
  const base = fakeYard();
  const queues = ['main', 'cpu', 'gpu'].map((name) => aQueueView(name, { isDefault: name === 'main' }));
  const yard: FakeYard = {
    ...base,
    views: [...someViews()],
    nodes: random.chance(0.5) ? [aNodeView('vm')] : [aNodeView('n1'), aNodeView('n2')],
    queues,
    policy: {
      ...base.policy,
      queues: queues.map(({ queue }) => queue),
      unknownQueue: random.chance(0.5) ? 'refuse' : 'useDefault',
    },
  };
  yard.answer = (): CommandResult => {
    if (random.chance(0.2)) yard.views = yard.views.filter(() => random.chance(0.7));
    if (random.chance(0.3)) return { ok: false, refusal: refusal(random.pick(CODES), 'not now') };
    return { ok: true, job: null, step: null, changed: random.chance(0.7) };
  };
  return yard;
}

it('answers whatever is asked of it, with whole lines that are safe to print', () => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = seededRandom(seed);
    const command = random.pick(ACTING);
    const words = Array.from({ length: random.between(0, 6) }, () =>
      random.pick(random.chance(0.4) ? FLAGS : WORDS),
    );
    const line = `seed ${seed}: ${command.name} ${JSON.stringify(words)}`;
    const user = random.pick(['ada', 'root', 'eve']);
    const { code, stdout, stderr } = runDialect(
      gridEngineProgram(command),
      someYard(random),
      [command.name, ...words],
      { user },
    );
    expect([0, 1, 2, 3, 4, 5, 7, 10, 18], line).toContain(code);
    for (const text of [stdout, stderr]) {
      expect(text === '' || text.endsWith('\n'), line).toBe(true);
      expect(text, line).not.toMatch(/undefined|\[object|NaN/);
      // oxlint-disable-next-line no-control-regex
      expect(text, line).not.toMatch(/[\u0000-\u0008\u001b]/);
    }
    if (code !== 0) expect(`${stdout}${stderr}`, line).not.toBe('');
  }
});

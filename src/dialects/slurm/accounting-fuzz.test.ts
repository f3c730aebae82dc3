/** Whatever the commands that only look are given, they answer or refuse: none of them breaks. */

import { expect, it } from 'vitest';
import { PLAIN_POLICY } from '../../model/plain.ts';
import { rangeOf } from '../../model/ranges.ts';
import { type Random, seededRandom } from '../../sim/random.ts';
import {
  aJob,
  anAttempt,
  aStep,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  NOW,
  runDialect,
  runningJob,
} from '../fake-yard.ts';
import { slurmProgram } from './run.ts';
import { FIELDS } from './sacct/fields.ts';
import { sacct } from './sacct/sacct.ts';
import { sacctmgr } from './sacctmgr/sacctmgr.ts';
import { sdiag } from './sdiag.ts';
import { seff } from './seff.ts';
import { sprio } from './sprio/sprio.ts';
import { sshare } from './sshare/sshare.ts';
import { sstat } from './sstat/sstat.ts';

const COMMANDS = [sacct, sstat, sprio, sshare, sacctmgr, sdiag, seff];

function aYard(random: Random): FakeYard {
  const outcomes = [
    'completed',
    'failed',
    'cancelled',
    'timeout',
    'outOfMemory',
    'preempted',
    'nodeLost',
  ] as const;
  const ended = Array.from({ length: 5 }, (_, i) =>
    endedJob(i + 1, { outcome: random.pick(outcomes), endedBy: random.pick([null, 'ada', 'nobody']) }),
  );
  const array = aJob(
    {
      id: 20,
      array: {
        unstarted: rangeOf(0, 90, random.between(1, 5)),
        dropped: rangeOf(91, 99),
        live: 0,
        ended: {},
      },
    },
    { array: { indices: rangeOf(0, 99), throttle: random.pick([null, 4]) } },
  );
  const again = anAttempt({ phase: 'lost', endedAt: NOW - 200_000 });
  const jobs = [
    ...ended,
    array,
    runningJob(17),
    aJob({ id: 30, phase: 'held' }),
    aJob({ id: 31, attempt: again }),
  ];
  return fakeYard({
    views: jobs.map((job) => aView(job)),
    steps: new Map([[17, [aStep(), aStep({ n: 1, usage: null, endedAt: NOW })]]]),
    policy: {
      ...PLAIN_POLICY,
      accounts: random.pick([null, [], [{ name: 'a', description: '', users: null, parent: null }]]),
    },
  });
}

const PIECES = [
  ...'aAbBcCdDeEfFgGiIjJkKlLmMnNopPqQrRsStTuUvVwWxX'.split('').map((letter) => `-${letter}`),
  ...[
    '--json',
    '--yaml',
    '--long',
    '--brief',
    '--units=K',
    '--noconvert',
    '--delimiter=',
    '--name',
    '--state',
    '--parsable2',
  ],
  ...[
    '17',
    '17.batch',
    '17.0',
    '20_3',
    '20_[1-3]',
    '99',
    '0',
    '-1',
    '1,2,,3',
    '.',
    '_',
    '%',
    '%%',
    '%5',
    '%.i',
    '%-3Y',
    '+',
  ],
  ...[
    'now',
    'now-1hour',
    'midnight',
    '12:00',
    '2026-03-10',
    '1970',
    'R,PD',
    'CA',
    'bogus',
    '',
    ' ',
    'all',
    'yard',
    'ada',
    'root',
  ],
  ...[
    'show',
    'list',
    'user',
    'assoc',
    'qos',
    'account',
    'tree',
    'withassoc',
    'where',
    'format=user%-5,qos',
    'name=ada',
    '=',
  ],
  ...[
    'jobid',
    'state%3',
    'ALL',
    'jobid%-',
    'job%99999',
    'tresusageinmax',
    '\u001b[31m',
    'ä€😀',
    '\udc80',
    'x'.repeat(5000),
  ],
];

it('answers or refuses anything', () => {
  const random = seededRandom(20_261_116);
  for (let round = 0; round < 3000; round++) {
    const yard = aYard(random);
    const command = random.pick(COMMANDS);
    const argv = [command.name, ...Array.from({ length: random.below(7) }, () => random.pick(PIECES))];
    const said = JSON.stringify(argv);
    const ran = runDialect(slurmProgram(command), yard, argv, { uid: random.pick([0, 1000]) });
    expect([0, 1, 2], said).toContain(ran.code);
    expect(ran.stdout + ran.stderr, said).not.toMatch(/undefined|NaN|\[object| at .*\.ts:/);
  }
});

it('prints any field in any width', () => {
  const random = seededRandom(7);
  for (let round = 0; round < 500; round++) {
    const yard = aYard(random);
    const format = Array.from({ length: random.between(1, 6) }, () => {
      const width = random.pick(['', `%${random.between(-40, 40)}`]);
      return `${random.pick(FIELDS).name}${width}`;
    }).join(',');
    const separated = random.chance(0.5) ? ['-P'] : [];
    const ran = runDialect(slurmProgram(sacct), yard, [
      'sacct',
      '-D',
      '-S',
      '2026-01-01',
      '-o',
      format,
      ...separated,
    ]);
    expect(ran.code, format).toBe(0);
    const columns = format.split(',').length;
    if (separated.length > 0) {
      for (const line of ran.stdout.trimEnd().split('\n'))
        expect(line.split('|'), format).toHaveLength(columns);
    }
  }
});

import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Attempt, Job } from '../../src/model/job.ts';
import type { Voice } from '../../src/model/voice.ts';
import { SPOKEN_OF } from './builders.ts';
import { openYard, type TestYard } from './yard.ts';

const voice: Voice = {
  pidVariable: 'GRUFF_PID',
  variables: (job, attempt, place, { host, uid }) =>
    new Map([
      ['GRUFF_ID', `${job.id}`],
      ['GRUFF_PLACE', `${attempt.id} ${place.rank} ${place.node.node} ${host} ${uid}`],
      ['TRAINYARD_NODE', 'renamed'],
    ]),
  lastWords: (job, attempt, { outOfMemory }) =>
    attempt.stop === null && !outOfMemory
      ? null
      : `gruff: ${job.id} ${attempt.stop?.cause} at ${attempt.stop?.killAt}`,
};

let yard: TestYard;
afterEach(() => yard.close());

const open = async () => {
  yard = await openYard({
    commands: ['/yard/commands'],
    voices: {
      voice: (dialect) => (dialect === 'gruff' ? voice : null),
      surroundings: { ...SPOKEN_OF, host: 'box', uid: 7, gid: 8 },
      temporary: null,
    },
  });
};
const GRUFF = { origin: { dialect: 'gruff', words: {} } };

function stopped({ job, attempt }: { job: Job; attempt: Attempt }) {
  const stop = { cause: 'cancelled', by: 'ada', requestedAt: 5, killAt: 9, step: 'term' } as const;
  return { job, attempt: { ...attempt, stop } };
}

test('a job is spoken to in its own dialect', async () => {
  await open();
  const script =
    '#!/bin/sh\necho "$GRUFF_ID/$GRUFF_PLACE/$TRAINYARD_NODE/$PATH"; test "$GRUFF_PID" = $$ && echo me\n';
  await yard.run({ script, spec: GRUFF });
  expect(yard.output()).toBe('17/17.1 0 box box 7/renamed//usr/bin:/bin:/yard/commands\nme\n');
  await yard.run({ id: 18, argv: ['sh', '-c', 'echo "$GRUFF_ID;$GRUFF_PID;$TRAINYARD_NODE"'] });
  expect(yard.output()).toBe(';;box\n');
});

test('a shim that goes on to another job tells that one its own number', async () => {
  await open();
  const argv = ['sh', '-c', 'test "$GRUFF_PID" = $$ && echo "$GRUFF_ID"'];
  for (const id of [21, 22, 23]) {
    await yard.run({ id, argv, spec: GRUFF });
    expect(yard.output()).toBe(`${id}\n`);
  }
});

test('who is stopped is told, once, whoever tells it', async () => {
  await open();
  const script = '#!/bin/sh\ntrap "echo bye >&2; exit 1" TERM\n: >ready\nwhile :; do sleep 0.01; done\n';
  const made = yard.start({ script, spec: GRUFF, streams: { stderr: 'err' } });
  await yard.made('ready');
  const halted = stopped(made);
  writeFileSync(join(yard.workDir, 'err'), 'before\n');
  yard.effect({ type: 'stop', ...halted, step: 'term' });
  yard.effect({ type: 'stop', ...halted, step: 'kill' });
  await yard.reports.next('attemptEnded');
  const words = 'gruff: 17 cancelled at 9\n';
  expect(yard.output('err').split(words)).toHaveLength(2);
  expect(yard.output('err')).toMatch(/^before\n/);

  await yard.reopen();
  const again = yard.start({
    id: 19,
    script: '#!/bin/sh\n: >ready2\nsleep 100\n',
    spec: GRUFF,
    streams: { stderr: 'err2' },
  });
  await yard.made('ready2');
  yard.effect({ type: 'stop', ...stopped(again), step: 'term' });
  await yard.reopen();
  yard.effect({ type: 'stop', ...stopped(again), step: 'kill' });
  await yard.reports.next('attemptEnded', '19.1');
  expect(yard.output('err2')).toBe('gruff: 19 cancelled at 9\n');
});

test('words go into plain files only', async () => {
  await open();
  symlinkSync('/dev/null', join(yard.workDir, 'nowhere'));
  const made = yard.start({ argv: ['sleep', '100'], spec: GRUFF, streams: { stdout: 'nowhere' } });
  await yard.reports.next('attemptRunning');
  yard.effect({ type: 'stop', ...stopped(made), step: 'kill' });
  await yard.reports.next('attemptEnded');
  expect(readFileSync('/dev/null', 'utf8')).toBe('');
});

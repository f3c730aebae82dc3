import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Voice } from '../../src/model/voice.ts';
import { identityOf, isAlive } from '../../src/platform/processes.ts';
import { ownIn, SPOKEN_OF } from './builders.ts';
import { openYard, type TestYard } from './yard.ts';

let yard: TestYard;
afterEach(() => yard.close());

const roomOf = (attempt: string) => join(yard.directory, 'rooms', attempt);

const voice: Voice = {
  variables: (_job, attempt) => new Map([['ROOM', roomOf(attempt.id)]]),
  lastWords: () => null,
  furnish: (job, attempt) => ({
    directories: [roomOf(attempt.id)],
    files: [{ path: join(roomOf(attempt.id), 'list'), text: `${job.spec.name}\n` }],
    keptFiles: [join(job.spec.workDir, job.spec.comment ?? 'kept')],
  }),
};

async function open() {
  yard = await openYard((directory) => ({
    voices: {
      voice: (dialect) => (dialect === 'homely' ? voice : null),
      surroundings: SPOKEN_OF,
      temporary: ownIn(directory, 'rooms'),
    },
  }));
}

const HOMELY = { origin: { dialect: 'homely', words: {} } };
const WAITS =
  ': >"$ROOM/mine"; mkdir "$ROOM/more"; echo $$ >pid; mv pid ready; while [ ! -e go ]; do sleep 0.01; done';
const roomsLeft = () => readdirSync(join(yard.directory, 'rooms'));

test('what the dialect wants is there while the job runs, and gone when its end is told', async () => {
  await open();
  const { exit } = await yard.run({ script: 'cat "$ROOM/list"; : >"$ROOM/mine"', spec: HOMELY });
  expect(exit.code).toBe(0);
  expect(yard.output()).toBe('test\n');
  expect(roomsLeft()).toEqual([]);
  expect(statSync(join(yard.workDir, 'kept')).size).toBe(0);
});

test('other dialects have nothing of the kind', async () => {
  await open();
  await yard.run({ argv: ['true'] });
  expect(roomsLeft()).toEqual([]);
});

test('it goes also when the job is killed', async () => {
  await open();
  const made = yard.start({ script: WAITS, spec: HOMELY });
  await yard.made('ready');
  expect(roomsLeft()).toEqual(['17.1']);
  yard.effect({ type: 'stop', ...made, step: 'kill', signal: 15 });
  await yard.reports.next('attemptEnded');
  expect(roomsLeft()).toEqual([]);
});

test('an agent that takes a job over leaves its things alone until it ends', async () => {
  await open();
  const made = yard.start({ script: WAITS, spec: HOMELY });
  await yard.made('ready');
  await yard.reopen();
  yard.perform('start', made);
  await yard.reports.next('attemptRunning');
  expect(readdirSync(roomOf('17.1')).sort()).toEqual(['list', 'mine', 'more']);
  writeFileSync(join(yard.workDir, 'go'), '');
  await yard.reports.next('attemptEnded');
  expect(roomsLeft()).toEqual([]);
});

test('an agent that finds the job over removes them', async () => {
  await open();
  const made = yard.start({ script: WAITS, spec: HOMELY });
  await yard.made('ready');
  const job = identityOf(Number(yard.output('ready')))!;
  await yard.engine.close();
  writeFileSync(join(yard.workDir, 'go'), '');
  await expect.poll(() => isAlive(job), { interval: 10 }).toBe(false);
  expect(roomsLeft()).toEqual(['17.1']);
  await yard.reopen();
  yard.perform('watch', made);
  await yard.reports.next('attemptEnded');
  expect(roomsLeft()).toEqual([]);
});

test('a file for the submitter that cannot be made is a fault like an output file, and nothing stays', async () => {
  await open();
  mkdirSync(join(yard.workDir, 'taken'));
  const spec = { ...HOMELY, comment: 'taken' };
  const { fault } = await yard.run({ script: 'touch ran', spec });
  expect(fault).toBe(`cannot open its output file ${join(yard.workDir, 'taken')}: it is a directory`);
  expect(existsSync(join(yard.workDir, 'ran'))).toBe(false);
  expect(roomsLeft()).toEqual([]);
});

test('an attempt that cannot start for another reason leaves nothing either', async () => {
  await open();
  const { fault } = await yard.run({ argv: ['true'], spec: HOMELY, streams: { stdout: 'gone/out' } });
  expect(fault).toContain('cannot open its output file');
  expect(roomsLeft()).toEqual([]);
});

/**
 * Long lists and texts at every place of every command: the time that others wait grows no faster than the text, and
 * the answer is a result or a refusal in words. Each place is tried with some of the shapes; another SIZES_SEED tries
 * others, and SIZES_ALL=1 all of them, which takes long.
 */

import { describe, expect, test } from 'vitest';
import { aJob, aView, endedJob, type FakeYard, fakeYard, runningJob } from '../../src/dialects/fake-yard.ts';
import { aNodeView, aQueueView } from '../../src/dialects/gridengine/fake-hosts.ts';
import { INPUT_VARIABLES } from '../../src/dialects/slurm/submit/environment-input.ts';
import { bytesFromText } from '../../src/model/bytes.ts';
import { seededRandom } from '../../src/sim/random.ts';
import { documentedCommands, given, programNamed } from '../documented-options.ts';
import { SHAPES } from './shapes.ts';
import { type Measured, measureCommand, tooLong } from './stretches.ts';

const ALL = process.env.SIZES_ALL === '1';
const SEED = Number(process.env.SIZES_SEED ?? 1);
const CHARACTERS = 32 * 1024;
const SHAPES_FOR_EACH = 2;
const WORDS = 4000;
/** Of options: some commands take those without a value for as many jobs as there are words. */
const REPEATED = 800;

function someYard(): FakeYard {
  const script = bytesFromText('#!/bin/sh\ntrue\n');
  const base = fakeYard();
  const queues = ['main', 'cpu'].map((name) => aQueueView(name, { isDefault: name === 'main' }));
  return {
    ...base,
    views: [aView(aJob({ id: 1 })), aView(runningJob(2)), aView(endedJob(3))],
    nodes: [aNodeView('n1')],
    queues,
    policy: { ...base.policy, queues: queues.map(({ queue }) => queue) },
    files: new Map([['/home/ada/work/s', script]]),
    stdin: script,
  };
}

interface Place {
  readonly name: string;
  readonly run: (text: string) => Measured;
}

function call(words: readonly string[], environment?: Uint8Array): Measured {
  const changes = environment === undefined ? {} : { environment };
  return measureCommand(programNamed(words[0] as string), someYard(), words, changes);
}

const parted = (text: string) =>
  text
    .split(/[,:\n ]/)
    .filter((word) => word !== '')
    .slice(0, WORDS);

function placesOf(words: readonly string[], options: readonly string[]): readonly Place[] {
  return [
    { name: 'an argument', run: (text) => call([...words, text]) },
    { name: 'arguments', run: (text) => call([...words, ...parted(text)]) },
    ...options.flatMap((option) => [
      { name: option, run: (text: string) => call([...words, ...given(option, text), 's']) },
      {
        name: `${option} again and again`,
        run: (text: string) =>
          call([
            ...words,
            ...parted(text)
              .slice(0, REPEATED)
              .flatMap((each) => given(option, each)),
            's',
          ]),
      },
    ]),
  ];
}

/** Those by which other options are chosen than the ones that are written. */
function variablesOf(words: readonly string[]): readonly Place[] {
  const [name = ''] = words;
  const known = Object.entries(INPUT_VARIABLES).find(([command]) => command === name)?.[1] ?? {};
  return Object.keys(known).map((variable) => ({
    name: variable,
    run: (text) =>
      call([name, 's'], bytesFromText(`HOME=/home/ada\0${variable}=${text.replaceAll('\0', '')}\0`)),
  }));
}

const MORE: readonly (readonly string[])[] = [
  ...[
    'show hostlist',
    'show hostlistsorted',
    'show hostnames',
    'show job',
    'show node',
    'show partition',
  ].map(split),
  ...['show step', 'hold', 'release', 'requeue', 'suspend', 'resume', 'update', 'update job=1', 'top'].map(
    split,
  ),
  ...['notify 1', 'listpids', 'wait_job', 'write batch_script', 'pidinfo', 'uhold', 'update node=n1'].map(
    split,
  ),
].map((words) => ['scontrol', ...words]);

function split(words: string): readonly string[] {
  return words.split(' ');
}

function problems(places: readonly Place[]): readonly string[] {
  const names = Object.keys(SHAPES);
  return places.flatMap((place, at) => {
    const random = seededRandom(SEED * 10_000 + at);
    const chosen = ALL ? names : Array.from({ length: SHAPES_FOR_EACH }, () => random.pick(names));
    return chosen.flatMap((name) => problemsWith(place, name));
  });
}

function problemsWith(place: Place, shape: string): readonly string[] {
  const build = SHAPES[shape] as (characters: number) => string;
  let last: Measured | null = null;
  const slow = tooLong((characters) => {
    last = place.run(build(characters));
    return last.longestMs;
  }, CHARACTERS);
  const { thrown, ran } = last as unknown as Measured;
  const where = `${place.name}, ${shape}`;
  const isSilent = ran !== null && ran.code !== 0 && ran.stderr === '' && ran.stdout === '';
  return [
    ...(slow === null ? [] : [`${where}: ${slow}`]),
    ...(thrown === null ? [] : [`${where}: ${thrown.slice(0, 300)}`]),
    ...(isSilent ? [`${where}: ends with ${ran.code} and says nothing`] : []),
  ];
}

describe('others need not wait for a long text given to', () => {
  test.each(documentedCommands().map(({ words, options }) => [words.join(' '), words, options] as const))(
    '%s',
    { timeout: ALL ? 3_600_000 : 60_000 },
    (_name, words, options) => {
      expect(problems([...placesOf(words, options), ...variablesOf(words)])).toEqual([]);
    },
  );

  test.each(MORE.map((words) => [words.join(' '), words] as const))('%s', (_name, words) => {
    expect(problems(placesOf(words, []))).toEqual([]);
  });
});

/** Each failed here before it was mended. */
describe('nor for what was slow once', () => {
  test.each([
    ['a list of hosts', 'words', (text: string) => ['scontrol', 'show', 'hostlist', text]],
    ['variables for a job', 'assigns', (text: string) => ['sbatch', `--export=${text}`, 's']],
    ['the nodes of a job', 'commas', (text: string) => ['sbatch', '-w', text, 's']],
    ['jobs to cancel', 'numbers', (text: string) => ['scancel', text]],
    ['a pattern that is not closed', 'sq', (text: string) => ['qdel', text]],
    ['several users', 'q', (text: string) => ['qstat', ...parted(text)]],
  ])('%s', (name, shape, words) => {
    expect(problemsWith({ name, run: (text) => call(words(text)) }, shape)).toEqual([]);
  });
});

/**
 * `trainyard footprints`: what kinds of jobs were seen to use of GPUs, and what people say about it. Which names a kind
 * may be called by is in footprint-names.ts.
 */

import type { FootprintKey } from '../../model/footprint.ts';
import type { FootprintView } from '../../model/query.ts';
import { RefusalError } from '../../model/refusal.ts';
import { parseBytes } from '../../model/units.ts';
import { type GivenOption, isGiven, lastGiven } from '../options.ts';
import { type Asking, clock, command, type Program, printOut, query } from '../program.ts';
import { counted, listed, quoted } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { badValue, EXIT_OK, refusalError, usageError } from './failure.ts';
import { keyNamed } from './footprint-names.ts';
import { footprintJson, footprintsTable } from './footprints-table.ts';
import { printJson } from './json.ts';
import { textFrom } from './resource-words.ts';

/** Which options are its own. */
const DEEDS = {
  list: [],
  set: ['memory', 'load', 'gpu'],
  forget: ['all', 'gpu'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Deed = keyof typeof DEEDS;

export const footprints: NativeCommand = {
  name: 'footprints',
  aliases: ['footprint'],
  group: 'yard',
  summary: 'what kinds of jobs were seen to use of GPUs; to look at, set or forget',
  usage: [
    '[MATCH]',
    'set KIND [--gpu MODEL] [--memory SIZE|auto] [--load PERCENT|auto]',
    'forget KIND… [--gpu MODEL] | --all',
  ],
  about: [
    'A kind of job is known by what its submitter calls it, by its command, its script or its name,',
    'whichever is known first. SEEN is the most that a run used, GIVEN what the next one gets: that',
    'with a margin that shrinks with every run. KIND is what the table shows, with its level before it',
    'where several are called so: script:train.py. With auto, what was seen counts again.',
  ],
  examples: [
    { line: 'trainyard footprints', says: 'all that is known, the last seen first' },
    { line: 'trainyard footprints resnet', says: 'of what has that in its name' },
    { line: 'trainyard footprints set train.py --memory 3G --load 20', says: 'I know it better' },
    { line: 'trainyard footprints forget train.py', says: 'it has changed: learn it anew' },
  ],
  options: [
    {
      name: 'memory',
      value: 'required',
      argument: 'SIZE',
      help: 'with set: it uses so much of a GPU, or auto',
    },
    {
      name: 'load',
      value: 'required',
      argument: 'PERCENT',
      help: 'with set: it keeps so much of one busy, or auto',
    },
    { name: 'gpu', value: 'required', argument: 'MODEL', help: 'only on this model of GPU' },
    { name: 'all', value: 'none', help: 'with forget: everything' },
  ],
  positionals: 'anywhere',
  arguments: 'some',
  run: runFootprints,
};

function* runFootprints(call: Call): Program {
  const [first = '', ...rest] = call.positionals;
  const deed: Deed = first === 'set' || first === 'forget' ? first : 'list';
  const stray = call.options.find(
    ({ name }) => name in OF_DEEDS && !(DEEDS[deed] as readonly string[]).includes(name),
  );
  if (stray !== undefined) throw usageError(`--${stray.name} goes with ${OF_DEEDS[stray.name]}`);
  if (deed === 'set') yield* setFootprint(call, rest);
  else if (deed === 'forget') yield* forgetFootprints(call, rest);
  else yield* listFootprints(call);
  return EXIT_OK;
}

const OF_DEEDS: Readonly<Record<string, string>> = {
  memory: 'set',
  load: 'set',
  gpu: 'set and forget',
  all: 'forget',
};

function* listFootprints(call: Call): Asking<void> {
  const { positionals } = call;
  if (positionals.length > 1) throw usageError('footprints takes one word to look for', 'put it in quotes');
  const views = yield* query('footprints', { match: positionals[0] ?? null });
  if (call.json) yield* printJson({ footprints: views.map(footprintJson) });
  else if (call.quiet) yield* printOut([...keysOf(views).keys()].map((text) => `${text}\n`).join(''));
  else if (views.length === 0) yield* printOut(nothingKnown(positionals[0]));
  else yield* printOut(footprintsTable(views, yield* clock(), call));
}

function nothingKnown(match: string | undefined): string {
  if (match !== undefined) return `nothing is known of a kind of job like ${quoted(match)}\n`;
  return [
    'nothing is known yet of what jobs use of GPUs',
    '  it is learnt from jobs that share: trainyard submit --share -- python train.py',
    '',
  ].join('\n');
}

function* setFootprint(call: Call, words: readonly string[]): Asking<void> {
  const [word] = words;
  if (word === undefined || words.length > 1) {
    throw usageError(
      'set takes one kind of job',
      'for example: trainyard footprints set train.py --memory 3G',
    );
  }
  const memory = lastGiven(call.options, ['memory']);
  const load = lastGiven(call.options, ['load']);
  if (memory === null && load === null) {
    throw usageError('what does it use?', 'say it with --memory 3G or --load 20, or auto for what was seen');
  }
  const wanted = {
    ...(memory === null ? {} : { memoryBytes: bytesFrom(memory) }),
    ...(load === null ? {} : { loadMillis: loadFrom(load) }),
  };
  const views = yield* query('footprints', { match: null });
  const key = keyNamed(word, [...keysOf(views).values()]);
  const device = modelFrom(call, views, [key]);
  yield* tell({ type: 'setFootprint', key: key.text, device, by: call.invocation.user, ...wanted });
  const now = yield* clock();
  const changed = (yield* query('footprints', { match: null })).filter(
    ({ footprint }) => footprint.key.text === key.text && (device === null || footprint.device === device),
  );
  if (call.json) yield* printJson({ footprints: changed.map(footprintJson) });
  else if (!call.quiet) yield* printOut(footprintsTable(changed, now, call));
}

function* forgetFootprints(call: Call, words: readonly string[]): Asking<void> {
  const isAll = isGiven(call.options, 'all');
  if (isAll === words.length > 0) {
    throw usageError('forget takes kinds of jobs, or --all', 'see `trainyard footprints`');
  }
  const views = yield* query('footprints', { match: null });
  const known = [...keysOf(views).values()];
  const keys = isAll ? known : words.map((word) => keyNamed(word, known));
  const device = modelFrom(call, views, keys);
  const texts = keys.map(({ text }) => text);
  yield* tell({ type: 'forgetFootprints', keys: isAll ? null : texts, device, by: call.invocation.user });
  if (call.json) yield* printJson({ forgotten: texts });
  else if (!call.quiet) {
    const what = isAll
      ? counted(keys.length, 'kind of job', 'kinds of jobs')
      : listed(keys.map(({ label }) => label));
    const where = device === null ? '' : ` on a GPU ${device}`;
    yield* printOut(`forgot what ${what} used${where}\n`);
  }
}

function* tell(what: Parameters<typeof command>[0]): Asking<void> {
  const result = yield* command(what);
  if (!result.ok) throw new RefusalError(result.refusal);
}

function keysOf(views: readonly FootprintView[]): ReadonlyMap<string, FootprintKey> {
  return new Map(views.map(({ footprint: { key } }) => [key.text, key]));
}

/** Null: every model. */
function modelFrom(
  call: Call,
  views: readonly FootprintView[],
  keys: readonly FootprintKey[],
): string | null {
  const model = textFrom(call.options, 'gpu');
  if (model === null) return null;
  const texts = new Set(keys.map(({ text }) => text));
  const models = views
    .filter(({ footprint }) => texts.has(footprint.key.text))
    .map((view) => view.footprint.device);
  if (models.includes(model)) return model;
  throw refusalError('badRequest', `it was not seen on a GPU ${quoted(model)}`, null, [...new Set(models)]);
}

const LEAST_BYTES = 1024 ** 2;

function bytesFrom({ written, value }: GivenOption): number | null {
  if (value === 'auto') return null;
  const bytes = parseBytes(value ?? '');
  if (bytes !== null && bytes >= LEAST_BYTES) return bytes;
  throw badValue(written, value ?? '', 'a size with its unit is wanted, as 3G, or auto');
}

/** In percent. */
function loadFrom({ written, value }: GivenOption): number | null {
  if (value === 'auto') return null;
  const match = /^(\d{1,3}(?:\.\d)?) ?%?$/.exec(value ?? '');
  const percent = Number(match?.[1] ?? Number.NaN);
  if (percent >= 0 && percent <= 100) return Math.round(percent * 10);
  throw badValue(written, value ?? '', 'a percentage from 0 to 100 is wanted, or auto');
}

/**
 * `qping`: whether the yard answers, and since when it runs. Grid Engine's daemons have ports; a yard has a socket in
 * its directory and is one program, so any port of its own hosts will do, for `qmaster` and for `execd`.
 */

import { printable } from '../../model/bytes.ts';
import type { YardView } from '../../model/query.ts';
import {
  type Asking,
  awaitChange,
  clock,
  type Invocation,
  type Program,
  printErr,
  printOut,
  query,
} from '../program.ts';
import type { GridEngineCommand } from './command.ts';
import { GridEngineFailure } from './failure.ts';
import { type FlagSpec, hasFlag, lastWord, readFlags } from './flags.ts';
import { type HelpRow, helpText } from './help-text.ts';
import { listedMoment } from './moments.ts';

export const qping: GridEngineCommand = { name: 'qping', run };

const FLAGS: readonly FlagSpec[] = [
  ...['-help', '-info', '-f', '-noalias', '-ssl', '-tcp', '-dump', '-nonewline'].map((flag) => ({
    flag,
    words: 0,
  })),
  ...['-i', '-dump_tag'].map((flag) => ({ flag, words: 1 })),
];

const MEANINGLESS = ['-noalias', '-ssl', '-tcp', '-dump', '-dump_tag', '-nonewline'];

const ROWS: readonly HelpRow[] = [
  ['-i interval', 'seconds from one answer to the next; 1 if it is not given'],
  ['-info', 'one answer in full'],
  ['-f', 'every answer in full'],
  ['-noalias, -ssl, -tcp', 'taken, without a meaning here'],
  ['-dump, -dump_tag tag, -nonewline', 'taken, without a meaning here'],
  ['-help', 'this text'],
];

const NOTES: readonly HelpRow[] = [
  ['host', 'the host of the yard, or one of its nodes'],
  ['port', 'any; a yard has none'],
  ['name', 'qmaster or execd'],
  ['id', '1'],
];

const HELP = helpText('qping [-i interval] [-info] [-f] host port name id', ROWS, NOTES);

interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly id: number;
}

function* run({ argv, timeZone }: Invocation): Program {
  const outcome = readFlags(FLAGS, argv.slice(1), 'anywhere');
  if (!outcome.ok) throw usage();
  const { flags, positionals } = outcome.read;
  if (hasFlag(flags, '-help')) {
    yield* printOut(HELP);
    return 0;
  }
  const endpoint = endpointIn(positionals);
  const ignored = MEANINGLESS.filter((flag) => hasFlag(flags, flag));
  if (ignored.length > 0)
    yield* printErr(`qping: warning: ${printable(ignored.join(', '))} ignored: a yard has one socket\n`);
  const yard = yield* reached(endpoint);
  const isFull = hasFlag(flags, '-info') || hasFlag(flags, '-f');
  const intervalMs = Math.max(1, Number(lastWord(flags, '-i') ?? 1) || 1) * 1000;
  for (let n = 1; ; n++) {
    const now = yield* clock();
    yield* printOut(isFull ? fullAnswer(yard, n, now, timeZone) : answer(endpoint, yard, now, timeZone));
    if (hasFlag(flags, '-info')) return 0;
    yield* awaitChange([], intervalMs);
  }
}

function endpointIn(words: readonly string[]): Endpoint {
  const [host, port, name, id] = words;
  if (host === undefined || port === undefined || name === undefined || id === undefined || words.length > 4)
    throw usage();
  if (!/^[1-9]\d*$/.test(id)) throw new GridEngineFailure(['please enter a component id larger than 0'], 1);
  return { host, port: Number.parseInt(port, 10) || 0, name, id: Number(id) };
}

/** The yard, if that is it. */
function* reached(endpoint: Endpoint): Asking<YardView> {
  const { host, port, name, id } = endpoint;
  const yard = yield* query('yard', {});
  const nodes = yield* query('nodes', { names: null });
  const hosts = [
    yard.host,
    yard.host.replace(/\..*/, ''),
    'localhost',
    ...nodes.map(({ node }) => node.name),
  ];
  if (!hosts.includes(host)) throw new GridEngineFailure([`could not resolve hostname ${host}`], 1);
  if ((name === 'qmaster' || name === 'execd') && id === 1) return yard;
  const endpoints = `local endpoint "${host}/qmaster/1" doesn't match requested endpoint "${host}/${name}/${id}"`;
  yield* printErr(`access denied: ${printable(endpoints)}\n`);
  const sentence = `endpoint ${host}/${name}/${id} at port ${port}: can't find connection`;
  throw new GridEngineFailure([sentence], 1, 'stdout');
}

function answer({ host, port, name, id }: Endpoint, yard: YardView, now: number, zone: string): string {
  const up = upSeconds(yard, now);
  return `${listedMoment(now, zone)} endpoint ${printable(host)}/${printable(name)}/${id} at port ${port} is up for ${up} seconds\n`;
}

function fullAnswer(yard: YardView, n: number, now: number, zone: string): string {
  const up = upSeconds(yard, now);
  const started = `${listedMoment(yard.startedAt, zone)} (${Math.floor(yard.startedAt / 1000)})`;
  const lines = [
    ['SIRM version:', '0.1'],
    ['SIRM message id:', `${n}`],
    ['start time:', started],
    ['run time [s]:', `${up}`],
    ['messages in read buffer:', '0'],
    ['messages in write buffer:', '0'],
    ['no. of connected clients:', '1'],
    ['status:', '0'],
    ['info:', `trainyard ${yard.version}, pid ${yard.pid}: R (${up}.00) | OK`],
    ['Monitor:', 'disabled'],
  ] as const;
  const text = lines.map(([key, value]) => `${key.padEnd(26)}${printable(value)}\n`).join('');
  return `${listedMoment(now, zone)}:\n${text}\n`;
}

function upSeconds({ startedAt }: YardView, now: number): number {
  return Math.max(0, Math.floor((now - startedAt) / 1000));
}

function usage(): GridEngineFailure {
  return new GridEngineFailure(HELP.trimEnd().split('\n'), 1);
}

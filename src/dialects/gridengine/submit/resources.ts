/**
 * `-l`: from attributes and values to what the yard keeps for the job and holds it to. Values are checked as the
 * original checks them; attributes that name no amount narrow down nodes, and those that mean nothing here are said so.
 */

import type { NodeName } from '../../../model/ids.ts';
import type { GpuRequest, MemoryRequest, Warning } from '../../../model/job-spec.ts';
import type { NodeView } from '../../../model/query.ts';
import { type Complex, complexNamed } from '../complexes.ts';
import { hostValues } from '../host-values.ts';
import { isPattern } from '../patterns.ts';
import { KINDS, meetsWishes } from '../resource-match.ts';
import type { AskedAttribute } from './attributes.ts';
import { rejected } from './complaints.ts';
import { isLenient, type Surroundings } from './surroundings.ts';
import { parseBoolean, parseMemoryBytes, parseNumber, parseTimeMs } from './values.ts';

export interface ResourceWish {
  readonly limitMs: number | null;
  readonly warning: Warning | null;
  readonly memory: MemoryRequest | null;
  readonly gpus: GpuRequest | null;
  /** Null: not asked for. */
  readonly slots: number | null;
  /** Expressions over the names of queues. */
  readonly queues: readonly string[];
  /** Null: any node. */
  readonly onlyNodes: readonly NodeName[] | null;
  /** Limits as `ulimit` knows them. */
  readonly ulimits: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

const SIGUSR1 = 10;

/** An attribute with a value that it can have. */
interface Amount {
  readonly attribute: Complex;
  readonly text: string;
  /** Infinite: without limit. A string has none. */
  readonly number: number;
}

export function resourcesFrom(asked: readonly AskedAttribute[], surroundings: Surroundings): ResourceWish {
  const warnings: string[] = [];
  const amounts = new Map<string, Amount>();
  for (const each of asked) {
    const amount = amountOf(each, surroundings, warnings);
    if (amount !== null) amounts.set(amount.attribute.name, amount);
  }
  const number = (name: string) => finite(amounts.get(name)?.number);
  const nodes = nodesMeeting([...amounts.values()], surroundings, warnings);
  for (const name of amounts.keys()) {
    if (!HAS_EFFECT.has(name)) warnings.push(`-l ${name} has no effect here`);
  }
  const queue = amounts.get('qname')?.text;
  return {
    limitMs: positive(number('h_rt')),
    warning: warningAfter(positive(number('s_rt'))),
    memory: memoryFrom(number),
    gpus: gpusFrom(number('gpu')),
    slots: positive(number('slots')),
    queues: queue === undefined ? [] : [queue],
    onlyNodes: nodes,
    ulimits: limitsFrom(number),
    warnings,
  };
}

/** Null when nothing is asked for by it. */
function amountOf(
  { name, value }: AskedAttribute,
  surroundings: Surroundings,
  warnings: string[],
): Amount | null {
  const attribute = complexNamed(name);
  if (attribute === null) {
    if (!isLenient(surroundings)) throw rejected(`unknown resource "${name}"`);
    warnings.push(`there is no resource ${name} here, and nothing is asked of it`);
    return null;
  }
  if (attribute.requestable === 'NO') {
    throw rejected(`resource "${attribute.name}" configured as non requestable`);
  }
  if (value === '') throw rejected(`denied: missing value for resource "${attribute.name}"`);
  if (value !== null) return { attribute, text: value, number: numberOf(attribute, value) };
  if (attribute.type === 'BOOL') return { attribute, text: 'TRUE', number: 1 };
  if (attribute.name === 'gpu') return { attribute, text: '1', number: 1 };
  warnings.push(`-l ${name} has no value, and asks for nothing`);
  return null;
}

function numberOf({ name, type }: Complex, text: string): number {
  const parsed = parsedNumber(type, text);
  const isAmount = parsed !== null && (parsed >= 0 || type === 'DOUBLE');
  if (!isAmount) throw rejected(`attribute "${name}" is not a ${KINDS[type]} value`);
  return parsed;
}

function parsedNumber(type: Complex['type'], text: string): number | null {
  const unlimited = (value: number | 'unlimited' | null) =>
    value === 'unlimited' ? Number.POSITIVE_INFINITY : value;
  switch (type) {
    case 'STRING':
    case 'HOST':
      return 0;
    case 'TIME':
      return unlimited(parseTimeMs(text));
    case 'MEMORY':
      return unlimited(parseMemoryBytes(text));
    case 'DOUBLE':
      return parseNumber(text);
    case 'INT': {
      const number = parseNumber(text);
      return number !== null && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? Math.floor(number) : null;
    }
    case 'BOOL': {
      const value = parseBoolean(text);
      return value === null ? null : Number(value);
    }
  }
}

const HAS_EFFECT = new Set([
  ...['h_rt', 's_rt', 'h_vmem', 'h_rss', 'mem_free', 'virtual_free', 'gpu', 'slots', 'qname'],
  ...['h_cpu', 'h_fsize', 'h_stack', 'h_core', 'h_data'],
  ...['arch', 'hostname', 'num_proc', 'm_core', 'm_socket', 'm_thread', 'm_topology'],
  ...['mem_total', 'swap_total', 'virtual_total'],
]);

/** Of a node these do not change while a job waits. */
const OF_NODES = new Set([
  ...['arch', 'num_proc', 'm_core', 'm_socket', 'm_thread', 'm_topology'],
  ...['mem_total', 'swap_total', 'virtual_total'],
]);

/** Null when nothing was asked that only some nodes have. */
function nodesMeeting(
  amounts: readonly Amount[],
  surroundings: Surroundings,
  warnings: string[],
): readonly NodeName[] | null {
  const { nodes } = surroundings;
  let meeting: readonly NodeView[] = nodes;
  for (const amount of amounts) {
    const { name } = amount.attribute;
    if (name !== 'hostname' && !OF_NODES.has(name)) continue;
    const left = meeting.filter((view) => hasIt(view, amount));
    if (left.length > 0) meeting = left;
    else if (isLenient(surroundings)) {
      warnings.push(`no node here has ${name}=${amount.text}, and it is not looked at`);
    } else throw rejected(...unmet(amount));
  }
  return meeting.length === nodes.length ? null : meeting.map(({ node }) => node.name);
}

function unmet({ attribute: { name }, text }: Amount): readonly string[] {
  if (name === 'hostname' && !isPattern(text)) return [`can't resolve hostname "${text}"`];
  return ['error: no suitable queues', `no host has ${name}=${text}`];
}

function hasIt(view: NodeView, { attribute, text, number }: Amount): boolean {
  const { name } = view.node;
  if (attribute.type === 'HOST' && text === 'localhost') return true;
  const values = [...hostValues(view), { name: 'hostname', dominance: 'qf', value: name } as const];
  const isText = attribute.type === 'HOST' || attribute.type === 'STRING';
  return meetsWishes(values, [{ complex: attribute, wanted: isText ? text : number }]);
}

type NumberOf = (name: string) => number | null;

/** What a job is held to counts for each slot; what it only wants to find free is kept for it on its node. */
function memoryFrom(number: NumberOf): MemoryRequest | null {
  const limits = [positive(number('h_vmem')), positive(number('h_rss'))].filter((bytes) => bytes !== null);
  if (limits.length > 0) return { bytes: Math.min(...limits), per: 'rank' };
  const free = Math.max(number('mem_free') ?? 0, number('virtual_free') ?? 0);
  return free > 0 ? { bytes: free, per: 'node', isUnlimited: true } : null;
}

function gpusFrom(count: number | null): GpuRequest | null {
  return count === null || count < 1 ? null : { count, per: 'job', kind: null, shareMillis: 1000 };
}

function warningAfter(afterMs: number | null): Warning | null {
  return afterMs === null ? null : { signal: SIGUSR1, beforeMs: 0, afterMs, scope: 'all' };
}

const BLOCK_BYTES = 512;
const KILOBYTE = 1024;

function limitsFrom(number: NumberOf): Readonly<Record<string, string>> {
  const limits: Record<string, string> = {};
  const set = (letter: string, amount: number | null, unit: number) => {
    if (amount !== null) limits[letter] = `${Math.floor(amount / unit)}`;
  };
  set('t', number('h_cpu'), 1000);
  set('f', number('h_fsize'), BLOCK_BYTES);
  set('c', number('h_core'), BLOCK_BYTES);
  set('s', number('h_stack'), KILOBYTE);
  set('d', number('h_data'), KILOBYTE);
  return limits;
}

function finite(number: number | undefined): number | null {
  return number === undefined || !Number.isFinite(number) ? null : number;
}

function positive(number: number | null): number | null {
  return number !== null && number > 0 ? number : null;
}

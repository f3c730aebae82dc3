/** What `submit` asks of machines: `--cpus`, `--memory`, `--gpus`, `--nodes`, `--ranks` and their like. */

import type { GpuRequest, MemoryRequest, ResourceRequest } from '../../model/job-spec.ts';
import { formatBytes, parseBytes } from '../../model/units.ts';
import { type GivenOption, isGiven, lastGiven, lastValue } from '../options.ts';
import { badValue, usageError } from './failure.ts';

/** Less than any process needs: somebody left out the unit. */
const LEAST_MEMORY_BYTES = 1024 ** 2;
const MOST_COUNT = 1_000_000;
const WHOLE_MILLIS = 1000;

export function resourcesFrom(given: readonly GivenOption[]): ResourceRequest {
  const nodesAsked = nodesFrom(given);
  const ranksPerNode = countFrom(given, 'ranks-per-node', 1);
  const ranks = ranksFrom(given, nodesAsked, ranksPerNode);
  const nodes = settleNodes(nodesAsked, ranks, ranksPerNode);
  const cpus = countFrom(given, 'cpus', 1);
  return {
    nodes,
    ranks,
    ranksPerNode,
    cpusPerRank: cpus ?? 1,
    cpusAsked: cpus !== null,
    memory: memoryFrom(given),
    gpus: gpusFrom(given),
    exclusive: isGiven(given, 'exclusive'),
    constraint: textFrom(given, 'constraint'),
    onlyNodes: namesFrom(given, 'nodelist'),
    exceptNodes: namesFrom(given, 'exclude'),
  };
}

/** A whole number, not below `least`; null when the option was not given. */
export function countFrom(given: readonly GivenOption[], name: string, least: number): number | null {
  const option = lastGiven(given, [name]);
  if (option === null || option.value === null) return null;
  const count = /^\d{1,7}$/.test(option.value) ? Number(option.value) : Number.NaN;
  if (!(count >= least && count <= MOST_COUNT)) {
    throw badValue(option.written, option.value, `a whole number of at least ${least} is wanted`);
  }
  return count;
}

/** Any whole number, negative ones too; 0 when the option was not given. */
export function integerFrom(given: readonly GivenOption[], name: string): number {
  const option = lastGiven(given, [name]);
  if (option === null || option.value === null) return 0;
  if (!/^[+-]?\d{1,9}$/.test(option.value)) {
    throw badValue(option.written, option.value, 'a whole number is wanted');
  }
  return Number(option.value);
}

/** Text that must say something; null when the option was not given. */
export function textFrom(given: readonly GivenOption[], name: string): string | null {
  const option = lastGiven(given, [name]);
  if (option === null || option.value === null) return null;
  if (option.value === '') throw usageError(`${option.written} must not be empty`);
  return option.value;
}

interface NodesAsked {
  readonly min: number;
  readonly max: number;
  readonly asked: boolean;
}

function nodesFrom(given: readonly GivenOption[]): NodesAsked {
  const option = lastGiven(given, ['nodes']);
  if (option === null || option.value === null) return { min: 1, max: 1, asked: false };
  const match = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(option.value);
  const min = Number(match?.[1] ?? 0);
  const max = Number(match?.[2] ?? min);
  if (match === null || min < 1 || max < min) {
    throw badValue(option.written, option.value, 'a number of nodes is wanted, as 2 or 2-4');
  }
  return { min, max, asked: true };
}

function ranksFrom(given: readonly GivenOption[], nodes: NodesAsked, ranksPerNode: number | null): number {
  const asked = countFrom(given, 'ranks', 1);
  if (asked !== null) return asked;
  if (nodes.min !== nodes.max) {
    throw usageError(
      `--nodes ${nodes.min}-${nodes.max} leaves open how many processes there are`,
      'say how many: --ranks 8',
    );
  }
  return nodes.min * (ranksPerNode ?? 1);
}

function settleNodes(
  nodes: NodesAsked,
  ranks: number,
  ranksPerNode: number | null,
): ResourceRequest['nodes'] {
  if (ranks < nodes.min) {
    throw usageError(
      `${ranks} ranks cannot cover ${nodes.min} nodes`,
      'ask for at least one rank on each node',
    );
  }
  const needed = ranksPerNode === null ? 1 : Math.ceil(ranks / ranksPerNode);
  if (!nodes.asked) return { min: needed, max: needed };
  if (needed > nodes.max) {
    throw usageError(`${ranks} ranks do not fit on ${nodes.max} nodes with ${ranksPerNode} on each`);
  }
  return { min: Math.max(nodes.min, needed), max: Math.min(nodes.max, ranks) };
}

function memoryFrom(given: readonly GivenOption[]): MemoryRequest | null {
  const option = lastGiven(given, ['memory']);
  if (option === null || option.value === null) return null;
  const bytes = parseBytes(option.value);
  if (bytes === null) throw badValue(option.written, option.value, 'a size is wanted, as 512M or 16G');
  if (bytes < LEAST_MEMORY_BYTES) {
    const hint = /^\d+$/.test(option.value) ? `a bare number is bytes: did you mean ${option.value}G?` : null;
    throw badValue(
      option.written,
      option.value,
      `at least ${formatBytes(LEAST_MEMORY_BYTES)} is wanted`,
      hint,
    );
  }
  return { bytes, per: 'node' };
}

/** `2`, `a100`, `a100:2`, `0.5`, `a100:0.5`. */
function gpusFrom(given: readonly GivenOption[]): GpuRequest | null {
  const option = lastGiven(given, ['gpus']);
  if (option === null || option.value === null) return null;
  const match = /^(?:([A-Za-z][\w.-]*)(?::|$))?(\d{1,6}(?:\.\d{1,3})?|\.\d{1,3})?$/.exec(option.value);
  const wanted = 'a number of GPUs is wanted, as 2 or a100:2, or a share of one, as 0.5';
  if (match === null || option.value === '' || option.value.endsWith(':')) {
    throw badValue(option.written, option.value, wanted);
  }
  const kind = match[1] ?? null;
  const amount = Number(match[2] ?? 1);
  if (amount === 0) return null;
  if (Number.isInteger(amount)) return { count: amount, per: 'job', kind, shareMillis: WHOLE_MILLIS };
  if (amount > 1)
    throw badValue(option.written, option.value, 'only a single GPU can be shared: less than 1');
  return { count: 1, per: 'job', kind, shareMillis: Math.round(amount * WHOLE_MILLIS) };
}

function namesFrom(given: readonly GivenOption[], name: string): readonly string[] {
  const names = (lastValue(given, name) ?? '').split(',').filter((part) => part !== '');
  if (isGiven(given, name) && names.length === 0) throw usageError(`--${name} needs names of nodes`);
  return names;
}

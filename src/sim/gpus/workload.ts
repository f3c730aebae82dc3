/** Who asks for what of simulated devices: jobs and leases of many users, of kinds that the yard has yet to learn. */

import type { JobSpec, ResourceRequest } from '../../model/job-spec.ts';
import type { Node } from '../../model/node.ts';
import { PLAIN_RESOURCES, PLAIN_SPEC } from '../../model/plain.ts';
import { rangeOf } from '../../model/ranges.ts';
import { type Random, seededRandom } from '../random.ts';
import { type Behaviour, behaviourOf, type Kind, someKind } from './behaviour.ts';

/** One wish of somebody, and what its runs will do in truth. */
export interface Submission {
  readonly atMs: number;
  readonly spec: JobSpec;
  /** Of the run of this element of it; 0 where it is no array. */
  readonly behaviour: (element: number) => Behaviour;
  /** The process that asked for a lease is killed so long after it asked; null: it lives. */
  readonly killedAfterMs: number | null;
  readonly cancelledAfterMs: number | null;
}

const GIB = 1024 ** 3;
const MINUTE_MS = 60_000;
/** No job asks for more time than this. */
export const LONGEST_LIMIT_MS = 60 * MINUTE_MS;

export function someNodes(random: Random): Node[] {
  return Array.from({ length: random.between(2, 3) }, (_, n): Node => {
    const kind = random.pick(['small', 'large']);
    const memoryBytes = kind === 'small' ? 16 * GIB : 40 * GIB;
    const count = n === 0 ? random.between(2, 4) : random.between(1, 3);
    const devices = Array.from({ length: count }, (_, index) => ({
      index,
      kind,
      memoryBytes,
      simulated: true,
    }));
    // Some do not say how much they have.
    const untold = { index: count, kind: 'untold', memoryBytes: 0, simulated: true };
    return {
      name: `n${n + 1}`,
      cpus: random.between(6, 24),
      cpuIds: [],
      memoryBytes: 64 * GIB,
      devices: random.chance(0.15) ? [...devices, untold] : devices,
      features: [],
      state: 'up',
      reason: null,
    };
  });
}

/** Small leases and jobs without end, so many that devices are never empty, and now and then somebody who wants whole ones. */
export function aCrowd(seed: number, count: number, withinMs: number): Submission[] {
  const random = seededRandom(seed ^ 0xc0de);
  const kinds = Array.from({ length: 4 }, (_, n): Kind => {
    const usual = { usualBytes: random.between(1, 3) * GIB, usualLoadMillis: random.between(40, 120) };
    return { name: `small${n}`, manner: 'steady', ...usual, usualWorkMs: random.between(2, 6) * MINUTE_MS };
  });
  return Array.from({ length: count }, (_, n): Submission => {
    const known = random.pick(kinds);
    // Now and then one that nobody has seen: it needs a device to itself as well.
    const kind = n % 25 === 12 ? { ...known, name: `new${n}` } : known;
    const made = someSubmission(random, n, kind, random.between(0, withinMs), seed, 1);
    const isLarge = n % 25 === 24;
    const gpus = {
      count: isLarge && n % 50 === 49 ? 2 : 1,
      per: 'job',
      kind: null,
      shareMillis: 1000,
    } as const;
    const { spec } = made;
    const resources = { ...spec.resources, gpus: { ...gpus, sharing: isLarge ? 'whole' : 'auto' } as const };
    const limitMs = spec.limitMs === null ? null : Math.min(spec.limitMs, CROWDED_LIMIT_MS);
    return { ...made, spec: { ...spec, resources, limitMs, array: null } };
  });
}

export const CROWDED_LIMIT_MS = 10 * MINUTE_MS;

export function someWorkload(
  seed: number,
  count: number,
  withinMs: number,
  nodes: readonly Node[],
): Submission[] {
  const random = seededRandom(seed ^ 0x5eed);
  const largest = Math.max(...nodes.flatMap(({ devices }) => devices.map(({ memoryBytes }) => memoryBytes)));
  const most = Math.max(...nodes.map(({ devices }) => devices.length));
  const kinds = Array.from({ length: 10 }, (_, n) => someKind(random, n, largest));
  return Array.from({ length: count }, (_, n) =>
    someSubmission(random, n, random.pick(kinds), random.between(0, withinMs), seed, most),
  );
}

function someSubmission(
  random: Random,
  n: number,
  kind: Kind,
  atMs: number,
  seed: number,
  mostDevices: number,
): Submission {
  const behaviour = (element: number) => behaviourOf(kind, seededRandom(seed * 7919 + n * 131 + element));
  const isLease = random.chance(0.3);
  const limitMs = isLease || random.chance(0.4) ? null : someLimit(random, behaviour(0));
  const argv = [
    'python',
    `${kind.name}.py`,
    ...(random.chance(0.3) ? [`--seed=${random.between(1, 3)}`] : []),
  ];
  const spec: JobSpec = {
    ...PLAIN_SPEC,
    name: random.chance(0.5) ? 'python' : kind.name,
    user: random.pick(['ann', 'bob', 'eve', 'joe']),
    // Behaviour is found by it: everything else may be shared with others.
    comment: String(n),
    program: {
      ...PLAIN_SPEC.program,
      argv,
      ...(isLease ? { spread: 'caller', caller: { pid: n + 2, startTicks: 1, bootId: 'b' } } : {}),
    },
    resources: someRequest(random, isLease, mostDevices),
    limitMs,
    requeue: !random.chance(0.1),
    array:
      !isLease && random.chance(0.04) ? { indices: rangeOf(0, random.between(2, 9)), throttle: null } : null,
  };
  return {
    atMs,
    spec,
    behaviour,
    killedAfterMs: isLease && random.chance(0.35) ? random.waitMs(10 * MINUTE_MS) : null,
    cancelledAfterMs: random.chance(0.06) ? random.waitMs(10 * MINUTE_MS) : null,
  };
}

/** Mostly more than it needs, and sometimes less. */
function someLimit(random: Random, { workMs }: Behaviour): number {
  return Math.min(LONGEST_LIMIT_MS, Math.max(MINUTE_MS, Math.round(workMs * (0.8 + 2 * random.next()))));
}

function someRequest(random: Random, isLease: boolean, mostDevices: number): ResourceRequest {
  const roll = random.next();
  const count = mostDevices > 1 && random.chance(0.08) ? 2 : 1;
  const gpus = { count, per: 'job', kind: null, shareMillis: 1000 } as const;
  return {
    ...PLAIN_RESOURCES,
    cpusPerRank: isLease ? 0 : random.between(1, 2),
    gpus:
      roll < 0.75
        ? { ...gpus, sharing: 'auto' }
        : roll < 0.85
          ? { ...gpus, sharing: 'whole' }
          : roll < 0.97
            ? { ...gpus, shareMillis: random.pick([125, 250, 500]) }
            : null,
  };
}

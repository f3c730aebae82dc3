/**
 * What the attempts of a simulated job keep: seeded times at which checkpoints become safe or cannot, how long it takes
 * to make the rest safe, and how far their programs say they have come. Some programs never get anywhere.
 */

import type { AttemptId } from '../model/ids.ts';
import type { Job } from '../model/job.ts';
import { type Keeping, NOTHING_KEPT } from '../model/keeping.ts';
import { hashOf } from './conduct.ts';
import { type Random, seededRandom } from './random.ts';

export interface Saving {
  /** Between one checkpoint and the next; null: it saves nothing. */
  readonly everyMs: number | null;
  /** How long it takes to make safe what is left; null: there is nothing. */
  readonly syncMs: number | null;
  /** Whether that brings another checkpoint. */
  readonly savesAtEnd: boolean;
  /** How far it says it has come; null: it says nothing. */
  readonly step: number | null;
  /** From when on, and for how long, nothing can be made safe. */
  readonly trouble: { readonly afterMs: number; readonly forMs: number } | null;
  /** When it has filled its scratch directory. */
  readonly overflowsAfterMs: number | null;
}

const KEEPS_NOTHING: Saving = {
  everyMs: null,
  syncMs: null,
  savesAtEnd: false,
  step: null,
  trouble: null,
  overflowsAfterMs: null,
};

/** Jobs that keep their checkpoints below it never write any. */
const BARREN = '/barren';

/** Settled by the seed and the name of the attempt alone, whatever else happens. */
export function savingOf(seed: number, { spec }: Job, attempt: AttemptId, n: number): Saving {
  const { keeping } = spec;
  if (keeping === undefined) return KEEPS_NOTHING;
  const random = seededRandom(seed ^ hashOf(`saving ${attempt}`));
  const isBarren = keeping.checkpoints === null || isStuck(keeping);
  const overflows = keeping.scratch?.maxBytes != null && random.chance(0.25);
  return {
    everyMs: isBarren ? null : 20_000 + random.waitMs(60_000),
    syncMs: random.chance(0.9) ? random.waitMs(20_000) : null,
    savesAtEnd: !isBarren && random.chance(0.4),
    step: random.chance(0.6) ? (isBarren ? 50 : n * 100) : null,
    trouble: random.chance(0.2)
      ? { afterMs: random.waitMs(60_000), forMs: random.pick([5_000, Number.POSITIVE_INFINITY]) }
      : null,
    overflowsAfterMs: overflows ? random.waitMs(30_000) : null,
  };
}

/** One that never gets to its first checkpoint in the time that it has. */
export function isStuck({ checkpoints }: Keeping): boolean {
  return checkpoints?.startsWith(BARREN) === true;
}

/** In places of their own, or in those of others. */
export function someKeeping(random: Random): Keeping {
  const place = random.pick([
    '/ck/%j',
    '/ck/%x',
    '/ck/%x',
    '/ck/shared',
    '/ck/%A',
    '/ck/%a',
    '/barren/%j',
    '/barren/%j',
  ]);
  const isCopied = random.chance(0.5);
  return {
    ...NOTHING_KEPT,
    checkpoints: isCopied && !place.startsWith(BARREN) ? '$SCRATCH/ck' : place,
    persist: isCopied ? place : null,
    keepCount: random.chance(0.3) ? 2 : null,
    scratch: random.chance(0.5) ? { maxBytes: random.chance(0.5) ? 1024 ** 3 : null } : null,
  };
}

/**
 * What a footprint is taken to mean for the next job of its kind: the most that was seen, and a margin that shrinks as
 * evidence grows, and grows again as it gets old.
 */

import { deviationOf, type Estimate, type Footprint, type FootprintLevel } from '../../model/footprint.ts';

/** After one run of the very same command. */
const FIRST_MARGIN_MILLIS = 250;
/** However often it was seen: allocators do not do the same twice. */
const LEAST_MARGIN_MILLIS = 30;
/** What is seen of a run that has not ended may be yet to grow. */
const PROVISIONAL_MARGIN_MILLIS = 500;
const EVIDENCE_HALVES_MS = 30 * 86_400_000;
/** Less than this is not worth telling apart: a framework that does nothing takes more. */
const LEAST_BYTES = 64 * 1024 ** 2;

/** The less exactly the kind is known, the more its runs may differ. */
const WIDENING: Readonly<Record<FootprintLevel, number>> = { kind: 1, command: 1, script: 1.5, name: 2 };

export function estimateOf(footprint: Footprint, now: number): Estimate {
  const { key, device, memory, load, setBytes, setLoadMillis, atLeastBytes = 0, isProvisional } = footprint;
  const seenBytes = memory.max;
  const marginMillis = setBytes === undefined ? marginOf(footprint, now) : 0;
  const expected = Math.max(memory.max, memory.mean + 2 * deviationOf(memory));
  const withMargin = Math.max(LEAST_BYTES, Math.ceil(expected * (1 + marginMillis / 1000)));
  const memoryBytes = setBytes ?? Math.max(withMargin, atLeastBytes);
  return {
    key,
    device,
    runs: isProvisional ? 0 : memory.count,
    seenBytes,
    memoryBytes,
    marginMillis,
    loadMillis: setLoadMillis ?? loadOf(load),
    basis:
      setBytes !== undefined
        ? 'set'
        : atLeastBytes > withMargin
          ? 'ranOut'
          : isProvisional
            ? 'provisional'
            : 'seen',
  };
}

function marginOf({ key, memory, lastSeenAt, isProvisional }: Footprint, now: number): number {
  if (isProvisional) return PROVISIONAL_MARGIN_MILLIS;
  const ageMs = Math.max(0, now - lastSeenAt);
  const evidence = Math.max(1, memory.count) * 0.5 ** (ageMs / EVIDENCE_HALVES_MS);
  const margin = (FIRST_MARGIN_MILLIS / Math.sqrt(evidence)) * WIDENING[key.level];
  return Math.round(Math.min(PROVISIONAL_MARGIN_MILLIS, Math.max(LEAST_MARGIN_MILLIS, margin)));
}

/** Load may be above what is typical now and then: that only makes others wait a little. */
function loadOf(load: Footprint['load']): number {
  if (load.count === 0) return 0;
  return Math.round(Math.min(1000, load.mean + deviationOf(load)));
}

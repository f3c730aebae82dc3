/**
 * When devices are looked at: as often as is wanted, but never so often that looking costs more than a small part of
 * the time, and never while another look is under way. A source that hangs is waited for, and nothing piles up.
 */

import type { DeviceReading } from '../../model/device-use.ts';
import { errorWords } from '../../platform/files.ts';
import type { DeviceSource } from '../../telemetry/device-source.ts';

export interface Sampling {
  /** How often it is wanted may have changed. */
  reconsider(): void;
  /** Somebody wants to know how it is now. */
  refresh(): void;
  close(): void;
}

export interface SamplingParts {
  readonly source: DeviceSource;
  /** How often a look is wanted at this moment. */
  readonly everyMs: () => number;
  readonly looked: (readings: readonly DeviceReading[]) => void;
  readonly log: (line: string) => void;
}

/** After a look that took so long, nothing is done for so many times as long. */
const REST_FACTOR = 50;
/** The quickest of so many counts: a look that had to wait for something else says little about what looks cost. */
const LOOKS_REMEMBERED = 3;
/** Whoever asks again within this time is answered with what was seen then. */
const RECENT_MS = 500;
/** Those who run things already are told to us in the turn in which the yard is opened. */
const FIRST_AFTER_MS = 10;

export function startSampling({ source, everyMs, looked, log }: SamplingParts): Sampling {
  let timer: NodeJS.Timeout | null = null;
  let isUnderWay = false;
  let isClosed = false;
  let isWanted = false;
  let begunAt = Number.NEGATIVE_INFINITY;
  let restUntil = performance.now() + FIRST_AFTER_MS;
  let costsMs: readonly number[] = [];
  let lastTrouble: string | null = null;

  function reconsider(): void {
    if (isClosed || isUnderWay) return;
    if (timer !== null) clearTimeout(timer);
    const dueAt = Math.max(restUntil, isWanted ? 0 : begunAt + everyMs());
    timer = setTimeout(() => void look(), Math.max(0, dueAt - performance.now()));
    timer.unref();
  }

  async function look(): Promise<void> {
    isUnderWay = true;
    isWanted = false;
    begunAt = performance.now();
    try {
      const readings = await source.read();
      if (!isClosed) looked(readings);
      lastTrouble = null;
    } catch (error) {
      complain(errorWords(error));
    }
    const endedAt = performance.now();
    costsMs = [...costsMs, endedAt - begunAt].slice(-LOOKS_REMEMBERED);
    restUntil = endedAt + REST_FACTOR * Math.min(...costsMs);
    isUnderWay = false;
    reconsider();
  }

  function complain(words: string): void {
    if (words !== lastTrouble) log(`GPUs cannot be looked at: ${words}`);
    lastTrouble = words;
  }

  reconsider();
  return {
    reconsider,
    refresh() {
      if (performance.now() - begunAt < RECENT_MS) return;
      isWanted = true;
      reconsider();
    },
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

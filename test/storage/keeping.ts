/** Directories, orders and writers for tests of keepers. */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CheckpointNote } from '../../src/model/keeping.ts';
import type { KeepTimes } from '../../src/storage/keep-context.ts';
import type { Keeper, KeeperEvents, KeepOrder } from '../../src/storage/keeper.ts';
import { createLocalKeeper } from '../../src/storage/local-keeper.ts';
import { openShelf, type Shelf } from '../../src/storage/shelf.ts';

export interface KeepingPlace {
  readonly directory: string;
  readonly from: string;
  readonly to: string;
  readonly told: Told;
  order(change?: Partial<KeepOrder>): KeepOrder;
  /** Written and closed at once. */
  write(name: string, content: string | Uint8Array): void;
  /** A keeper in this process; what is given takes the place of what its shelves do. */
  keeper(change?: (shelf: Shelf) => Partial<Shelf>, times?: Partial<KeepTimes>): Keeper;
  /** As it is after a reboot: nothing of what was seen is remembered. */
  another(): Promise<Keeper>;
  /** What lasts, and its names. */
  kept(name: string): string;
  keptNames(): string[];
  remove(): Promise<void>;
}

export const ORDERLY = { isOrderly: true, limitMs: 60_000 };
export const KILLED = { isOrderly: false, limitMs: 60_000 };
export const QUICK: Partial<KeepTimes> = {
  retryMs: 5,
  longestRetryMs: 20,
  lookMs: 50,
  scratchMs: 10,
  placeMs: 10,
  lateMs: 10,
};

/** A checkpoint whose format tells whether it is whole. */
export function json(step: number): string {
  return JSON.stringify({ step, weights: Array.from({ length: 50 }, (_, i) => i * step) });
}

export function keepingPlace(): KeepingPlace {
  const directory = mkdtempSync(join(tmpdir(), 'keeping-'));
  const from = join(directory, 'local');
  const to = join(directory, 'lasting');
  const told = listening();
  const keepers: Keeper[] = [];
  const closeAll = async () => {
    for (const keeper of keepers.splice(0)) await keeper.close();
  };
  const keeper = (change: (shelf: Shelf) => Partial<Shelf> = () => ({}), times = QUICK) => {
    const made = createLocalKeeper({
      events: told.events,
      now: () => Date.now(),
      times,
      open: async (options) => {
        const shelf = await openShelf(options);
        return { ...shelf, ...change(shelf) };
      },
    });
    keepers.push(made);
    return made;
  };
  return {
    directory,
    from,
    to,
    told,
    keeper,
    async another() {
      await closeAll();
      return keeper();
    },
    kept: (name) => readFileSync(join(to, name), 'utf8'),
    keptNames: () => namesIn(to),
    order: (change = {}) => ({
      attempt: '17.1',
      owner: { yardId: 'cafe', job: 17 },
      from,
      to,
      keepCount: null,
      keepForMs: null,
      logs: [],
      umask: 0o022,
      scratch: null,
      ...change,
    }),
    write(name, content) {
      const path = join(from, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    },
    async remove() {
      await closeAll();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Without what Trainyard has there for itself. */
export function namesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name !== '.trainyard')
    .sort();
}

/** A file that somebody has open. */
export function beginWriting(path: string, content: string | Uint8Array) {
  mkdirSync(dirname(path), { recursive: true });
  const fd = openSync(path, 'w');
  writeFileSync(fd, content);
  return {
    more: (text: string) => writeSync(fd, text),
    finish: () => {
      fsyncSync(fd);
      closeSync(fd);
    },
  };
}

export interface Told {
  readonly events: KeeperEvents;
  readonly kept: CheckpointNote[];
  readonly troubles: (string | null)[];
  readonly log: string[];
  /** Resolves once something of this name is safe. */
  untilKept(name: string): Promise<CheckpointNote>;
  untilTrouble(isIt: (trouble: string | null) => boolean): Promise<void>;
  readonly overScratch: Promise<number>;
}

export function listening(): Told {
  const kept: CheckpointNote[] = [];
  const troubles: (string | null)[] = [];
  const log: string[] = [];
  const waiting = new Set<() => void>();
  const look = () => {
    for (const one of waiting) one();
  };
  let over: (usedBytes: number) => void = () => {};
  const overScratch = new Promise<number>((resolve) => {
    over = resolve;
  });
  const until = <T>(find: () => T | undefined) =>
    new Promise<T>((resolve) => {
      const one = () => {
        const found = find();
        if (found === undefined) return;
        waiting.delete(one);
        resolve(found);
      };
      waiting.add(one);
      one();
    });
  return {
    kept,
    troubles,
    log,
    overScratch,
    untilKept: (name) => until(() => kept.find((note) => note.name === name)),
    untilTrouble: async (isIt) => {
      await until(() => (troubles.some(isIt) ? true : undefined));
    },
    events: {
      kept: (_attempt, note) => {
        kept.push(note);
        look();
      },
      trouble: (_attempt, trouble) => {
        troubles.push(trouble);
        look();
      },
      overScratch: (_attempt, usedBytes) => over(usedBytes),
      log: (line) => log.push(line),
    },
  };
}

export async function listed(keeper: Keeper, order: KeepOrder): Promise<string[]> {
  const { checkpoints } = await keeper.ask(order, { what: 'list' });
  return checkpoints.map(({ name, state }) => `${name} ${state}`);
}

/**
 * The place where checkpoints last: a directory with the same names as the program uses, so that a reader needs no
 * Trainyard, and `.trainyard/` beside them, which says what each file must be. Whatever is killed at whatever moment,
 * everything listed is whole. Knows nothing of how checkpoints are found, nor of when they are copied.
 */

import { printable } from '../model/bytes.ts';
import type { AttemptId } from '../model/ids.ts';
import type { CheckpointNote, CheckpointView } from '../model/keeping.ts';
import { Fault } from '../model/refusal.ts';
import type { DirectoryHandle } from '../platform/directory.ts';
import { isErrno } from '../platform/files.ts';
import { openNamedDirectory } from '../platform/named-directory.ts';
import { identityOf } from './identity.ts';
import type { Owner } from './keeper.ts';
import { openBooks } from './shelf/books.ts';
import { retire, wouldStay } from './shelf/changes.ts';
import { copyFound } from './shelf/copy-found.ts';
import { type Attempted, storageFault } from './shelf/faults.ts';
import { groundOf, type Manners, MOVED_SLACK_MS, USUAL_MANNERS } from './shelf/ground.ts';
import { type Kept, noteOf } from './shelf/manifest.ts';
import { readManifest } from './shelf/manifest-file.ts';
import { takePlace } from './shelf/place.ts';
import { type PutOrder, putInPlace, putUnit, putUnproven } from './shelf/put-unit.ts';
import type { Repository } from './shelf/repository.ts';
import { setDamagedAside } from './shelf/set-aside.ts';
import {
  type FoundWhole,
  newestWhole,
  type Restored,
  type RestoredNewest,
  restoreNamed,
  restoreNewest,
  verifyOne,
  withGroundAt,
} from './shelf/take-whole.ts';
import { viewsOf } from './shelf/views.ts';
import type { Unit } from './units.ts';

export interface ShelfOptions {
  /** Made when it is not there. */
  readonly directory: string;
  readonly owner: Owner;
  readonly keepCount: number | null;
  readonly keepForMs: number | null;
  readonly now: () => number;
  /** The directory is the one that its program writes to: checkpoints are recorded there, and nothing is copied. */
  readonly inPlace?: boolean;
}

export interface Shelf {
  readonly directory: string;
  /** The directory itself, open for as long as the shelf is. */
  readonly root: DirectoryHandle;
  /** Sentences about what was found at opening: a record that could not be read and was set aside. */
  readonly remarks: readonly string[];
  /** Whether these very files are safe, or were and retention has removed them, or are set apart as unproven. */
  isKept(unit: Unit): boolean;
  /** Whether it should be put: it is not kept, and retention would not remove it at once. */
  isWanted(unit: Unit): boolean;
  /**
   * Safe when this resolves; then what keepCount and keepForMs ask for is removed. `changed`: it was written to or
   * vanished meanwhile, and nothing has happened. Rejects with a Fault, retryable when the disk is full. One at a
   * time: calls wait for each other.
   */
  put(unit: Unit, from: string, attempt: AttemptId | null): Promise<CheckpointNote | 'changed'>;
  /** Sets apart a copy of what may not be whole. It never counts as a checkpoint. */
  putUnproven(unit: Unit, from: string, attempt: AttemptId | null): Promise<void>;
  /** Newest first; also those that are set apart. */
  entries(): readonly CheckpointView[];
  /** Reads it to the last byte. A damaged one is set aside, and the one before it used. */
  newestWhole(): Promise<FoundWhole>;
  /** As newestWhole and then restore, reading each byte once; what is in the directory unchanged is left as it is. */
  restoreNewest(to: string): Promise<RestoredNewest>;
  /**
   * Puts one into a directory, with the pointers that lead to it: all of it or nothing. What is there under the same
   * name and differs is moved to `.trainyard/replaced/` there. Null: there is no such checkpoint, or it is damaged.
   */
  restore(name: string, to: string): Promise<Restored | null>;
  /** Puts what nobody has recorded into another directory; what has one of its names there stays. */
  copyFound(unit: Unit, to: string): Promise<'copied' | 'changed'>;
  /** Reads every byte of everything. Damaged ones are set aside, and said in the remarks. */
  verify(): Promise<Verified>;
  /** The names of those removed. */
  prune(keepCount: number | null, keepForMs: number | null): Promise<readonly string[]>;
  /** False: somebody has moved or removed the directory or its record. What is left of it can only be closed. */
  isStillThere(): Promise<boolean>;
  close(): Promise<void>;
}

export interface Verified {
  readonly entries: readonly CheckpointView[];
  readonly remarks: readonly string[];
}

export async function openShelf(options: ShelfOptions, manners = USUAL_MANNERS): Promise<Shelf> {
  const { directory, now } = options;
  const isInPlace = options.inPlace ?? false;
  const rules = { keepCount: options.keepCount, keepForMs: options.keepForMs };
  const place = await takePlace(directory, options.owner);
  const { repository } = place;
  const { books, remarks, slackMs, closeGround } = await open(options, repository, manners).catch(
    (error: unknown) => {
      place.release();
      throw error;
    },
  );
  const { ground } = books;
  let tail: Promise<unknown> = Promise.resolve();

  /** One after another, whatever became of those before; an error as a fault that says what it was about. */
  function inTurn<Result>(
    about: Omit<Attempted, 'directory'> & Partial<Attempted>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const done = tail.then(async () => {
      try {
        await books.catchUp();
        return await work();
      } catch (error) {
        throw await storageFault(error, { directory, ...about });
      }
    });
    tail = done.catch(() => {});
    return done;
  }

  function isKept(unit: Unit): boolean {
    return books.isKnown(identityOf(unit));
  }

  /** Its calls reach the directory that it comes from as well, for as long as the work takes. */
  async function withOrder<Result>(
    { unit, from, attempt }: Pick<PutOrder, 'unit' | 'from' | 'attempt'>,
    work: (order: PutOrder) => Promise<Result>,
  ): Promise<Result | 'changed'> {
    if (from === directory) return work({ books, ground, unit, from, attempt, rules, now });
    const source = await openIfThere(from);
    if (source === null) return 'changed';
    try {
      const others = [{ path: from, handle: source }];
      const suited = await groundOf(repository, manners, { others, slackMs });
      return await work({ books, ground: suited.ground, unit, from, attempt, rules, now }).finally(
        suited.close,
      );
    } finally {
      source.close();
    }
  }

  /** What is in a directory that nobody finds by its name is not safe. */
  async function expectStillThere(): Promise<void> {
    if (await repository.isStillThere()) return;
    throw new Fault(`${printable(directory)} or .trainyard in it was moved or replaced`, true);
  }

  async function put(
    unit: Unit,
    from: string,
    attempt: AttemptId | null,
  ): Promise<CheckpointNote | 'changed'> {
    const kept = books.find(unit.name);
    if (kept?.sources.includes(identityOf(unit))) return noteOf(kept);
    const note = await withOrder({ unit, from, attempt }, isInPlace ? putInPlace : putUnit);
    if (note !== 'changed') await expectStillThere();
    return note;
  }

  const damage = (entry: Kept, wrong: string) =>
    setDamagedAside(books, entry, wrong, { isInPlace, now: now() });
  const restoring = { books, repository, manners, damage, isInPlace };

  return {
    directory,
    root: repository.directory,
    remarks,
    isKept,
    isWanted: (unit) => !isKept(unit) && wouldStay(books.manifest(), unit, { ...rules, now: now() }),
    put: (unit, from, attempt) =>
      inTurn({ verb: isInPlace ? 'record' : 'copy', name: unit.name, neededBytes: unit.bytes }, () =>
        put(unit, from, attempt),
      ),
    putUnproven: (unit, from, attempt) =>
      inTurn({ verb: 'copy', name: unit.name, neededBytes: unit.bytes }, async () => {
        if (!isKept(unit)) await withOrder({ unit, from, attempt }, (order) => putUnproven(order, isInPlace));
      }),
    entries: () => viewsOf(directory, books.manifest()),
    newestWhole: () => inTurn(ABOUT_ALL, () => newestWhole(restoring)),
    restoreNewest: (to) =>
      inTurn({ ...ABOUT_ALL, verb: 'restore', directory: to }, () => restoreNewest(restoring, to)),
    restore: (name, to) =>
      inTurn({ verb: 'restore', name, directory: to, neededBytes: books.find(name)?.bytes ?? 0 }, () =>
        restoreNamed(restoring, name, to),
      ),
    copyFound: (unit, to) =>
      inTurn({ verb: 'restore', name: unit.name, directory: to, neededBytes: unit.bytes }, () =>
        withGroundAt({ repository, manners }, to, ({ ground: near }) => copyFound(near, unit, directory)),
      ),
    async verify() {
      const found: string[] = [];
      // Each in its turn, so that a checkpoint that comes meanwhile does not wait for all of them.
      for (const { name } of books.manifest().kept)
        found.push(...(await inTurn({ ...ABOUT_ALL, name }, () => verifyOne(restoring, name))));
      return { entries: viewsOf(directory, books.manifest()), remarks: found };
    },
    prune: (keepCount, keepForMs) =>
      inTurn({ ...ABOUT_ALL, verb: 'remove' }, async () => {
        const { manifest, names } = retire(books.manifest(), { keepCount, keepForMs, now: now() });
        if (names.length > 0) await books.write(manifest);
        return names;
      }),
    isStillThere: repository.isStillThere,
    async close() {
      await tail;
      closeGround();
      place.release();
    },
  };
}

const ABOUT_ALL = { verb: 'set aside', name: 'a checkpoint', neededBytes: 0 } as const;

async function open({ directory, inPlace = false }: ShelfOptions, repository: Repository, manners: Manners) {
  // A program may write its file again at once.
  const slackMs = inPlace ? 0 : MOVED_SLACK_MS;
  const { ground, close: closeGround } = await groundOf(repository, manners, { slackMs });
  try {
    const record = await readManifest(ground);
    return { books: await openBooks(ground, record), remarks: record.remarks, slackMs, closeGround };
  } catch (error) {
    closeGround();
    throw await storageFault(error, { directory, verb: 'record', name: 'what is kept', neededBytes: 0 });
  }
}

async function openIfThere(path: string): Promise<DirectoryHandle | null> {
  try {
    return await openNamedDirectory(path);
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
    throw error;
  }
}

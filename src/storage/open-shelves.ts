/**
 * The shelves that are open in this process, each once however many use it: the attempt that is watched, and whoever asks
 * about it meanwhile. A shelf is closed, and its lock let go, when the last one has given it back.
 */

import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { printable, textFromBytes } from '../model/bytes.ts';
import { Fault } from '../model/refusal.ts';
import { onDisk } from '../platform/path-bytes.ts';
import type { KeepOrder } from './keeper.ts';
import { makeLastingDirectory } from './lasting-directory.ts';
import type { openShelf, Shelf } from './shelf.ts';

export interface ShelfLease {
  readonly shelf: Shelf;
  /** Safe to repeat. */
  giveBack(): Promise<void>;
}

export interface OpenShelves {
  /** Rejects with a Fault. */
  take(order: KeepOrder): Promise<ShelfLease>;
}

interface OpenOne {
  readonly shelf: Promise<Shelf>;
  users: number;
}

const LOCK_RETRY_MS = 50;

/** A keeper that was killed lets go of its lock when the kernel gets to it: that is waited for. */
export function createOpenShelves(
  open: typeof openShelf,
  now: () => number,
  patienceMs: number,
): OpenShelves {
  const shelves = new Map<string, OpenOne>();
  const closing = new Map<string, Promise<void>>();

  async function opened(order: KeepOrder, directory: string): Promise<Shelf> {
    // Whoever opens it says why it cannot be had.
    await makeLastingDirectory(directory, order.umask).catch(() => {});
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      try {
        return await open({
          directory,
          owner: order.owner,
          keepCount: order.keepCount,
          keepForMs: order.keepForMs,
          now,
          inPlace: isInPlace(order),
        });
      } catch (error) {
        if (!(error instanceof Fault) || !error.retryable || performance.now() > giveUpAt) throw error;
        await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
      }
    }
  }

  return {
    async take(order) {
      const directory = placeOf(order);
      const key = await realPlace(directory);
      await closing.get(key);
      await forgetIfGone(shelves, key);
      const one: OpenOne = shelves.get(key) ?? { shelf: opened(order, directory), users: 0 };
      shelves.set(key, one);
      one.users++;
      const leave = async () => {
        if (--one.users > 0) return;
        if (shelves.get(key) === one) shelves.delete(key);
        const closed = one.shelf.then(
          (shelf) => shelf.close(),
          () => {},
        );
        closing.set(key, closed);
        await closed;
        if (closing.get(key) === closed) closing.delete(key);
      };
      try {
        const shelf = await one.shelf;
        let isBack = false;
        return {
          shelf,
          async giveBack() {
            if (isBack) return;
            isBack = true;
            await leave();
          },
        };
      } catch (error) {
        await leave();
        throw error;
      }
    },
  };
}

/** Those who still use one that was moved or removed find it out themselves. */
async function forgetIfGone(shelves: Map<string, OpenOne>, key: string): Promise<void> {
  const one = shelves.get(key);
  const shelf = await one?.shelf.catch(() => null);
  if (shelf && !(await shelf.isStillThere()) && shelves.get(key) === one) shelves.delete(key);
}

/** The same for all ways to a directory, also before it has been made. */
async function realPlace(path: string): Promise<string> {
  try {
    return textFromBytes(await realpath(onDisk(path), 'buffer'));
  } catch {
    const above = dirname(path);
    return above === path ? path : `${await realPlace(above)}/${basename(path)}`;
  }
}

/** Whether checkpoints last where they are written. */
export function isInPlace({ from, to }: KeepOrder): boolean {
  return to === null || (from !== null && plain(to) === plain(from));
}

/** The directory in which the checkpoints of an order last. Throws a Fault when there can be none. */
export function placeOf(order: KeepOrder): string {
  const { from, to } = order;
  const place = isInPlace(order) ? from : to;
  if (place === null) throw new Fault('the job names no directory for its checkpoints', false);
  if (from !== null && `${plain(place)}/`.startsWith(`${plain(from)}/`) && plain(place) !== plain(from))
    throw new Fault(
      `checkpoints cannot last in ${printable(place)}, inside ${printable(from)}, where they are written: name a directory beside it`,
      false,
    );
  return place;
}

function plain(path: string): string {
  return path.replace(/\/(?:\.?\/)+/g, '/').replace(/\/\.?$/, '');
}

/**
 * A change to the shelf that is announced (manifest-file.ts), carried out: names are moved, and nothing else. What is
 * done of it already is seen from where things are, so whoever was killed in the middle is followed by somebody who calls
 * this again. A reader of the shelf finds a whole version under each name at every moment.
 */

import { isErrno } from '../../platform/files.ts';
import type { Kept, Settling } from './manifest.ts';
import { eachOf, type Ground, removeAll, syncDirectory } from './trees.ts';

type Put = Extract<Settling, { what: 'put' }>;
type SetAside = Extract<Settling, { what: 'setAside' }>;

/** `previous`: what is listed of the version before the one that is put. */
export async function settle(ground: Ground, settling: Settling, previous: Kept | null): Promise<void> {
  if (settling.what === 'put') await settlePut(ground, settling, previous);
  else await settleAside(ground, settling);
}

async function settlePut(ground: Ground, put: Put, previous: Kept | null): Promise<void> {
  const { calls, directory, hidden } = ground;
  const draft = draftPath(ground, put.id);
  for (const top of put.tops) if (!(await isInPlace(ground, put, top))) await bringIn(ground, put, top);
  for (const { top } of put.before)
    if (!put.tops.includes(top)) await moveOnce(ground, `${directory}/${top}`, `${draft}/old/${top}`);
  await collectExchanged(ground, put);
  if (put.keepsPrevious) {
    if (previous !== null) await carryOver(ground, put, previous);
    await keepPrevious(ground, put);
    await syncDirectory(calls, `${hidden}/previous`);
  }
  await syncDirectory(calls, directory);
}

async function isInPlace({ calls, directory, hidden }: Ground, put: Put, top: string): Promise<boolean> {
  if ((await calls.look(`${hidden}/drafts/${put.id}/new/${top}`)) === null) return true;
  // They may have changed places, and then the one before is where the new one was drafted.
  const ino = put.exchangedInos[top];
  return ino !== undefined && (await calls.look(`${directory}/${top}`))?.ino === ino;
}

async function bringIn(ground: Ground, put: Put, top: string): Promise<void> {
  const { calls, directory } = ground;
  const [fresh, place] = [`${draftPath(ground, put.id)}/new/${top}`, `${directory}/${top}`];
  const keptAs = await keptAsOf(ground, put, top);
  const found = await calls.look(place);
  if (found !== null && put.exchangedInos[top] !== undefined) {
    if (await calls.exchange(fresh, place)) return;
    // Where two names cannot be swapped, this one is missing for a moment; the record tells where it is.
    await moveOnce(ground, place, keptAs ?? `${draftPath(ground, put.id)}/old/${top}`);
  } else if (found !== null && keptAs !== null) {
    await nameAlso(ground, place, keptAs);
  }
  await calls.rename(fresh, place);
}

/** Where to what has this name now goes; null: nobody needs it any more. */
async function keptAsOf(ground: Ground, put: Put, top: string): Promise<string | null> {
  const { calls, directory } = ground;
  const aside = put.before.find((one) => one.top === top)?.aside ?? null;
  if (aside === null) return put.keepsPrevious ? `${draftPath(ground, put.id)}/old/${top}` : null;
  await calls.makeDirectory(`${directory}/${parentOf(aside)}`);
  return `${directory}/${aside}`;
}

/** What is there keeps its name until the new one takes it. */
async function nameAlso(ground: Ground, place: string, other: string): Promise<void> {
  try {
    await ground.calls.nameAlso(place, other);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return;
    // No file has two names here, so this one is missing for a moment.
    await moveOnce(ground, place, other);
  }
}

/** What gave its place away by an exchange is where the new one was drafted. */
async function collectExchanged(ground: Ground, put: Put): Promise<void> {
  for (const top of Object.keys(put.exchangedInos)) {
    const keptAs = await keptAsOf(ground, put, top);
    if (keptAs !== null) await moveOnce(ground, `${draftPath(ground, put.id)}/new/${top}`, keptAs);
  }
}

/** What somebody has put into a directory of the version before stays in the one that they know by that name. */
async function carryOver(ground: Ground, put: Put, previous: Kept): Promise<void> {
  const { directory } = ground;
  const ours = new Set([...previous.files, ...previous.directories].map(({ path }) => path));
  for (const { path } of previous.directories.filter((one) => !one.path.includes('/'))) {
    const old = `${draftPath(ground, put.id)}/old`;
    for (const other of await othersIn(ground, old, path, ours)) {
      await ground.calls.makeDirectory(`${directory}/${parentOf(other)}`);
      await moveOnce(ground, `${old}/${other}`, `${directory}/${other}`);
    }
  }
}

async function othersIn(
  ground: Ground,
  root: string,
  path: string,
  ours: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { bulk } = ground;
  if (!((await bulk.look(`${root}/${path}`))?.isDirectory() ?? false)) return [];
  const others: string[] = [];
  await eachOf(await bulk.names(`${root}/${path}`), 1, async (name) => {
    const inside = `${path}/${name}`;
    if (!ours.has(inside)) others.push(inside);
    else if ((await bulk.look(`${root}/${inside}`))?.isDirectory())
      others.push(...(await othersIn(ground, root, inside, ours)));
    return undefined;
  });
  return others;
}

/** Its place may be taken by a still older version, which is then of no more use. `old` was made with the draft. */
async function keepPrevious(ground: Ground, put: Put): Promise<void> {
  const { calls, hidden } = ground;
  const draft = draftPath(ground, put.id);
  const place = `${hidden}/previous/${put.name}`;
  await calls.makeDirectory(`${hidden}/previous`);
  if ((await calls.look(`${draft}/old`)) === null) return;
  await moveOnce(ground, place, `${draft}/older`);
  await calls.rename(`${draft}/old`, place);
}

async function settleAside(ground: Ground, aside: SetAside): Promise<void> {
  const { calls, directory, hidden } = ground;
  const to = `${directory}/${aside.to}`;
  const isOne = aside.tops.length === 1 && aside.tops[0] === aside.name;
  await calls.makeDirectory(isOne ? parentOf(to) : to);
  for (const top of aside.tops) await moveOnce(ground, `${directory}/${top}`, isOne ? to : `${to}/${top}`);
  for (const top of aside.promoted) {
    const kept = `${hidden}/previous/${aside.name}/${top}`;
    if ((await calls.look(kept)) !== null) await calls.rename(kept, `${directory}/${top}`);
  }
  if (aside.promoted.length > 0) await removeAll(ground.bulk, `${hidden}/previous/${aside.name}`);
  await syncDirectory(calls, parentOf(to));
  await syncDirectory(calls, directory);
}

/** Once: when it is where it should be, another thing may have taken its name. */
async function moveOnce({ calls }: Ground, from: string, to: string): Promise<void> {
  if ((await calls.look(to)) !== null || (await calls.look(from)) === null) return;
  await calls.rename(from, to);
}

export function draftPath({ hidden }: Ground, id: string): string {
  return `${hidden}/drafts/${id}`;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

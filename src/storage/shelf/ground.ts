/**
 * How a repository is reached: directly when its disk is in this machine, patiently when a server may hang, and never
 * anything outside it and the directory that copies come from or go to.
 */

import { statfs } from 'node:fs/promises';
import type { DirectoryHandle } from '../../platform/directory.ts';
import { kindOfMagic } from '../../platform/file-systems.ts';
import { confineTo, type Root } from './confined-calls.ts';
import { directCalls, type FileCalls, patientCalls } from './file-calls.ts';
import { HIDDEN, type Repository } from './repository.ts';
import type { Ground } from './trees.ts';

const AT_ONCE_FAR = 8;

/** A repository that was moved by some tools has lost its milliseconds. */
export const MOVED_SLACK_MS = 1000;

/** Both manners of calls, as a test may have others. */
export interface Manners {
  readonly direct: FileCalls;
  readonly patient: FileCalls;
}

export const USUAL_MANNERS: Manners = { direct: directCalls, patient: patientCalls };

export interface OpenGround {
  readonly ground: Ground;
  /** What it was made of stays open. */
  close(): void;
}

export interface GroundOptions {
  /** Directories that copies come from or go to. */
  readonly others?: readonly Root[];
  readonly slackMs?: number;
}

export async function groundOf(
  { path, directory, roots }: Repository,
  manners: Manners,
  { others = [], slackMs = MOVED_SLACK_MS }: GroundOptions = {},
): Promise<OpenGround> {
  const isLocal = await isOnLocalDisk(directory);
  const areOthersLocal = await Promise.all(others.map(({ handle }) => isOnLocalDisk(handle)));
  const areAllLocal = isLocal && areOthersLocal.every(Boolean);
  const { confined, close } = confineTo([...others, ...roots], areAllLocal);
  const patient = confined(manners.patient);
  const ground = {
    directory: path,
    hidden: `${path}/${HIDDEN}`,
    calls: isLocal ? patient : { ...patient, beginWriteOut: () => {}, reserve: () => {} },
    bulk: areAllLocal ? confined(manners.direct) : patient,
    atOnce: areAllLocal ? 1 : AT_ONCE_FAR,
    isLocal,
    slackMs,
  };
  return { ground, close };
}

async function isOnLocalDisk({ fd }: DirectoryHandle): Promise<boolean> {
  try {
    return kindOfMagic((await statfs(`/proc/self/fd/${fd}`)).type).where === 'local';
  } catch {
    return false;
  }
}

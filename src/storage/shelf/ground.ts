/** How a directory is reached: directly when its disk is in this machine, patiently when a server may hang. */

import { statfs } from 'node:fs/promises';
import { kindOfMagic } from '../../platform/file-systems.ts';
import { onDisk } from '../../platform/path-bytes.ts';
import { directCalls, type FileCalls, patientCalls } from './file-calls.ts';
import { HIDDEN } from './place.ts';
import type { Ground } from './trees.ts';

const AT_ONCE_FAR = 8;

const MOVED_SLACK_MS = 1000;

/** Both manners of calls, as a test may have others. */
export interface Manners {
  readonly direct: FileCalls;
  readonly patient: FileCalls;
}

export const USUAL_MANNERS: Manners = { direct: directCalls, patient: patientCalls };

export async function groundOf(directory: string, manners: Manners): Promise<Ground> {
  const isLocal = await isOnLocalDisk(directory);
  return {
    directory,
    hidden: `${directory}/${HIDDEN}`,
    calls: isLocal ? manners.patient : { ...manners.patient, beginWriteOut: () => {}, reserve: () => {} },
    bulk: isLocal ? manners.direct : manners.patient,
    atOnce: isLocal ? 1 : AT_ONCE_FAR,
    isLocal,
    slackMs: MOVED_SLACK_MS,
  };
}

/** For copies between it and another directory. */
export async function groundWith(ground: Ground, other: string, manners: Manners): Promise<Ground> {
  if (!ground.isLocal || (await isOnLocalDisk(other))) return ground;
  return { ...ground, bulk: manners.patient, atOnce: AT_ONCE_FAR };
}

async function isOnLocalDisk(directory: string): Promise<boolean> {
  try {
    return kindOfMagic((await statfs(onDisk(directory))).type).where === 'local';
  } catch {
    return false;
  }
}

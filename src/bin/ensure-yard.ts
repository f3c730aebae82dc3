/** Finds the yard of this user, or starts one; the one way in which commands come to a yard through Node. */

import { variablesOf } from '../client/caller.ts';
import { type FoundYard, findYard } from '../client/connect.ts';
import { ownUid, type Places, placesOfThisProcess } from '../client/places.ts';
import { daemonEnvironment, startDaemon } from '../client/start.ts';
import { RefusalError, refusal } from '../model/refusal.ts';
import { fileSystemKind } from '../platform/file-systems.ts';
import { packageRoot } from '../platform/install.ts';
import { chooseDirectory, tryPlaceOnDisk, type YardDirectory } from '../server/directory.ts';
import { LOG_FILE } from '../server/log.ts';
import {
  type DaemonOptions,
  formatDaemonOptions,
  rememberedOptions,
  rememberOptions,
} from './daemon-options.ts';
import { formatStartOrders, NO_ORDERS, type StartOrders } from './start-orders.ts';

/** Loading and re-adopting a very full yard takes a while; a healthy one needs a fraction of a second. */
const START_TIMEOUT_MS = 60_000;

export interface EnsuredYard extends FoundYard {
  readonly started: boolean;
  /** About the choice of its directory; only known when it was started now. */
  readonly remarks: readonly string[];
}

export function runningYard(): Promise<FoundYard | null> {
  return findYard(placesOfThisProcess());
}

/** Throws a RefusalError when there is no place for a yard. */
export function directoryOfThisProcess(): YardDirectory {
  return directoryAmong(placesOfThisProcess());
}

export function directoryAmong(places: Places): YardDirectory {
  const facts = { uid: ownUid(), isNamed: places.explicit, networkFileSystem };
  return chooseDirectory(places, (place) => tryPlaceOnDisk(place, facts));
}

export interface EnsureFacts {
  readonly places?: Places;
  /** For the daemon, beside what it takes from the caller's environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** For a daemon that is started now. */
  readonly orders?: StartOrders;
}

/**
 * With options they are kept for later starts; without, those of the last start hold. Throws a RefusalError
 * with what the daemon said when it could not start.
 */
export async function ensureYard(
  environment: Uint8Array,
  options: DaemonOptions | null,
  { places = placesOfThisProcess(), variables = {}, orders = NO_ORDERS }: EnsureFacts = {},
): Promise<EnsuredYard> {
  const running = await findYard(places);
  if (running !== null) return { ...running, started: false, remarks: [] };
  const { directory, remarks } = directoryAmong(places);
  if (options !== null) rememberOptions(directory, options);
  const result = await startDaemon({
    program: `${packageRoot()}/dist/bin/daemon.js`,
    programArguments: [
      ...formatDaemonOptions(options ?? rememberedOptions(directory)),
      ...formatStartOrders(orders),
    ],
    directory,
    logPath: `${directory}/${LOG_FILE}`,
    environment: {
      ...daemonEnvironment(variablesOf(environment)),
      ...explicitDirectory(places),
      ...variables,
    },
    timeoutMs: START_TIMEOUT_MS,
  });
  if (!result.ok) throw new RefusalError(refusal('unavailable', result.sentence, result.hint));
  return { ...result.yard, started: result.byUs, remarks };
}

/** A relative TRAINYARD_DIR is meant from the caller's directory, not from the daemon's. */
function explicitDirectory(places: Places): Record<string, string> {
  const named = places.directories[0];
  return places.explicit && named !== undefined ? { TRAINYARD_DIR: named.path } : {};
}

/** A file system that may be either counts as a network's: the safe mode is safe on both. */
function networkFileSystem(path: string): string | null {
  const { where, name } = fileSystemKind(path);
  return where === 'local' ? null : name;
}

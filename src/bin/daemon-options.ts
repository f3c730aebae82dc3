/**
 * What a daemon is told when it starts, beyond what its config file says. A yard that is started on demand
 * after a crash must be the same as before, so the options of the last `up` are kept beside its records.
 */

import { isAbsolute, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { badValue, UsageError } from '../dialects/native/failure.ts';
import type { Device } from '../model/node.ts';
import { RefusalError, refusal } from '../model/refusal.ts';
import { parseBytes } from '../model/units.ts';
import { errorWords, readFileIfThere, writeFileAtomic } from '../platform/files.ts';

export interface DaemonOptions {
  /** An absolute path. */
  readonly configFile: string | null;
  /** `4x16G`: so many pretended GPUs with so much memory; `2x16G,2x24G:a100` for different ones. */
  readonly simulateGpus: string | null;
}

export const NO_OPTIONS: DaemonOptions = { configFile: null, simulateGpus: null };

const FILE = 'start-options.json';
const MOST_SIMULATED_GPUS = 1024;

/** Throws a UsageError when a value makes no sense. */
export function daemonOptions(
  config: string | null,
  simulateGpus: string | null,
  workDir: string,
): DaemonOptions {
  if (simulateGpus !== null) simulatedDevices(simulateGpus);
  return { configFile: config === null ? null : resolve(workDir, config), simulateGpus };
}

export function simulatedDevices(text: string): readonly Device[] {
  const models = text.split(',').map(parseModel);
  const devices = models.flatMap((model) =>
    model === null ? [] : Array.from({ length: model.count }, () => model),
  );
  if (models.includes(null) || devices.length > MOST_SIMULATED_GPUS) {
    const hint = 'write how many and how much memory each, as in 4x16G or 2x16G,2x24G:a100';
    throw badValue('--simulate-gpus', text, hint);
  }
  return devices.map(({ kind, memoryBytes }, index) => ({ index, kind, memoryBytes, simulated: true }));
}

/** `2x24G:a100`: how many, with how much memory each, of which model. Null when it is no such thing. */
function parseModel(text: string) {
  const match = /^(\d{1,4})(?:x([^:]+))?(?::([A-Za-z0-9][A-Za-z0-9._-]*))?$/.exec(text);
  const memoryBytes = parseBytes(match?.[2] ?? '16G');
  if (match === null || memoryBytes === null) return null;
  return { count: Number(match[1]), memoryBytes, kind: match[3]?.toLowerCase() ?? 'simulated' };
}

export function formatDaemonOptions({ configFile, simulateGpus }: DaemonOptions): string[] {
  return [
    ...(configFile === null ? [] : [`--config=${configFile}`]),
    ...(simulateGpus === null ? [] : [`--simulate-gpus=${simulateGpus}`]),
  ];
}

/** Reads what formatDaemonOptions wrote. */
export function parseDaemonOptions(words: readonly string[]): DaemonOptions {
  const { values } = parseArgs({
    args: [...words],
    options: { config: { type: 'string' }, 'simulate-gpus': { type: 'string' } },
  });
  return daemonOptions(values.config ?? null, values['simulate-gpus'] ?? null, '/');
}

export function rememberOptions(directory: string, options: DaemonOptions): void {
  writeFileAtomic(`${directory}/${FILE}`, `${JSON.stringify(options)}\n`);
}

/** Those of the last `up`. Throws a RefusalError when the file says nothing that can be followed. */
export function rememberedOptions(directory: string): DaemonOptions {
  const path = `${directory}/${FILE}`;
  try {
    const bytes = readFileIfThere(path);
    return bytes === null ? NO_OPTIONS : parseRemembered(bytes.toString('utf8'));
  } catch (error) {
    // Without them the yard would be another one: other queues and limits, other GPUs.
    const message = `the options that the yard was last started with cannot be read: ${path}: ${wordsFor(error)}`;
    throw new RefusalError(refusal('unavailable', message, START_ANEW));
  }
}

const START_ANEW =
  'start it with the options that you want, which writes the file anew: trainyard up [--config FILE] [--simulate-gpus NxMEM]';

function parseRemembered(text: string): DaemonOptions {
  if (text.trim() === '') throw new Error('it is empty');
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it holds no JSON object');
  const { configFile = null, simulateGpus = null } = value as Readonly<Record<string, unknown>>;
  if (configFile !== null && !isPath(configFile)) throw new Error('"configFile" is no absolute path');
  if (simulateGpus !== null && typeof simulateGpus !== 'string')
    throw new Error('"simulateGpus" is no text such as "4x16G"');
  return daemonOptions(configFile, simulateGpus, '/');
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && isAbsolute(value) && !value.includes('\0');
}

function wordsFor(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not JSON';
  return error instanceof UsageError ? error.refusal.message : errorWords(error);
}

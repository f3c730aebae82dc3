/**
 * The devices of this machine through nvidia-smi, for when its library cannot be loaded. It tells less, and it is a
 * program to start for every look, so looks are few. It does not list the parts of a divided device.
 */

import { execFile } from 'node:child_process';
import { type SeenProcess, withMemoryOfAll } from './device-processes.ts';
import type { Hardware, HardwareDevice, HardwareReading } from './device-source.ts';
import { kindOf } from './devices.ts';

const FORMAT = '--format=csv,noheader,nounits';
const DEVICES =
  '--query-gpu=index,uuid,name,memory.total,memory.used,utilization.gpu,temperature.gpu,power.draw';
const PROCESSES = '--query-compute-apps=pid,gpu_uuid,used_memory';
const MIB = 1024 ** 2;
const MOST_OUTPUT_BYTES = 16 * MIB;

const OPEN_PATIENCE_MS = 10_000;
const LOOK_PATIENCE_MS = 5000;
/** Whoever asks again so soon is told the same. */
const FRESH_MS = 1000;

export interface SmiOptions {
  /** What it is started with; its PATH is where nvidia-smi is looked for. */
  readonly environment: NodeJS.ProcessEnv;
  readonly openPatienceMs?: number;
  readonly lookPatienceMs?: number;
  readonly nowMs?: () => number;
}

/** What a device says of itself; null: it does not say. */
export interface SmiDevice {
  readonly index: number;
  readonly uuid: string | null;
  readonly kind: string;
  readonly totalBytes: number | null;
  readonly usedBytes: number | null;
  readonly loadMillis: number | null;
  readonly temperatureC: number | null;
  readonly powerW: number | null;
}

/** Null when there is no nvidia-smi, or it lists no device. */
export async function openSmi({
  environment,
  openPatienceMs = OPEN_PATIENCE_MS,
  lookPatienceMs = LOOK_PATIENCE_MS,
  nowMs = () => performance.now(),
}: SmiOptions): Promise<Hardware | null> {
  const ask = asker(environment);
  const devices = parseDevices((await ask(DEVICES, openPatienceMs)) ?? '');
  if (devices.length === 0) return null;
  let last: { readonly atMs: number; readonly readings: Promise<readonly HardwareReading[]> } | null = null;
  return {
    name: 'nvidia-smi',
    devices: devices.map(described),
    async read(indices) {
      if (last === null || nowMs() - last.atMs >= FRESH_MS) {
        last = { atMs: nowMs(), readings: look(ask, lookPatienceMs) };
      }
      return (await last.readings).filter(({ index }) => indices.has(index));
    },
    close: () => {},
  };
}

function described({ index, uuid, kind, totalBytes }: SmiDevice): HardwareDevice {
  return { index, kind, memoryBytes: totalBytes ?? 0, simulated: false, ...(uuid === null ? {} : { uuid }) };
}

async function look(ask: Ask, patienceMs: number): Promise<readonly HardwareReading[]> {
  const text = await ask(DEVICES, patienceMs);
  if (text === null) return [];
  const users = await ask(PROCESSES, patienceMs);
  const byDevice = users === null ? null : parseProcesses(users);
  return parseDevices(text).flatMap((device) => {
    const { index, uuid, usedBytes, totalBytes, loadMillis, temperatureC, powerW } = device;
    if (usedBytes === null || totalBytes === null) return [];
    const processes = byDevice === null || uuid === null ? null : (byDevice.get(uuid) ?? []);
    return [
      {
        index,
        usedBytes,
        totalBytes,
        loadMillis,
        temperatureC,
        powerW,
        processes: withMemoryOfAll(processes, usedBytes),
      },
    ];
  });
}

/** Lines of what DEVICES asks for. What is not such a line is passed over. */
export function parseDevices(text: string): readonly SmiDevice[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(',').map((field) => field.trim());
    if (fields.length < 8 || !/^\d+$/.test(fields[0] as string)) return [];
    // Nobody promises that there is no comma in a name.
    const name = fields.slice(2, -5).join(', ');
    const [total, used, load, temperature, power] = fields.slice(-5).map(numberOrNull);
    return [
      {
        index: Number(fields[0]),
        uuid: fields[1]?.startsWith('GPU-') ? (fields[1] as string) : null,
        kind: kindOf(name),
        totalBytes: times(total, MIB),
        usedBytes: times(used, MIB),
        loadMillis: times(load, 10),
        temperatureC: times(temperature, 1),
        powerW: times(power, 1),
      },
    ];
  });
}

/** Lines of what PROCESSES asks for, by the device's name; null when they are not told. */
export function parseProcesses(text: string): ReadonlyMap<string, readonly SeenProcess[]> | null {
  const found = new Map<string, SeenProcess[]>();
  for (const line of text.split('\n')) {
    if (/^\s*\[/.test(line)) return null;
    const match = /^\s*(\d+)\s*,\s*(\S+)\s*,\s*(.+?)\s*$/.exec(line);
    if (match === null) continue;
    const [, pid, uuid, memory] = match as unknown as [string, string, string, string];
    const process = { pid: Number(pid), memoryBytes: times(numberOrNull(memory), MIB), loadMillis: null };
    found.set(uuid, [...(found.get(uuid) ?? []), process]);
  }
  return found;
}

/** `[N/A]`, `[Not Supported]`, `[Unknown Error]` and whatever else it may say are no numbers. */
function numberOrNull(field: string): number | null {
  return /^\d+(\.\d+)?$/.test(field) ? Number(field) : null;
}

function times(number: number | null | undefined, unit: number): number | null {
  return number === null || number === undefined ? null : Math.round(number * unit);
}

type Ask = (query: string, patienceMs: number) => Promise<string | null>;

/** Gives what nvidia-smi wrote; null when it failed or took too long, or one before it has still not ended. */
function asker(environment: NodeJS.ProcessEnv): Ask {
  let isOut = false;
  return (query, patienceMs) => {
    if (isOut) return Promise.resolve(null);
    isOut = true;
    return new Promise((resolve) => {
      const options = { env: environment, encoding: 'utf8', maxBuffer: MOST_OUTPUT_BYTES } as const;
      const child = execFile('nvidia-smi', [query, FORMAT], options, (error, text) => {
        isOut = false;
        clearTimeout(timer);
        resolve(error === null ? text : null);
      });
      // The kernel may hold it where no signal reaches it, and then it is not waited for either.
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        child.unref();
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve(null);
      }, patienceMs);
    });
  };
}

/**
 * The driver's library as it is: which functions it has, and a call to one of them that keeps nobody waiting but a
 * thread. What the functions tell is read elsewhere. Struct layouts are those of 64-bit Linux.
 */

import koffi, { type LibraryHandle } from 'koffi';

export const SUCCESS = 0;
export const NOT_FOUND = 6;
export const INSUFFICIENT_SIZE = 7;
/** Also what is said of a function that this library does not have. */
export const FUNCTION_NOT_FOUND = 13;
const UNKNOWN = 999;

const USUAL_LIBRARY = 'libnvidia-ml.so.1';

/** A device as the library knows it: a pointer to something that is its own business. */
export type Handle = bigint;

const LIST = 'uint64_t device, void *count, void *infos';

/** By the name that the library has for it. */
const PARAMETERS = {
  nvmlInit_v2: '',
  nvmlShutdown: '',
  nvmlDeviceGetCount_v2: 'void *count',
  nvmlDeviceGetHandleByIndex_v2: 'uint32_t index, void *device',
  nvmlDeviceGetName: 'uint64_t device, void *text, uint32_t length',
  nvmlDeviceGetUUID: 'uint64_t device, void *text, uint32_t length',
  nvmlDeviceGetMemoryInfo_v2: 'uint64_t device, void *memory',
  nvmlDeviceGetMemoryInfo: 'uint64_t device, void *memory',
  nvmlDeviceGetUtilizationRates: 'uint64_t device, void *rates',
  nvmlDeviceGetTemperature: 'uint64_t device, int sensor, void *degrees',
  nvmlDeviceGetPowerUsage: 'uint64_t device, void *milliwatts',
  nvmlDeviceGetComputeRunningProcesses_v3: LIST,
  nvmlDeviceGetComputeRunningProcesses_v2: LIST,
  nvmlDeviceGetComputeRunningProcesses: LIST,
  nvmlDeviceGetGraphicsRunningProcesses_v3: LIST,
  nvmlDeviceGetGraphicsRunningProcesses_v2: LIST,
  nvmlDeviceGetGraphicsRunningProcesses: LIST,
  nvmlDeviceGetProcessUtilization: 'uint64_t device, void *samples, void *count, uint64_t sinceUs',
  nvmlDeviceGetMigMode: 'uint64_t device, void *current, void *pending',
  nvmlDeviceGetMaxMigDeviceCount: 'uint64_t device, void *count',
  nvmlDeviceGetMigDeviceHandleByIndex: 'uint64_t device, uint32_t index, void *mig',
  nvmlDeviceGetAttributes_v2: 'uint64_t device, void *attributes',
  nvmlDeviceGetGpuInstanceId: 'uint64_t device, void *id',
  nvmlDeviceGetComputeInstanceId: 'uint64_t device, void *id',
} as const;

export type NvmlFunction = keyof typeof PARAMETERS;

type Found = ReturnType<LibraryHandle['func']>;

export interface Nvml {
  /** Calls the first of these that the library has, and gives what it returned. Never throws. */
  call(names: NvmlFunction | readonly NvmlFunction[], ...args: readonly unknown[]): Promise<number>;
}

/** Null when there is no such library. */
export function loadNvml(library: string = USUAL_LIBRARY): Nvml | null {
  let handle: LibraryHandle;
  try {
    handle = koffi.load(library);
  } catch {
    return null;
  }
  const known = new Map<NvmlFunction, Found | null>();
  const find = (name: NvmlFunction) => {
    let found = known.get(name);
    if (found === undefined) {
      found = functionIn(handle, name);
      known.set(name, found);
    }
    return found;
  };
  return {
    call(names, ...args) {
      for (const name of typeof names === 'string' ? [names] : names) {
        const found = find(name);
        if (found !== null) return callAside(found, args);
      }
      return Promise.resolve(FUNCTION_NOT_FOUND);
    },
  };
}

function functionIn(library: LibraryHandle, name: NvmlFunction): Found | null {
  try {
    return library.func(`int ${name}(${PARAMETERS[name]})`);
  } catch {
    return null;
  }
}

/** Buffers that C was given pointers to must stay where they are until the call is over, if ever it is. */
const lent = new Set<readonly unknown[]>();

function callAside(found: Found, args: readonly unknown[]): Promise<number> {
  return new Promise((resolve) => {
    lent.add(args);
    const finish = (code: number) => {
      lent.delete(args);
      resolve(code);
    };
    try {
      found.async(...args, (error: unknown, code: number) => finish(error ? UNKNOWN : code));
    } catch {
      finish(UNKNOWN);
    }
  });
}

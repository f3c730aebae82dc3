/** The GPUs that a batch job was given, for a balancer of its own: real ones by their names, pretended ones by their likes. */

import { readFileSync } from 'node:fs';

export interface DevicesOfJob {
  /** As `--simulate-gpus` takes it; null: they are real. */
  readonly simulated: string | null;
  /** For the daemon: which real ones there are. */
  readonly variables: Readonly<Record<string, string>>;
}

const TELLING = ['CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER', 'NVIDIA_VISIBLE_DEVICES'];

export function devicesOfJob(environment: Readonly<Record<string, string>>): DevicesOfJob {
  const { TRAINYARD_SIMULATED_GPUS: directory, CUDA_VISIBLE_DEVICES: visible = '' } = environment;
  if (directory) {
    const simulated = likeThose(readOrNothing(`${directory}/devices`), visible.split(','));
    return { simulated, variables: {} };
  }
  const told = TELLING.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { simulated: null, variables: Object.fromEntries(told) };
}

/** Lines of `index bytes kind`. Where they differ, none has more than the smallest. */
export function likeThose(text: string, visible: readonly string[]): string | null {
  const sizes = text.split('\n').flatMap((line) => {
    const match = /^(\d+) (\d+) /.exec(line);
    return match !== null && visible.includes(match[1] as string) ? [Number(match[2])] : [];
  });
  return sizes.length === 0 ? null : `${sizes.length}x${Math.min(...sizes)}`;
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

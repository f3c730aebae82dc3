/**
 * The log of its devices that a job may ask for, in the style of `nvidia-smi dmon`: a line for each of them at the
 * start, every minute and at the end. It is a convenience: one that cannot be written is said once, and no fault.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { printable } from '../../model/bytes.ts';
import type { DeviceReading } from '../../model/device-use.ts';
import { fillPattern } from '../../model/pattern.ts';
import { errorWords, isErrno } from '../../platform/files.ts';
import { dmonHeader, dmonLines } from '../../telemetry/dmon.ts';
import { makeDirectories } from '../hooks/outputs.ts';
import { attemptIdOf, isSameDevice, type Tenant } from './tenant.ts';

export interface GpuLogs {
  /** Devices were looked at. */
  add(tenant: Tenant, readings: readonly DeviceReading[]): void;
  /** With what was seen last. */
  end(tenant: Tenant): Promise<void>;
}

interface Written {
  readonly path: string;
  dueAt: number;
  last: readonly DeviceReading[];
  /** Nothing is added while something is being added, so that a disk that hangs costs one line. */
  writing: Promise<void> | null;
  isTroubled: boolean;
}

/** Others may have put a pipe there, which must not keep us waiting. */
const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK, O_NOCTTY } = constants;
const FLAGS = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY;

export function createGpuLogs(everyMs: number, log: (line: string) => void): GpuLogs {
  const logs = new Map<Tenant, Written>();

  function of(tenant: Tenant, pattern: string): Written {
    const known = logs.get(tenant);
    if (known !== undefined) return known;
    const { job, attempt } = tenant.live;
    const [first] = attempt.placement.nodes;
    const node = first === undefined ? null : { name: first.node, number: 0 };
    const path = fillPattern(pattern, job, attempt, node, 0);
    const written = { path, dueAt: 0, last: [], writing: null, isTroubled: false };
    logs.set(tenant, written);
    return written;
  }

  function write(tenant: Tenant, to: Written): void {
    const lines = dmonLines(to.last, Date.now(), (atMs) => -new Date(atMs).getTimezoneOffset() * 60_000);
    to.writing = append(tenant, to.path, lines)
      .catch((error: unknown) => {
        if (!to.isTroubled)
          log(
            `attempt ${attemptIdOf(tenant)}: its GPU log ${printable(to.path)} cannot be written: ${errorWords(error)}`,
          );
        to.isTroubled = true;
      })
      .finally(() => {
        to.writing = null;
      });
  }

  return {
    add(tenant, readings) {
      const pattern = tenant.live.job.spec.gpuLog;
      if (pattern === undefined) return;
      const to = of(tenant, pattern);
      to.last = readings.filter((each) => tenant.holdings.some((holding) => isSameDevice(holding, each)));
      const now = performance.now();
      if (now < to.dueAt || to.writing !== null || to.last.length === 0) return;
      to.dueAt = now + everyMs;
      write(tenant, to);
    },
    async end(tenant) {
      const to = logs.get(tenant);
      logs.delete(tenant);
      if (to === undefined || to.last.length === 0) return;
      await to.writing;
      write(tenant, to);
      await to.writing;
    },
  };
}

/** With the permissions that its submitter would have given it. */
async function append({ live }: Tenant, path: string, lines: string): Promise<void> {
  const { streams, program } = live.job.spec;
  const file = await open(path, FLAGS).catch(async (error: unknown) => {
    if (!isErrno(error, 'ENOENT')) throw error;
    if (streams.makeDirectories) makeDirectories(dirname(path), program.umask);
    const made = await open(path, FLAGS | O_CREAT | O_EXCL, 0o600);
    await made.chmod(0o666 & ~program.umask);
    return made;
  });
  try {
    const isEmpty = (await file.stat()).size === 0;
    await file.appendFile(isEmpty ? dmonHeader() + lines : lines);
  } finally {
    await file.close();
  }
}

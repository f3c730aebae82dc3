/** What `qhost` tells of one host, worked out once for its text and its XML. */

import type { NodeView } from '../../../model/query.ts';
import { type AttributeValue, hostFacts, hostValues, memoryText } from '../host-values.ts';
import { instanceName, type JobFacts } from '../job-facts.ts';
import type { QueueInstance } from '../queue-instances.ts';

export interface HostRecord {
  readonly name: string;
  /** Column by column; `-` where nobody knows. */
  readonly columns: Readonly<Record<HostColumn, string>>;
  readonly values: readonly AttributeValue[];
  readonly queues: readonly HostQueue[];
}

export interface HostQueue {
  readonly instance: QueueInstance;
  readonly jobs: readonly JobFacts[];
}

export type HostColumn =
  | 'arch'
  | 'cpus'
  | 'sockets'
  | 'cores'
  | 'threads'
  | 'load'
  | 'memory'
  | 'memoryUsed'
  | 'swap'
  | 'swapUsed';

const UNKNOWN = '-';

/** Nothing is known of the cluster as a whole. */
export const GLOBAL: HostRecord = {
  name: 'global',
  columns: {
    arch: UNKNOWN,
    cpus: UNKNOWN,
    sockets: UNKNOWN,
    cores: UNKNOWN,
    threads: UNKNOWN,
    load: UNKNOWN,
    memory: UNKNOWN,
    memoryUsed: UNKNOWN,
    swap: UNKNOWN,
    swapUsed: UNKNOWN,
  },
  values: [],
  queues: [],
};

/** `instances` are everybody's; the jobs are those that are to be shown. */
export function hostRecord(
  view: NodeView,
  instances: readonly QueueInstance[],
  jobs: ReadonlyMap<string, readonly JobFacts[]>,
): HostRecord {
  const { name, arch, cpus, topology, load, memory, swap } = hostFacts(view);
  const amount = (bytes: number | null | undefined) =>
    bytes === null || bytes === undefined ? UNKNOWN : memoryText(bytes, 1);
  return {
    name,
    columns: {
      arch: arch ?? UNKNOWN,
      cpus: `${cpus}`,
      sockets: `${topology.sockets}`,
      cores: `${topology.cores}`,
      threads: `${topology.threads}`,
      load: load === null ? UNKNOWN : load.medium.toFixed(2),
      memory: amount(memory.totalBytes),
      memoryUsed: amount(memory.usedBytes),
      swap: amount(swap?.totalBytes),
      swapUsed: amount(swap?.usedBytes),
    },
    values: hostValues(view),
    queues: instances
      .filter(({ node }) => node === name)
      .map((instance) => ({ instance, jobs: jobs.get(instanceName(instance)) ?? [] })),
  };
}

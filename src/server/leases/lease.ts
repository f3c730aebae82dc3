/**
 * A lease: devices held by a process that the yard did not start. It is a job like any other, so that order, footprints
 * and history are the same; here is how a wish for one becomes such a job, and how one is recognised.
 */

import type { BlobHash, JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { CallerProcess, JobSpec } from '../../model/job-spec.ts';
import { PLAIN_RESOURCES, PLAIN_SPEC } from '../../model/plain.ts';

export const LEASE_DIALECT = 'glb';

export interface LeaseWish {
  /** Jobs of one kind use GPUs alike. */
  readonly kind: string;
  readonly gpus: number;
  readonly name: string;
  /** Null: the default queue. */
  readonly queue: string | null;
  /** Frameworks are told to use no more of a shared device than the lease was given. */
  readonly memoryLimited: boolean;
  /** Only these would do, by the names under which programs see them; null: any. */
  readonly devices: readonly string[] | null;
}

/** Who asks. */
export interface LeaseClient {
  readonly user: string;
  readonly uid: number;
  /** Null: it lives where its number means nothing here, and its connection is all that tells of it. */
  readonly process: CallerProcess | null;
}

/** What a client is told, one after another. */
export type LeaseWord =
  | { readonly state: 'waiting'; readonly job: JobId; readonly sentence: string }
  | ({ readonly state: 'granted' } & LeaseGrant)
  | { readonly state: 'ended'; readonly why: string };

export interface LeaseGrant {
  readonly job: JobId;
  /** The attempt, by which the lease is named from then on. */
  readonly lease: string;
  readonly devices: readonly LeasedDevice[];
  /** To be set where the devices are used. */
  readonly variables: Readonly<Record<string, string>>;
  /** It is the first of its kind, and has its devices alone to show what it uses. */
  readonly isLearning: boolean;
}

export interface LeasedDevice {
  readonly node: string;
  readonly index: number;
  readonly kind: string;
  readonly memoryBytes: number;
  readonly shareBytes: number;
}

const WHOLE_DEVICE_MILLIS = 1000;

export function specOfLease(
  { kind, gpus, name, queue, memoryLimited, devices }: LeaseWish,
  { user, process }: LeaseClient,
  environment: BlobHash,
): JobSpec {
  return {
    ...PLAIN_SPEC,
    name,
    user,
    queue: queue ?? '',
    program: { ...PLAIN_SPEC.program, argv: [kind], environment, spread: 'caller', caller: process },
    streams: { ...PLAIN_SPEC.streams, stdout: '/dev/null', openMode: 'append', makeDirectories: false },
    resources: {
      ...PLAIN_RESOURCES,
      // What it computes with beside its devices is not the yard's to give.
      cpusPerRank: 0,
      gpus: {
        count: gpus,
        per: 'job',
        kind: null,
        shareMillis: WHOLE_DEVICE_MILLIS,
        sharing: 'auto',
        ...(memoryLimited ? { isLimited: true } : {}),
        ...(devices === null ? {} : { onlyDevices: devices }),
      },
    },
    requeue: false,
    kind,
    origin: { dialect: LEASE_DIALECT, words: {} },
  };
}

export function isLease({ spec }: Job): boolean {
  return spec.origin.dialect === LEASE_DIALECT && spec.program.spread === 'caller';
}

/** Whether it is what this client would ask for now. */
export function isWhatWasWished({ spec }: Job, wish: LeaseWish, client: LeaseClient): boolean {
  const { gpus } = spec.resources;
  return (
    client.process !== null &&
    isSameProcess(spec.program.caller, client.process) &&
    spec.user === client.user &&
    spec.kind === wish.kind &&
    spec.name === wish.name &&
    gpus?.count === wish.gpus &&
    (gpus.isLimited ?? false) === wish.memoryLimited &&
    gpus.onlyDevices?.join() === wish.devices?.join() &&
    (wish.queue === null || spec.queue === wish.queue)
  );
}

/** Threads of a process connect as that process. Two of whom nothing is known are told apart by nothing. */
export function isSameProcess(one: CallerProcess | null, other: CallerProcess | null): boolean {
  if (one === null || other === null) return one === other;
  return one.pid === other.pid && one.startTicks === other.startTicks && one.bootId === other.bootId;
}

/**
 * Who changes a job, and whether they may: its owner, and those who run the yard, who are Grid Engine's operators and
 * managers. Knows the numbers by which Grid Engine's commands tell how it went.
 */

import { type Asking, type Invocation, query } from '../program.ts';
import type { KnownJob } from './job-list.ts';

export interface Changer {
  /** What it is called by, for warnings: `qalter`. */
  readonly command: string;
  readonly user: string;
  /** The machine that the yard is on, without its domain. */
  readonly host: string;
  readonly isOperator: boolean;
}

export const STATUS_OK = 0;
export const STATUS_NO_SUCH_JOB = 3;
export const STATUS_NOT_OPERATOR = 10;
export const STATUS_NOT_OWNER = 18;

export function* changerOf(command: string, { user }: Invocation): Asking<Changer> {
  const yard = yield* query('yard', {});
  const [host = yard.host] = yard.host.split('.');
  return { command, user, host, isOperator: user === 'root' || user === yard.user };
}

/** Whoever runs the yard may do to its queues what they like, but only root to the jobs of others. */
export function mayChange({ user }: Changer, { view }: KnownJob): boolean {
  return user === 'root' || user === view.job.spec.user;
}

export function notOwner({ user }: Changer, { id }: KnownJob): string {
  return `denied: "${user}" must be at least owner of job ${id} to change job attributes`;
}

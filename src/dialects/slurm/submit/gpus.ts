/** From `--gres`, `--gpus`, `--gpus-per-…` and `--ntasks-per-gpu` to what a job asks for in GPUs. */

import type { GpuRequest } from '../../../model/job-spec.ts';
import { SlurmFailure } from '../failure.ts';
import { SubmissionRefused } from './complaints.ts';
import { type Asked, countAsked, textAsked } from './given.ts';
import { type GpuAmount, type GpuMistake, type GpuTerm, parseGpus, parseGres, sumOf } from './gpu-values.ts';
import type { Submitter } from './options.ts';
import { readTresPerTask } from './tres-values.ts';

const WHOLE_MILLIS = 1000;

/** Each as it was asked for; what follows from several together is worked out with the number of tasks. */
export interface GpusAsked {
  readonly perJob: GpuAmount | null;
  readonly perNode: GpuAmount | null;
  readonly perTask: GpuAmount | null;
  readonly tasksPerGpu: number | null;
}

export function gpusAsked(asked: Asked): GpusAsked {
  const { command } = asked;
  const perSocket = amount(asked, 'gpus-per-socket', parseGpus);
  const sockets = textAsked(asked, 'sockets-per-node');
  if (perSocket !== null && sockets === null) {
    throw badGres(command, '--gpus-per-socket option requires --sockets-per-node specification');
  }
  const perSockets = perSocket && { ...perSocket, count: perSocket.count * (Number(sockets) || 1) };
  const perNode = amount(asked, 'gpus-per-node', parseGpus) ?? perSockets ?? amount(asked, 'gres', parseGres);
  return {
    perJob: amount(asked, 'gpus', parseGpus),
    perNode,
    perTask: amount(asked, 'gpus-per-task', parseGpus) ?? gpusOfTresPerTask(asked),
    tasksPerGpu: countAsked(asked, 'ntasks-per-gpu'),
  };
}

function gpusOfTresPerTask(asked: Asked): GpuAmount | null {
  const terms = readTresPerTask(asked)?.gpus ?? [];
  return sumOf(terms);
}

function amount(
  asked: Asked,
  name: string,
  parse: (text: string) => readonly GpuTerm[] | GpuMistake,
): GpuAmount | null {
  const text = textAsked(asked, name);
  if (text === null) return null;
  const terms = parse(text);
  if (terms === 'noList') throw new SubmissionRefused('Invalid Trackable RESource (TRES) specification');
  if (terms === 'unknownResource') throw badGres(asked.command);
  return sumOf(terms);
}

/** How many tasks the GPUs imply where nobody said; null: nothing. */
export function tasksForGpus(gpus: GpusAsked, nodes: number): number | null {
  const { perJob, perNode, perTask, tasksPerGpu } = gpus;
  if (perTask !== null && perJob !== null) return Math.max(1, Math.floor(perJob.count / perTask.count));
  if (tasksPerGpu === null) return null;
  const total = perJob?.count ?? (perNode === null ? null : perNode.count * nodes);
  return total === null ? null : total * tasksPerGpu;
}

/** How many nodes so many GPUs take at so many on each; null: any. */
export function nodesForGpus({ perJob, perNode }: GpusAsked): number | null {
  if (perJob === null || perNode === null) return null;
  return Math.max(1, Math.ceil(perJob.count / perNode.count));
}

export interface TaskCount {
  readonly ntasks: number;
  readonly isAsked: boolean;
}

export function gpuRequest(gpus: GpusAsked, { ntasks, isAsked }: TaskCount, command: Submitter) {
  const { perJob, perNode, perTask, tasksPerGpu } = gpus;
  if (perTask !== null) {
    if (!isAsked && perJob === null) {
      throw badGres(
        command,
        'Failed to validate job spec. --gpus-per-task used without either --gpus or -n/--ntasks is not allowed.',
      );
    }
    return request(perTask, 'rank');
  }
  if (perNode !== null) return request(perNode, 'node');
  if (perJob !== null) return request(perJob, 'job');
  if (tasksPerGpu === null) return null;
  if (!isAsked) {
    throw badGres(
      command,
      'gres_job_state_validate: --ntasks-per-tres needs either a GRES GPU specification or a node/ntask specification',
    );
  }
  return request({ count: Math.ceil(ntasks / tasksPerGpu), kind: null, mixed: false }, 'job');
}

export function request({ count, kind, sharing }: GpuAmount, per: GpuRequest['per']): GpuRequest {
  return { count, per, kind, shareMillis: WHOLE_MILLIS, ...(sharing === undefined ? {} : { sharing }) };
}

export function isMixed({ perJob, perNode, perTask }: GpusAsked): boolean {
  return [perJob, perNode, perTask].some((each) => each?.mixed === true);
}

/** The sentence about GPUs, after one that says what is wrong with them. */
export function badGres(command: Submitter, reason: string | null = null): SlurmFailure {
  const sentences = ['Invalid generic resource (gres) specification'];
  if (reason !== null) sentences.unshift(reason);
  return new SlurmFailure(
    sentences.map((sentence) => `${command}: error: ${sentence}`),
    1,
  );
}

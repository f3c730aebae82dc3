/** `scontrol update`: finds out what is to be updated, and hands on to those who know how. */

import type { Asking } from '../../program.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { type Call, complain, EXIT_FAILED } from './call.ts';
import { JOB_KEYS } from './job-keys.ts';
import { type Assignment, nameMeant, readSpecification } from './specification.ts';
import { updateJobs } from './update-job.ts';
import { updateNodes } from './update-node.ts';
import { updatePartition } from './update-partition.ts';

/** What names an entity, by the words for it; the first of these that was said counts. */
const ENTITIES = {
  step: ['StepId'],
  job: ['JobId', 'Job'],
  reservation: ['ReservationName', 'Reservation'],
  node: ['NodeName', 'Node'],
  partition: ['PartitionName', 'Partition'],
  debug: ['SlurmctldDebug', 'FrontendName'],
  namedJob: ['JobName', 'Name'],
} as const;

type Entity = keyof typeof ENTITIES;

const NAMES: readonly string[] = [
  ...Object.values(ENTITIES).flat(),
  ...Object.keys(JOB_KEYS),
  'UserID',
  'State',
  'Reason',
];

export function* update(call: Call): Asking<number> {
  if (call.words.length === 0)
    throw new SlurmFailure([`too few arguments for ${call.keyword} keyword`], EXIT_FAILED);
  const isName = (word: string) => nameMeant(word, NAMES) !== null;
  const assignments = readSpecification(call.words, isName);
  const entity = (Object.keys(ENTITIES) as Entity[]).find((each) => namesIn(assignments, each).length > 0);
  switch (entity) {
    case 'job':
    case 'namedJob':
      return yield* updateJobs(call, assignments, entity === 'job' ? namesIn(assignments, 'job') : null);
    case 'node':
      return yield* updateNodes(call, assignments, namesIn(assignments, 'node'));
    case 'step':
      return yield* complain(call, 'slurm_update error: Requested operation not supported on this system');
    case 'reservation':
      throw new SlurmFailure(
        [
          'Error updating the reservation: Requested reservation is invalid',
          'slurm_update error: Requested reservation is invalid',
        ],
        EXIT_FAILED,
      );
    case 'partition':
      return yield* updatePartition(call, assignments, namesIn(assignments, 'partition'));
    case 'debug':
      throw failure('scontrol', 'a yard writes all that it knows to its log');
    default:
      throw new SlurmFailure(
        [
          'No valid entity in update command',
          'Input line must include "NodeName", "PartitionName", "Reservation", "JobId", or "SlurmctldDebug"',
        ],
        EXIT_FAILED,
      );
  }
}

function namesIn(assignments: readonly Assignment[], entity: Entity): readonly Assignment[] {
  const words: readonly string[] = ENTITIES[entity];
  return assignments.filter(({ name, value }) =>
    words.some((word) => value !== null && word.toLowerCase() === name.toLowerCase()),
  );
}

/** The letters of `squeue -o`, each with the field of `-O` that says the same; and the formats that have a name. */

import { foldHosts } from '../host-list.ts';
import type { Columns } from '../listing/format.ts';
import type { Column } from '../listing/layout.ts';
import { JOB_FIELDS } from './fields.ts';
import type { JobRow } from './rows.ts';
import { STEP_FIELDS } from './step-fields.ts';
import type { StepRow } from './steps.ts';

const JOB_LETTERS: Readonly<Record<string, string>> = {
  a: 'account',
  b: 'tres-per-node',
  c: 'mincpus',
  d: 'mintmpdisk',
  e: 'endtime',
  f: 'feature',
  g: 'groupname',
  h: 'oversubscribe',
  i: 'jobarrayid',
  j: 'name',
  k: 'comment',
  l: 'timelimit',
  m: 'minmemory',
  n: 'reqnodes',
  o: 'command',
  p: 'priority',
  q: 'qos',
  r: 'reason',
  s: 'selectjobinfo',
  t: 'statecompact',
  u: 'username',
  v: 'reservation',
  w: 'wckey',
  y: 'nice',
  z: 'sct',
  A: 'jobid',
  B: 'batchhost',
  C: 'numcpus',
  D: 'numnodes',
  E: 'dependency',
  F: 'arrayjobid',
  G: 'groupid',
  H: 'sockets',
  I: 'cores',
  J: 'threads',
  K: 'arraytaskid',
  L: 'timeleft',
  M: 'timeused',
  N: 'nodelist',
  O: 'contiguous',
  P: 'partition',
  Q: 'prioritylong',
  R: 'reasonlist',
  S: 'starttime',
  T: 'state',
  U: 'userid',
  V: 'submittime',
  W: 'licenses',
  X: 'corespec',
  Y: 'schednodes',
  Z: 'workdir',
};

const STEP_LETTERS: Readonly<Record<string, string>> = {
  A: 'numtasks',
  b: 'gres',
  i: 'stepid',
  j: 'stepname',
  l: 'timelimit',
  M: 'timeused',
  N: 'nodes',
  P: 'partition',
  S: 'starttime',
  u: 'username',
  U: 'userid',
};

export const JOB_COLUMNS: Columns<JobRow> = {
  ...byLetter(JOB_LETTERS, JOB_FIELDS),
  // The one letter without a long name.
  x: { heading: 'EXC_NODES', text: ({ job }) => foldHosts(job.spec.resources.exceptNodes) },
};
export const STEP_COLUMNS: Columns<StepRow> = byLetter(STEP_LETTERS, STEP_FIELDS);

/** What `%all` stands for. */
export const ALL_LETTERS = Array.from(
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ',
  (letter) => `%${letter}`,
).join('|');

export const USUAL_FORMAT = '%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R';
export const LONG_FORMAT = '%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R';
export const START_FORMAT = '%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R';
export const STEP_FORMAT = '%.15i %.8j %.9P %.8u %.9M %N';

function byLetter<Row>(letters: Readonly<Record<string, string>>, fields: Columns<Row>): Columns<Row> {
  return Object.fromEntries(
    Object.entries(letters).map(([letter, field]) => [letter, fields[field] as Column<Row>]),
  );
}

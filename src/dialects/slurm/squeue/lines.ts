/**
 * A listing of very many jobs: of each line only what it is sorted by is held, and when it is printed its job is asked
 * for again. A job that does not belong into the listing any more by then is left out.
 */

import type { JobId } from '../../../model/ids.ts';
import { ANY_JOB, type JobView } from '../../../model/query.ts';
import { fromIndices } from '../../../model/ranges.ts';
import { gathered, PART, sorted } from '../../job-pages.ts';
import { type Asking, pause, query } from '../../program.ts';
import { jobFacts } from '../job-facts.ts';
import { type ElementStyle, type JobRow, listPlace, type RowTasks, type Scene } from './rows.ts';
import { compareLines, type JobOrders, keysOf, type SortValue } from './sort.ts';

export interface Line {
  readonly id: JobId;
  /** Where it stands in Slurm's own list. */
  readonly place: number;
  readonly tasks: RowTasks | null;
  readonly isWaiting: boolean;
  readonly keys: readonly SortValue[];
}

export function lineOf(row: JobRow, orders: JobOrders): Line {
  return {
    id: row.job.id,
    place: listPlace(row),
    tasks: row.tasks,
    isWaiting: row.facts.state.code === 'PD',
    keys: keysOf(row, orders),
  };
}

export function* inOrder(
  lines: readonly Line[],
  style: ElementStyle,
  orders: JobOrders,
): Asking<readonly Line[]> {
  const listed = yield* sorted(lines, (a, b) => a.place - b.place || a.id - b.id);
  const shown = style === 'together' ? yield* withWaitingElementsTogether(listed) : listed;
  return yield* sorted(shown, compareLines(orders));
}

/** Elements that have a record of their own and wait share a line, as the original has it. */
function* withWaitingElementsTogether(lines: readonly Line[]): Asking<readonly Line[]> {
  const waiting = new Map<JobId, number[]>();
  for (const { tasks, isWaiting } of lines) {
    if (tasks?.single !== true || !isWaiting) continue;
    const alike = waiting.get(tasks.arrayId);
    const index = tasks.indices[0]?.[0] ?? 0;
    if (alike === undefined) waiting.set(tasks.arrayId, [index]);
    else alike.push(index);
  }
  const told = new Set<JobId>();
  return yield* gathered(lines, (line) => {
    const { tasks, isWaiting } = line;
    const alike = tasks?.single === true && isWaiting ? waiting.get(tasks.arrayId) : undefined;
    if (tasks === null || alike === undefined || alike.length === 1) return [line];
    if (told.has(tasks.arrayId)) return [];
    told.add(tasks.arrayId);
    const indices = fromIndices(alike);
    return [{ ...line, tasks: { arrayId: tasks.arrayId, indices, single: false, throttle: null } }];
  });
}

/** The rows of these lines, part by part, as the jobs are now. */
export function* eachRow(
  lines: readonly Line[],
  scene: Scene,
  isWanted: (row: JobRow) => boolean,
  visit: (rows: readonly JobRow[]) => Asking<void>,
): Asking<void> {
  for (let at = 0; at < lines.length; at += PART) {
    yield* pause();
    const part = lines.slice(at, at + PART);
    const facts = yield* factsOf(part, scene);
    const rows = part.flatMap(({ id, tasks }): JobRow[] => {
      const known = facts.get(id);
      return known === undefined ? [] : [{ scene, facts: known, job: known.job, tasks }];
    });
    yield* visit(rows.filter(isWanted));
  }
}

function* factsOf(lines: readonly Line[], { now }: Scene) {
  const ids = [...new Set(lines.map(({ id }) => id))];
  const refs = ids.map((job) => ({ job, index: null }));
  const views: readonly JobView[] = yield* query('jobs', { ...ANY_JOB, refs });
  return new Map(views.map((view) => [view.job.id, jobFacts(view, now)]));
}

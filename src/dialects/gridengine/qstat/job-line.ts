/**
 * The lines of jobs in `qstat`: the same columns in a plain listing and below a queue instance, where the queue is not
 * said again. Widths and headings are the original's, including where its headings are a little off.
 */

import { cell, right } from '../cells.ts';
import { instanceName, type JobFacts, type Place, taskText } from '../job-facts.ts';
import { askedPriority, type Breakdowns, urgencyOf } from '../priorities.ts';
import { deadlineOf } from '../requested.ts';
import { wordOf } from '../words.ts';
import type { Columns } from './options.ts';
import type { Scene } from './scene.ts';
import { cpuText, type Measured } from './usage.ts';

export interface LineLayout {
  readonly columns: Columns;
  /** One line for each slot, which says whether it is the master's. */
  readonly perSlot: boolean;
  /** Null: the queue is known from above. */
  readonly queueWidth: number | null;
}

/** What lines are made from. */
export interface LineSources {
  readonly scene: Scene;
  readonly breakdowns: Breakdowns;
  readonly measured: Measured;
}

const USUAL_QUEUE_WIDTH = 30;
const LEAST_QUEUE_WIDTH = 10;
export const DEPARTMENT = 'defaultdepartment';

/** What SGE_LONG_QNAMES asks for; -1: as wide as the longest. */
export function queueWidthFor(asked: string | null, facts: readonly JobFacts[]): number {
  const width = asked === null ? USUAL_QUEUE_WIDTH : Number.parseInt(asked, 10);
  if (Number.isNaN(width)) return USUAL_QUEUE_WIDTH;
  if (width !== -1) return Math.min(1024, Math.max(LEAST_QUEUE_WIDTH, width));
  return facts.reduce(
    (widest, { places }) => Math.max(widest, ...places.map((place) => instanceName(place).length)),
    LEAST_QUEUE_WIDTH,
  );
}

/** Two lines: the headings, and what is drawn below them. */
export function headingLines({ columns, perSlot, queueWidth }: LineLayout): string {
  const { extended, urgency, priority, tasks } = columns;
  const heading = [
    'job-ID  prior   ',
    urgency || priority ? 'nurg    ' : '',
    priority ? 'npprior ' : '',
    priority || extended ? 'ntckts  ' : '',
    urgency ? 'urg      rrcontr  wtcontr  dlcontr  ' : '',
    priority ? ' ppri ' : '',
    'name       user         ',
    extended ? 'project          department ' : '',
    'state ',
    hasTime(columns) ? 'submit/start at     ' : '',
    urgency ? ' deadline           ' : '',
    extended ? 'cpu        mem     io      tckts ovrts otckt ftckt stckt share ' : '',
    `${'queue'.padEnd(queueWidth ?? 0)} `,
    perSlot ? 'master ' : 'slots ',
    'ja-task-ID ',
    tasks ? 'task-ID state cpu        mem     io      stat failed ' : '',
  ].join('');
  // The original counts what is drawn by flags, which is not always as long as the headings.
  const length =
    83 +
    (queueWidth ?? 0) +
    (extended ? 79 : 0) +
    (urgency ? 64 : 0) +
    (priority ? 35 : 0) +
    (tasks ? 54 : perSlot ? 1 : 0);
  return `${heading}\n${'-'.repeat(length)}\n`;
}

/** All the lines of one job; below a queue instance only for what it has there. */
export function jobLines(
  facts: JobFacts,
  sources: LineSources,
  layout: LineLayout,
  here: Place | null = null,
): string {
  const before = leadingCells(facts, sources, layout);
  const tasks = facts.tasks === null ? NO_TASK : ` ${taskText(facts.tasks)}`;
  const usage = usageCells(facts, sources, layout);
  const line = (lead: string, used: string, place: Place | null, end: string) =>
    `${lead}${used}${queueCell(place, layout)}${end}${tasks}\n`;
  if (!layout.perSlot) {
    const slots = here === null ? facts.slots : here.slots;
    return line(before, usage, here ?? facts.places[0] ?? null, right(slots, 5));
  }
  if (facts.section !== 'running') return line(before, usage, null, ' '.repeat(6));
  const blank = ' '.repeat(before.length);
  const restUsage = layout.columns.extended ? OF_SLAVES : '';
  return eachSlot(facts, here)
    .map(({ place, isMaster }, i) =>
      i === 0
        ? line(before, usage, place, roleCell(isMaster))
        : line(blank, restUsage, place, roleCell(isMaster)),
    )
    .join('');
}

const NO_TASK = ' '.repeat(8);
const OF_SLAVES = 'NA         NA      NA          0     0     0     0     0 0.00  ';

function roleCell(isMaster: boolean): string {
  return isMaster ? 'MASTER' : 'SLAVE ';
}

export interface Slot {
  readonly place: Place;
  readonly isMaster: boolean;
}

/** Each slot that it has, in one place or everywhere. */
export function eachSlot({ places }: JobFacts, here: Place | null): readonly Slot[] {
  return places.flatMap((place, n) => {
    if (here !== null && place !== here) return [];
    const count = Math.max(1, Math.round(place.slots));
    return Array.from({ length: count }, (_, i) => ({ place, isMaster: n === 0 && i === 0 }));
  });
}

/** In the original `-ext` takes the place of the time, unless something else is asked for too. */
function hasTime({ extended, urgency, priority, tasks }: Columns): boolean {
  return !extended || urgency || priority || tasks;
}

function leadingCells(facts: JobFacts, { scene, breakdowns }: LineSources, { columns }: LineLayout): string {
  const { extended, urgency, priority } = columns;
  const { spec } = facts.job;
  const numbers = scene.priority(facts);
  const cells = [right(facts.number, 7), numbers.prior.toFixed(5)];
  if (urgency || priority) cells.push(numbers.urgency.toFixed(5));
  if (priority) cells.push(numbers.asked.toFixed(5));
  if (priority || extended) cells.push(numbers.tickets.toFixed(5));
  if (urgency) {
    const { total, request, waiting } = urgencyOf(breakdowns.get(facts.job.id));
    cells.push(...[total, request, waiting, 0].map((value) => right(value, 8)));
  }
  if (priority) cells.push(right(askedPriority(facts), 5));
  cells.push(cell(spec.name, 10), cell(spec.user, 12));
  if (extended) cells.push(cell(wordOf(facts.job, 'project') ?? 'NA', 16), cell(DEPARTMENT, 10));
  cells.push(cell(facts.state, 5));
  if (hasTime(columns)) cells.push(scene.listed(facts.since));
  if (urgency) {
    const deadlineAt = deadlineOf(facts.job);
    cells.push(cell(deadlineAt === null ? '' : scene.listed(deadlineAt), 19));
  }
  return `${cells.join(' ')} `;
}

function usageCells(facts: JobFacts, { measured }: LineSources, { columns }: LineLayout): string {
  if (!columns.extended) return '';
  if (facts.section === 'finished') return `${' '.repeat(27)}${'   NA '.repeat(5)}   NA `;
  const tickets = '    0 '.repeat(5);
  if (facts.section === 'pending') return `${' '.repeat(27)}${tickets}0.00  `;
  const use = measured.get(facts);
  if (use === undefined) return `NA         NA      NA      ${tickets}0.00  `;
  const cells = [cell(cpuText(use.cpuMs), 10), cell(use.memoryGbSeconds.toFixed(5), 7), '0.00000'];
  return `${cells.join(' ')} ${tickets}0.00  `;
}

function queueCell(place: Place | null, { queueWidth }: LineLayout): string {
  if (queueWidth === null) return '';
  return `${cell(place === null ? '' : instanceName(place), queueWidth)} `;
}

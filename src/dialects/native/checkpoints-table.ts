/** Checkpoints as tables, sentences and JSON. Where they are and how they are is told by others. */

import { printable } from '../../model/bytes.ts';
import { displayId, type Job } from '../../model/job.ts';
import type {
  CheckpointNote,
  CheckpointState,
  CheckpointsAnswer,
  CheckpointView,
  Keeping,
  Progress,
} from '../../model/keeping.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';
import { isoUtc } from '../text/calendar.ts';
import type { Colour } from '../text/colour.ts';
import { type Column, type Row, table } from '../text/table.ts';
import { fromNow } from '../text/times.ts';
import { counted, plainNumber } from '../text/words.ts';
import type { Call } from './call.ts';
import { isoOrNull } from './json.ts';

const STATE_COLOURS: Readonly<Record<CheckpointState, Colour>> = {
  kept: 'green',
  waiting: 'yellow',
  growing: 'blue',
  unproven: 'magenta',
  damaged: 'red',
};

const COLUMNS: readonly Column[] = [
  { title: 'NAME', shrinkTo: 12 },
  { title: 'STEP', align: 'right' },
  { title: 'AGE', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'STATE' },
];

export function checkpointsTable(views: readonly CheckpointView[], now: number, call: Call): string {
  return table(
    COLUMNS,
    views.map((view) => rowOf(view, now)),
    call,
  );
}

function rowOf({ name, kind, step, writtenAt, bytes, state, isBest }: CheckpointView, now: number): Row {
  return [
    kind === 'directory' ? `${name}/` : name,
    step === null ? '-' : `${step}`,
    formatDuration(Math.max(0, now - writtenAt)),
    formatBytes(bytes),
    { text: isBest ? `${state}, best` : state, colour: STATE_COLOURS[state] },
  ];
}

/** Which job, from where to where, and what is wrong. */
export function headText(job: Job, { from, to, trouble }: CheckpointsAnswer, { paint }: Call): string {
  const lines = [paint('bold', printable(`checkpoints of job ${displayId(job)}  ${job.spec.name}`))];
  const fact = (name: string, value: string) => lines.push(`  ${paint('grey', name)}  ${printable(value)}`);
  if (from !== null) fact(to === null ? 'in  ' : 'from', from);
  if (to !== null) fact('to  ', to);
  if (trouble !== null) lines.push(`  ${paint('red', 'trouble:')} ${printable(trouble)}`);
  return `${lines.join('\n')}\n`;
}

/** `3 kept, 1 waiting`; of a look at every byte, what came of it. */
export function summaryText(views: readonly CheckpointView[], isVerified: boolean): string {
  const counts = new Map<CheckpointState, number>();
  for (const { state } of views) counts.set(state, (counts.get(state) ?? 0) + 1);
  const damaged = counts.get('damaged') ?? 0;
  if (isVerified) {
    const whole = counted(counts.get('kept') ?? 0, 'checkpoint');
    return damaged === 0
      ? `${whole} read to the last byte, and all is well`
      : `${whole} whole, ${damaged} damaged`;
  }
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}

/** `step-300.pt (step 300, 1.2G), written 2m ago`. */
export function noteText({ name, step, bytes, writtenAt }: CheckpointNote, now: number): string {
  const facts = [...(step === null ? [] : [`step ${step}`]), formatBytes(bytes)].join(', ');
  return `${name} (${facts}), written ${fromNow(writtenAt, now)}`;
}

/** `step 1200 of 5000, epoch 3, loss 0.42`; empty when it says nothing. */
export function progressText({ step, steps, epoch, loss, at }: Progress, now: number): string {
  const parts: string[] = [];
  if (step !== null) parts.push(`step ${step}${steps === null ? '' : ` of ${steps}`}`);
  if (epoch !== null) parts.push(`epoch ${plainNumber(epoch)}`);
  if (loss !== null) parts.push(`loss ${Number(loss.toPrecision(4))}`);
  return parts.length === 0 ? '' : `${parts.join(', ')} (${fromNow(at, now)})`;
}

/** `3 of each kind, none older than 7d`. */
export function retentionText({ keepCount, keepForMs }: Keeping): string {
  return [
    ...(keepCount === null ? [] : [`the newest ${keepCount} of each kind`]),
    ...(keepForMs === null ? [] : [`none older than ${formatDuration(keepForMs)}`]),
  ].join(', ');
}

export function checkpointJson(view: CheckpointView): Record<string, unknown> {
  return { ...view, writtenAt: isoUtc(view.writtenAt), keptAt: isoOrNull(view.keptAt) };
}

export function noteJson(note: CheckpointNote | undefined): Record<string, unknown> | null {
  if (note === undefined) return null;
  return { ...note, writtenAt: isoUtc(note.writtenAt), keptAt: isoUtc(note.keptAt) };
}

export function progressJson(progress: Progress | undefined): Record<string, unknown> | null {
  return progress === undefined ? null : { ...progress, at: isoUtc(progress.at) };
}

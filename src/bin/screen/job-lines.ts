/**
 * The jobs' part of the live screen: a list of running, waiting and just ended ones that moves so that the
 * selected job is always in sight.
 */

import { jobsIn, runTimeMs, unstartedText } from '../../dialects/native/job-facts.ts';
import { shortReason } from '../../dialects/native/reasons.ts';
import { stateOf } from '../../dialects/native/states.ts';
import { cutTo, padEnd } from '../../dialects/text/width.ts';
import { printable } from '../../model/bytes.ts';
import { displayId, type Job } from '../../model/job.ts';
import type { JobView } from '../../model/query.ts';
import { formatDuration } from '../../model/units.ts';
import { bar, type Look, line, type Piece, title } from './line.ts';
import type { ScreenState } from './state.ts';

const ID_CELLS = 9;
const USER_CELLS = 8;
const TIME_CELLS = 8;
const LIMIT_BAR_CELLS = 8;

interface Row {
  readonly text: string;
  readonly selected: boolean;
}

export function jobLines(state: ScreenState, look: Look, rows: number): string[] {
  const all = allRows(state, look);
  if (all.length === 0)
    return [line([{ text: 'no jobs; try: trainyard submit -- sleep 60', colour: 'grey' }], look)];
  const at = Math.max(
    0,
    all.findIndex((row) => row.selected),
  );
  const start = Math.max(0, Math.min(at - Math.floor(rows / 2), all.length - rows));
  return all.slice(start, start + rows).map((row) => row.text);
}

function allRows(state: ScreenState, look: Look): Row[] {
  const out: Row[] = [];
  const section = (name: string, views: readonly JobView[], pieces: (view: JobView) => Piece[]) => {
    if (views.length === 0) return;
    const count = views.reduce((sum, view) => sum + Math.max(1, jobsIn(view.job)), 0);
    out.push({ text: title(name, count, 'job', look), selected: false });
    for (const view of views) {
      const selected = view.job.id === state.selected;
      const marker: Piece = { text: selected ? '> ' : '  ', colour: 'bold' };
      out.push({ text: line([marker, ...head(view.job, selected, look), ...pieces(view)], look), selected });
    }
  };
  section('Running', state.running, (view) => runningPieces(state, view, look));
  section('Waiting', state.waiting, (view) => waitingPieces(state, view));
  section('Ended', state.ended, (view) => endedPieces(state, view));
  return out;
}

function head(job: Job, selected: boolean, look: Look): Piece[] {
  const id = job.array === null || job.phase === 'ended' ? displayId(job) : unstartedText(job);
  const nameCells = look.columns >= 100 ? 20 : 14;
  return [
    { text: `${fitted(id, ID_CELLS)} `, colour: 'cyan' },
    { text: `${fitted(job.spec.name, nameCells)} `, colour: selected ? 'bold' : 'none' },
    { text: `${fitted(job.spec.user, USER_CELLS)} `, colour: 'grey' },
  ];
}

function runningPieces(state: ScreenState, { job }: JobView, look: Look): Piece[] {
  const ranMs = runTimeMs(job.attempt, state.now);
  const limitMs = job.spec.limitMs;
  const word = stateOf(job);
  const pieces: Piece[] = [];
  if (ranMs === null || word.word !== 'running') {
    pieces.push({ text: `${fitted(word.word, TIME_CELLS)} `, colour: word.colour });
  } else {
    pieces.push({ text: `${fitted(formatDuration(ranMs), TIME_CELLS)} `, colour: 'none' });
  }
  if (limitMs === null || ranMs === null) {
    pieces.push({ text: ' '.repeat(LIMIT_BAR_CELLS + 1), colour: 'none' });
  } else {
    const part = ranMs / limitMs;
    pieces.push({ text: `${bar(part, LIMIT_BAR_CELLS, look)} `, colour: part > 0.9 ? 'red' : 'green' });
  }
  pieces.push({ text: printable(state.lastLines.get(job.id) ?? ''), colour: 'grey' });
  return pieces;
}

function waitingPieces(state: ScreenState, { job, reason }: JobView): Piece[] {
  const waited = formatDuration(Math.max(0, state.now - job.submittedAt));
  const why = reason === null ? stateOf(job).word : shortReason(reason, state.now, state.zone);
  return [
    { text: `${fitted(waited, TIME_CELLS)} `, colour: 'none' },
    { text: printable(why), colour: stateOf(job).colour },
  ];
}

function endedPieces(state: ScreenState, { job }: JobView): Piece[] {
  const word = stateOf(job);
  const ago = job.endedAt === null ? '' : `${formatDuration(Math.max(0, state.now - job.endedAt))} ago`;
  return [
    { text: `${fitted(word.word, TIME_CELLS + LIMIT_BAR_CELLS + 1)} `, colour: word.colour },
    { text: job.note === null ? ago : `${ago}, ${printable(job.note)}`, colour: 'grey' },
  ];
}

function fitted(text: string, cells: number): string {
  return padEnd(cutTo(printable(text), cells), cells);
}

/**
 * What the live screen shows and how keys change it: a value and a function of it. It does no I/O; what a key
 * asks of the yard is given back as an action.
 */

import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { JobView, NodeView, YardView } from '../../model/query.ts';

export interface ScreenState {
  readonly yard: YardView | null;
  readonly nodes: readonly NodeView[];
  /** Running, then waiting, then just ended: the order of the list. */
  readonly running: readonly JobView[];
  readonly waiting: readonly JobView[];
  readonly ended: readonly JobView[];
  /** The last line that a job wrote. */
  readonly lastLines: ReadonlyMap<JobId, string>;
  readonly selected: JobId | null;
  readonly mode: Mode;
  /** What became of the last key, or that the yard is away. */
  readonly notice: string | null;
  readonly now: number;
  readonly zone: string;
}

export type Mode =
  | { readonly kind: 'list' }
  | { readonly kind: 'help' }
  | { readonly kind: 'confirmCancel'; readonly job: JobId }
  | { readonly kind: 'log'; readonly job: JobId; readonly lines: readonly string[] };

export type Key = 'up' | 'down' | 'pageUp' | 'pageDown' | 'enter' | 'escape' | 'quit' | string;

export type Action =
  | { readonly kind: 'none' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'readLog'; readonly job: JobId }
  | { readonly kind: 'cancel' | 'hold' | 'release'; readonly job: JobId };

export interface Step {
  readonly state: ScreenState;
  readonly action: Action;
}

export const EMPTY_SCREEN: ScreenState = {
  yard: null,
  nodes: [],
  running: [],
  waiting: [],
  ended: [],
  lastLines: new Map(),
  selected: null,
  mode: { kind: 'list' },
  notice: null,
  now: 0,
  zone: 'UTC',
};

const PAGE_ROWS = 10;

export function listed(state: ScreenState): readonly JobView[] {
  return [...state.running, ...state.waiting, ...state.ended];
}

export function jobOnScreen(state: ScreenState, id: JobId | null): Job | null {
  return listed(state).find((view) => view.job.id === id)?.job ?? null;
}

/** Keeps the selection on a job that is still there, or puts it on the one now in its place. */
export function withJobs(
  state: ScreenState,
  jobs: Pick<ScreenState, 'running' | 'waiting' | 'ended'>,
): ScreenState {
  const before = listed(state).findIndex((view) => view.job.id === state.selected);
  const next = { ...state, ...jobs };
  if (jobOnScreen(next, state.selected) !== null) return next;
  const rows = listed(next);
  const inPlace = rows[Math.min(Math.max(before, 0), rows.length - 1)];
  return { ...next, selected: inPlace?.job.id ?? null };
}

export function onKey(state: ScreenState, key: Key): Step {
  if (key === 'quit') return { state, action: { kind: 'quit' } };
  switch (state.mode.kind) {
    case 'list':
      return onListKey({ ...state, notice: null }, key);
    case 'confirmCancel':
      return onConfirmKey(state, state.mode.job, key);
    case 'help':
    case 'log':
      return stay(isLeaving(key) ? { ...state, mode: { kind: 'list' } } : state);
  }
}

function onListKey(state: ScreenState, key: Key): Step {
  switch (key) {
    case 'q':
      return { state, action: { kind: 'quit' } };
    case 'up':
    case 'k':
      return stay(moved(state, -1));
    case 'down':
    case 'j':
      return stay(moved(state, 1));
    case 'pageUp':
      return stay(moved(state, -PAGE_ROWS));
    case 'pageDown':
      return stay(moved(state, PAGE_ROWS));
    case '?':
      return stay({ ...state, mode: { kind: 'help' } });
    default:
      return onJobKey(state, key);
  }
}

function onJobKey(state: ScreenState, key: Key): Step {
  const job = jobOnScreen(state, state.selected);
  if (job === null) return stay(state);
  switch (key) {
    case 'enter':
    case 'l':
      return {
        state: { ...state, mode: { kind: 'log', job: job.id, lines: [] } },
        action: { kind: 'readLog', job: job.id },
      };
    case 'c':
      if (job.phase === 'ended') return stay({ ...state, notice: `job ${job.id} has ended` });
      return stay({ ...state, mode: { kind: 'confirmCancel', job: job.id } });
    case 'h':
      return { state, action: { kind: 'hold', job: job.id } };
    case 'r':
      return { state, action: { kind: 'release', job: job.id } };
    default:
      return stay(state);
  }
}

function onConfirmKey(state: ScreenState, job: JobId, key: Key): Step {
  const back: ScreenState = { ...state, mode: { kind: 'list' } };
  return key === 'y' ? { state: back, action: { kind: 'cancel', job } } : stay(back);
}

function moved(state: ScreenState, by: number): ScreenState {
  const rows = listed(state);
  const at = rows.findIndex((view) => view.job.id === state.selected);
  const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
  return { ...state, selected: next?.job.id ?? null };
}

function isLeaving(key: Key): boolean {
  return key === 'q' || key === 'escape' || key === 'enter' || key === 'l' || key === '?';
}

function stay(state: ScreenState): Step {
  return { state, action: { kind: 'none' } };
}

/**
 * The live screen: asks the yard what there is whenever something happened there, and once a second reads the
 * clock and what jobs have written. What is shown is decided in screen/.
 */

import { resolve } from 'node:path';
import { type Api, yardApi } from '../client/api.ts';
import type { FoundYard } from '../client/connect.ts';
import type { JobId } from '../model/ids.ts';
import type { JobView, NodeView, YardView } from '../model/query.ts';
import { drawScreen, type TerminalAbilities } from './screen/draw.ts';
import { keysOf } from './screen/keys.ts';
import { type Action, EMPTY_SCREEN, listed, onKey, type ScreenState, withJobs } from './screen/state.ts';
import { lastLine, lastLines } from './screen/tail.ts';
import { takeTerminal } from './screen/terminal.ts';

export interface TopOptions {
  /** Finds the yard again when it was away; null while there is none. */
  readonly findYard: () => Promise<FoundYard | null>;
  readonly zone: string;
  readonly abilities: TerminalAbilities;
}

const CLOCK_MS = 1000;
/** Reasons and expected times change without an event. */
const LOOK_AGAIN_MS = 5000;
/** A burst of events is shown once. */
const SETTLE_MS = 100;
const MOST_JOBS = 500;
const MOST_ENDED = 10;
/** So many running jobs have their last line shown; more do not fit on a screen. */
const MOST_LINES = 100;

/** Resolves with the exit code, or the signal that ended it, when the terminal has been given back. */
export function runTop({ findYard, zone, abilities }: TopOptions): Promise<number | NodeJS.Signals> {
  return new Promise((resolveEnd, rejectEnd) => {
    let state: ScreenState = { ...EMPTY_SCREEN, zone, now: Date.now() };
    let api: Api | null = null;
    let stopFollowing = () => {};
    let looking = false;
    let lookAgain = false;
    let lookedAt = 0;
    let over = false;

    const screen = takeTerminal({
      onInput: (text) => {
        for (const key of keysOf(text)) if (!over) take(onKey(state, key));
      },
      onResize: () => draw(),
      onEnd: (cause) => {
        finish();
        if (cause instanceof Error) rejectEnd(cause);
        else resolveEnd(cause);
      },
    });
    const clock = setInterval(() => void tick(), CLOCK_MS);

    const finish = () => {
      over = true;
      clearInterval(clock);
      stopFollowing();
      screen.leave();
    };
    const draw = () => {
      if (!over) screen.show(drawScreen(state, screen.size(), abilities));
    };
    const set = (changes: Partial<ScreenState>) => {
      state = { ...state, ...changes };
      draw();
    };
    const lose = () => {
      api = null;
      stopFollowing();
      set({ notice: 'the yard is not running; jobs go on, and this screen comes back with it' });
    };

    const take = ({ state: next, action }: { state: ScreenState; action: Action }) => {
      state = next;
      draw();
      if (action.kind === 'quit') {
        finish();
        resolveEnd(0);
      } else if (action.kind === 'readLog') void readOutput();
      else if (action.kind !== 'none') void act(action.kind, action.job);
    };

    const act = async (what: 'cancel' | 'hold' | 'release', job: JobId) => {
      try {
        const done = await api?.post<{ changed: boolean }>(`/v1/jobs/${job}/${what}`, {});
        if (done !== undefined) set({ notice: noticeOf(what, job, done.changed) });
      } catch (error) {
        set({ notice: (error as Error).message });
      }
    };

    const look = async () => {
      if (api === null || over) return;
      if (looking) {
        lookAgain = true;
        return;
      }
      looking = true;
      lookedAt = Date.now();
      try {
        const seen = await seeYard(api);
        state = withJobs({ ...state, ...seen, now: Date.now() }, seen);
        draw();
      } catch {
        if (!over) lose();
      }
      looking = false;
      if (lookAgain) {
        lookAgain = false;
        setTimeout(() => void look(), SETTLE_MS);
      }
    };

    const reach = async () => {
      const yard = await findYard();
      if (yard === null || over) return;
      api = yardApi(yard.socketPath, yard.listeners);
      set({ notice: null });
      await look();
      if (state.yard === null || over) return;
      stopFollowing = api.follow(state.yard.lastSeq, { onEvent: () => void look(), onGone: lose });
    };

    const readOutput = async () => {
      const { mode } = state;
      if (mode.kind === 'log') {
        const view = listed(state).find(({ job }) => job.id === mode.job);
        const lines = view === undefined ? mode.lines : await lastLines(outputPath(view));
        if (state.mode.kind === 'log' && state.mode.job === mode.job) set({ mode: { ...mode, lines } });
        return;
      }
      const running = state.running.slice(0, MOST_LINES);
      const read = running.map(async (view) => [view.job.id, await lastLine(outputPath(view))] as const);
      set({ lastLines: new Map(await Promise.all(read)) });
    };

    const tick = async () => {
      set({ now: Date.now() });
      if (api === null) await reach();
      else if (Date.now() - lookedAt > LOOK_AGAIN_MS) await look();
      await readOutput();
    };

    draw();
    void tick();
  });
}

interface Seen {
  readonly yard: YardView;
  readonly nodes: readonly NodeView[];
  readonly running: readonly JobView[];
  readonly waiting: readonly JobView[];
  readonly ended: readonly JobView[];
}

async function seeYard(api: Api): Promise<Seen> {
  const jobs = async (path: string) => (await api.get<{ jobs: readonly JobView[] }>(path)).jobs;
  const [yard, nodes, running, waiting, ended] = await Promise.all([
    api.get<YardView>('/v1/yard'),
    api.get<{ nodes: readonly NodeView[] }>('/v1/nodes'),
    jobs(`/v1/jobs?phase=active&limit=${MOST_JOBS}`),
    jobs(`/v1/jobs?phase=pending,waiting,held&limit=${MOST_JOBS}`),
    jobs(`/v1/history?phase=ended&limit=${MOST_ENDED}`),
  ]);
  return { yard, nodes: nodes.nodes, running, waiting, ended };
}

function outputPath(view: JobView): string {
  return resolve(view.job.spec.workDir, view.stdoutPath);
}

const DONE_WORDS = { cancel: 'cancelled', hold: 'held', release: 'released' } as const;

function noticeOf(what: keyof typeof DONE_WORDS, job: JobId, changed: boolean): string {
  return changed ? `job ${job} is being ${DONE_WORDS[what]}` : `job ${job} stays as it is: nothing to change`;
}

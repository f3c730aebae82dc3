/** `--output`, `--error` and `--input` of a step: the caller's own streams, nowhere, one task, or files by pattern. */

import type { Attempt, Job } from '../../../model/job.ts';
import { absolutePath } from '../../../model/paths.ts';
import { fillPattern } from '../../../model/pattern.ts';
import type { HereInput, HereOutput } from '../../../model/run-here.ts';
import { isGiven } from '../../options.ts';
import type { Invocation } from '../../program.ts';
import { type Asked, textAsked } from '../submit/given.ts';
import { modelPattern } from '../submit/output-names.ts';
import type { Task } from './task-map.ts';

export interface StreamWords {
  /** As given; null: not at all. */
  readonly output: string | null;
  readonly error: string | null;
  readonly input: string | null;
  readonly append: boolean;
}

/** With a terminal for the first task, the others are neither heard nor seen. */
export function streamWords(asked: Asked): StreamWords {
  const append = textAsked(asked, 'open-mode')?.toLowerCase().startsWith('a') ?? false;
  if (isGiven(asked.given, 'pty')) return { output: '0', error: null, input: '0', append };
  return {
    output: textAsked(asked, 'output'),
    error: textAsked(asked, 'error'),
    input: textAsked(asked, 'input'),
    append,
  };
}

/** Where the tasks run. */
export function taskDirOf(asked: Asked, { workDir }: Invocation): string {
  return absolutePath(workDir, textAsked(asked, 'chdir') || '.');
}

export interface StreamPlace {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly step: number;
  /** Where srun was called. */
  readonly callerDir: string;
  /** Where the tasks run: a file of each task is opened there. */
  readonly taskDir: string;
}

export interface TaskOutputs {
  readonly stdout: HereOutput;
  readonly stderr: HereOutput | null;
}

/** In the order of the tasks. A file that several share is emptied by the first of them. */
export function outputsOf(
  words: StreamWords,
  tasks: readonly Task[],
  place: StreamPlace,
): readonly TaskOutputs[] {
  const opened = new Set<string>();
  const outputOf = (text: string, task: Task): HereOutput => {
    const mode = modeOf(text, tasks.length);
    if (mode === 'all') return { kind: 'caller' };
    if (mode === 'none') return { kind: 'none' };
    if (typeof mode === 'number') return { kind: mode === task.rank ? 'caller' : 'none' };
    const path = pathFor(mode.pattern, task, place);
    const append = words.append || opened.has(path);
    opened.add(path);
    return { kind: 'file', path, append };
  };
  return tasks.map((task) => {
    const stdout = outputOf(words.output ?? 'all', task);
    if (words.error !== null) return { stdout, stderr: outputOf(words.error, task) };
    // What is not said goes where stdout goes; on the caller's side that is a stream of its own.
    return { stdout, stderr: stdout.kind === 'file' ? null : stdout };
  });
}

export function inputOf(words: StreamWords, tasks: readonly Task[], place: StreamPlace): HereInput {
  const mode = modeOf(words.input ?? 'all', tasks.length);
  if (mode === 'all' || mode === 'none') return { kind: mode };
  if (typeof mode === 'number') return { kind: 'rank', rank: mode };
  const paths = tasks.map((task) => pathFor(mode.pattern, task, place));
  return isPerTask(mode.pattern) ? { kind: 'files', paths } : { kind: 'file', path: paths[0] as string };
}

type Mode = 'all' | 'none' | number | { readonly pattern: string };

function modeOf(text: string, ntasks: number): Mode {
  if (text === 'all' || text === 'none') return text;
  return /^\d{1,9}$/.test(text) && Number(text) < ntasks ? Number(text) : { pattern: text };
}

function pathFor(text: string, { rank, share, nodeNumber }: Task, place: StreamPlace): string {
  const { job, attempt, step } = place;
  const pattern = modelPattern(text, { isArray: job.element !== null, step: `${step}` });
  const workDir = isPerTask(text) ? place.taskDir : place.callerDir;
  const relocated: Job = { ...job, spec: { ...job.spec, workDir } };
  return absolutePath(
    workDir,
    fillPattern(pattern, relocated, attempt, { name: share.node, number: nodeNumber }, rank),
  );
}

/** Then there is a file for each task, or for each node. */
function isPerTask(text: string): boolean {
  return !text.includes('\\') && /%\d*[tnN]/.test(text.replaceAll('%%', ''));
}

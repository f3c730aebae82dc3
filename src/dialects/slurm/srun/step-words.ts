/** What is kept on a step of the way in which its tasks were dealt out and of where they write, to be found again. */

import type { Attempt, Job } from '../../../model/job.ts';
import type { Step } from '../../../model/step.ts';
import { type Distribution, parseDistribution } from './distribution.ts';
import { outputsOf, type StreamWords, type TaskOutputs } from './streams.ts';
import { mapTasks, type Task } from './task-map.ts';

export interface StepStory {
  readonly distribution: Distribution;
  readonly streams: StreamWords;
  readonly callerDir: string;
  readonly taskDir: string;
  readonly submitLine: string;
}

export function wordsOfStep(story: StepStory): Readonly<Record<string, string>> {
  const { distribution, streams, callerDir, taskDir, submitLine } = story;
  return {
    callerDir,
    taskDir,
    submitLine,
    ...(distribution.kind === 'default' ? {} : { distribution: distributionText(distribution) }),
    ...(streams.output === null ? {} : { output: streams.output }),
    ...(streams.error === null ? {} : { error: streams.error }),
  };
}

function distributionText(distribution: Distribution): string {
  return distribution.kind === 'plane' ? `plane=${distribution.size}` : distribution.kind;
}

export function tasksOfStep({ placement, words }: Step): readonly Task[] {
  const distribution = parseDistribution(words?.distribution ?? '*', null) ?? { kind: 'default' };
  return mapTasks(placement, distribution);
}

/** In the order of the tasks. */
export function outputsOfStep(job: Job, attempt: Attempt, step: Step): readonly TaskOutputs[] {
  const { output = null, error = null, callerDir = '/', taskDir = '/' } = step.words ?? {};
  const streams = { output, error, input: null, append: true };
  return outputsOf(streams, tasksOfStep(step), { job, attempt, step: step.n, callerDir, taskDir });
}

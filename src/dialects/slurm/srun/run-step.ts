/** From a place to the tasks that run in it: the step is made, laid out, and handed to the caller. */

import { baseName } from '../../../model/paths.ts';
import type { Step } from '../../../model/step.ts';
import type { Allocation } from '../../allocation.ts';
import { isGiven, lastValue } from '../../options.ts';
import { type Asking, clock, giveTicket, printErr, query, runHere } from '../../program.ts';
import { customsOf } from '../allocate/caller.ts';
import { lookAtHome } from '../allocate/home.ts';
import { SRUN_MESSAGES } from '../allocate/messages.ts';
import { countsText } from '../environment/entries.ts';
import { foldHosts } from '../host-list.ts';
import { runOf } from './launch.ts';
import { gpuBindingFrom, programsFor, type SrunWish } from './options.ts';
import { BEGINS_ANEW_TOLD, createStep } from './step.ts';
import { type StepContext, stepWish } from './step-wish.ts';
import { wordsOfStep } from './step-words.ts';
import { streamWords, taskDirOf } from './streams.ts';
import { mapTasks } from './task-map.ts';

/** `ownTasks` is how many tasks the job was made for, by this very call; null when it was there before. */
export function* runStep(wish: SrunWish, place: Allocation, ownTasks: number | null): Asking<number> {
  const { asked, commandLine, invocation } = wish;
  const context = contextOf(wish, place, ownTasks);
  const { request, remarks } = stepWish(context);
  const isQuiet = isGiven(asked.given, 'quiet');
  if (!isQuiet) for (const remark of remarks) yield* printErr(`srun: ${remark}\n`);
  const gpuBinding = gpuBindingFrom(asked);
  const programs = programsFor(wish, request.ranks);
  const customs = customsOf(asked, invocation, SRUN_MESSAGES);
  const step =
    (yield* stepOfTicket(wish, place, ownTasks !== null)) ??
    (yield* createStep(context, request, {
      user: invocation.user,
      quiet: isQuiet,
      isImmediate: customs.patienceMs !== null,
      exitBusy: customs.exitImpatient,
      isTold: invocation.ticket === BEGINS_ANEW_TOLD,
    }));
  if (ownTasks === null) yield* giveTicket(`step ${step.n}`);
  if (isGiven(asked.given, 'verbose')) yield* printErr(layoutText(wish, place, step));
  const { home, graceMs } = yield* lookAtHome(invocation.user, invocation.uid);
  const now = yield* clock();
  return yield* runHere(
    runOf({
      ...place,
      ...wish,
      step,
      isOwn: ownTasks !== null,
      home,
      now,
      graceMs,
      commandLine,
      gpuBinding,
      programs,
    }),
  );
}

function contextOf(wish: SrunWish, { job, attempt }: Allocation, ownTasks: number | null): StepContext {
  const { asked, commandLine, distribution, command, invocation } = wish;
  return {
    job,
    held: attempt.placement.nodes,
    asked,
    commandLine,
    distribution,
    name: lastValue(commandLine, 'job-name') ?? baseName(command[0] as string),
    command,
    ownTasks,
    words: wordsOfStep({
      distribution,
      streams: streamWords(asked),
      callerDir: invocation.workDir,
      taskDir: taskDirOf(asked, invocation),
      submitLine: ['srun', ...invocation.argv.slice(1)].join(' '),
    }),
  };
}

/** A step that an earlier yard made for this caller, and that nobody has begun to run. */
function* stepOfTicket(
  { invocation }: SrunWish,
  { job, attempt }: Allocation,
  isOwn: boolean,
): Asking<Step | null> {
  const { ticket } = invocation;
  const match = /^step (\d{1,9})$/.exec(ticket ?? '');
  if (ticket === null || (match === null && !isOwn)) return null;
  const detail = yield* query('job', { ref: { job: job.id, index: null } });
  const n = match === null ? null : Number(match[1]);
  return (
    detail?.steps.find(
      (step) => step.attempt === attempt.id && step.endedAt === null && (n === null || step.n === n),
    ) ?? null
  );
}

/** What `-v` adds: where everything is. */
function layoutText({ distribution }: SrunWish, { job, attempt }: Allocation, step: Step): string {
  const { nodes } = attempt.placement;
  const cpus = countsText(nodes.map((share) => share.cpus));
  const lines = [
    `jobid ${job.id}: nodes(${nodes.length}):\`${foldHosts(nodes.map(({ node }) => node))}', cpu counts: ${cpus.includes('x') ? cpus : `${cpus}(x1)`}`,
  ];
  const tasks = mapTasks(step.placement, distribution);
  for (const { node, ranks } of step.placement.nodes) {
    const first = tasks.find((task) => task.share.node === node);
    lines.push(
      `launching StepId=${job.id}.${step.n} on host ${node}, ${ranks} tasks: ${first?.ranksOnNode.join(',') ?? ''}`,
    );
  }
  return lines.map((line) => `srun: ${line}\n`).join('');
}

/**
 * The first thing a new user sees (`npm start`): starts the user's yard, runs a small real training job in
 * it, shows how it goes, and ends with what happened and what to try next. Leaving it early leaves the job
 * running: that is the point of a yard.
 */

import { printable } from '../model/bytes.ts';
import { CommandFailed, followOutput, showJob, startYard, submitScript } from './demo/commands.ts';
import { chooseExample, chooseRunsDirectory } from './demo/example.ts';
import { describeEnd, describeLeaving, describeNextSteps } from './demo/report.ts';
import { newScreen, type Screen } from './demo/screen.ts';

const INTERRUPTED = 130;

async function main(): Promise<number> {
  const example = await chooseExample();
  const yard = await startYard();
  say(`A yard runs on this machine; it lives in ${yard.directory}`);
  if (example.remark !== null) say(example.remark);

  const runs = chooseRunsDirectory(example);
  const id = await submitScript(example.script, example.workDir, runs);
  say(`Submitted job ${id}, ${example.title}. Ctrl-C leaves it running.\n`);

  const screen = newScreen(process.stdout);
  const left = await watch(id, screen);
  screen.finish();
  const job = await showJob(id);
  if (job.phase !== 'ended') {
    say(`\n${describeLeaving(id)}`);
    return left ? INTERRUPTED : 1;
  }
  if (job.outcome !== 'completed') for (const line of screen.unshown()) say(printable(line));
  say(`\n${describeEnd(job, screen.epochs())}\n\n${describeNextSteps(job, example)}`);
  return job.outcome === 'completed' ? 0 : 1;
}

/** Shows the job's output until it ends. Gives true when the user left before that. */
async function watch(id: number, screen: Screen): Promise<boolean> {
  const following = followOutput(id, screen.output);
  const left = new Promise<true>((resolve) => {
    process.once('SIGINT', () => resolve(true)).once('SIGTERM', () => resolve(true));
  });
  try {
    return await Promise.race([left, following.ended.then(() => false)]);
  } finally {
    following.stop();
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const sentence = error instanceof CommandFailed ? error.message : String(error);
    process.stderr.write(`${sentence}\n`);
    process.exitCode = 1;
  },
);

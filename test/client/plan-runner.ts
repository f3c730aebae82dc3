/** Hands a plan to the real client and lets it run: what a yard would send, without a yard. */

import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESPONSE } from '../../src/model/frames.ts';
import type { HereManner, HereRank, RunHere } from '../../src/model/run-here.ts';
import { encodePlan, type RunPlan } from '../../src/model/run-plan.ts';
import { packageRoot } from '../../src/platform/install.ts';
import { type FakeYard, fakeYard } from './fake-yard.ts';
import { type Ended, ended, linkFor, type Run, startClient } from './run-client.ts';

export const MANNER: HereManner = {
  name: 'srun',
  stepName: '17.0',
  label: false,
  unbuffered: false,
  terminal: false,
  killOnBadExit: false,
  waitMs: null,
  limitMs: null,
  graceMs: 2000,
  quiet: false,
  quitOnInterrupt: false,
  pidVariable: null,
  farewell: null,
};

export interface PlanWish extends Partial<Omit<Run, 'directory'>> {
  /** Shell text for every rank. */
  readonly each?: string;
  readonly ranks?: number;
  /** What is different about a rank. */
  readonly rank?: (number: number) => Partial<HereRank>;
  readonly run?: Partial<Omit<RunHere, 'ranks' | 'manner'>>;
  readonly manner?: Partial<HereManner>;
  readonly plan?: Partial<RunPlan>;
  /** As on a machine whose kernel has other numbers for its calls. */
  readonly onUnknownMachine?: boolean;
  /** Somebody was there before. */
  readonly claimed?: string;
}

export interface PlanRun {
  readonly child: ChildProcess;
  readonly over: Promise<Ended>;
  readonly directory: string;
  /** What has been recorded of the step so far. */
  readonly stepRecord: () => string;
  readonly jobRecord: () => string;
}

const RUN_ALONE = [
  '$RunHere::ON_UNKNOWN_MACHINE = 1;',
  `do "${packageRoot()}/libexec/run-here.pl" or die $@;`,
  'open my $file, "<", $ARGV[0]; read $file, my $plan, 1 << 20;',
  'open my $own, "<", "/proc/self/environ"; read $own, my $environment, 1 << 20;',
  'exit RunHere::run($plan, $environment, undef);',
].join(' ');

const yards: FakeYard[] = [];

export async function closePlanYards(): Promise<void> {
  for (const yard of yards.splice(0)) await yard.close();
}

export async function startPlan(wish: PlanWish): Promise<PlanRun> {
  let bytes: Uint8Array = new Uint8Array(0);
  const yard = await fakeYard((call) => {
    call.send(RESPONSE.plan, bytes);
    call.socket.end();
  });
  yards.push(yard);
  const files = { job: join(yard.directory, 'job'), step: join(yard.directory, 'step') };
  for (const path of Object.values(files)) {
    closeSync(openSync(path, 'w'));
    if (wish.claimed !== undefined) writeFileSync(path, wish.claimed);
  }
  const cwd = wish.cwd ?? join(yard.directory, 'work');
  mkdirSync(cwd, { recursive: true });
  const ranks = Array.from({ length: wish.ranks ?? 1 }, (_, number) => ({
    ...plainRank(number, cwd, wish.each ?? 'true'),
    ...wish.rank?.(number),
  }));
  const run: RunHere = {
    attempt: '17.1',
    step: 0,
    holdsJob: true,
    input: { kind: 'all' },
    ...wish.run,
    ranks,
    manner: { ...MANNER, ...wish.manner },
  };
  bytes = encodePlan({
    run,
    jobRecord: run.holdsJob ? files.job : null,
    stepRecord: run.step === null ? null : files.step,
    variables: [],
    cgroupFiles: new Map(),
    commands: null,
    python: null,
    ...wish.plan,
  });
  const planFile = join(yard.directory, 'plan');
  writeFileSync(planFile, bytes);
  const alone = wish.onUnknownMachine === true ? { script: `exec perl -e '${RUN_ALONE}' ${planFile}` } : {};
  // No other command runs what a yard hands over.
  const program = linkFor('quick', 'srun');
  const child = startClient({ client: 'quick', program, ...wish, ...alone, directory: yard.directory, cwd });
  return {
    child,
    over: ended(child),
    directory: yard.directory,
    stepRecord: () => readFileSync(files.step, 'latin1'),
    jobRecord: () => readFileSync(files.job, 'latin1'),
  };
}

export async function runPlan(wish: PlanWish): Promise<Ended & Omit<PlanRun, 'over' | 'child'>> {
  const { child: _, over, ...rest } = await startPlan(wish);
  return { ...(await over), ...rest };
}

function plainRank(number: number, workDir: string, text: string): HereRank {
  return {
    argv: ['sh', '-c', text],
    workDir,
    variables: { ID: `${number}` },
    unset: [],
    node: 'box',
    nodeNumber: 0,
    rank: number,
    cpuIds: [],
    stdout: { kind: 'caller' },
    stderr: { kind: 'caller' },
  };
}

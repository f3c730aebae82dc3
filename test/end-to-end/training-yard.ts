/**
 * A real yard with one simulated GPU, and trainers of a few lines that train there: each knows where to save and from
 * what to go on, says what it does, and listens to files by which a test talks to it.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

export interface TrainingYard extends SlurmYard {
  /** The disk that scratch directories are made on. */
  readonly local: string;
  /** A Python program in the working directory; what every trainer begins with is put before its lines. */
  program(name: string, ...lines: string[]): void;
  /** Hands in a batch script by this name, and gives the number of its job; its output is in NAME.out. */
  batch(name: string, options: string, ...lines: string[]): Promise<string>;
  /** Puts the file there that the trainer of this job looks for. */
  tell(name: string, what: string): void;
  output(name: string): string;
  /** Resolves once the output of the job says so. */
  saying(name: string, text: string): Promise<unknown>;
  /** The numbers that the job has said after these words. */
  said(name: string, words: string): readonly number[];
  /** The trainer's own process, of the last run. */
  trainerOf(name: string): number;
  /** What there is in its lasting directory, for whoever knows nothing of Trainyard. */
  kept(name: string): readonly string[];
  /** As accounting has it: `FAILED|7:0`. */
  account(job: string): Promise<string>;
  stateInQueue(job: string): Promise<string>;
  checkpoints(job: string): Promise<readonly Listed[]>;
}

interface Listed {
  readonly name: string;
  readonly state: string;
  readonly path: string;
}

/** What a script says to have its checkpoints kept. */
export const KEEPS = '#YARD checkpoints=$SCRATCH/out persist=kept/%x keep=3';

const CONFIG = `
[node]
name = "box"
cpus = 16
memory = "8G"
gpus = "1x16G"
[queues.main]
default = true
preempt = "requeue"
[queues.quick]
default_time = "1s"
[queues.short]
default_time = "3s"
[queues.away]
preempt = "cancel"
[queues.urgent]
priority = 10
[requeue]
max_stagnant = 2
`;

const BEGINNING = `
import json, os, signal, sys, time
name, directory = os.environ["SLURM_JOB_NAME"], os.environ.get("TRAINYARD_CHECKPOINTS")
resumed = os.environ.get("TRAINYARD_RESUME_FROM")
step = json.load(open(resumed))["step"] if resumed else 0
def say(*words): print(*words, flush=True)
def is_told(what): return os.path.exists(f"{name}.{what}")
def until_told(what):
    while not is_told(what): time.sleep(0.01)
def save(step):
    with open(f"{directory}/draft.tmp", "w") as file: json.dump({"step": step}, file)
    os.rename(f"{directory}/draft.tmp", f"{directory}/step-{step}.ckpt")
    say("saved", step)
say("pid", os.getpid())
say("begins after", step)
`;

/** Saves after every step, until it is told to end or to crash. */
const TRAINER = [
  'while not is_told("end"):',
  '    step += 1',
  '    time.sleep(0.1)',
  '    save(step)',
  '    if is_told("crash"): raise RuntimeError("the loss is not a number")',
];

export async function trainingYard(): Promise<TrainingYard> {
  const local = mkdtempSync(join(tmpdir(), 'yard-local-'));
  const yard = await slurmYard(`${CONFIG}[scratch]\ndirectories = ["${local}"]\n`);
  const write = (name: string, text: string) => writeFileSync(join(yard.workDir, name), text);
  const output = (name: string) => readFileSync(join(yard.workDir, `${name}.out`), 'utf8');
  const said = (name: string, words: string) =>
    [...output(name).matchAll(new RegExp(`^${words} (\\d+)$`, 'gm'))].map(([, n]) => Number(n));
  const program = (name: string, ...lines: string[]) => write(name, [BEGINNING, ...lines, ''].join('\n'));
  program('train.py', ...TRAINER);

  return {
    ...yard,
    local,
    program,
    batch(name, options, ...lines) {
      write(`${name}.sh`, ['#!/bin/bash', ...lines, ''].join('\n'));
      return yard.submit(`-J ${name} -o ${name}.out --open-mode=append ${options} ${name}.sh`);
    },
    tell: (name, what) => write(`${name}.${what}`, ''),
    output,
    saying: (name, text) => yard.untilFile(`${name}.out`, text),
    said,
    trainerOf: (name) => said(name, 'pid').at(-1) as number,
    kept: (name) => readdirSync(join(yard.workDir, 'kept', name)).filter((each) => each !== '.trainyard'),
    account: async (job) => (await yard.good(`sacct -X -n -P -o State,ExitCode -j ${job}`)).trim(),
    stateInQueue: async (job) => (await yard.good(`squeue -h -j ${job} -o %t`)).trim(),
    async checkpoints(job) {
      return (await yard.json<{ checkpoints: readonly Listed[] }>('checkpoints', job)).checkpoints;
    },
    async close() {
      await yard.close();
      rmSync(local, { recursive: true, force: true });
    },
  };
}

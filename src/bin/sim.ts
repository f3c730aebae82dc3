/**
 * Runs simulated yards and says how they went: `npm run sim -- --seed 123` repeats one exactly, `--seeds 500`
 * tries many and stops at the first that breaks something. Nothing is started and nothing is written.
 */

import { parseArgs } from 'node:util';
import { formatDuration } from '../model/units.ts';
import { type GpuReport, GpuSimulationFailed } from '../sim/gpus/simulation.ts';
import { CROWDED, type SeededOptions, simulateSeed } from '../sim/gpus/suite.ts';
import { NO_FAULTS, type SimulationOptions } from '../sim/options.ts';
import type { Report } from '../sim/report.ts';
import { SimulationFailed, simulate } from '../sim/simulate.ts';

const USAGE = `usage: npm run sim -- [options]

  --seed N      the seed, or the first of several (1)
  --seeds N     so many seeds, one after another (1)
  --jobs N      submissions per simulation (40)
  --nodes N     machines (4)
  --minutes N   how long people submit and things go wrong (60)
  --calm        nothing goes wrong
  --gpus        jobs that share devices by what their kinds were seen to use (150 jobs in 45 minutes)
  --crowded     with --gpus: hours of small leases on few devices, and some that want whole ones
  --json        the reports as JSON, one per line
`;

interface Wish {
  readonly first: number;
  readonly count: number;
  readonly options: Partial<SimulationOptions>;
  /** Null: machines and faults of every kind rather than shared devices. */
  readonly gpus: Partial<SeededOptions> | null;
  readonly json: boolean;
}

function main(args: readonly string[]): number {
  const wish = wishOf(args);
  if (typeof wish === 'string') {
    process.stderr.write(`${wish}\n\n${USAGE}`);
    return 2;
  }
  if (wish === null) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { first, count } = wish;
  for (let seed = first; seed < first + count; seed++) {
    try {
      process.stdout.write(`${resultOf(wish, seed)}\n`);
    } catch (error) {
      if (!(error instanceof SimulationFailed || error instanceof GpuSimulationFailed)) throw error;
      process.stderr.write(`${error.message}\n${error.cause instanceof Error ? error.cause.stack : ''}\n`);
      return 1;
    }
  }
  return 0;
}

function resultOf({ count, options, gpus, json }: Wish, seed: number): string {
  if (gpus !== null) {
    const report = simulateSeed({ ...gpus, seed });
    return json ? JSON.stringify(report) : describeGpus(report);
  }
  const report = simulate({ ...options, seed });
  if (json) return JSON.stringify(report);
  return count === 1 ? describe(report) : describeBriefly(report);
}

/** What was asked for; null for help, a sentence for a mistake. */
function wishOf(args: readonly string[]): Wish | string | null {
  const number = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seed: number,
        seeds: number,
        jobs: number,
        nodes: number,
        minutes: number,
        calm: flag,
        gpus: flag,
        crowded: flag,
        json: flag,
        help: flag,
      },
    });
    if (values.help) return null;
    if (values.crowded && !values.gpus) throw new Error('--crowded goes with --gpus');
    const whole = (name: 'seed' | 'seeds' | 'jobs' | 'nodes' | 'minutes', otherwise: number) => {
      const text = values[name] ?? String(otherwise);
      if (!/^\d{1,9}$/.test(text) || (name !== 'seed' && Number(text) === 0))
        throw new Error(`--${name} wants a whole number, not '${text}'`);
      return Number(text);
    };
    return {
      first: whole('seed', 1),
      count: whole('seeds', 1),
      json: values.json,
      gpus: values.gpus
        ? {
            jobs: whole('jobs', values.crowded ? CROWDED.jobs : 150),
            unrestMs: whole('minutes', values.crowded ? CROWDED.unrestMs / 60_000 : 45) * 60_000,
            isCalm: values.calm || values.crowded,
            isCrowded: values.crowded,
          }
        : null,
      options: {
        jobs: whole('jobs', 40),
        nodes: whole('nodes', 4),
        unrestMs: whole('minutes', 60) * 60_000,
        ...(values.calm ? { faults: NO_FAULTS } : {}),
      },
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function describe(report: Report): string {
  const { waitingMs, faults } = report;
  const counts = (all: object) =>
    Object.entries(all)
      .map(([what, count]) => `${words(what)} ${count}`)
      .join(', ');
  return [
    `seed ${report.seed}: ${report.jobs} jobs, ${report.attempts} attempts in ${formatDuration(report.simulatedMs)}`,
    `outcomes     ${counts(report.outcomes)}`,
    `faults       ${counts(faults)}`,
    `throughput   ${report.jobsPerHour.toFixed(1)} jobs completed an hour`,
    `waiting      mean ${formatDuration(waitingMs.mean)}, median ${formatDuration(waitingMs.median)}, 95 % under ${formatDuration(waitingMs.p95)}, longest ${formatDuration(waitingMs.max)}`,
    `utilisation  CPUs ${percent(report.cpusBusy)}, GPUs ${percent(report.gpusBusy)}`,
    `checked      ${report.turns} turns, ${report.events} events, ${report.refusals} refusals`,
  ].join('\n');
}

function describeGpus(report: GpuReport): string {
  const { seed, outcomes, starts, shared, learners, grown, ranOut, rerun, crashes, strangers } = report;
  const ends = Object.entries(outcomes).map(([outcome, count]) => `${words(outcome)} ${count}`);
  return `seed ${seed}: ${ends.join(', ')}; ${starts} starts, ${shared} with a part of a device, ${learners} the first of their kind, ${grown} grew, ${ranOut} ran out, ${rerun} run again; ${crashes} crashes, ${strangers} strangers`;
}

function describeBriefly({ seed, jobs, attempts, events, faults }: Report): string {
  return `seed ${seed}: ${jobs} jobs, ${attempts} attempts, ${events} events, ${faults.crashes} crashes, ${faults.failedCommits} failed commits`;
}

/** `lostNodes` → `lost nodes`. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

process.exitCode = main(process.argv.slice(2));

/**
 * Runs simulated yards and says how they went: `npm run sim -- --seed 123` repeats one exactly, `--seeds 500`
 * tries many and stops at the first that breaks something. Nothing is started and nothing is written.
 */

import { parseArgs } from 'node:util';
import { formatDuration } from '../model/units.ts';
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
  --json        the reports as JSON, one per line
`;

interface Wish {
  readonly first: number;
  readonly count: number;
  readonly options: Partial<SimulationOptions>;
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
  const { first, count, options, json } = wish;
  for (let seed = first; seed < first + count; seed++) {
    try {
      const report = simulate({ ...options, seed });
      const text = json ? JSON.stringify(report) : count === 1 ? describe(report) : describeBriefly(report);
      process.stdout.write(`${text}\n`);
    } catch (error) {
      if (!(error instanceof SimulationFailed)) throw error;
      process.stderr.write(`${error.message}\n${error.cause instanceof Error ? error.cause.stack : ''}\n`);
      return 1;
    }
  }
  return 0;
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
        json: flag,
        help: flag,
      },
    });
    if (values.help) return null;
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

import { expect, it } from 'vitest';
import { aView, fakeYard, runDialect, runningJob } from '../../../src/dialects/fake-yard.ts';
import { slurmProgram } from '../../../src/dialects/slurm/run.ts';
import { sacct } from '../../../src/dialects/slurm/sacct/sacct.ts';
import { sacctmgr } from '../../../src/dialects/slurm/sacctmgr/sacctmgr.ts';
import { sdiag } from '../../../src/dialects/slurm/sdiag.ts';
import { sstat } from '../../../src/dialects/slurm/sstat/sstat.ts';
import { capture, rememberedJobs } from './accounting-records.ts';

/** When the listings were made. */
const THEN = Date.parse('2026-11-15T20:30:05Z');

const yard = fakeYard({
  now: THEN,
  records: [...rememberedJobs()],
  users: [{ name: 'root', uid: 0, gid: 0, group: 'root' }],
});

/** Runs the command of a capture. */
function rerun(command: string) {
  const words = command.replace(/ \|.*$/, '').split(' ');
  return runDialect(slurmProgram(sacct), yard, words, { user: 'root', uid: 0 });
}

it.each([
  'slurm-sacct-default',
  'slurm-sacct-parsable2',
  'slurm-sacct-helpformat',
  'slurm-sacct-nojob',
  'slurm-sacct-user-filter',
])('%s', (name) => {
  const { command, stdout, exitCode } = capture(name);
  const ran = rerun(command);
  expect(ran.stdout).toBe(stdout);
  expect(ran.code).toBe(exitCode);
});

/** The columns that say the same here, as lines. */
function without(columns: readonly string[], text: string): string {
  const [heading = '', ...lines] = text.split('\n');
  const names = heading.split('|');
  const kept = (line: string) => line.split('|').filter((_, i) => !columns.includes(names[i] as string));
  return [heading, ...lines].map((line) => kept(line).join('|')).join('\n');
}

it('slurm-sacct-long, but for the reason why a job that has ended once waited', () => {
  const { command, stdout } = capture('slurm-sacct-long');
  expect(without(['Reason'], rerun(command).stdout)).toBe(without(['Reason'], stdout));
});

it('slurm-sacct-usage, but for disks, which are not measured, and the last thousandth of a second', () => {
  const { command, stdout } = capture('slurm-sacct-usage');
  const others = ['MaxDiskRead', 'MaxDiskWrite', 'SystemCPU'];
  expect(without(others, rerun(command).stdout)).toBe(without(others, stdout));
});

it('slurm-sacct-json, but for the name of the cluster, a priority that is over, the layout, and the time of all steps', () => {
  const { command, stdout } = capture('slurm-sacct-json');
  const ours = rerun(command).stdout.split('\n');
  // Only the beginning of it was kept.
  const theirs = stdout.split('\n').slice(0, -1);
  const differences = theirs.flatMap((line, i) => (ours[i] === line ? [] : [line.trim()]));
  expect(new Set(differences.map((line) => line.split(':')[0]))).toEqual(
    new Set(['"cluster"', '"distribution"', '"microseconds"', '"priority"']),
  );
});

it('slurm-sacctmgr-show, but for the name of the cluster', () => {
  const { command, stdout, exitCode } = capture('slurm-sacctmgr-show');
  const ran = runDialect(slurmProgram(sacctmgr), yard, command.split(' '), { user: 'root', uid: 0 });
  expect(ran.stdout.replaceAll('yard|', 'lab|')).toBe(stdout);
  expect(ran.code).toBe(exitCode);
});

it('slurm-sdiag: every line is one of those that Slurm prints, in its order, with other figures', () => {
  const shape = (text: string) =>
    text
      .split('\n')
      .map((line) => line.replace(/\w{3} \w{3} \d\d [\d:]+ \d{4}/g, 'then').replace(/\d+/g, '0'));
  const theirs = shape(capture('slurm-sdiag').stdout);
  const ours = shape(runDialect(slurmProgram(sdiag), yard, ['sdiag']).stdout);
  let at = -1;
  const missing = ours.filter((line) => {
    const next = theirs.indexOf(line, at + 1);
    if (next !== -1) at = next;
    return next === -1;
  });
  expect(missing).toEqual([]);
  expect(ours.length).toBeGreaterThan(20);
});

it('slurm-sstat', () => {
  const part = { step: null, rank: 0, pids: [20_729, 20_728], virtualBytes: 0, userCpuMs: 1, systemCpuMs: 2 };
  const live = fakeYard({
    views: [aView(runningJob(41))],
    usage: new Map([[41, { parts: [{ ...part, memoryBytes: 3120 * 1024 }], peakMemoryBytes: null }]]),
  });
  const { command, stdout } = capture('slurm-sstat');
  const [, words = ''] = /; (sstat [^;]*);/.exec(command) ?? [];
  const argv = words.replace('$J', '41').split(' ');
  expect(runDialect(slurmProgram(sstat), live, argv).stdout).toBe(stdout);
});

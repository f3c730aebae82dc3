import { expect, it } from 'vitest';
import { batchYard, environment, IN_JOB, run as srun } from '../../../../test/srun-calls.ts';
import { bytesFromText } from '../../../model/bytes.ts';
import type { Step } from '../../../model/step.ts';
import { type FakeYard, NOW, type Ran, runDialect } from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { sattach } from './sattach.ts';

function run(yard: FakeYard, argv: readonly string[]): Ran {
  return runDialect(slurmProgram(sattach), yard, ['sattach', ...argv]);
}

/** Step 0 of job 5, as `srun` made it: three tasks on two nodes. */
function stepYard(...argv: readonly string[]): FakeYard {
  const yard = batchYard();
  srun(yard, ['-n3', ...argv, 'python', 'train.py'], environment(IN_JOB));
  return yard;
}

function end(yard: FakeYard, rankStatuses: readonly number[]): void {
  const [step] = yard.steps.get(5) as [Step];
  const worst = Math.max(...rankStatuses);
  const exit = { code: worst, signal: null, outOfMemory: false };
  const usage = { userCpuMs: 0, systemCpuMs: 0, peakMemoryBytes: null, rankStatuses };
  yard.steps.set(5, [{ ...step, endedAt: NOW, exit, usage }]);
}

const layout = (first: string, second: string) =>
  `Job step layout:\n\t3 tasks, 2 nodes (n[1-2])\n\n\tNode 0 (n1), 2 task(s): ${first} \n\tNode 1 (n2), 1 task(s): ${second} \n`;

it('prints the layout of a step, however its tasks were dealt out', () => {
  expect(run(stepYard(), ['--layout', '5.0'])).toEqual({ code: 0, stdout: layout('0 1', '2'), stderr: '' });
  expect(run(stepYard('-m', 'cyclic'), ['--layout', '5.0']).stdout).toBe(layout('0 2', '1'));
  expect(run(stepYard('-m', 'plane=1'), ['--layout', '5.0']).stdout).toBe(layout('0 2', '1'));
});

it('says where the output is when it cannot be seen', () => {
  expect(run(stepYard(), ['5.0'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'sattach: error: StepId=5.0 writes to the terminal of its srun and cannot be seen from here\n',
  });
});

it('passes on what the tasks write into files, until the end', () => {
  const yard = stepYard('-o', 'out-%t', '-e', '/tmp/err');
  const write = (path: string, text: string) => yard.files.set(path, bytesFromText(text));
  write('/home/ada/work/out-0', 'zero\n');
  yard.meanwhile.push(
    () => write('/home/ada/work/out-1', 'on'),
    () => write('/home/ada/work/out-1', 'one\n'),
    () => write('/tmp/err', 'trouble\n'),
    () => end(yard, [0, 2, 0]),
  );
  expect(run(yard, ['-l', '5.0'])).toEqual({
    code: 2,
    stdout: '0: zero\n1: one\n',
    stderr: 'trouble\nsattach: error: task 1 exited with exit code 2\n',
  });
});

it('passes on what one task writes, when only that is wanted', () => {
  const yard = stepYard('-o', 'out-%t');
  for (const rank of [0, 1, 2]) yard.files.set(`/home/ada/work/out-${rank}`, bytesFromText(`${rank}\n`));
  yard.meanwhile.push(() => end(yard, [0, 0, 0]));
  expect(run(yard, ['--output-filter=1', '5.0'])).toEqual({ code: 0, stdout: '1\n', stderr: '' });
});

const USAGE = 'Usage: sattach [options] <jobid.stepid>\n';

it.each([
  [[], `sattach: error: too many parameters\n${USAGE}`],
  [['5.0', '5.1'], `sattach: error: too many parameters\n${USAGE}`],
  [['foo'], `sattach: error: Failed to parse stepid from command line options\n${USAGE}`],
  [['5'], `sattach: error: Failed to parse stepid from command line options\n${USAGE}`],
  [['99.0'], 'sattach: error: Could not get job step info: Invalid job id specified\n'],
  [['5.7'], 'sattach: error: Could not get job step info: Invalid job id specified\n'],
  [['--output-filter', 'x', '5.0'], 'sattach: error: Invalid numeric value "x" for output-filter.\n'],
  [['--foo'], 'sattach: unrecognized option \'--foo\'\nTry "sattach --help" for more information\n'],
])('sattach %j is refused', (argv, stderr) => {
  expect(run(stepYard(), argv)).toEqual({ code: 1, stdout: '', stderr });
});

it('has nothing to do with a step that is over', () => {
  const yard = stepYard();
  end(yard, [0, 0, 0]);
  expect(run(yard, ['5.0']).stderr).toBe(
    'sattach: error: Could not get job step info: Job/step already completing or completed\n',
  );
});

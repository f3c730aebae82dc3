/** The walk of examples/grid-engine, as its README has it, with a home directory of its own. */

import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import { type GridEngineYard, gridEngineYard } from './grid-engine-yard.ts';

const examples = join(packageRoot(), 'examples');
const SCRIPTS = [
  'example-tf-mnist-train-job.py',
  'restore-checkpoint.py',
  'mlp-job.sh',
  'mlp-job-unexported.sh',
];
const LAST_EPOCH =
  /^End of epoch 10: err\(train\)=\S+ acc\(train\)=\S+\n +(err\(valid\)=\S+ acc\(valid\)=\S+)$/m;

let yard: GridEngineYard;
beforeAll(async () => {
  yard = await gridEngineYard('[node]\ncpus = 2\nmemory = "2G"\n', 'cd\n');
  for (const name of SCRIPTS) cpSync(join(examples, 'grid-engine', name), join(yard.home, name));
  mkdirSync(join(yard.home, 'data'));
  cpSync(join(examples, 'digits', 'digits.csv.gz'), join(yard.home, 'data', 'digits.csv.gz'));
});
afterAll(() => yard.close());

const inHome = (name: string) => readFileSync(join(yard.home, name), 'utf8');
const numberIn = (said: string) => /^Your job (\d+) \(/m.exec(said)?.[1] ?? said;
const experiments = () => readdirSync(join(yard.home, 'experiments')).toSorted();

test('a wrapper that exports its variables', async () => {
  const said = await yard.bash('qsub -q cpu $HOME/mlp-job.sh');
  expect(said).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^Your job \d+ \("mlp-job\.sh"\) has been submitted\n$/),
  });
  const job = numberIn(said.stdout);
  await yard.untilState(job, 'r');
  expect(await yard.accounts(job, 'qname', 'failed', 'exit_status')).toEqual(['cpu', '0', '0']);
  expect(inHome(`mlp-job.sh.o${job}`)).toMatch(LAST_EPOCH);
  expect(inHome(`mlp-job.sh.e${job}`)).toBe('');
});

test('a wrapper that forgets to: qsub says so, and so does the job', async () => {
  const said = await yard.bash('qsub -sync y -q cpu $HOME/mlp-job-unexported.sh');
  const job = numberIn(said.stdout);
  expect(said.code).toBe(1);
  expect(said.stderr).toMatch(/warning: .*MLP_DATA_DIR/);
  expect(inHome(`mlp-job-unexported.sh.e${job}`)).toMatch(/MLP_DATA_DIR must be set/);
});

test('the script itself, with its variables by -v, to a checkpoint that can be restored', async () => {
  const before = experiments();
  const said = await yard.bash(
    `qsub -q cpu -v MLP_DATA_DIR='${yard.home}/data',OUTPUT_DIR='$HOME/experiments' example-tf-mnist-train-job.py`,
  );
  expect(said.stderr).toBe('');
  expect(said.stdout).toMatch(/^Your job \d+ \("example-tf-mnist-train-job\.py"\) has been submitted\n$/);
  const job = numberIn(said.stdout);
  await yard.untilState(job, 'r');
  expect(await yard.good('qstat')).toMatch(
    new RegExp(`^ *${job} [01]\\.\\d{5} example-tf \\S+ +r +\\S+ \\S+ cpu@\\S+ +1 +$`, 'm'),
  );
  expect(await yard.accounts(job, 'failed', 'exit_status')).toEqual(['0', '0']);
  expect(await yard.good('qstat')).toBe('');

  const output = inHome(`example-tf-mnist-train-job.py.o${job}`);
  expect(output.match(/^End of epoch \d\d:/gm)).toHaveLength(10);
  expect(inHome(`example-tf-mnist-train-job.py.e${job}`)).toBe('');
  const [experiment = ''] = experiments().filter((name) => !before.includes(name));
  expect(experiment).toMatch(/^\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d/);
  const inside = join(yard.home, 'experiments', experiment);
  expect(readdirSync(inside).toSorted()).toEqual([
    'checkpoints',
    'run.npz',
    'train-summaries',
    'valid-summaries',
  ]);
  expect(readdirSync(join(inside, 'checkpoints'))).toHaveLength(11);
  expect(recordsIn(join(inside, 'train-summaries'))).toHaveLength(1 + 900);
  const [version, ...epochs] = recordsIn(join(inside, 'valid-summaries'));
  expect(version?.includes('brain.Event:2')).toBe(true);
  expect(epochs.map((epoch) => epoch.includes('accuracy'))).toEqual(Array(10).fill(true));

  const restored = await yard.good(
    `MLP_DATA_DIR=$HOME/data ./restore-checkpoint.py experiments/${experiment}/checkpoints/model.ckpt-900`,
  );
  expect(restored).toBe(`Restored model.ckpt-900: ${LAST_EPOCH.exec(output)?.[1]}\n`);
});

test('a job that waits is qw, and a job that is held hqw', async () => {
  const held = await yard.submit('-q cpu -h mlp-job.sh');
  const full = await yard.submit('-q cpu -pe smp 2 -b y sleep 300');
  await yard.untilState(full, 'r');
  const waiting = await yard.submit('-q cpu mlp-job.sh');
  await yard.untilState(waiting, 'qw');
  await yard.untilState(held, 'hqw');
  expect(await yard.good('qstat -s p')).toContain(`${waiting} `);
  await yard.good(`qdel ${held} ${full} ${waiting}`);
  await yard.untilState(full, 'gone');
});

test('a job in error says why, and is deleted', async () => {
  const job = await yard.submit('-q cpu -o /nosuch/out.txt mlp-job.sh');
  await yard.untilState(job, 'Eqw');
  expect(await yard.good(`qstat -j ${job} | grep error`)).toMatch(
    /^error reason +1: .*: error: can't open output file "\/nosuch\/out\.txt": No such file or directory\n.*Job is in error state\n$/,
  );
  expect(await yard.good(`qdel ${job}`)).toMatch(new RegExp(`^\\S+ has deleted job ${job}\\n$`));
  expect(await yard.good('qstat')).toBe('');
});

test('a running job is deleted, and what it saved is whole', async () => {
  const before = experiments();
  const job = await yard.submit(
    "-q cpu -v MLP_DATA_DIR=$HOME/data,OUTPUT_DIR='$HOME/experiments',NUM_EPOCHS=10000 example-tf-mnist-train-job.py",
  );
  await yard.untilFile(`home/example-tf-mnist-train-job.py.o${job}`, 'End of epoch 02');
  expect(await yard.good(`qdel ${job}`)).toMatch(
    new RegExp(`^\\S+ has registered the job ${job} for deletion\\n$`),
  );
  expect(await yard.accounts(job, 'failed', 'exit_status')).toEqual([
    '100 : assumedly after job',
    '137                  (Killed)',
  ]);
  const [experiment = ''] = experiments().filter((name) => !before.includes(name));
  expect(
    await yard.good(`MLP_DATA_DIR=$HOME/data ./restore-checkpoint.py experiments/${experiment}/checkpoints`),
  ).toMatch(/^Restored model\.ckpt-\d+: err\(valid\)=\S+ acc\(valid\)=0\.\d+\n$/);
});

/** The records of the one event file in a directory, each with the right checksums. */
function recordsIn(directory: string): Buffer[] {
  const [name = ''] = readdirSync(directory);
  const bytes = readFileSync(join(directory, name));
  const records: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Number(bytes.readBigUInt64LE(at));
    const record = bytes.subarray(at + 12, at + 12 + length);
    expect(bytes.readUInt32LE(at + 8)).toBe(maskedCrc32c(bytes.subarray(at, at + 8)));
    expect(bytes.readUInt32LE(at + 12 + length)).toBe(maskedCrc32c(record));
    records.push(record);
    at += 16 + length;
  }
  return records;
}

function maskedCrc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

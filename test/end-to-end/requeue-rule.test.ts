/** The rule that exit code 3 queues a batch script again, on a real yard: how often, what is said, and how it is switched off. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from './shell-yard.ts';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

const RULE = 'exit_codes under [requeue]';
const SWITCH_OFF = '#YARD requeue-on=none';

/** A busy machine may take its time to start a yard again, and no run is to seem long for that. */
const CONFIG = '[node]\ncpus = 2\nmemory = "1G"\n[requeue]\nfruitless_under = "60s"\n';

let yard: SlurmYard;
beforeAll(async () => {
  yard = await slurmYard(CONFIG);
});
afterAll(() => yard.close());

function script(name: string, ...lines: string[]): string {
  writeFileSync(join(yard.workDir, name), ['#!/bin/sh', ...lines, ''].join('\n'));
  return name;
}

const runsOf = (name: string) => readFileSync(join(yard.workDir, name), 'utf8').split('\n').length - 1;

const stateOf = async (job: string) => (await yard.good(`squeue -h -o '%T %r' -j ${job}`)).trim();

async function untilHeld(job: string): Promise<string> {
  let state = '';
  await until(
    async () => {
      state = await stateOf(job);
      return state.includes('JobHoldMaxRequeue');
    },
    () => `job ${job} to be held; it is ${state}`,
  );
  return state;
}

test('a script that simply fails with 3 runs three times, across restarts of the yard, and says why it is held', async () => {
  const failing = script(
    'failing.sh',
    'echo run >>failing.runs',
    'until [ -e go ]; do sleep 0.05; done',
    'exit 3',
  );
  const job = await yard.submit(failing);
  await yard.untilFile('failing.runs', 'run');
  await yard.good('trainyard down');
  writeFileSync(join(yard.workDir, 'go'), '');
  expect(await untilHeld(job)).toMatch(
    /^PENDING JobHoldMaxRequeue, requeued after exit code 3 of 3 short runs by requeue.exit_codes in the config; off: #YARD requeue-on=none$/,
  );
  expect(runsOf('failing.runs')).toBe(3);

  const why = await yard.good(`trainyard why ${job}`);
  expect(why).toContain('is held by the yard: 3 runs in a row ended with exit code 3');
  for (const part of [RULE, SWITCH_OFF, `To let it start: trainyard release ${job}`])
    expect(why).toContain(part);
  const shown = await yard.good(`trainyard show ${job}`);
  expect(shown).toMatch(/queued again +because of exit code 3/);
  for (const part of [RULE, SWITCH_OFF]) expect(shown).toContain(part);
  expect(await yard.good(`scontrol show job ${job}`)).toContain(
    'Reason=JobHoldMaxRequeue,_requeued_after_exit',
  );

  await yard.good(`trainyard release ${job}`);
  await until(
    () => runsOf('failing.runs') >= 4,
    () => 'another run after the release',
  );
  await untilHeld(job);
  expect(runsOf('failing.runs')).toBe(6);
}, 60_000);

test('while it goes on, why and show name the rule', async () => {
  const going = script(
    'going.sh',
    '[ -n "$SLURM_RESTART_COUNT" ] || exit 3',
    ': >second; until [ -e enough ]; do sleep 0.05; done',
  );
  const job = await yard.submit(going);
  await until(
    async () => (await yard.bash('test -e second')).code === 0,
    () => 'its second run',
  );
  const why = await yard.good(`trainyard why ${job}`);
  for (const part of ['is running', 'ended with exit code 3, which queues it again', RULE, SWITCH_OFF])
    expect(why).toContain(part);
  expect(await yard.good(`trainyard show ${job}`)).toMatch(
    /queued again +because of exit code 3, after 1 short run/,
  );
  writeFileSync(join(yard.workDir, 'enough'), '');
  expect(await yard.ended(job)).toBe('COMPLETED');
}, 60_000);

test('a directive switches it off, and another one lets short runs go on', async () => {
  const off = script('off.sh', '#YARD requeue-on=none', 'echo run >>off.runs', 'exit 3');
  const on = script(
    'on.sh',
    '#YARD requeue-on=3',
    'echo run >>on.runs',
    '[ $(wc -l <on.runs) -ge 6 ] || exit 3',
  );
  const [first, second] = [await yard.submit(off), await yard.submit(on)];
  expect(await yard.ended(first)).toBe('FAILED');
  expect(runsOf('off.runs')).toBe(1);
  expect(await yard.ended(second)).toBe('COMPLETED');
  expect(runsOf('on.runs')).toBe(6);
  const wrong = script('wrong.sh', '#YARD requeue-on=300', 'true');
  const said = await yard.bash(`sbatch ${wrong}`);
  expect(said.code).toBe(1);
  expect(said.stderr).toContain('exit codes from 1 to 255 are wanted');
}, 60_000);

test('so does the config', async () => {
  await yard.good('trainyard down');
  writeFileSync(join(yard.directory, 'trainyard.toml'), `${CONFIG}exit_codes = []\n`);
  const job = await yard.submit(script('plain.sh', 'exit 3'));
  expect(await yard.ended(job)).toBe('FAILED');
}, 60_000);

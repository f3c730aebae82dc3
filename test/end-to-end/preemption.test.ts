/** Jobs that make room for others, with a real yard of one CPU and processes that really stop. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ShellYard, shellYard, until } from './shell-yard.ts';

const PATIENCE_MS = 120_000;
const CONFIG = `
[node]
name = "box"
cpus = 1
[queues.urgent]
priority = 10
[queues.again]
default = true
preempt = "requeue"
[queues.patient]
preempt = "suspend"
[queues.away]
preempt = "cancel"
[qos.normal]
default = true
[qos.low]
preempt = "suspend"
[qos.high]
preempts = ["low"]
`;
/** Says what it is, then ticks until it is told that it may end. */
const TICK =
  'echo "run $SLURM_RESTART_COUNT by $$"; while [ ! -e "$1.end" ]; do echo tick >>"$1.ticks"; sleep 0.05; done';

let yard: ShellYard;
beforeAll(async () => {
  yard = await shellYard(CONFIG);
  writeFileSync(join(yard.workDir, 'tick.sh'), `#!/bin/sh\n${TICK}\n`);
}, PATIENCE_MS);
afterAll(() => yard.close(), PATIENCE_MS);
afterEach(() => yard.good('scancel --me'), PATIENCE_MS);

const submit = async (name: string, options: string) => {
  const said = await yard.good(
    `sbatch --parsable -o ${name}.out --open-mode=append ${options} tick.sh ${name}`,
  );
  return said.trim();
};
const mayEnd = (name: string) => writeFileSync(join(yard.workDir, `${name}.end`), '');
const ticksOf = (name: string) => readFileSync(join(yard.workDir, `${name}.ticks`), 'utf8').length;
const stateOf = async (job: string) => (await yard.good(`squeue -h -j ${job} -o '%t'`)).trim();
const wait = (job: string) => yard.bash(`trainyard wait ${job}`);

async function untilTicks(name: string, after: () => number): Promise<void> {
  await yard.untilFile(`${name}.ticks`, 'tick');
  await until(
    () => ticksOf(name) > after(),
    () => `more ticks of ${name}`,
  );
}

/** The state of a process as the kernel tells it. */
async function kernelState(name: string): Promise<string> {
  const pid = (await yard.untilFile(`${name}.out`, 'run')).trim().split(' ').at(-1);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2)[0] as string;
}

async function untilStopped(name: string): Promise<void> {
  await until(
    async () => (await kernelState(name)) === 'T',
    () => `${name} to be stopped`,
  );
}

test(
  'a job of a queue that says so is queued again, and runs once more',
  async () => {
    const low = await submit('again', '-p again');
    await untilTicks('again', () => 0);
    const high = await submit('urgent1', '-p urgent');
    await untilTicks('urgent1', () => 0);
    expect(await stateOf(low)).toBe('PD');
    mayEnd('urgent1');
    await yard.untilFile('again.out', 'run 1');
    mayEnd('again');
    expect((await wait(low)).code).toBe(0);
    expect((await wait(high)).code).toBe(0);
  },
  PATIENCE_MS,
);

test(
  'a job of a queue that says so is ended for good',
  async () => {
    const low = await submit('away', '-p away');
    await untilTicks('away', () => 0);
    const high = await submit('urgent2', '-p urgent');
    await untilTicks('urgent2', () => 0);
    mayEnd('urgent2');
    expect((await wait(low)).stdout).toContain('was preempted');
    expect(await yard.good(`sacct -n -X -j ${low} -o state%10`)).toContain('PREEMPTED');
    await wait(high);
  },
  PATIENCE_MS,
);

test(
  'a job of a queue that says so is stopped where it is, and goes on afterwards, though the yard was killed meanwhile',
  async () => {
    const low = await submit('patient', '-p patient');
    await untilTicks('patient', () => 0);
    const high = await submit('urgent3', '-p urgent');
    await untilTicks('urgent3', () => 0);
    await untilStopped('patient');
    expect(await stateOf(low)).toBe('S');
    expect(await yard.good(`qstat | awk '$1 == ${low} {print $5}'`)).toBe('S\n');
    expect(await yard.good(`trainyard why ${low}`)).toContain(`to make room for job ${high}`);
    expect(await yard.good(`trainyard events --job ${low}`)).toContain(
      `suspended to make room for job ${high}`,
    );
    const refused = await yard.bash(`trainyard resume ${low}`);
    expect(refused.stderr).toContain(`makes room for job ${high}`);
    process.kill(await yard.daemonPid(), 'SIGKILL');
    const soFar = ticksOf('urgent3');
    expect(await stateOf(low)).toBe('S');
    await untilTicks('urgent3', () => soFar);
    expect(await kernelState('patient')).toBe('T');
    const stoppedAt = ticksOf('patient');
    mayEnd('urgent3');
    await untilTicks('patient', () => stoppedAt);
    expect(await stateOf(low)).toBe('R');
    mayEnd('patient');
    expect((await wait(low)).code).toBe(0);
    expect(readFileSync(join(yard.workDir, 'patient.out'), 'utf8')).toMatch(/^run {2}by \d+\n$/);
  },
  PATIENCE_MS,
);

test(
  'of a QOS that another names; told to end while it is suspended, it does',
  async () => {
    const low = await submit('low', '--qos low');
    await untilTicks('low', () => 0);
    const high = await submit('high', '--qos high');
    await untilTicks('high', () => 0);
    await untilStopped('low');
    expect(await yard.good(`sacctmgr -n -P show qos format=name,preempt`)).toContain('high|low\n');
    await yard.good(`scancel ${low}`);
    expect((await wait(low)).stdout).toContain('cancelled');
    const soFar = ticksOf('high');
    await untilTicks('high', () => soFar);
    mayEnd('high');
    expect((await wait(high)).code).toBe(0);
  },
  PATIENCE_MS,
);

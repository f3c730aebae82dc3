/** `glb-start` and `glb-run` as people call them: what they say, how they end, and that nothing is left when they have. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import { identityOf, isAlive, type ProcessIdentity } from '../../src/platform/processes.ts';
import { openLease } from '../api/lease-stream.ts';

let home: string;
let environment: Record<string, string | undefined>;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'yard-glb-'));
  mkdirSync(join(home, 'bin'));
  for (const name of ['glb-start', 'glb-run', 'trainyard'])
    symlinkSync(join(packageRoot(), 'bin', 'trainyard'), join(home, 'bin', name));
  environment = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: home,
    TRAINYARD_GLB_DIR: join(home, 'glb'),
    TRAINYARD_DIR: join(home, 'glb'),
  };
});
afterEach(async () => {
  await call('trainyard', ['down', '--cancel', '--quiet']).exit;
  rmSync(home, { recursive: true, force: true });
});

interface Called {
  readonly child: ChildProcess;
  /** Everything that it has printed so far, errors too. */
  printed(): string;
  says(text: string): Promise<void>;
  readonly exit: Promise<number | null>;
}

function call(name: string, words: readonly string[], input = ''): Called {
  const child = spawn(join(home, 'bin', name), words, { env: environment, cwd: home });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    exit,
    printed: () => printed,
    async says(text) {
      while (!printed.includes(text)) {
        const ended = await Promise.race([once(child.stdout, 'data').then(() => null), exit]);
        if (ended !== null && !printed.includes(text)) throw new Error(`it ended and said:\n${printed}`);
      }
    },
  };
}

const simulated = ['--simulate-gpus', '4x16G'];
const directory = () => environment.TRAINYARD_GLB_DIR as string;
const socketPath = () => readFileSync(join(directory(), 'socket'), 'utf8').split('\n')[0] as string;
const isRunning = () => existsSync(join(directory(), 'socket'));

/** The daemon, by what it wrote into its log when it started. */
function daemon(): ProcessIdentity {
  const log = readFileSync(join(directory(), 'yard.log'), 'utf8');
  const pid = Number([...log.matchAll(/process (\d+)/g)].at(-1)?.[1]);
  return identityOf(pid) ?? { pid, startTicks: 0, bootId: '' };
}

describe('glb-run', () => {
  test.each([
    [['exit 0'], 0],
    [['exit 7'], 7],
    [['kill -9 $$'], 137],
    [['true', 'exit 4', 'exit 5'], 4],
    [['--parallel', 'sleep 0.2; exit 3', 'exit 6'], 3],
    [['--', 'sh', '-c', 'exit 8'], 8],
    [['--', 'no-such-program'], 127],
  ])('%j gives %i, and its balancer goes with it', async (words, status) => {
    expect(await call('glb-run', [...simulated, ...words]).exit).toBe(status);
    expect(isRunning()).toBe(false);
    expect(isAlive(daemon())).toBe(false);
  });

  test('commands run one after the other, with all that they need around them', async () => {
    environment.PYTHONPATH = '/mine';
    const show = `echo "$TRAINYARD_GLB_DIR|$PYTHONPATH|\${PATH##*:}"`;
    const run = call('glb-run', [...simulated, 'sleep 0.2; cat', show, 'command -v glb-start'], 'input\n');
    expect(await run.exit).toBe(0);
    const commands = join(directory(), 'commands', 'glb');
    expect(run.printed()).toBe(
      `input\n${directory()}|/mine:${packageRoot()}/python|${commands}\n${join(home, 'bin', 'glb-start')}\n`,
    );
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s reaches what it runs, and ends the rest', async (signal) => {
    const run = call('glb-run', [...simulated, 'echo up; sleep 600; echo more', 'echo never']);
    await run.says('up');
    const yard = daemon();
    run.child.kill(signal);
    expect(await run.exit).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(run.printed()).toBe('up\n');
    expect([isRunning(), isAlive(yard)]).toEqual([false, false]);
  });

  test('a balancer that runs already is used, and goes on', async () => {
    await call('trainyard', ['up', ...simulated]).exit;
    const yard = daemon();
    expect(await call('glb-run', ['true']).exit).toBe(0);
    expect(isAlive(yard)).toBe(true);
    const refused = call('glb-run', ['--simulate-gpus', '8x80G', 'true']);
    expect(await refused.exit).toBe(1);
    expect(refused.printed()).toContain('takes options only when it starts');
  });

  test('what a yard is started with the next time is not changed by it', async () => {
    await call('trainyard', ['up', '--simulate-gpus', '1x1G']).exit;
    await call('trainyard', ['down']).exit;
    expect(await call('glb-run', [...simulated, 'true']).exit).toBe(0);
    expect(readFileSync(join(directory(), 'start-options.json'), 'utf8')).toContain('"1x1G"');
  });

  test('in a batch job it is one of the job alone, like the GPUs of the job', async () => {
    const devices = join(home, 'simulated');
    mkdirSync(devices);
    writeFileSync(join(devices, 'devices'), '0 1024 sim\n1 1024 sim\n2 2048 sim\n');
    delete environment.TRAINYARD_GLB_DIR;
    Object.assign(environment, {
      TRAINYARD_JOB_ID: `test-${process.pid}`,
      CUDA_VISIBLE_DEVICES: '0,2',
      TRAINYARD_SIMULATED_GPUS: devices,
    });
    const run = call('glb-run', ['echo $TRAINYARD_GLB_DIR; cat $TRAINYARD_GLB_DIR/start-options.json']);
    expect(await run.exit).toBe(0);
    const own = `/tmp/trainyard-glb-${process.geteuid?.()}/job-test-${process.pid}`;
    expect(run.printed()).toBe(`${own}\n{"configFile":null,"simulateGpus":"2x1024"}\n`);
    expect(existsSync(own)).toBe(false);
  });

  test.each([
    [[], 'there is no command to run'],
    [['--parallell', 'true'], 'unknown option --parallell'],
    [['--simulate-gpus', 'many', 'true'], '--simulate-gpus "many"'],
  ])('%j is a mistake, said before anything is started', async (words, message) => {
    const run = call('glb-run', words);
    expect(await run.exit).toBe(2);
    expect(run.printed()).toContain(`glb-run: ${message}`);
    expect(existsSync(directory())).toBe(false);
  });
});

describe('glb-start', () => {
  const LINE = String.raw`\[\d\d/\d\d/\d\d \d\d:\d\d:\d\d\] INFO {5}`;

  test('says what it manages, and cleans up', async () => {
    const start = call('glb-start', simulated);
    await start.says('Managing GPUs');
    const yard = daemon();
    const lease = await openLease(socketPath(), { kind: 'train.py::job' });
    await lease.word('granted');
    start.child.kill('SIGINT');
    expect(await start.exit).toBe(0);
    const [, ...lines] = start.printed().trimEnd().split('\n\n');
    expect(lines.at(-1)).toMatch(
      new RegExp(`^${LINE}Managing GPUs \\{0, 1, 2, 3\\}\n${LINE}\\[GPUMaster\\] Cleaning up\\.\\.\\.$`),
    );
    expect((await lease.word('ended')).why).toMatch(/^job 1 was cancelled/);
    expect([isRunning(), isAlive(yard)]).toEqual([false, false]);
  });

  test('shows with --debug who asks, who is served, who waits, and how it went', async () => {
    const start = call('glb-start', [...simulated, '--debug', '--no-banner']);
    await start.says('Managing GPUs');
    const first = await openLease(socketPath(), { kind: 'train.py::job' });
    await first.word('granted');
    await start.says('[RequestGPU] request  jobstr: "train.py::job"\n\n[RequestGPU] serving GPU ID 0\n');
    const second = await openLease(socketPath(), { kind: 'train.py::job' });
    await second.word('waiting');
    await start.says('ServiceErrorCodes.WAITING_FOR_JOB_PROFILE: waiting...\n    job 2 waits for job 1');
    first.hangUp();
    await start.says(
      '[CompleteJob] request\njobtype {\n    jobstr: "train.py::job"\n}\ngpu {\n    gpu_id: 0\n}\n',
    );
    await second.word('granted');
    start.child.kill('SIGTERM');
    expect(await start.exit).toBe(0);
  });

  test('leaves a yard alone that was running before', async () => {
    await call('trainyard', ['up', ...simulated]).exit;
    const yard = daemon();
    const start = call('glb-start', ['--no-banner']);
    await start.says('was running already');
    start.child.kill('SIGTERM');
    expect(await start.exit).toBe(0);
    expect(start.printed()).toContain('goes on; trainyard down stops it');
    expect(isAlive(yard)).toBe(true);
  });

  test('ends when nobody reads what it says', async () => {
    const start = call('glb-start', [...simulated, '--debug', '--no-banner']);
    await start.says('Managing GPUs');
    const yard = daemon();
    start.child.stdout?.destroy();
    const lease = await openLease(socketPath(), { kind: 'train.py::job' });
    expect((await lease.word('ended')).why).toMatch(/^job 1 was cancelled/);
    await start.exit;
    expect(isAlive(yard)).toBe(false);
  });

  test('says so when the yard ends', async () => {
    const start = call('glb-start', [...simulated, '--no-banner']);
    await start.says('Managing GPUs');
    await call('trainyard', ['down']).exit;
    expect(await start.exit).toBe(1);
    expect(start.printed()).toContain('has ended');
  });

  test('without GPUs it says what to do, and leaves nothing behind', async () => {
    const start = call('glb-start', ['--simulate-gpus', '0']);
    expect(await start.exit).toBe(1);
    expect(start.printed()).toBe(
      'glb-start: this machine has no GPU to share out\n  hint: to rehearse without GPUs: --simulate-gpus 4x16G\n',
    );
    expect(existsSync(directory())).toBe(false);
  });

  test.each(['glb-start', 'glb-run'])('%s has help', async (name) => {
    const help = call(name, ['--help']);
    expect(await help.exit).toBe(0);
    expect(help.printed()).toMatch(new RegExp(`^Usage: ${name} `));
    expect(existsSync(directory())).toBe(false);
  });
});

test('both are among the commands that `trainyard env` puts on the PATH', async () => {
  await call('trainyard', ['up', ...simulated]).exit;
  environment.PATH = process.env.PATH;
  const shell = spawn(
    '/bin/sh',
    [
      '-c',
      `eval "$(${join(home, 'bin', 'trainyard')} env)"; command -v glb-start; command -v glb-run; glb-run 'echo ran'`,
    ],
    { env: environment },
  );
  let printed = '';
  shell.stdout.on('data', (text) => {
    printed += text;
  });
  await once(shell, 'close');
  const commands = join(directory(), 'commands', 'glb');
  expect(printed).toBe(`${commands}/glb-start\n${commands}/glb-run\nran\n`);
});

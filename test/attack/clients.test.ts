/**
 * Another user (bo) tries to be taken for a yard of ann's: with what lies in /var/tmp and /tmp under her name, with links
 * that flip, with a socket in the place of hers. Nothing of hers may arrive there, nothing may run, nobody may be held up.
 */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encodeFrame } from '../../src/model/frames.ts';
import { encodePlan } from '../../src/model/run-plan.ts';
import { launchers } from '../../src/platform/install.ts';
import { UPGRADED } from '../client/fake-yard.ts';
import { MANNER } from '../client/plan-runner.ts';
import {
  fileOfRootWith,
  flipAs,
  type Listener,
  type LoopEnd,
  listenAs,
  loopAs,
  openDirectoryOf,
  stopAll,
} from './hostile.ts';
import {
  canBecomeOthers,
  directoryForAll,
  type Ended,
  installationForAll,
  makeUser,
  removeUsers,
  runAs,
  SYSTEM_PATH,
  type User,
} from './users.ts';

const SECRET = 'the-secret-of-ann';
const TRIES = 20_000;
const FLIPS = 20_000;
const LOOP_SECONDS = 60;
/** A command takes milliseconds, a Node client half a second; both take longer on a busy machine. */
const LONGEST_MS = 20_000;
const NO_YARD = 127;
const ROOT: User = { uid: 0, home: '/root' };
const SERVED = 3;

interface Client {
  readonly name: 'compiled' | 'quick' | 'full';
  readonly program: string;
  readonly args: readonly string[];
  /** Where it finds what it may become; a client without Node cannot start a yard. */
  readonly path: string;
  /** What it says by its exit code where there is no yard. */
  readonly noYard: number;
}

let ann: User;
let bo: User;
let squats: readonly string[];
let ran: string;

beforeEach(() => {
  if (!canBecomeOthers) return;
  ann = makeUser('ann');
  bo = makeUser('bo');
  squats = [`/var/tmp/trainyard-${ann.uid}`, `/tmp/trainyard-${ann.uid}`];
  ran = join(ann.home, 'ran');
});
afterEach(async () => {
  await stopAll();
  for (const squat of squats ?? []) rmSync(squat, { recursive: true, force: true });
});
afterAll(removeUsers);

/** Every one of them looks for a yard, and none of them can start one. */
function clients(): readonly Client[] {
  const root = installationForAll();
  const links = directoryForAll('trainyard-links-');
  const bin = (name: string, programs: readonly string[]) => {
    mkdirSync(join(links, name));
    for (const program of programs) symlinkSync(program, join(links, name, basename(program)));
    return join(links, name);
  };
  const link = (target: string, name: string) => {
    const path = join(links, name);
    symlinkSync(target, path);
    return path;
  };
  const launcher = join(root, 'bin', 'trainyard');
  const all: Client[] = [
    {
      name: 'quick',
      program: link(launcher, 'qstat'),
      args: [],
      path: bin('perl', ['/usr/bin/perl']),
      noYard: NO_YARD,
    },
    {
      // Without a yard it says that none is running, and starts none.
      name: 'full',
      program: launcher,
      args: ['down'],
      path: bin('node', [process.execPath, '/usr/bin/readlink']),
      noYard: 0,
    },
  ];
  if (launchers().compiled === null) return all;
  const program = link(join(root, 'dist', 'bin', 'trainyard'), 'squeue');
  return [{ name: 'compiled', program, args: [], path: bin('none', []), noYard: NO_YARD }, ...all];
}

const environmentFor = ({ path }: Client) => ({ PATH: path, CLIENT_PATH: path, TOKEN: SECRET });

/** Ends with status 124 when it takes too long, and cannot have all memory. */
function call(user: User, client: Client, variables: Record<string, string> = {}): Promise<Ended> {
  const limit = client.name === 'full' ? '' : 'ulimit -v 1000000; ';
  const script = `${limit}exec /usr/bin/timeout -s KILL ${LONGEST_MS / 1000} "$@"`;
  const argv = ['/bin/sh', '-c', script, 'sh', client.program, ...client.args];
  return runAs(user, argv, { environment: { ...environmentFor(client), ...variables } });
}

/** What a client that asks this yard would run, as ann. */
function answerWithPlan(): Buffer {
  const stepRecord = join(ann.home, 'step');
  writeFileSync(stepRecord, '');
  chownSync(stepRecord, ann.uid, ann.uid);
  const rank = {
    argv: ['/usr/bin/touch', ran],
    workDir: '/',
    variables: {},
    unset: [],
    node: 'box',
    nodeNumber: 0,
    rank: 0,
    cpuIds: [],
    stdout: { kind: 'caller' },
    stderr: { kind: 'caller' },
  } as const;
  const plan = encodePlan({
    run: { attempt: '1.1', step: 0, holdsJob: false, input: { kind: 'all' }, ranks: [rank], manner: MANNER },
    jobRecord: null,
    stepRecord,
    variables: [],
    cgroupFiles: new Map(),
    commands: null,
    python: null,
  });
  return Buffer.concat([Buffer.from(UPGRADED), encodeFrame('p', plan)]);
}

const answerWithExit = (code: number) =>
  Buffer.concat([Buffer.from(UPGRADED), encodeFrame('x', Buffer.from(`${code}`))]);

/** A directory under ann's name that is bo's, as bo can make it. */
function squat(path: string, mode = 0o755): string {
  mkdirSync(path);
  chownSync(path, bo.uid, bo.uid);
  chmodSync(path, mode);
  return path;
}

function writeAs({ uid }: User, path: string, text: string): void {
  writeFileSync(path, text);
  chownSync(path, uid, uid);
  chmodSync(path, 0o644);
}

/** A directory as a yard of this user has it, with a pointer to a socket. */
function yardDirectoryOf({ uid, home }: User, socketPath: string): string {
  const directory = join(home, '.local/state/trainyard');
  mkdirSync(directory, { recursive: true });
  for (const each of [join(home, '.local'), join(home, '.local/state'), directory]) {
    chownSync(each, uid, uid);
    chmodSync(each, 0o700);
  }
  writeFileSync(join(directory, 'socket'), `${socketPath}\n`, { mode: 0o600 });
  chownSync(join(directory, 'socket'), uid, uid);
  return directory;
}

function expectNothingOf(listener: Listener): void {
  expect(listener.received().toString('latin1')).toBe('');
  expect(existsSync(ran)).toBe(false);
}

/** All clients at once, each again and again. */
async function loopAll(user: User): Promise<ReadonlyMap<Client['name'], LoopEnd>> {
  const ends = clients().map(async (client) => {
    const { name, program, args } = client;
    const limits =
      name === 'compiled' ? { tries: TRIES, seconds: 600 } : { tries: 1e9, seconds: LOOP_SECONDS };
    const environment = environmentFor(client);
    return [
      name,
      await loopAs(user, { program, args, environment: { ...environment, PATH: SYSTEM_PATH }, ...limits }),
    ] as const;
  });
  return new Map(await Promise.all(ends));
}

function expectMany(ends: ReadonlyMap<Client['name'], LoopEnd>, flips: number): void {
  expect(flips).toBeGreaterThanOrEqual(FLIPS);
  for (const { longestMs } of ends.values()) expect(longestMs).toBeLessThan(LONGEST_MS);
  if (ends.has('compiled')) expect(ends.get('compiled')?.tries).toBe(TRIES);
  expect(ends.get('quick')?.tries).toBeGreaterThan(100);
  expect(ends.get('full')?.tries).toBeGreaterThan(0);
}

describe.runIf(canBecomeOthers)('links that flip', () => {
  test('in a directory under her name, with a pointer that seems to be of root', async () => {
    const open = openDirectoryOf(bo);
    const evil = join(open, 'evil');
    mkdirSync(evil);
    chownSync(evil, bo.uid, bo.uid);
    const listener = await listenAs(bo, join(evil, 'passwd'), answerWithPlan());
    const pointer = await fileOfRootWith(bo, join(open, 'flip', 'passwd'));
    expect(statSync(pointer).uid).toBe(0);
    expect(readFileSync(pointer, 'utf8').split('\n')[0]).toBe(join(open, 'flip', 'passwd'));
    for (const path of squats) symlinkSync(pointer, join(squat(path), 'socket'));
    const flipper = await flipAs(bo, join(open, 'flip'), ['/etc', evil]);
    const ends = await loopAll(ann);
    expectNothingOf(listener);
    expectMany(ends, await flipper.stop());
    for (const client of clients())
      expect(ends.get(client.name)?.statuses).toEqual({ [client.noYard]: ends.get(client.name)?.tries });
  });

  test('in the path of her own socket, between her yard and another', async () => {
    const [his, hers] = [openDirectoryOf(bo), openDirectoryOf(ann)];
    const evil = await listenAs(bo, join(his, 'yard.sock'), answerWithPlan());
    const good = await listenAs(ann, join(hers, 'yard.sock'), answerWithExit(SERVED));
    const between = openDirectoryOf(bo);
    yardDirectoryOf(ann, join(between, 'flip', 'yard.sock'));
    const flipper = await flipAs(bo, join(between, 'flip'), [hers, his]);
    const ends = await loopAll(ann);
    expectNothingOf(evil);
    expectMany(ends, await flipper.stop());
    // Both were met, or the race was none.
    expect(good.received().includes(SECRET)).toBe(true);
    expect(evil.connections()).toBeGreaterThan(100);
    for (const client of clients()) {
      const { tries = 0, statuses = {} } = ends.get(client.name) ?? {};
      // An answer may break off, and the full client says 1 when it meets bo after it has found ann.
      expect((statuses[SERVED] ?? 0) + (statuses[client.noYard] ?? 0)).toBe(tries - (statuses[1] ?? 0));
    }
  });
});

describe.runIf(canBecomeOthers)('a directory under her name', () => {
  test.each([
    ['with a fifo', (path: string) => void execFileSync('mkfifo', ['-m', '666', path])],
    ['with a link to an endless file', (path: string) => symlinkSync('/dev/zero', path)],
    ['with a huge file', (path: string) => void execFileSync('truncate', ['-s', '1T', path])],
    ['with a directory', (path: string) => void mkdirSync(path)],
    ['with a link to a terminal', (path: string) => symlinkSync('/dev/ptmx', path)],
  ])('%s holds nobody up', async (_, put) => {
    for (const path of squats) put(join(squat(path), 'socket'));
    for (const client of clients()) expect((await call(ann, client)).code, client.name).toBe(client.noYard);
  });

  test.each([
    ['that is his', (path: string) => squat(path)],
    ['that everybody can write to', (path: string) => squat(path, 0o777)],
    ['that is a link to his', (path: string) => linkTo(path, squat(`${openDirectoryOf(bo)}/d`))],
  ])('%s, and a listener of his', async (_, make) => {
    const open = openDirectoryOf(bo);
    const listener = await listenAs(bo, join(open, 'yard.sock'), answerWithPlan());
    for (const path of squats) writeAs(bo, join(make(path), 'socket'), `${listener.path}\n`);
    for (const client of clients()) expect((await call(ann, client)).code, client.name).toBe(client.noYard);
    expectNothingOf(listener);
  });

  test('that is a fifo, or a link to a directory of hers, holds nobody up either', async () => {
    const listener = await listenAs(bo, join(openDirectoryOf(bo), 'yard.sock'), answerWithPlan());
    const [first = '', second = ''] = squats;
    execFileSync('mkfifo', ['-m', '666', first]);
    chownSync(first, bo.uid, bo.uid);
    const own = openDirectoryOf(ann);
    writeAs(ann, join(own, 'socket'), `${listener.path}\n`);
    symlinkSync(own, second);
    for (const client of clients()) expect((await call(ann, client)).code, client.name).toBe(client.noYard);
    expect(listener.connections()).toBe(0);
  });
});

function linkTo(path: string, target: string): string {
  symlinkSync(target, path);
  return target;
}

describe.runIf(canBecomeOthers)('a directory that she named', () => {
  test('and that is his is refused, with whose it is', async () => {
    const directory = openDirectoryOf(bo);
    const listener = await listenAs(bo, join(directory, 'yard.sock'), answerWithPlan());
    writeAs(bo, join(directory, 'socket'), `${listener.path}\n`);
    for (const client of clients()) {
      const { code, stderr } = await call(ann, client, { TRAINYARD_DIR: directory });
      expect(code, client.name).toBe(client.name === 'full' ? 1 : NO_YARD);
      if (client.name === 'full')
        expect(stderr).toContain(`${directory} cannot be trusted: it belongs to another user (${bo.uid})`);
    }
    expect(listener.connections()).toBe(0);
    expectNothingOf(listener);
  });

  test('and whose socket is his now is refused, with who listens', async () => {
    const listener = await listenAs(bo, join(openDirectoryOf(bo), 'yard.sock'), answerWithPlan());
    const directory = yardDirectoryOf(ann, listener.path);
    for (const client of clients()) {
      const { code, stderr } = await call(ann, client, { TRAINYARD_DIR: directory });
      expect(code, client.name).toBe(client.name === 'full' ? 1 : NO_YARD);
      if (client.name === 'full') expect(stderr).toContain(`user ${bo.uid} listens at ${listener.path}`);
    }
    expectNothingOf(listener);
  });

  test('every command says why, whichever client it begins with', async () => {
    const listener = await listenAs(bo, join(openDirectoryOf(bo), 'yard.sock'), answerWithPlan());
    const environment = { TRAINYARD_DIR: yardDirectoryOf(ann, listener.path), TOKEN: SECRET };
    const links = directoryForAll('trainyard-links-');
    const root = installationForAll();
    const names = {
      sbatch: 'dist/bin/trainyard',
      qsub: 'bin/trainyard',
      srun: 'bin/trainyard',
      yard: 'bin/trainyard',
    };
    for (const [name, target] of Object.entries(names)) {
      if (!existsSync(join(root, target))) continue;
      symlinkSync(join(root, target), join(links, name));
      const { code, stderr } = await runAs(ann, [join(links, name), 'true'], { environment });
      expect({ name, code }).toEqual({ name, code: 1 });
      expect(stderr).toContain(`user ${bo.uid} listens at ${listener.path}`);
    }
    expectNothingOf(listener);
  });

  test.runIf(existsSync('/usr/bin/python3'))('the Python package sends nothing either', async () => {
    const listener = await listenAs(bo, join(openDirectoryOf(bo), 'yard.sock'), answerWithPlan());
    const script = 'from trainyard.gpu import lease\nwith lease("secret"): pass';
    const python = (TRAINYARD_DIR: string) =>
      runAs(ann, ['/usr/bin/python3', '-c', script], {
        environment: { TRAINYARD_DIR, PYTHONPATH: join(installationForAll(), 'python') },
      });
    const taken = await python(yardDirectoryOf(ann, listener.path));
    expect(taken.stderr).toContain(`user ${bo.uid} listens at ${listener.path}: nothing was sent`);
    writeAs(bo, join(dirname(listener.path), 'socket'), `${listener.path}\n`);
    const his = await python(dirname(listener.path));
    expect(his.stderr).toContain(`belongs to another user (${bo.uid})`);
    expectNothingOf(listener);
  });
});

describe.runIf(canBecomeOthers)('root', () => {
  test('who names her directory talks to her yard, and to nobody else', async () => {
    const good = await listenAs(ann, join(openDirectoryOf(ann), 'yard.sock'), answerWithExit(SERVED));
    const directory = yardDirectoryOf(ann, good.path);
    for (const client of clients())
      expect((await call(ROOT, client, { TRAINYARD_DIR: directory })).code, client.name).toBe(SERVED);
    const evil = await listenAs(bo, join(openDirectoryOf(bo), 'yard.sock'), answerWithPlan());
    yardDirectoryOf(ann, evil.path);
    for (const client of clients())
      expect((await call(ROOT, client, { TRAINYARD_DIR: directory })).code, client.name).not.toBe(SERVED);
    expectNothingOf(evil);
  });

  test('runs nothing that her yard hands over', async () => {
    const yard = await listenAs(ann, join(openDirectoryOf(ann), 'yard.sock'), answerWithPlan());
    const link = join(directoryForAll('trainyard-links-'), 'srun');
    symlinkSync(join(installationForAll(), 'bin', 'trainyard'), link);
    const environment = { TRAINYARD_DIR: yardDirectoryOf(ann, yard.path) };
    const { code, stderr } = await runAs(ROOT, [link, 'true'], { environment });
    expect(code).toBe(1);
    expect(stderr).toContain(`the yard belongs to user ${ann.uid}, who would decide what runs as you`);
    expect(existsSync(ran)).toBe(false);
  });

  test('does not talk to what lies under the name of root in /tmp', async () => {
    const listener = await listenAs(bo, join(openDirectoryOf(bo), 'yard.sock'), answerWithPlan());
    const path = '/var/tmp/trainyard-0';
    expect(existsSync(path)).toBe(false);
    try {
      writeAs(bo, join(squat(path), 'socket'), `${listener.path}\n`);
      for (const client of clients())
        expect((await call(ROOT, client, { HOME: '/nonexistent' })).code, client.name).toBe(client.noYard);
    } finally {
      rmSync(path, { recursive: true });
    }
    expectNothingOf(listener);
  });
});

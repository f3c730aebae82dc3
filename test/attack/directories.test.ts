/**
 * What another user can do in places where everybody can make directories: take the names that a yard uses in /tmp and on
 * scratch disks, put links there, and swap them while the yard works; and what root does to the yards of others.
 */

import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  canBecomeOthers,
  directoryForAll,
  type Ended,
  ended,
  installationForAll,
  makeUser,
  removeUsers,
  runAs,
  startAs,
  type User,
} from './users.ts';

let ann: User;
let bo: User;
/** What lies in /tmp because of a test. */
let made: string[];

beforeEach(() => {
  ann = makeUser('ann');
  bo = makeUser('bo');
  made = [];
});
afterEach(async () => {
  await yard('down --cancel');
  for (const path of made) rmSync(path, { recursive: true, force: true });
});
afterAll(removeUsers);

/** A shell line of Ann's, in which `trainyard` and `qsub` are her yard's. */
function yard(line: string): Promise<Ended> {
  const program = `${installationForAll()}/bin/trainyard`;
  const words = `trainyard() { ${program} "$@"; }; eval "$(trainyard env --first)"; ${line}`;
  return runAs(ann, ['bash', '-c', line.startsWith('down') ? `${program} ${line}` : words]);
}

async function good(line: string): Promise<string> {
  const said = await yard(line);
  expect(said.code, `${line}\n${said.stdout}${said.stderr}`).toBe(0);
  return said.stdout;
}

const asBo = async (line: string) => {
  const said = await runAs(bo, ['sh', '-c', line]);
  expect(said.stderr).toBe('');
};

const config = (text: string) => {
  const directory = join(ann.home, '.local/state/trainyard');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, 'trainyard.toml'), text);
  for (const path of [
    '.local',
    '.local/state',
    '.local/state/trainyard',
    '.local/state/trainyard/trainyard.toml',
  ])
    chownSync(join(ann.home, path), ann.uid, ann.uid);
};

/** Runs a job of Grid Engine and gives the last lines of its output. */
async function queued(script: string, lines: number): Promise<string[]> {
  await good(`printf %s '${script}' | qsub -sync y -cwd -j y -o queued.out -N queued`);
  return readFileSync(join(ann.home, 'queued.out'), 'utf8').trim().split('\n').slice(-lines);
}

/** The same for one of Trainyard. */
async function submitted(options: string, script: string, lines: number): Promise<string[]> {
  await good(`trainyard wait $(trainyard submit -q -o submitted.out ${options} -- sh -c '${script}')`);
  return readFileSync(join(ann.home, 'submitted.out'), 'utf8').trim().split('\n').slice(-lines);
}

/** Where a yard has what its attempts need for a while. */
const rootOfYard = async () =>
  dirname(dirname((await submitted('', 'echo $TRAINYARD_ATTEMPT_DIR', 1))[0] as string));

/** Names such as an attempt has, in Ann's home. */
async function preciousVersions(): Promise<string> {
  const versions = join(ann.home, 'versions');
  const names = Array.from({ length: 30 }, (_, n) => `${n + 1}.1`).join(' ');
  await good(`mkdir ${versions}; cd ${versions}; mkdir ${names}; for each in *; do echo x >$each/data; done`);
  return versions;
}

const untouched = (versions: string) =>
  readdirSync(versions).length === 30 &&
  readdirSync(versions).every((name) => existsSync(join(versions, name, 'data')));

/** A job of Grid Engine with a TMPDIR, one with scratch, and one with progress; all of them write where they were told. */
async function jobsRun(): Promise<string[]> {
  const writes = (variable: string) =>
    `mkdir -p $${variable} && echo mine >$${variable}/file && cat $${variable}/file && echo $${variable}`;
  const said = [
    await queued(writes('TMPDIR'), 2),
    await submitted('--scratch', writes('SCRATCH'), 2),
    await submitted('', writes('TRAINYARD_ATTEMPT_DIR'), 2),
  ];
  expect(said.map(([mine]) => mine)).toEqual(['mine', 'mine', 'mine']);
  return said.map(([, place]) => place as string);
}

describe.runIf(canBecomeOthers)('a name in /tmp that somebody else has taken', () => {
  test('removes nothing through a link, and stops no job, when it is taken while the yard runs', async () => {
    const versions = await preciousVersions();
    const root = await rootOfYard();
    expect(root).toMatch(/^\/tmp\/yard-/);
    made.push(root);
    rmSync(root, { recursive: true, force: true });
    await asBo(
      `mkdir ${root} && chmod 777 ${root} && ln -s ${versions} ${root}/attempts && ln -s ${versions} ${root}/scratch`,
    );
    const places = await jobsRun();
    expect(untouched(versions)).toBe(true);
    expect(readdirSync(root).sort()).toEqual(['attempts', 'scratch']);
    for (const place of places) {
      expect(place.startsWith(`${root}/`)).toBe(false);
      await expect.poll(() => existsSync(place), { interval: 20, timeout: 20_000 }).toBe(false);
    }
    made.push(
      ...places.map((place) => `/tmp/${place.split('/')[2]}`).filter((path) => path.startsWith('/tmp/yard-')),
    );
  });

  const SQUATS: Record<string, (root: string, versions: string) => string> = {
    'a directory': (root) => `mkdir ${root}; chmod 777 ${root}`,
    'a directory of links': (root, versions) =>
      `mkdir ${root}; ln -s ${versions} ${root}/attempts; ln -s ${versions} ${root}/scratch; chmod 777 ${root}`,
    'a file': (root) => `: >${root}; chmod 666 ${root}`,
    'a link to a directory': (root, versions) => `ln -s ${versions} ${root}`,
    'a link to nothing': (root) => `ln -s ${root}-gone ${root}`,
    'a fifo': (root) => `mkfifo -m 666 ${root}`,
  };

  test('stops nothing when the yard starts, whatever it is, on a scratch disk as well', async () => {
    const disk = directoryForAll('trainyard-disk-');
    chmodSync(disk, 0o1777);
    config(`[scratch]\ndirectories = ["${disk}"]\n`);
    const versions = await preciousVersions();
    const root = await rootOfYard();
    const onDisk = join(disk, basename(root));
    made.push(root);
    const names = join(ann.home, '.local/state/trainyard/private-names.json');
    for (const [kind, squat] of Object.entries(SQUATS)) {
      await yard('down');
      for (const path of [root, onDisk, names]) rmSync(path, { recursive: true, force: true });
      await asBo(`${squat(root, versions)}; ${squat(onDisk, versions)}`);
      const places = await jobsRun();
      expect(untouched(versions), kind).toBe(true);
      const [temporary, scratch] = places as [string, string, string];
      expect(temporary, kind).toMatch(new RegExp(`^${root}-[0-9a-f]{16}/`));
      expect(scratch, kind).toMatch(new RegExp(`^${onDisk}-[0-9a-f]{16}/scratch/`));
      made.push(dirname(temporary));
      expect(lstatSync(dirname(temporary)).mode & 0o777, kind).toBe(0o700);
      // The next daemon goes on there, and sweeps there.
      await good(`mkdir -p ${dirname(temporary)}/attempts/999.1`);
      await yard('down');
      expect((await queued('echo $TMPDIR', 1))[0], kind).toContain(dirname(temporary));
      await expect
        .poll(() => existsSync(`${dirname(temporary)}/attempts/999.1`), { interval: 20, timeout: 20_000 })
        .toBe(false);
      expect(untouched(versions), kind).toBe(true);
    }
    const log = readFileSync(join(ann.home, '.local/state/trainyard/yard.log'), 'utf8');
    expect(log).toContain(`${root} cannot be used: it belongs to another user (${bo.uid}); `);
  });

  test('does not take the socket of a yard whose own directory has too long a path', async () => {
    const long = join(ann.home, 'd'.repeat(100));
    await good(`mkdir -m 700 ${long}`);
    const first = `/tmp/trainyard-${ann.uid}`;
    const mine = !existsSync(first);
    if (mine) await asBo(`mkdir ${first}; chmod 777 ${first}`);
    if (mine) made.push(first);
    const environment = { TRAINYARD_DIR: long };
    const program = `${installationForAll()}/bin/trainyard`;
    const said = await runAs(ann, [program, 'status', '--json'], { environment });
    expect(said.stderr).toBe('');
    const { socket } = JSON.parse(said.stdout) as { socket: string };
    made.push(dirname(socket));
    expect(dirname(socket)).toMatch(new RegExp(`^${first}(-[0-9a-f]{16})?$`));
    const { uid, mode } = lstatSync(dirname(socket));
    expect([uid, mode & 0o777]).toEqual([ann.uid, 0o700]);
    await runAs(ann, [program, 'down'], { environment });
    if (mine) expect(readdirSync(first)).toEqual([]);
  });
});

const TRIES = 20_000;

describe.runIf(canBecomeOthers)('a name that flips between a directory and links', () => {
  test('leads nobody who makes, sweeps and removes below it elsewhere', async () => {
    const shared = directoryForAll('trainyard-flip-');
    chmodSync(shared, 0o1777);
    const versions = await preciousVersions();
    const own = join(shared, 'own');
    // Below the squatted name are the same names as below Ann's.
    await asBo(`mkdir -m 777 ${bo.home}/bait; mkdir -m 777 ${bo.home}/bait/attempts; chmod 711 ${bo.home}`);
    const flip = `use strict; my ($own, $versions, $bait) = @ARGV; $| = 1; print "flips\\n";
      while (1) {
        symlink($versions, $own); unlink($own);
        symlink($bait, $own); unlink($own);
        if (mkdir($own, 0777)) { chmod 0777, $own; symlink($versions, "$own/attempts"); select(undef, undef, undef, 0.0002);
          unlink("$own/attempts"); rmdir($own); }
      }`;
    const flipping = startAs(bo, ['perl', '-e', flip, own, versions, join(bo.home, 'bait')]);
    const flipped = ended(flipping);
    await new Promise((resolve) => flipping.stdout?.once('data', resolve));
    const script = `
      import { rmSync } from 'node:fs';
      const from = '${installationForAll()}/dist';
      const { privateDirectory, makeBelow, removeBelow, removeEmptyAbove } = await import(from + '/platform/private-directory.js');
      const { createAttemptDirs } = await import(from + '/agent/progress.js');
      let names = [], switched = 0;
      const memory = { recall: () => names, remember: (_path, name) => { names = [name]; switched++; } };
      const own = privateDirectory({ parent: '${shared}', name: 'own', memory, log() {} });
      const attempts = createAttemptDirs(own, () => {});
      let refused = 0, went = 0;
      for (let n = 0; n < ${TRIES}; n++) {
        const below = { root: '${own}', names: ['attempts', (n % 30 + 1) + '.1'] };
        try {
          makeBelow(below).close();
          await removeBelow(below);
          went++;
        } catch { refused++; }
        removeEmptyAbove(below);
        // Each time anew, as a daemon that has just started and remembers nothing.
        names = [];
        attempts.sweep(() => false);
        attempts.remove(below.names[1]);
        await attempts.close();
        if (n % 20 === 0) {
          try { own.open().close(); } catch {}
          if (names.length > 0) rmSync('${shared}/' + names[0], { recursive: true, force: true });
        }
      }
      console.log(JSON.stringify({ refused, went, switched }));`;
    writeFileSync(join(shared, 'race.mjs'), script);
    const raced = await runAs(ann, ['node', join(shared, 'race.mjs')]);
    flipping.kill('SIGKILL');
    await flipped;
    expect(raced.stderr).toBe('');
    const { refused, went, switched } = JSON.parse(raced.stdout) as Record<string, number>;
    expect(untouched(versions)).toBe(true);
    expect(readdirSync(join(bo.home, 'bait', 'attempts'))).toEqual([]);
    // Both happened, so that the race was one.
    expect(refused).toBeGreaterThan(100);
    expect(went).toBeGreaterThan(100);
    expect(switched).toBeGreaterThan(10);
  });
});

/** Everything in a directory, with who owns it, when it was changed, and what it says. */
function contents(directory: string): string[] {
  return (readdirSync(directory, { recursive: true }) as string[])
    .sort()
    .concat('')
    .map((name) => {
      const path = join(directory, name);
      const stats = lstatSync(path);
      const text = stats.isFile()
        ? readFileSync(path, 'base64')
        : stats.isSymbolicLink()
          ? readlinkSync(path)
          : '';
      return `${name} ${stats.uid} ${stats.mode} ${stats.mtimeMs} ${stats.ino} ${text}`;
    });
}

describe.runIf(canBecomeOthers)("root and somebody else's yard", () => {
  const root = (): User => ({ uid: 0, home: directoryForAll('trainyard-root-') });

  test('a stopped one is not started by root, and nothing in it changes', async () => {
    const directory = join(ann.home, '.local/state/trainyard');
    await good(`trainyard submit -q --begin now+3s -o job.out -- sh -c 'id -u'`);
    await good('trainyard down');
    const before = contents(directory);
    const program = `${installationForAll()}/bin/trainyard`;
    for (const [words, environment] of [
      [['queue'], { TRAINYARD_DIR: directory }],
      [['up'], { TRAINYARD_DIR: directory }],
      [['up', '--foreground'], { TRAINYARD_DIR: directory }],
      [['up', '--simulate-gpus', '2'], { TRAINYARD_DIR: directory }],
      // As sudo does that keeps HOME.
      [['queue'], { HOME: ann.home }],
      [['up'], { HOME: ann.home }],
    ] as const) {
      const said = await runAs(root(), [program, ...words], { environment, cwd: '/' });
      expect(said.code, words.join(' ')).not.toBe(0);
      expect(said.stderr).toContain(`${directory} cannot be used: it belongs to another user (${ann.uid})`);
      expect(said.stderr).toContain(`sudo -u '#${ann.uid}' trainyard`);
      expect(said.stderr).not.toMatch(/^\s+at /m);
      expect(contents(directory)).toEqual(before);
    }
    expect(existsSync(join(ann.home, 'job.out'))).toBe(false);
    await good('trainyard wait 1');
    expect(readFileSync(join(ann.home, 'job.out'), 'utf8')).toBe(`${ann.uid}\n`);
  });

  test('one that runs answers root as before', async () => {
    await good('trainyard up -q');
    const environment = { TRAINYARD_DIR: join(ann.home, '.local/state/trainyard') };
    const said = await runAs(root(), [`${installationForAll()}/bin/trainyard`, 'status'], { environment });
    expect(said.stderr).toBe('');
    expect(said.code).toBe(0);
  });

  test('root makes no yard in the home of another user', async () => {
    const environment = { TRAINYARD_DIR: join(ann.home, 'new') };
    const said = await runAs(root(), [`${installationForAll()}/bin/trainyard`, 'up'], { environment });
    expect(said.code).not.toBe(0);
    expect(said.stderr).toContain(`it would be in ${ann.home}, which belongs to another user (${ann.uid})`);
    expect(readdirSync(ann.home)).toEqual([]);
  });

  test('a directory that others could write to and have written to is not used', async () => {
    const directory = join(directoryForAll('trainyard-open-'), 'yard');
    mkdirSync(directory);
    chownSync(directory, ann.uid, ann.uid);
    chmodSync(directory, 0o777);
    await asBo(`echo '[queues.mine]' >${directory}/trainyard.toml`);
    const environment = { TRAINYARD_DIR: directory };
    const up = () => runAs(ann, [`${installationForAll()}/bin/trainyard`, 'up', '-q'], { environment });
    expect((await up()).stderr).toContain(
      'other users may write to it, and "trainyard.toml" in it is not yours',
    );
    rmSync(join(directory, 'trainyard.toml'));
    expect((await up()).stderr).toBe('');
    expect(lstatSync(directory).mode & 0o777).toBe(0o700);
    await runAs(ann, [`${installationForAll()}/bin/trainyard`, 'down'], { environment });
  });
});

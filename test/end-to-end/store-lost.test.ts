/** A yard whose database was emptied, removed or damaged: it says so, starts nothing by itself, and can be put right. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import { identityOf, isAlive } from '../../src/platform/processes.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { type YardAtHand, yardAtHand } from './yard-at-hand.ts';

let yard: YardAtHand;
beforeEach(() => {
  yard = yardAtHand('[node]\ncpus = 8\n');
});
afterEach(() => yard.close());

const database = () => join(yard.directory, 'yard.db');
const submit = async (...words: string[]) =>
  (await yard.run('submit', '-q', '-o', '/dev/null', ...words)).stdout.trim();
const WAITS = 'echo run >>runs; echo $$ >pid; while [ ! -e go ]; do sleep 0.02; done; exit 7';
const runs = () => readFileSync(join(yard.workDir, 'runs'), 'utf8');
const letGo = () => writeFileSync(join(yard.workDir, 'go'), '');

async function kill(): Promise<void> {
  const pid = await yard.daemonPid();
  const daemon = identityOf(pid);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => daemon !== null && isAlive(daemon)).toBe(false);
}

/** As the daemon has it made once a day. Its input stays open: it ends with it. */
async function backUp(): Promise<void> {
  const program = join(packageRoot(), 'dist/bin/back-up.js');
  const maker = spawn(process.execPath, [program, yard.directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  maker.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(maker, 'close');
  expect(said).toMatch(/^\{"name":"\d{8}T\d{6}Z-[0-9a-f]{16}\.db"\}\n$/);
}

const setAside = () => readdirSync(yard.directory).filter((name) => name.startsWith('set-aside-'));

interface Shown {
  readonly phase: string;
  readonly outcome: string | null;
  readonly hold: { readonly reason: string } | null;
}

describe('no yard starts', () => {
  const harms: readonly (readonly [string, RegExp, () => void | Promise<void>])[] = [
    ['emptied', /yard\.db is empty, but there was a yard/, () => truncateSync(database(), 0)],
    ['removed', /yard\.db is missing, but there was a yard/, () => rmSync(database())],
    ['overwritten', /yard\.db is not a database/, () => writeFileSync(database(), 'garbage '.repeat(2000))],
    [
      'of a newer version',
      /written by a newer Trainyard/,
      async () => {
        const opened = (await loadDriver())(database());
        opened.exec('pragma user_version = 999');
        opened.close();
      },
    ],
  ];

  test.each(harms)('when its database was %s', async (_what, sentence, harm) => {
    await submit('--', 'true');
    await yard.run('wait', '1');
    await yard.run('down');
    await harm();
    const bytes = existsSync(database()) ? readFileSync(database()) : null;
    const said = await yard.run('queue');
    expect([said.code, said.stdout]).toEqual([1, '']);
    expect(said.stderr).toMatch(sentence);
    expect(said.stderr).toContain('trainyard up --new-store');
    expect(existsSync(database()) ? readFileSync(database()) : null).toEqual(bytes);
    expect((await yard.run('up', '--new-store')).code).toBe(0);
    if (bytes !== null) expect(readFileSync(join(yard.directory, setAside()[0]!, 'yard.db'))).toEqual(bytes);
  });

  test('when it was emptied beside its log', async () => {
    await submit('--', 'true');
    await yard.run('wait', '1');
    await kill();
    expect(statSync(`${database()}-wal`).size).toBeGreaterThan(0);
    truncateSync(database(), 0);
    expect((await yard.run('queue')).stderr).toContain('is empty, but there was a yard');
    expect(statSync(`${database()}-wal`).size).toBeGreaterThan(0);
  });

  test('and choosing both ways out is a mistake', async () => {
    const said = await yard.run('up', '--new-store', '--restore-backup');
    expect([said.code, said.stderr]).toEqual([2, expect.stringContaining('exclude each other')]);
  });
});

test('with a new store, files of earlier jobs are not the ends of later ones, and numbers are not used again', async () => {
  await submit('--array', '0-9', '--', 'sh', '-c', WAITS);
  await yard.shell('while [ "$(cat runs | wc -l)" -lt 8 ]; do sleep 0.02; done');
  await kill();
  const old = readdirSync(yard.directory).find((name) => name.startsWith('ranks-'))!;
  const before = readdirSync(join(yard.directory, old)).length;
  letGo();
  await yard.shell(
    `cd "$TRAINYARD_DIR/${old}"; while [ "$(grep -l '^end$' * | wc -l)" -lt 8 ]; do sleep 0.02; done`,
  );
  rmSync(database());
  expect((await yard.run('up', '--new-store')).code).toBe(0);
  rmSync(join(yard.workDir, 'runs'));
  for (let n = 0; n < 12; n++) await submit('--', 'sh', '-c', `echo run >>runs`);
  const ids = (await yard.json<{ jobs: { id: number }[] }>('history', '-n', '100')).jobs.map(({ id }) => id);
  await yard.shell('while [ "$(cat runs 2>/dev/null | wc -l)" -lt 12 ]; do sleep 0.02; done');
  expect(runs()).toBe('run\n'.repeat(12));
  expect(Math.min(...ids)).toBeGreaterThan(8);
  expect(readdirSync(join(yard.directory, old)).length).toBe(before);
});

test('what still runs of an earlier store is said, with how to end it', async () => {
  await submit('--', 'sh', '-c', WAITS);
  await yard.shell('while [ ! -s pid ]; do sleep 0.02; done');
  const job = identityOf(Number(readFileSync(join(yard.workDir, 'pid'), 'utf8')))!;
  await kill();
  rmSync(database());
  await yard.run('up', '--new-store');
  const { remarks } = await yard.json<{ remarks: string[] }>('status');
  const remark = remarks.find((each) => each.includes('does not know'));
  expect(remark).toMatch(
    /^a process of an attempt that this store does not know still runs \(1\.1\): .*to end them: kill -- -\d+$/,
  );
  expect(readFileSync(join(yard.directory, 'yard.log'), 'utf8')).toContain(remark);
  expect(isAlive(job)).toBe(true);
  await yard.shell((remark as string).replace(/.*to end them: /, ''));
  await expect.poll(() => isAlive(job)).toBe(false);
  await expect
    .poll(async () => (await yard.json<{ remarks: string[] }>('status')).remarks.join())
    .not.toContain('does not know');
});

describe('a backup that is put back', () => {
  test('holds what may have run since, follows what runs, and uses no number again', async () => {
    const waiting = await submit('--hold', '--', 'sh', '-c', 'echo waiting >>runs');
    await yard.run('release', waiting);
    await yard.run('wait', waiting);
    const running = await submit('--', 'sh', '-c', WAITS);
    await yard.shell('while [ ! -s pid ]; do sleep 0.02; done');
    const short = await submit(
      '--',
      'sh',
      '-c',
      'echo short >>runs; while [ ! -e short-go ]; do sleep 0.02; done',
    );
    const later = await submit('--begin', 'now+2seconds', '--', 'sh', '-c', 'echo later >>runs');
    await yard.shell('while ! grep -q short runs; do sleep 0.02; done');
    await backUp();
    writeFileSync(join(yard.workDir, 'short-go'), '');
    expect((await yard.run('wait', short)).code).toBe(0);
    expect((await yard.run('wait', later)).code).toBe(0);
    const after = await submit('--', 'true');
    await yard.run('wait', after);
    const before = runs();
    // The file of the short one goes as soon as its end is safe.
    await expect
      .poll(() =>
        readdirSync(yard.directory)
          .filter((name) => name.startsWith('ranks-'))
          .flatMap((name) => readdirSync(join(yard.directory, name)))
          .filter((name) => name.startsWith(`${short}.`)),
      )
      .toEqual([]);
    await kill();
    letGo();
    rmSync(`${database()}-wal`);
    writeFileSync(database(), 'garbage '.repeat(2000));

    const refused = await yard.run('queue');
    expect(refused.stderr).toMatch(
      /trainyard up --restore-backup puts back the backup of \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    );
    const up = await yard.run('up', '--restore-backup');
    expect([up.code, up.stderr]).toEqual([0, '']);
    expect((await yard.run('wait', running)).code).toBe(7);
    for (const id of [short, later]) {
      const { phase, hold } = await yard.json<Shown>('show', id);
      expect(phase).toBe('held');
      expect(hold?.reason).toMatch(
        /^the store was put back from a backup of .* UTC, and it may have run since then$/,
      );
    }
    expect(runs()).toBe(before);
    expect(Number(await submit('--', 'true'))).toBeGreaterThan(Number(after));
    expect(readFileSync(join(yard.directory, setAside()[0]!, 'yard.db'), 'utf8')).toContain('garbage');

    // Nothing is held once more by the next start.
    await yard.run('release', later);
    expect((await yard.run('wait', later)).code).toBe(0);
    expect(runs()).toBe(`${before}later\n`);
    await yard.run('down');
    expect((await yard.json<Shown>('show', short)).phase).toBe('held');
  });

  test('which does not exist, or is damaged, is refused with nothing changed', async () => {
    await submit('--', 'true');
    await yard.run('wait', '1');
    const none = await yard.run('down').then(() => yard.run('up', '--restore-backup'));
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no backup in')]);
    await yard.run('up');
    await backUp();
    await yard.run('down');
    const [name] = readdirSync(join(yard.directory, 'backups'));
    const other = await yard.run('up', '--restore-backup=yesterday');
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining(`the backups are ${name}`)]);
    writeFileSync(join(yard.directory, 'backups', name!), 'garbage '.repeat(2000));
    const damaged = await yard.run('up', '--restore-backup');
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringContaining('no backup can be used')]);
    expect(setAside()).toEqual([]);
    expect((await yard.run('history')).stdout).toContain('completed');
  });

  test('is not taken while a yard runs', async () => {
    await yard.run('up');
    const said = await yard.run('up', '--restore-backup');
    expect([said.code, said.stderr]).toEqual([
      1,
      expect.stringContaining('stop it first with trainyard down'),
    ]);
  });
});

test('one damaged row is left out and said; every listing has the others, and the yard starts', async () => {
  for (const name of ['one', 'two', 'three']) await submit('--name', name, '--', 'true');
  const live = await submit('--name', 'live', '--', 'sh', '-c', WAITS);
  const other = await submit('--name', 'other', '--', 'sh', '-c', WAITS);
  for (const id of ['1', '2', '3']) await yard.run('wait', id);
  await yard.shell('while [ "$(cat runs | wc -l)" -lt 2 ]; do sleep 0.02; done');
  await kill();
  const opened = (await loadDriver())(database());
  opened.exec(`update jobs set doc = '{"hold":' where id in (2, ${live})`);
  opened.close();
  const queue = await yard.run('queue');
  // Whether the ended one has been met by then depends on what the yard reads first.
  expect(queue.stderr).toMatch(new RegExp(`^trainyard: .* cannot be read: (2, )?${live}\n$`));
  expect(queue.code).toBe(0);
  expect(queue.stdout).toContain('other');
  const slurm = '"$TRAINYARD_DIR"/commands/slurm';
  for (const line of ['trainyard history', `${slurm}/sacct -X -n -o jobname`]) {
    const said = await yard.shell(line);
    expect([line, said.code, said.stderr]).toEqual([line, 0, expect.stringContaining('cannot be read: 2')]);
    for (const name of ['one', 'three']) expect(said.stdout).toContain(name);
  }
  const { remarks } = await yard.json<{ remarks: string[] }>('status');
  expect(remarks).toContain(`2 jobs cannot be read: 2, ${live}`);
  const log = readFileSync(join(yard.directory, 'yard.log'), 'utf8');
  expect(log.match(/job 2 cannot be read/g)).toHaveLength(1);
  letGo();
  expect((await yard.run('wait', other)).code).toBe(7);
});

test('a yard of the version before keeps its directory of claims, and its running job', async () => {
  await yard.run('up');
  await yard.run('down');
  await asVersionBefore();
  const id = await submit('--', 'sh', '-c', WAITS);
  await yard.shell('while [ ! -s pid ]; do sleep 0.02; done');
  await expect.poll(() => readdirSync(join(yard.directory, 'ranks'))).toEqual([`${id}.1.0`]);
  await yard.run('down');
  await asVersionBefore();
  // Now the upgrade finds it running, with its claim where the version before had it.
  await yard.run('up');
  letGo();
  expect((await yard.run('wait', id)).code).toBe(7);
  expect(runs()).toBe('run\n');
  const backups = readdirSync(join(yard.directory, 'backups'));
  expect(backups.filter((name) => name.endsWith('-none-before-upgrade.db')).length).toBeGreaterThan(0);
});

/** Takes back what this version added to the database. */
async function asVersionBefore(): Promise<void> {
  const opened = (await loadDriver())(database());
  opened.exec('drop table identity; pragma user_version = 5');
  opened.close();
}

import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processInfo } from '../platform/processes.ts';
import type { KeepOrder } from './keeper.ts';
import { createKeeperProcess, type KeeperProcess, type KeeperTimes } from './keeper-process.ts';

/** Machines may be busy. */
const PATIENCE = { timeout: 20_000 };

let directory: string;
let keeper: KeeperProcess | null = null;
let told: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keeper-process-'));
  told = [];
});
afterEach(async () => {
  await keeper?.close();
  keeper = null;
  rmSync(directory, { recursive: true, force: true });
});

const TIMES: KeeperTimes = {
  restartMs: 1,
  longestRestartMs: 5,
  steadyMs: 60_000,
  mostDeaths: 4,
  slackMs: 60_000,
};

/** A keeper that notes what it is told; `heed` is what it does about it. */
function keeperThat(heed: string, times: Partial<KeeperTimes> = {}): KeeperProcess {
  const program = join(directory, 'keeper.mjs');
  const code = `
    import { appendFileSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
    import { createInterface } from 'node:readline';
    const notes = ${JSON.stringify(join(directory, 'notes'))};
    const lives = ${JSON.stringify(join(directory, 'lives'))};
    const life = existsSync(lives) ? Number(readFileSync(lives, 'utf8')) + 1 : 1;
    writeFileSync(lives, String(life));
    const tell = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
    const die = () => process.kill(process.pid, 'SIGKILL');
    for await (const line of createInterface({ input: process.stdin })) {
      const told = JSON.parse(line);
      appendFileSync(notes, life + ' ' + told.say + ' ' + (told.order?.attempt ?? told.attempt) + '\\n');
      ${heed}
    }
  `;
  writeFileSync(program, code);
  keeper = createKeeperProcess({
    program,
    times: { ...TIMES, ...times },
    events: {
      kept: (attempt, { name }) => told.push(`kept ${attempt} ${name}`),
      trouble: (attempt, trouble) => told.push(`trouble ${attempt} ${trouble}`),
      overScratch: (attempt, bytes) => told.push(`over ${attempt} ${bytes}`),
      log: (line) => told.push(line),
    },
  });
  return keeper;
}

const notes = () => readFileSync(join(directory, 'notes'), 'utf8').trimEnd().split('\n');

function orderOf(attempt: string): KeepOrder {
  return {
    attempt,
    owner: { yardId: 'cafe', job: 1 },
    from: '/local',
    to: '/lasting',
    keepCount: null,
    keepForMs: null,
    logs: [],
    scratch: null,
    umask: 0o022,
  };
}

const LIST = { what: 'list' } as const;
const ENDING = { isOrderly: true, limitMs: 60_000 };
const ECHO = `if (told.id) tell({ say: 'answer', id: told.id, answer: { life, said: told.say } });`;

describe('the process of a keeper', () => {
  test('is started when it is first needed, in a session of its own, and ends when it is closed', async () => {
    const one = keeperThat(ECHO);
    expect(one.pid()).toBe(null);
    expect(await one.ask(orderOf('1.1'), LIST)).toEqual({ life: 1, said: 'ask' });
    const pid = one.pid() as number;
    expect(processInfo(pid)).toMatchObject({ session: pid, pgid: pid });
    await one.close();
    expect(processInfo(pid)).toBe(null);
  });

  test('knows nothing of a job in which its yard was started', async () => {
    process.env.TRAINYARD_ATTEMPT = '7.1';
    try {
      const one = keeperThat(
        `tell({ say: 'answer', id: told.id, answer: [process.env.TRAINYARD_ATTEMPT ?? null, process.env.UV_THREADPOOL_SIZE] });`,
      );
      expect(await one.ask(orderOf('1.1'), LIST)).toEqual([null, '16']);
    } finally {
      delete process.env.TRAINYARD_ATTEMPT;
    }
  });

  test('has no file open that its yard has open', async () => {
    const path = join(directory, 'lock');
    const fd = openSync(path, 'w');
    try {
      const one = keeperThat(`
        const open = readdirSync('/proc/self/fd').flatMap((fd) => {
          try { return [readlinkSync('/proc/self/fd/' + fd)]; } catch { return []; }
        });
        tell({ say: 'answer', id: told.id, answer: open });
      `);
      expect(await one.ask(orderOf('1.1'), LIST)).not.toContain(path);
    } finally {
      closeSync(fd);
    }
  });

  test('is asked again, and told again what to watch, when it dies', async () => {
    const one = keeperThat(`if (told.say === 'flush' && life < 3) die(); else { ${ECHO} }`);
    one.watch(orderOf('1.1'));
    one.watch(orderOf('2.1'));
    expect(await one.flush(orderOf('1.1'), ENDING)).toEqual({ life: 3, said: 'flush' });
    expect(notes().filter((note) => note.startsWith('3'))).toEqual(['3 watch 2.1', '3 flush 1.1']);
  });

  test('answers what it had answered before it died only once', async () => {
    const one = keeperThat(`${ECHO} if (life === 1) process.stdout.write('', die);`);
    expect(await one.ask(orderOf('1.1'), LIST)).toEqual({ life: 1, said: 'ask' });
    expect(await one.ask(orderOf('1.1'), LIST)).toEqual({ life: 2, said: 'ask' });
  });

  test('is given up by whoever asks when it dies again and again', async () => {
    const one = keeperThat('die();');
    one.watch(orderOf('2.1'));
    const flushed = await one.flush(orderOf('1.1'), ENDING);
    expect(flushed).toEqual({
      trouble:
        'not everything is known to be safe: the process that copies checkpoints was ended by SIGKILL, again and again; what was not copied is still in /local',
      checkpoint: null,
    });
    await expect(one.prepare(orderOf('3.1'))).rejects.toMatchObject({ retryable: true });
    expect(told.filter((line) => line.startsWith('trouble'))).toEqual([
      'trouble 2.1 checkpoints are not being kept: the process that copies them was ended by SIGKILL',
    ]);
  });

  test('that lives again takes back what was said of it', async () => {
    const one = keeperThat('if (life < 6) die();', { steadyMs: 300 });
    one.watch(orderOf('2.1'));
    await expect
      .poll(() => told.filter((line) => line.startsWith('trouble')).at(-1), PATIENCE)
      .toBe('trouble 2.1 null');
  });

  test('that cannot be started does not keep anybody waiting for ever', async () => {
    const one = createKeeperProcess({
      program: join(directory, 'none.js'),
      times: TIMES,
      events: { kept: () => {}, trouble: () => {}, overScratch: () => {}, log: () => {} },
    });
    await expect(one.ask(orderOf('1.1'), LIST)).rejects.toThrow('ended with status 1, again and again');
    await one.close();
  });

  test('that does not answer is not waited for beyond the time that a flush has', async () => {
    const one = keeperThat('', { slackMs: 1 });
    const { trouble } = await one.flush(orderOf('1.1'), { isOrderly: true, limitMs: 1 });
    expect(trouble).toContain('the storage does not answer');
  });

  test('passes on faults and what it tells', async () => {
    const one = keeperThat(`
      tell({ say: 'trouble', attempt: '1.1', trouble: 'full' });
      tell({ say: 'kept', attempt: '1.1', checkpoint: { name: 'a' } });
      tell({ say: 'overScratch', attempt: '1.1', usedBytes: 7 });
      tell({ say: 'log', line: 'hm' });
      console.error('complaint');
      tell({ say: 'fault', id: told.id, message: 'no room', retryable: true });
    `);
    await expect(one.prepare(orderOf('1.1'))).rejects.toMatchObject({ message: 'no room', retryable: true });
    await one.close();
    expect(told.filter((line) => !line.startsWith('keeper:'))).toEqual([
      'trouble 1.1 full',
      'kept 1.1 a',
      'over 1.1 7',
      'hm',
    ]);
    expect(told).toContain('keeper: complaint');
  });

  test('that talks nonsense is ended, and another one asked', async () => {
    const one = keeperThat(`if (life === 1) console.log('hello'); else { ${ECHO} }`);
    expect(await one.ask(orderOf('1.1'), LIST)).toEqual({ life: 2, said: 'ask' });
  });

  test('is not asked any more for what was let go', async () => {
    const one = keeperThat(`if (told.say === 'ask') { ${ECHO} }`);
    const prepared = one.prepare(orderOf('1.1'));
    const flushed = one.flush(orderOf('1.1'), ENDING);
    one.letGo('1.1');
    await expect(prepared).rejects.toThrow('nobody wanted it any more');
    expect((await flushed).trouble).toContain('nobody wanted it any more');
    await one.ask(orderOf('2.1'), LIST);
    expect(notes().at(-2)).toBe('1 letGo 1.1');
  });
});

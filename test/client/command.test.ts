/** All clients against a yard that speaks the protocol: the same bytes there, the same bytes back. */

import { once } from 'node:events';
import { readlinkSync, symlinkSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  type FakeCall,
  type FakeYard,
  fakeYard,
  removeTemporaryDirectories,
  type Serve,
  temporaryDirectory,
} from './fake-yard.ts';
import { ALL_CLIENTS, ended, LAUNCHER, runClient, startClient } from './run-client.ts';

const OWN_ZONE = zoneOfThisMachine();

let yard: FakeYard | null = null;
afterAll(removeTemporaryDirectories);
afterEach(async () => {
  await yard?.close();
  yard = null;
});

async function open(serve: Serve, greeting?: string | null): Promise<string> {
  yard = await fakeYard(serve, greeting);
  return yard.directory;
}

/** Answers with exit 0 at once and hands the call to the test. */
function recording(): { serve: Serve; call: Promise<FakeCall> } {
  let give: (call: FakeCall) => void;
  const call = new Promise<FakeCall>((resolve) => {
    give = resolve;
  });
  const serve = (made: FakeCall) => {
    made.send('x', '0');
    give(made);
  };
  return { serve, call };
}

describe.each(ALL_CLIENTS)('the %s client', (client) => {
  test('carries arguments byte for byte', async () => {
    const { serve, call } = recording();
    const directory = await open(serve);
    const script = `exec "$0" queue "$(printf 'a\\377b')" '' "two
lines" '--x=ä' "$(printf '%0100000d' 7)"`;
    expect((await runClient({ client, directory, script })).code).toBe(0);
    const { argv, header } = await call;
    expect(argv.map((argument) => argument.toString('latin1'))).toEqual([
      'probe',
      'queue',
      'a\xffb',
      '',
      'two\nlines',
      Buffer.from('--x=ä').toString('latin1'),
      `${'0'.repeat(99_999)}7`,
    ]);
    expect(header).toMatch(/^GET \/v1\/command HTTP\/1\.1\r\n/);
    expect(header).toMatch(/upgrade: trainyard-command/i);
  });

  test('carries the environment as the kernel has it, also what a shell would drop', async () => {
    const { serve, call } = recording();
    const directory = await open(serve);
    const variables = `'BASH_FUNC_module%%=() { :; }' BAD="$(printf '\\377\\376')" LINES2='a
b' NODE_EXTRA_CA_CERTS=/nowhere NODE_OPTIONS=--no-warnings PERL5OPT=-w LC_ALL=xx_YY SHLVL=7 EMPTY=`;
    const expected = await runClient({
      client,
      directory,
      script: `exec env ${variables} cat /proc/self/environ`,
    });
    const result = await runClient({ client, directory, script: `exec env ${variables} "$0" queue` });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect((await call).environment.toString('latin1')).toBe(expected.stdout.toString('latin1'));
    expect(expected.stdout.toString()).toContain('BASH_FUNC_module%%=');
  });

  test('tells working directory, umask, limits, zone and terminals', async () => {
    const { serve, call } = recording();
    const directory = await open(serve);
    const cwd = temporaryDirectory();
    const script = 'umask 027; ulimit -S -n 321; ulimit -S -s 4096; ulimit -S -c 8; exec "$0" queue';
    await runClient({ client, directory, script, cwd, environment: { TZ: ':Europe/Berlin' } });
    const { facts, workDir } = await call;
    expect(workDir.toString()).toBe(cwd);
    expect(facts.get('umask')).toBe('0027');
    expect(facts.get('tty')).toBe('');
    expect(facts.get('zone')).toBe('Europe/Berlin');
    expect(facts.get('ulimit-n')).toBe('321');
    expect(facts.get('ulimit-s')).toBe('4096');
    expect(facts.get('ulimit-c')).toBe('8');
    expect(facts.get('ulimit-t')).toBe('unlimited');
  });

  test.runIf(OWN_ZONE !== null)('finds the zone of the machine when there is no TZ', async () => {
    const { serve, call } = recording();
    const directory = await open(serve);
    await runClient({ client, directory, args: ['queue'] });
    expect((await call).facts.get('zone')).toBe(OWN_ZONE);
  });

  test('brings back output, errors and the exit code', async () => {
    const directory = await open((call) => {
      call.send('o', 'out');
      call.send('e', 'err\n');
      call.send('o', Buffer.from([0xff, 0x00, 0x0a]));
      call.send('x', '7');
    });
    const result = await runClient({ client, directory, args: ['queue'] });
    expect(result).toMatchObject({ code: 7, stderr: 'err\n' });
    expect(result.stdout).toEqual(Buffer.from([...Buffer.from('out'), 0xff, 0x00, 0x0a]));
  });

  test('takes frames in any pieces', async () => {
    const directory = await open(async ({ socket }) => {
      const bytes = Buffer.from('o\0\0\0\x05hellox\0\0\0\x013', 'latin1');
      for (const byte of bytes) {
        socket.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const result = await runClient({ client, directory, args: ['queue'] });
    expect(result.stdout.toString()).toBe('hello');
    expect(result.code).toBe(3);
  });

  test('leaves stdin alone unless the yard asks for it', async () => {
    const { serve } = recording();
    const directory = await open(serve);
    const script = '"$0" queue && cat';
    const result = await runClient({ client, directory, script, stdin: 'for the next one' });
    expect(result.stdout.toString()).toBe('for the next one');
  });

  test('sends stdin to its end when asked', async () => {
    const stdin = Buffer.alloc(3_000_000, 'abcdefg\n');
    const got: Buffer[] = [];
    const directory = await open(async (call) => {
      call.send('n');
      for (let frame = await call.next(); frame?.type === 'i'; frame = await call.next()) {
        got.push(Buffer.from(frame.payload));
      }
      call.send('x', '0');
    });
    const result = await runClient({ client, directory, args: ['submit'], stdin });
    expect(result.code).toBe(0);
    expect(Buffer.concat(got).equals(stdin)).toBe(true);
  });

  test('passes 50 MB on, and makes the yard wait while nobody reads', async () => {
    const chunk = Buffer.alloc(256 * 1024, 'x');
    const chunks = 200;
    let mostSentUnread = 0;
    let readSoFar = 0;
    const directory = await open(async (call) => {
      for (let n = 0; n < chunks; n++) {
        mostSentUnread = Math.max(mostSentUnread, n * chunk.length - readSoFar);
        if (!call.send('o', chunk)) await once(call.socket, 'drain');
      }
      call.send('x', '0');
    });
    const child = startClient({ client, directory, args: ['logs'] });
    let total = 0;
    child.stdout?.on('data', (bytes: Buffer) => {
      total += bytes.length;
      readSoFar = total;
    });
    const { code } = await ended(child);
    expect(code).toBe(0);
    expect(total).toBe(chunk.length * chunks);
    expect(mostSentUnread).toBeLessThan(20 * 1024 * 1024);
  });

  test('ends quietly when nobody reads its output', async () => {
    const directory = await open(async (call) => {
      call.send('o', 'first\n');
      const chunk = Buffer.alloc(65_536, 'x');
      while (!call.socket.destroyed) {
        call.send('o', chunk);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    });
    const script = '{ "$0" logs; echo "status $?" >&2; } | head -n 1';
    const result = await runClient({ client, directory, script });
    expect(result.stdout.toString()).toBe('first\n');
    expect(result.stderr).toBe('status 141\n');
  });

  test('does not mistake the connection for a stdout that was closed', async () => {
    const directory = await open(async (call) => {
      call.send('o', 'lost');
      call.send('e', 'also lost');
      call.send('x', '0');
    });
    const result = await runClient({ client, directory, script: 'exec "$0" queue <&- >&- 2>&-' });
    expect(result.code).toBe(0);
  });

  test.each([
    ['SIGINT', '2'],
    ['SIGTERM', '15'],
    ['SIGHUP', '1'],
  ] as const)('passes %s on and dies of it when the yard closes', async (signal, number) => {
    let child: ReturnType<typeof startClient>;
    const directory = await open(async (call) => {
      call.send('o', 'ready');
      const frame = await call.next();
      expect(frame?.type).toBe('s');
      expect(Buffer.from(frame?.payload ?? []).toString()).toBe(number);
      call.socket.end();
    });
    child = startClient({ client, directory, args: ['wait', '1'] });
    child.stdout?.once('data', () => child.kill(signal));
    expect(await ended(child)).toMatchObject({ code: null, signal, stderr: '' });
  });

  test('a yard that answers to the signal decides the exit code', async () => {
    const directory = await open(async (call) => {
      call.send('o', 'ready');
      await call.next();
      call.send('x', '5');
    });
    const child = startClient({ client, directory, args: ['wait', '1'] });
    child.stdout?.once('data', () => child.kill('SIGINT'));
    expect(await ended(child)).toMatchObject({ code: 5, signal: null });
  });

  test('an exit code that means the signal is passed on as the signal', async () => {
    const directory = await open(async (call) => {
      call.send('o', 'ready');
      await call.next();
      call.send('x', '130');
    });
    const child = startClient({ client, directory, args: ['wait', '1'] });
    child.stdout?.once('data', () => child.kill('SIGINT'));
    expect(await ended(child)).toMatchObject({ code: null, signal: 'SIGINT' });
  });

  test('one that is asked again and again ends although the yard does not answer', async () => {
    const directory = await open((call) => void call.send('o', 'ready'));
    const child = startClient({ client, directory, args: ['wait', '1'] });
    let again: NodeJS.Timeout | undefined;
    child.stdout?.once('data', () => {
      child.kill('SIGINT');
      again = setInterval(() => child.kill('SIGTERM'), 100);
    });
    const end = await ended(child);
    clearInterval(again);
    expect(end).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  test('an end that comes in several ways at once is one, and what was asked for is still heard of', async () => {
    let child: ReturnType<typeof startClient>;
    const directory = await open(async (call) => {
      call.send('o', 'ready');
      await call.next();
      for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR1'] as const) child.kill(signal);
      // The last of them is passed on, so the others were there before it.
      const frame = await call.next();
      call.send('x', Buffer.from(frame?.payload ?? []).toString());
    });
    child = startClient({ client, directory, args: ['requeue', '1'] });
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    expect(await ended(child)).toMatchObject({ code: 10, signal: null });
  });

  test('goes on under nohup when the terminal goes away', async () => {
    let child: ReturnType<typeof startClient>;
    const directory = await open(async (call) => {
      call.send('o', 'ready');
      const frame = await call.next();
      call.send('x', Buffer.from(frame?.payload ?? []).toString());
    });
    child = startClient({ client, directory, script: 'exec nohup "$0" wait 1' });
    child.stdout?.once('data', () => {
      child.kill('SIGHUP');
      child.kill('SIGUSR1');
    });
    expect(await ended(child)).toMatchObject({ code: 10, signal: null });
  });

  test('says what the yard said when it refuses', async () => {
    const body = '{"error":{"code":"notAllowed","message":"this yard belongs to \\"alice\\"","hint":null}}';
    const directory = await open(
      () => {},
      `HTTP/1.1 403 Forbidden\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const result = await runClient({ client, directory, args: ['queue'] });
    expect(result).toMatchObject({ code: 1, stderr: 'probe: error: this yard belongs to "alice"\n' });
  });

  test('comes to the next yard with the ticket of the one that went away', async () => {
    const tickets: (string | undefined)[] = [];
    const serve: Serve = (call) => {
      tickets.push(call.facts.get('ticket'));
      if (tickets.length === 3) {
        call.send('o', call.argv.join(' '));
        call.send('x', '6');
        return;
      }
      call.send('t', `ticket ${tickets.length}`);
      call.socket.end();
    };
    const directory = await open(serve);
    const result = await runClient({ client, directory, args: ['wait', '1'] });
    expect(result).toMatchObject({ code: 6, stderr: '' });
    expect(result.stdout.toString()).toBe('probe wait 1');
    expect(tickets).toEqual([undefined, 'ticket 1', 'ticket 2']);
  });

  test('a signal counts for more than a ticket', async () => {
    const directory = await open(async (call) => {
      call.send('t', 'ticket');
      call.send('o', 'ready');
      await call.next();
      call.socket.end();
    });
    const child = startClient({ client, directory, args: ['wait', '1'] });
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    expect(await ended(child)).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  test('says so when the yard dies before it has answered', async () => {
    const directory = await open((call) => {
      call.send('o', 'half');
      call.socket.end();
    });
    const result = await runClient({ client, directory, args: ['submit'] });
    expect(result.code).toBe(1);
    expect(result.stdout.toString()).toBe('half');
    expect(result.stderr).toMatch(/went away before it answered/);
  });

  test('is told the name it was called by, through links', async () => {
    const { serve, call } = recording();
    const directory = await open(serve);
    const bin = temporaryDirectory();
    symlinkSync(LAUNCHER, `${bin}/one`);
    symlinkSync('one', `${bin}/sbatch`);
    const script = `cd ${bin} && exec ./sbatch --version`;
    expect(await runClient({ client, directory, script })).toMatchObject({ code: 0, stderr: '' });
    expect((await call).argv.map(String)).toEqual(['sbatch', '--version']);
  });
});

function zoneOfThisMachine(): string | null {
  try {
    return readlinkSync('/etc/localtime').split('zoneinfo/')[1] ?? null;
  } catch {
    return null;
  }
}

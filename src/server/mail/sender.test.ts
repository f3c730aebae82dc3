import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findMailProgram } from './find-program.ts';
import { createSender, isAddress, type Sender, type SenderOptions } from './sender.ts';

let directory: string;
let logged: string[];
let sender: Sender | null;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'yard-mail-'));
  logged = [];
  sender = null;
});
afterEach(async () => {
  await sender?.close();
  rmSync(directory, { recursive: true });
});

/** A program that does what the lines say; `$out` is where it may write. */
function program(name: string, lines: string): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\nout='${directory}/out'\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

function sending(path: string, changes: Partial<SenderOptions> = {}): Sender {
  sender = createSender({ program: path, log: (line) => logged.push(line), ...changes });
  return sender;
}

const letter = (to: string, subject: string) => ({ to, subject, variables: { SLURM_JOB_ID: '17' } });

const written = () => readFileSync(join(directory, 'out'), 'utf8');

test('words stay words, whatever is in them', async () => {
  const path = program(
    'mail',
    'for word; do printf "[%s]" "$word"; done >"$out"; echo " $SLURM_JOB_ID" >>"$out"',
  );
  sending(path).send(letter('ada@example.org', 'Name=$(touch x) `id` "quoted" \n-v; rm'));
  await sender?.close();
  expect(written()).toBe('[-s][Name=$(touch x) `id` "quoted" \\n-v; rm][ada@example.org] 17\n');
});

test('sendmail is given the letter itself', async () => {
  const path = program('sendmail', 'echo "$*" >"$out"; cat >>"$out"');
  sending(path).send(letter('ada', 'Subject\nBcc: everybody'));
  await sender?.close();
  expect(written()).toBe('-t\nTo: ada\nSubject: Subject\\nBcc: everybody\n\nSubject\\nBcc: everybody\n');
});

test('a letter that says more than its subject', async () => {
  const body = 'Job 1 (x) Started\n User = \x1bada';
  sending(program('mail', 'cat >"$out"')).send({ ...letter('ada', 'Job 1 (x) Started'), body });
  await sender?.close();
  expect(written()).toBe('Job 1 (x) Started\n User = \\x1bada\n');
  sending(program('sendmail', 'cat >"$out"')).send({ ...letter('ada', 'Job'), body: 'one\ntwo' });
  await sender?.close();
  expect(written()).toBe('To: ada\nSubject: Job\n\none\ntwo\n');
});

test('a few at once, the others in turn', async () => {
  const path = program('mail', 'echo + >>"$out"; sleep 0.1; echo - >>"$out"');
  const many = sending(path, { atOnce: 2 });
  for (let n = 0; n < 5; n++) many.send(letter('ada', `${n}`));
  while ((written().match(/-/g) ?? []).length < 5) await new Promise((resolve) => setTimeout(resolve, 20));
  let running = 0;
  let most = 0;
  for (const mark of written().trim().split('\n')) {
    running += mark === '+' ? 1 : -1;
    most = Math.max(most, running);
  }
  expect(most).toBe(2);
});

describe('what cannot be sent is said', () => {
  test('because there is no such program', async () => {
    sending(join(directory, 'nothing')).send(letter('ada', 'x'));
    await sender?.close();
    expect(logged).toEqual([expect.stringMatching(/^mail to ada was not sent: .*ENOENT/)]);
  });

  test('because the program fails', async () => {
    const path = program('mail', 'echo no such user >&2; exit 67');
    sending(path).send(letter('nobody', 'x'));
    await sender?.close();
    expect(logged).toEqual([`mail to nobody was not sent: ${path}: it exited with 67: no such user`]);
  });

  test('because it takes too long', async () => {
    const path = program('mail', 'exec sleep 60');
    sending(path, { patienceMs: 50 }).send(letter('ada', 'x'));
    await sender?.close();
    expect(logged).toEqual([`mail to ada was not sent: ${path}: SIGKILL ended it`]);
  });

  test('because there are too many', async () => {
    const path = program('mail', 'sleep 0.2');
    const flood = sending(path, { atOnce: 1, most: 2 });
    for (let n = 0; n < 10; n++) flood.send(letter('ada', `${n}`));
    expect(logged).toEqual(['more than 2 letters wait to be sent: further ones are dropped']);
  });

  test('because it is no address', async () => {
    const path = program('mail', 'echo "$*" >"$out"');
    for (const to of ['-oQ/tmp', 'a b', '', 'a\nb', 'a;b', '`x`', '$x', 'a|b'])
      sending(path).send(letter(to, 'x'));
    await sender?.close();
    expect(logged).toHaveLength(8);
    expect(() => written()).toThrow();
  });
});

test('addresses', () => {
  for (const to of ['ada', 'ada@example.org', 'a.b+c@d-e.f', 'a@b,c@d', 'host!user', '/var/mail/x'])
    expect([to, isAddress(to)]).toEqual([to, to !== '/var/mail/x']);
});

test('the first of a few programs is found', () => {
  expect(findMailProgram(`${directory}:relative`)).toBe(findMailProgram(''));
  const mailx = program('mailx', '');
  expect(findMailProgram(`/nowhere:${directory}`)).toBe(mailx);
  const mail = program('mail', '');
  expect(findMailProgram(directory)).toBe(mail);
});

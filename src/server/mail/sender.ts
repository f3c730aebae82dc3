/**
 * Hands letters to the mail program, a few at a time and without a shell in between: whatever people wrote as the
 * name of a job or as an address stays one word. What cannot be sent is said in the log, and not tried again.
 */

import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { printable } from '../../model/bytes.ts';

export interface Outgoing {
  readonly to: string;
  readonly subject: string;
  /** Absent: the subject says it all. */
  readonly body?: string;
  /** What the program finds in its environment besides the daemon's own. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Sender {
  send(letter: Outgoing): void;
  /** What waits is not sent; what is under way has a moment, and then goes on by itself. */
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly program: string;
  readonly log: (line: string) => void;
  readonly atOnce?: number;
  readonly most?: number;
  readonly patienceMs?: number;
}

const AT_ONCE = 4;
/** Letters that wait for their turn; a yard that writes more has something wrong with it. */
const MOST_WAITING = 1000;
const PATIENCE_MS = 60_000;
const FAREWELL_MS = 2000;
const MOST_COMPLAINT = 500;

/** One word that cannot be taken for an option: names of users, addresses, several with commas. */
export function isAddress(text: string): boolean {
  return /^[A-Za-z0-9_+.][A-Za-z0-9_+.=%!@:,~/-]{0,253}$/.test(text);
}

export function createSender(options: SenderOptions): Sender {
  const { program, log, atOnce = AT_ONCE, most = MOST_WAITING, patienceMs = PATIENCE_MS } = options;
  const waiting: Outgoing[] = [];
  let underWay = 0;
  let closed = false;
  let dropping = false;
  let idle: () => void = () => {};

  const next = () => {
    while (underWay < atOnce && !closed) {
      const letter = waiting.shift();
      if (letter === undefined) return;
      dropping = false;
      underWay += 1;
      deliver(program, letter, patienceMs, (trouble) => {
        underWay -= 1;
        if (trouble !== null) log(`mail to ${printable(letter.to)} was not sent: ${trouble}`);
        if (underWay === 0) idle();
        next();
      });
    }
  };

  return {
    send(letter) {
      if (closed) return;
      if (!isAddress(letter.to)) {
        log(`mail to ${JSON.stringify(letter.to)} was not sent: that is no address`);
        return;
      }
      if (waiting.length >= most) {
        if (!dropping) log(`more than ${most} letters wait to be sent: further ones are dropped`);
        dropping = true;
        return;
      }
      waiting.push(letter);
      next();
    },
    close() {
      closed = true;
      waiting.length = 0;
      if (underWay === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const moment = setTimeout(resolve, FAREWELL_MS);
        idle = () => {
          clearTimeout(moment);
          resolve();
        };
      });
    },
  };
}

/** Calls back once: with null when the program took the letter, otherwise with what went wrong. */
function deliver(
  program: string,
  { to, subject, body, variables }: Outgoing,
  patienceMs: number,
  over: (trouble: string | null) => void,
): void {
  const line = printable(subject);
  const takesLetters = basename(program).startsWith('sendmail');
  const argv = takesLetters ? ['-t'] : ['-s', line, to];
  const said = body?.split('\n').map(printable).join('\n');
  const text = takesLetters
    ? `To: ${to}\nSubject: ${line}\n\n${said ?? line}\n`
    : said === undefined
      ? ''
      : `${said}\n`;
  const child = spawn(program, argv, {
    cwd: '/',
    env: { ...process.env, ...variables },
    stdio: ['pipe', 'ignore', 'pipe'],
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  });
  let complaint = '';
  let trouble: string | null = null;
  child.stderr.on('data', (bytes: Buffer) => {
    if (complaint.length < MOST_COMPLAINT) complaint += bytes.toString('utf8');
  });
  // A program that does not read its letter has its reasons, and tells them by how it ends.
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  child.on('error', (error) => {
    trouble = error.message;
  });
  child.on('close', (code, signal) => {
    if (trouble === null && code !== 0) {
      const end = signal === null ? `it exited with ${code}` : `${signal} ended it`;
      const said = printable(complaint.trim().slice(0, MOST_COMPLAINT));
      trouble = `${program}: ${end}${said === '' ? '' : `: ${said}`}`;
    }
    over(trouble);
  });
}

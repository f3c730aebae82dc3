/**
 * What an attacker runs to be taken for a yard of somebody else: a listener that keeps what it is sent, a process whose
 * command line seems to be a file of root, a link that flips. And a loop of commands of the victim.
 */

import type { ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { directoryForAll, ended, runAs, startAs, type User } from './users.ts';

export interface Listener {
  readonly path: string;
  /** All that anybody has sent. */
  received(): Buffer;
  connections(): number;
}

const running: ChildProcess[] = [];

export async function stopAll(): Promise<void> {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const over = ended(child);
    child.kill('SIGKILL');
    await over;
  }
}

/** In a directory of this user's that everybody may enter. */
export function openDirectoryOf({ uid }: User, prefix = 'trainyard-open-'): string {
  const directory = directoryForAll(prefix);
  chownSync(directory, uid, uid);
  return directory;
}

/** Answers everybody with the same bytes, and keeps what it gets in files of its own directory. */
export async function listenAs(user: User, path: string, answer: Buffer): Promise<Listener> {
  const kept = openDirectoryOf(user, 'trainyard-kept-');
  chmodSync(kept, 0o700);
  const program = ['perl', '-e', LISTENER, path, kept, answer.toString('hex')];
  await saysReady(startAs(user, program));
  const read = (name: string) =>
    existsSync(join(kept, name)) ? readFileSync(join(kept, name)) : Buffer.alloc(0);
  return { path, received: () => read('received'), connections: () => read('connections').length };
}

const LISTENER = `
  use Socket;
  my ($path, $kept, $answer) = @ARGV;
  $SIG{PIPE} = 'IGNORE';
  socket my $listener, PF_UNIX, SOCK_STREAM, 0 or die $!;
  bind $listener, sockaddr_un($path) or die $!;
  chmod 0777, $path;
  listen $listener, 1024 or die $!;
  open my $received, '>', "$kept/received" or die $!;
  open my $connections, '>', "$kept/connections" or die $!;
  syswrite STDOUT, "ready\\n";
  while (accept my $client, $listener) {
    syswrite $connections, '.';
    my $got = sysread $client, my $bytes, 1 << 20;
    next if !$got;
    syswrite $received, $bytes;
    syswrite $client, pack 'H*', $answer;
  }`;

/** A file below /proc that belongs to root, although this user has chosen how it begins. */
export async function fileOfRootWith(user: User, text: string): Promise<string> {
  const prctl = process.arch === 'arm64' ? 167 : 157;
  const notDumpable = `syscall ${prctl}, 4, 0; syswrite STDOUT, "ready\\n"; sleep 1 while 1`;
  const start = 'exec { "/usr/bin/perl" } shift @ARGV, "-e", @ARGV';
  const child = startAs(user, ['perl', '-e', start, `${text}\n`, notDumpable]);
  await saysReady(child);
  return `/proc/${child.pid}/cmdline`;
}

/** Swaps what a link leads to, as quickly as it can. The count is written when it is stopped. */
export async function flipAs(user: User, link: string, targets: readonly [string, string]) {
  const child = startAs(user, ['perl', '-e', FLIPPER, link, ...targets]);
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  await saysReady(child);
  return {
    /** Gives how often it flipped. */
    async stop(): Promise<number> {
      const over = ended(child);
      child.kill('SIGTERM');
      await over;
      return Number(/flips (\d+)/.exec(said)?.[1]);
    },
  };
}

const FLIPPER = `
  my ($link, @targets) = @ARGV;
  my $count = 0;
  my $over = 0;
  $SIG{TERM} = sub { $over = 1 };
  symlink $targets[0], $link or die $!;
  syswrite STDOUT, "ready\\n";
  until ($over) {
    symlink $targets[++$count % 2], "$link.next" or die $!;
    rename "$link.next", $link or die $!;
  }
  syswrite STDOUT, "flips $count\\n";`;

export interface Loop {
  readonly program: string;
  readonly args: readonly string[];
  readonly tries: number;
  readonly seconds: number;
  readonly environment: Readonly<Record<string, string>>;
}

export interface LoopEnd {
  readonly tries: number;
  readonly longestMs: number;
  /** How often each exit status came. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Runs a command again and again as this user, until it has been tried so often or so long. */
export async function loopAs(user: User, loop: Loop): Promise<LoopEnd> {
  const argv = ['perl', '-e', LOOP, `${loop.tries}`, `${loop.seconds}`, loop.program, ...loop.args];
  const { stdout, stderr, code } = await runAs(user, argv, { environment: loop.environment });
  if (code !== 0) throw new Error(`the loop ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as LoopEnd;
}

const LOOP = `
  use Time::HiRes 'time';
  my ($tries, $seconds, @command) = @ARGV;
  $ENV{PATH} = $ENV{CLIENT_PATH};
  my ($done, $longest, $begin) = (0, 0, time);
  my %statuses;
  while ($done < $tries && time - $begin < $seconds) {
    my $from = time;
    my $child = fork;
    if (!$child) {
      open STDOUT, '>', '/dev/null';
      open STDERR, '>', '/dev/null';
      exec { $command[0] } @command;
      exit 126;
    }
    waitpid $child, 0;
    $statuses{$? >> 8 || $?}++;
    $longest = time - $from if time - $from > $longest;
    $done++;
  }
  my $counts = join ',', map { qq{"$_":$statuses{$_}} } sort keys %statuses;
  printf '{"tries":%d,"longestMs":%d,"statuses":{%s}}', $done, $longest * 1000, $counts;`;

function saysReady(child: ChildProcess): Promise<void> {
  running.push(child);
  return new Promise((resolve, reject) => {
    let complaint = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint += chunk;
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('ready')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${complaint}`)));
  });
}

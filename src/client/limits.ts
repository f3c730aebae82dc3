/**
 * The limits of a process as the kernel shows them (/proc/PID/limits), as the values a POSIX shell's `ulimit`
 * takes: -f and -c count blocks of 512 bytes, the other sizes KiB. Only limits for which dash, bash and busybox
 * have the same letter are here. libexec/command.pl has the same table.
 */

const LETTERS: Readonly<Record<string, readonly [letter: string, unitBytes: number]>> = {
  'cpu time': ['t', 1],
  'file size': ['f', 512],
  'data size': ['d', 1024],
  'stack size': ['s', 1024],
  'core file size': ['c', 512],
  'resident set': ['m', 1024],
  'open files': ['n', 1],
  'locked memory': ['l', 1024],
  'address space': ['v', 1024],
  'realtime priority': ['r', 1],
};

/** Letter → soft value. */
export function ulimitsFrom(procLimits: string): Record<string, string> {
  const out: Record<string, string> = {};
  for (const line of procLimits.split('\n')) {
    const match = /^Max (.*?) +(unlimited|\d+) /.exec(line);
    const known = match === null ? undefined : LETTERS[match[1] as string];
    if (match === null || known === undefined) continue;
    const [letter, unitBytes] = known;
    const soft = match[2] as string;
    out[letter] = soft === 'unlimited' ? soft : String(BigInt(soft) / BigInt(unitBytes));
  }
  return out;
}

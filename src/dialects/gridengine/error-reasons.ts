/**
 * Why a job is in error, in Grid Engine's words: what stands behind the time, the user and the process in the
 * `error reason` of `qstat -j`. The yard says it in its own words; what it has no word for here is said as it is.
 */

/** The beginning of what the yard says, what follows being a path, a colon and what is wrong with it. */
const FAULTS: readonly (readonly [string, (path: string, why: string) => string])[] = [
  ['cannot enter the working directory ', (path, why) => `error: can't chdir to ${path}: ${why}`],
  ['cannot open its output file ', (path, why) => `error: can't open output file "${path}": ${why}`],
  ['cannot open its error file ', (path, why) => `error: can't open output file "${path}": ${why}`],
  ['cannot execute ', (path, why) => `execvlp(${path}, "${path}") failed: ${why}`],
  ['cannot open its standard input ', (path) => `error: can't open ${path} as dummy input file`],
];

/** The system's own words for it. */
const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  'no such file or directory': 'No such file or directory',
  'its directory does not exist': 'No such file or directory',
  'it is a directory': 'Is a directory',
  'it is not a directory': 'Not a directory',
  'a part of the path is not a directory': 'Not a directory',
  'permission denied': 'Permission denied',
  'the disk is full': 'No space left on device',
  'the disk quota is used up': 'Disk quota exceeded',
  'the file system is read-only': 'Read-only file system',
  'the name is too long': 'File name too long',
  'too many symbolic links': 'Too many levels of symbolic links',
  'too many open files': 'Too many open files',
  'the file is being executed': 'Text file busy',
};

/** `reason` is that of a hold which is an error, or the fault of an attempt. */
export function errorReason(reason: string): string {
  for (const [beginning, words] of FAULTS) {
    if (!reason.startsWith(beginning)) continue;
    const colon = reason.lastIndexOf(': ');
    if (colon < beginning.length) break;
    const why = reason.slice(colon + 2);
    return words(reason.slice(beginning.length, colon), SYSTEM_WORDS[why] ?? why);
  }
  return reason;
}

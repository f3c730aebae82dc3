/** Which shell runs a script or a command: the one that `-S` names, otherwise the queue's. */

import { baseName } from '../../../model/paths.ts';
import { pathList } from './output-names.ts';

/** What every queue has. */
export const QUEUE_SHELL = '/bin/sh';

/** Of a list by host the path for any host, otherwise the first; null when there is none. */
export function shellNamed(list: string): string | null {
  const paths = pathList(list);
  return (paths.find(({ host }) => host === null) ?? paths[0])?.path ?? null;
}

/** Those that know `-l`. */
const LOGIN_SHELLS = ['sh', 'bash', 'dash', 'ksh', 'zsh'];

/** The files of a login set PATH anew, and the yard's commands are in none of them. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: for the shell.
const COMMANDS_AGAIN = 'PATH=${SGE_BINARY_PATH:+$SGE_BINARY_PATH:}$PATH; ';

/**
 * A command line as a shell reads it, after a login as Grid Engine does one. Whoever brings an environment along has
 * had their login: the files of another one would take the place of what they brought.
 */
export function shellCommand(shell: string, words: readonly string[], isLogin: boolean): readonly string[] {
  const line = words.join(' ');
  const knowsLogin = LOGIN_SHELLS.includes(baseName(shell));
  return isLogin && knowsLogin ? [shell, '-l', '-c', `${COMMANDS_AGAIN}${line}`] : [shell, '-c', line];
}

/** A shell to work in. The one of the login is replaced by it, since only then PATH can have the yard's commands. */
export function shellToWorkIn(shell: string): readonly string[] {
  const knowsLogin = LOGIN_SHELLS.includes(baseName(shell));
  return knowsLogin ? [shell, '-l', '-c', `${COMMANDS_AGAIN}exec "$0"`, shell] : [shell, '-l'];
}

/** The command line of one that a shell reads, as it was written; null: no shell does. */
export function writtenLine(argv: readonly string[]): string | null {
  const line = argv.at(-2) === '-c' ? argv.at(-1) : undefined;
  if (line === undefined) return null;
  return line.startsWith(COMMANDS_AGAIN) ? line.slice(COMMANDS_AGAIN.length) : line;
}

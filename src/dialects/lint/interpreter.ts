/** What the first line of a script says about who reads it. */

import { baseName } from '../../model/paths.ts';

export interface Interpreter {
  /** As written: `/usr/bin/env`. */
  readonly path: string;
  /** What really reads the script: `python3` in `#!/usr/bin/env python3`. */
  readonly program: string;
  /** What stands behind the path. */
  readonly argument: string;
}

/** Null when the first line is no `#!` line. */
export function interpreterOf(text: string): Interpreter | null {
  const match = /^#![ \t]*([^ \t\r\n]+)[ \t]*([^\r\n]*)/.exec(text);
  if (match === null) return null;
  const [, path, argument] = match as unknown as readonly [string, string, string];
  const words = argument.trim().split(/\s+/);
  const behindEnv = words.find((word) => !word.startsWith('-') && !word.includes('='));
  const program = baseName(path) === 'env' ? (behindEnv ?? 'env') : path;
  return { path, program: baseName(program), argument: argument.trim() };
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'zsh']);

/** Without a first line of its own a script is a shell's. */
export function isForShell(interpreter: Interpreter | null): boolean {
  return interpreter === null || SHELLS.has(interpreter.program);
}

/**
 * How a submission is turned down: by the command itself, which looks at each flag as it reads it, or by the yard, in
 * the words of Grid Engine's master. Owns the frames around the sentences, not the sentences.
 */

import { GridEngineFailure } from '../failure.ts';

/** What is wrong with a flag as it is written, and the exit code that goes with it. */
export interface Complaint {
  readonly lines: readonly string[];
  readonly exitCode: number;
}

/** A flag that is not there, or comes without what it needs. */
export const EXIT_USAGE = 2;
/** A flag that another command knows. */
export const EXIT_UNKNOWN = 5;
/** A value that makes no sense. */
export const EXIT_VALUE = 7;

export function complaint(exitCode: number, ...lines: readonly string[]): Complaint {
  return { lines, exitCode };
}

/** Where flags were read, which decides how a complaint about them begins. */
export type FlagSource = 'commandLine' | 'script' | 'file';

export function complaintFailure(
  { lines, exitCode }: Complaint,
  command: string,
  source: FlagSource,
): GridEngineFailure {
  return new GridEngineFailure(introduced(lines, introduction(command, source)), exitOf(command, exitCode));
}

/** What a complaint of a command begins with. */
export function saidBy(command: string): string {
  return isInteractive(command) ? 'error: ' : `${command}: `;
}

/** Those that are interactive know no other way to fail. */
export function exitOf(command: string, exitCode: number): number {
  return isInteractive(command) ? 1 : exitCode;
}

/** Whether it runs something where it is called. */
export function isInteractive(command: string): boolean {
  return command === 'qrsh' || command === 'qlogin';
}

function introduction(command: string, source: FlagSource): string {
  switch (source) {
    case 'commandLine':
      return saidBy(command);
    case 'script':
      return SCRIPT_TROUBLE;
    case 'file':
      return '';
  }
}

const SCRIPT_TROUBLE = 'Unable to read script file because of error: ';

/** A script or request file that could not be read. */
export function unreadable(text: string, exitCode: number): GridEngineFailure {
  return new GridEngineFailure([`${SCRIPT_TROUBLE}${text}`], exitCode);
}

/** What the master does not take. Its own sentences, for those who put them otherwise, are the reasons. */
export class Rejection extends GridEngineFailure {
  readonly reasons: readonly string[];
  constructor(reasons: readonly string[]) {
    super([...introduced(reasons, 'Unable to run job: '), 'Exiting.'], 1);
    this.reasons = reasons;
  }
}

export function rejected(...reasons: readonly string[]): Rejection {
  return new Rejection(reasons);
}

function introduced([first = '', ...rest]: readonly string[], introduction: string): readonly string[] {
  return [`${introduction}${first}`, ...rest];
}

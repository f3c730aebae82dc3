/**
 * What `qrsh` and `qlogin` run in a place, and how: one command or shell, on the caller's own streams, with the
 * variables of a job. How they come to the place is not known here.
 */

import type { NodeShare } from '../../../model/job.ts';
import type { HereManner, HereRank } from '../../../model/run-here.ts';
import { variableOf } from '../../environment.ts';
import type { Invocation } from '../../program.ts';
import { hasFlag, lastWord } from '../flags.ts';
import type { AskedFlag } from '../submit/layers.ts';
import { shellToWorkIn } from '../submit/shells.ts';
import { parseYesNo } from '../submit/values.ts';

export interface Session {
  readonly command: 'qrsh' | 'qlogin';
  readonly given: readonly AskedFlag[];
  /** Empty: a shell to work in. */
  readonly words: readonly string[];
  readonly invocation: Invocation;
}

const PLAIN_SHELL = '/bin/sh';
const PLAIN_TERMINAL = 'xterm';
/** Between the words of a command in QRSH_COMMAND: the byte 255, which is no text. */
const WORD_MARK = '\udcff';

/** Through the caller's shell, which reads the words once more, as if they had been sent to another host. */
export function argvOf({ given, words, invocation }: Session): readonly string[] {
  const shell = variableOf(invocation.environment, 'SHELL') || PLAIN_SHELL;
  if (words.length === 0) return shellToWorkIn(shell);
  return hasFlag(given, '-noshell') ? words : [shell, '-c', words.join(' ')];
}

/** What such a job is told that a batch job is not. */
export function sessionVariables({ given, words, invocation }: Session): Readonly<Record<string, string>> {
  const display = lastWord(given, '-display');
  return {
    ENVIRONMENT: 'BATCH',
    TERM: variableOf(invocation.environment, 'TERM') || PLAIN_TERMINAL,
    ...(words.length === 0 ? {} : { QRSH_COMMAND: words.join(WORD_MARK) }),
    ...(display === null ? {} : { DISPLAY: display }),
  };
}

/** The caller's terminal goes to what is worked in, and to what asks for it. */
export function hasTerminal({ given, words }: Session): boolean {
  return parseYesNo(lastWord(given, '-pty') ?? (words.length === 0 ? 'y' : 'n')) === true;
}

export interface SessionPlace {
  readonly share: NodeShare;
  /** Its node's place in the attempt. */
  readonly nodeNumber: number;
  readonly workDir: string;
  readonly isPinned: boolean;
  readonly variables: Readonly<Record<string, string>>;
}

export function rankOf(session: Session, place: SessionPlace): HereRank {
  return {
    argv: argvOf(session),
    workDir: place.workDir,
    variables: place.variables,
    unset: [],
    node: place.share.node,
    nodeNumber: place.nodeNumber,
    rank: 0,
    cpuIds: place.isPinned ? place.share.cpuIds : [],
    stdout: { kind: 'caller' },
    stderr: { kind: 'caller' },
  };
}

export function mannerOf(session: Session, stepName: string, graceMs: number): HereManner {
  return {
    name: 'qrsh',
    stepName,
    label: false,
    unbuffered: true,
    terminal: hasTerminal(session),
    killOnBadExit: false,
    waitMs: null,
    limitMs: null,
    graceMs,
    quiet: true,
    plain: true,
    quitOnInterrupt: true,
    pidVariable: null,
    farewell: null,
  };
}

/** The `#$` lines of a script, flag by flag with its line, and what is wrong with them. */

import { nearest } from '../../model/nearest.ts';
import { type FlagError, readFlags } from '../gridengine/flags.ts';
import { splitWords } from '../gridengine/submit/directives.ts';
import { SUBMIT_FLAGS, submitFlag } from '../gridengine/submit/flag-table.ts';
import { listed, quoted } from '../text/words.ts';
import { type Finding, findingOf } from './finding.ts';
import type { Directives } from './subject.ts';

const finding = findingOf('directive');

const FLAGS = SUBMIT_FLAGS.filter(({ by }) => by.includes('qsub'));
const PREFIX = '#$';
/** More than anybody writes. */
const MOST_LINES = 500;

/** They are read wherever they are, in here-documents as well. */
export function gridEngineDirectives(lines: readonly string[]): Directives {
  const marked = lines.flatMap((text, at) => (text.startsWith(PREFIX) ? [{ text, line: at + 1 }] : []));
  const read = marked.slice(0, MOST_LINES).map(({ text, line }) => readLine(text.slice(PREFIX.length), line));
  return {
    asked: read.flatMap(({ asked }) => asked),
    findings: read.flatMap(({ findings }) => findings),
  };
}

function readLine(text: string, line: number): Directives {
  const outcome = readFlags(FLAGS, splitWords(text), 'anywhere');
  if (!outcome.ok) return { asked: [], findings: [flagFinding(line, outcome.error)] };
  const { flags, positionals } = outcome.read;
  const [stray] = positionals;
  const wrong = flags.flatMap(({ flag, words }) => {
    const complaint = submitFlag(flag)?.check?.(words, flag) ?? null;
    if (complaint === null) return [];
    const sentence = `${flag} ${quoted(words.join(' '))} cannot be read: ${complaint.lines.at(-1)?.trim()}`;
    return [finding('error', line, sentence, 'see qsub -help')];
  });
  return {
    asked: flags.map(({ flag, words }) => ({
      line,
      name: flag,
      written: flag,
      value: words.length === 0 ? null : words.join(' '),
    })),
    findings: [...wrong, ...(stray === undefined ? [] : [strayFinding(line, stray)])],
  };
}

function flagFinding(line: number, error: FlagError): Finding {
  if (error.kind === 'missingWord') {
    const needed = submitFlag(error.flag)?.needs?.[error.missing - 1] ?? 'argument';
    return finding(
      'error',
      line,
      `${error.flag} must have ${needed}`,
      'write it behind the flag, on the same line',
    );
  }
  const meant = nearest(
    error.written.replace(/^-+/, ''),
    FLAGS.map(({ flag }) => flag.slice(1)),
  ).filter((name) => name.length > 1);
  const advice =
    meant.length === 0
      ? 'see qsub -help'
      : `did you mean ${listed(
          meant.map((name) => `-${name}`),
          3,
          'or',
        )}?`;
  return finding('error', line, `qsub has no option ${quoted(error.written)}`, advice);
}

function strayFinding(line: number, stray: string): Finding {
  const sentence = `${quoted(stray)} belongs to no option, and qsub refuses the script`;
  return finding('error', line, sentence, 'a comment begins with # and something else than $');
}

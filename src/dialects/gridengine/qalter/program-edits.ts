/** Edits of what is executed: the shell that runs the script, and the variables it finds. */

import type { Program } from '../../../model/job-spec.ts';
import { keepBlob } from '../../program.ts';
import { lastWord } from '../flags.ts';
import { shellCommand, shellNamed, writtenLine } from '../submit/shells.ts';
import { jobVariables } from '../submit/variables.ts';
import { type Edit, homeOf, isGiven, modified } from './edit.ts';

export const shell: Edit = (context) => {
  const list = lastWord(context.given, '-S');
  if (list === null) return null;
  const { program } = context.job.spec;
  const home = homeOf(context);
  const named = shellNamed(list)?.replaceAll('$HOME', home) ?? null;
  return {
    ...(named === null ? {} : { changes: { program: runBy(program, named) } }),
    words: { shell: list },
    lines: [modified('shell list', context)],
  };
};

/** A script whose first line says what runs it goes on being run by that. */
function runBy(program: Program, named: string): Program {
  if (program.interpreter !== undefined) return { ...program, interpreter: [named] };
  const line = writtenLine(program.argv);
  if (program.script !== null || line === null) return program;
  return { ...program, argv: shellCommand(named, [line], program.argv.includes('-l')) };
}

/** What `-v` and `-V` say replaces all that was said before. */
export const environment: Edit = function* (context) {
  const { given, job, invocation } = context;
  if (!isGiven(context, '-v') && !isGiven(context, '-V')) return null;
  const home = homeOf(context);
  const variables = jobVariables({ given, environment: invocation.environment, home, user: job.spec.user });
  const hash = yield* keepBlob(variables.environment);
  const late = Object.keys(variables.late).length > 0 ? JSON.stringify(variables.late) : null;
  return {
    changes: { program: { ...job.spec.program, environment: hash } },
    words: { variables: variables.listed || null, lateVariables: late },
    lines: [modified('environment', context)],
  };
};

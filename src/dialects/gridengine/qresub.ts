/** `qresub`: submits copies of jobs that have not ended, as they are now but for their holds. */

import { printable } from '../../model/bytes.ts';
import type { Job } from '../../model/job.ts';
import { firstOf, lastOf } from '../../model/ranges.ts';
import { type Asking, command, type Invocation, type Program, printOut } from '../program.ts';
import type { GridEngineCommand } from './command.ts';
import { GridEngineFailure } from './failure.ts';
import { type FlagSpec, hasFlag, lastWord, readFlags } from './flags.ts';
import { helpText } from './help-text.ts';
import { jobNumbered, readJobWord } from './job-list.ts';
import { rejected } from './submit/complaints.ts';
import { wordOf } from './words.ts';

export const qresub: GridEngineCommand = { name: 'qresub', run };

const FLAGS: readonly FlagSpec[] = [
  { flag: '-h', words: 1 },
  { flag: '-help', words: 0 },
];

const HELP = helpText(
  'qresub [options] job_id_list',
  [
    ['[-h hold_list]', 'hold the copies: u, s and o are kinds of holds, n is none'],
    ['[-help]', 'print this'],
  ],
  [['job_id_list', 'numbers of jobs, with commas between them']],
);

const NOT_DONE = 4;

/** All of them, or none when one is not there. */
function* run(invocation: Invocation): Program {
  const { isHeld, words } = yield* readCall(invocation);
  const jobs: Job[] = [];
  for (const word of words) jobs.push(yield* jobMeant(word));
  for (const job of jobs) yield* submitCopy(job, invocation, isHeld);
  return 0;
}

interface Call {
  readonly isHeld: boolean;
  readonly words: readonly string[];
}

/** Its mistakes are said in the name of `qalter`, as the original does. */
function* readCall({ argv }: Invocation): Asking<Call> {
  const outcome = readFlags(FLAGS, argv.slice(1), 'anywhere');
  if (!outcome.ok) {
    const { error } = outcome;
    const what =
      error.kind === 'unknown'
        ? `invalid option argument "${error.written}"`
        : `${error.flag} option must have argument`;
    throw new GridEngineFailure([`qalter: ${what}`], 2);
  }
  const { flags, positionals } = outcome.read;
  if (hasFlag(flags, '-help')) {
    yield* printOut(HELP);
    return { isHeld: false, words: [] };
  }
  const holds = lastWord(flags, '-h') ?? '';
  if (!/^[nusoUSO]*$/.test(holds)) {
    throw new GridEngineFailure([`qalter: Unknown hold list "${holds}" specified to -h option`], 7);
  }
  const words = positionals.flatMap((list) => list.split(',')).filter((word) => word !== '');
  if (positionals.includes('')) {
    throw new GridEngineFailure(['qalter: Wrong job id list format "" specified'], 7);
  }
  if (argv.length < 2) {
    throw new GridEngineFailure([...HELP.trimEnd().split('\n'), 'ERROR! no option argument'], 1);
  }
  return { isHeld: /[uso]/.test(holds), words };
}

function* jobMeant(word: string): Asking<Job> {
  const meant = readJobWord(word);
  if (meant !== null && meant.tasks !== null) {
    const text = 'denied: the selected option works only on jobs and not on tasks';
    throw new GridEngineFailure([text], NOT_DONE);
  }
  // Names are not looked up, and are the number 0 to the original.
  const known = meant === null || meant.number === null ? null : yield* jobNumbered(meant.number);
  if (known !== null) return known.view.job;
  throw new GridEngineFailure([`job "${meant?.number ?? 0}" does not exist`], NOT_DONE, 'stdout');
}

function* submitCopy(job: Job, { user }: Invocation, isHeld: boolean): Asking<void> {
  const { spec } = job;
  const result = yield* command({ type: 'submit', spec: { ...spec, user, held: isHeld } });
  if (!result.ok) throw rejected(result.refusal.message);
  const range = rangeOf(job);
  const shown = range === null ? `job ${result.job}` : `job-array ${result.job}.${range}`;
  yield* printOut(`Your ${shown} ("${printable(spec.name)}") has been submitted\n`);
}

/** As it was written, where that is known. */
function rangeOf(job: Job): string | null {
  const { array } = job.spec;
  if (array === null) return null;
  const step = array.indices[0]?.[2] ?? 1;
  return wordOf(job, 'taskRange') ?? `${firstOf(array.indices)}-${lastOf(array.indices)}:${step}`;
}

/** `scontrol write batch_script JOB [FILE]`: a job's script as it was submitted; into a file, or to stdout with `-`. */

import { bytesFromText } from '../../../model/bytes.ts';
import { type Asking, printErr, printOut, query, type WriteResult, writeFile } from '../../program.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { parseJobWord } from '../job-words.ts';
import { atLeast, type Call, EXIT_FAILED, EXIT_OK, tooMany } from './call.ts';
import { NO_SUCH_JOB, WRONG_USER } from './sentences.ts';

const STDOUT_NAMES: ReadonlySet<string> = new Set(['-', '/dev/stdout']);

export function* write(call: Call): Asking<number> {
  atLeast(call, 1);
  const [what = '', job, file, more] = call.words;
  if (/^config$/i.test(what))
    throw failure('scontrol', 'the config of a yard is trainyard.toml; `trainyard config` shows what holds');
  if (!/^batch_script$/i.test(what)) throw new SlurmFailure([`invalid write argument:${what}`], EXIT_FAILED);
  if (more !== undefined) throw tooMany(call);
  if (job === undefined) return EXIT_OK;
  return yield* writeScript(call, job, file ?? null);
}

/** Failures of this are not told by the exit code. */
function* writeScript({ invocation }: Call, word: string, file: string | null): Asking<number> {
  const parsed = parseJobWord(word);
  const detail = parsed === null ? null : yield* query('job', { ref: { job: parsed.job, index: null } });
  if (detail === null) return yield* scriptFailure(NO_SUCH_JOB);
  const { spec, id } = detail.view.job;
  const { user } = invocation;
  if (spec.user !== user && user !== 'root') return yield* scriptFailure(WRONG_USER);
  if (detail.script === null) return yield* scriptFailure('Job script not specified');
  if (file !== null && STDOUT_NAMES.has(file)) {
    yield* printOut(bytesFromText(detail.script));
    return EXIT_OK;
  }
  const path = file ?? `slurm-${id}.sh`;
  const written = yield* writeFile(path, bytesFromText(detail.script));
  if (written.ok) yield* printOut(`batch script for job ${id} written to ${path}\n`);
  else yield* printErr(`failed to open file \`${path}\`: ${FILE_SENTENCES[written.error]}\n`);
  return EXIT_OK;
}

function* scriptFailure(sentence: string): Asking<number> {
  yield* printErr(`job script retrieval failed: ${sentence}\n`);
  return EXIT_OK;
}

type WriteError = Extract<WriteResult, { ok: false }>['error'];

/** In the words of the C library. */
const FILE_SENTENCES: Readonly<Record<WriteError, string>> = {
  missing: 'No such file or directory',
  directory: 'Is a directory',
  denied: 'Permission denied',
  unwritable: 'Invalid argument',
};

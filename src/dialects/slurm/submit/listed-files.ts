/** Options that name a file rather than say it themselves: lists of hosts, and variables to export. */

import { textFromBytes } from '../../../model/bytes.ts';
import { type GivenOption, lastValue } from '../../options.ts';
import { type Asking, readFile } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import { complaint, EXIT_OPTION, invalid } from './complaints.ts';
import type { Submitter } from './options.ts';

const MOST_FILE_BYTES = 1024 ** 2;

/** With every list of hosts said outright: `-w ./hosts`, `-x ./hosts` and `-F hosts` become names. */
export function* withHostsFromFiles(
  command: Submitter,
  given: readonly GivenOption[],
): Asking<readonly GivenOption[]> {
  const out: GivenOption[] = [];
  for (const option of given) {
    const { name, value, written } = option;
    if (name === 'nodefile') out.push({ name: 'nodelist', value: yield* hostsIn(command, option), written });
    else if ((name === 'nodelist' || name === 'exclude') && value?.includes('/'))
      out.push({ name, value: yield* hostsIn(command, option), written });
    else out.push(option);
  }
  return out;
}

function* hostsIn(command: Submitter, { name, value }: GivenOption): Asking<string> {
  const read = yield* readFile(value ?? '', MOST_FILE_BYTES);
  if (read.ok)
    return textFromBytes(read.bytes)
      .split(/[\s,]+/)
      .filter((host) => host !== '')
      .join(',');
  if (name !== 'nodefile') throw invalid(command, name);
  throw new SlurmFailure(
    [
      `${command}: error: slurm_allocate_resources error opening file ${value}, No such file or directory`,
      `${command}: error: Invalid --nodefile node file`,
    ],
    EXIT_OPTION,
  );
}

/** The variables of `--export-file`; null when it was not given. */
export function* exportFile(command: Submitter, given: readonly GivenOption[]): Asking<Uint8Array | null> {
  const path = lastValue(given, 'export-file');
  if (path === null) return null;
  const read = yield* readFile(path, MOST_FILE_BYTES);
  if (!read.ok) throw complaint(command, `Could not open user environment file ${path}`, 1);
  return read.bytes;
}

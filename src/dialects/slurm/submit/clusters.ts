/** `--clusters`: a yard is one cluster, known by its name and as `all`. */

import { printable } from '../../../model/bytes.ts';
import { type Asking, printErr, query } from '../../program.ts';
import { complaint } from './complaints.ts';
import type { Submitter } from './options.ts';

/** The name of the cluster; null when none was asked for. */
export function* clusterFor(command: Submitter, text: string | null): Asking<string | null> {
  if (text === null) return null;
  const { name } = yield* query('yard', {});
  const names = text.split(',');
  const unknown = names.filter((each) => each !== name && each !== 'all');
  for (const each of unknown)
    yield* printErr(`${command}: error: No cluster '${printable(each)}' known by database.\n`);
  if (unknown.length < names.length) return name;
  throw complaint(
    command,
    `'${text}' can't be reached now, or it is an invalid entry for --cluster.  Use 'sacctmgr list clusters' to see available clusters.`,
    1,
  );
}

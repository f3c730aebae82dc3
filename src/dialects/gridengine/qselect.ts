/** `qselect`: the names of queue instances that have what is asked for. */

import { printable } from '../../model/bytes.ts';
import { type Invocation, type Program, printOut, query } from '../program.ts';
import type { GridEngineCommand } from './command.ts';
import { hasFlag } from './flags.ts';
import { helpText } from './help-text.ts';
import { readSelection, SELECTION_FLAGS, selectInstances } from './instance-selection.ts';
import { type ListingVoice, readListingFlags } from './listing-flags.ts';
import { queueInstances } from './queue-instances.ts';

export const qselect: GridEngineCommand = { name: 'qselect', run: runQselect };

const HELP = helpText(
  'qselect [options]',
  [
    ['[-help]', 'say this'],
    ['[-l resource=value,...]', 'only queue instances that have this'],
    ['[-pe pe_list]', 'only queues that have one of these parallel environments'],
    ['[-q wc_queue_list]', 'only these queues or queue instances'],
    ['[-qs {a|c|d|o|s|u|A|C|D|E|S}]', 'only queue instances in one of these states'],
    ['[-U user_list]', 'only queues that these users may use'],
  ],
  [
    ['pe_list, user_list', 'names with commas between them'],
    ['wc_queue_list', 'cpu, "c*", cpu@node1, "*@node1", with commas between them'],
  ],
);

const VOICE: ListingVoice = { help: HELP, prefix: '' };

function* runQselect({ argv }: Invocation): Program {
  const given = readListingFlags([{ flag: '-help', words: 0 }, ...SELECTION_FLAGS], argv.slice(1), VOICE);
  if (hasFlag(given, '-help')) {
    yield* printOut(HELP);
    return 0;
  }
  const selection = readSelection(given);
  const queues = yield* query('queues', {});
  const nodes = yield* query('nodes', { names: null });
  // What is used counts for nothing here, so that nobody need look at jobs.
  const instances = queueInstances(queues, nodes, []);
  const chosen = selectInstances(instances, selection, yield* query('policy', {})) ?? instances;
  yield* printOut(chosen.map(({ name }) => `${printable(name)}\n`).join(''));
  return chosen.length === 0 ? 1 : 0;
}

/**
 * `sacctmgr`, as far as it reads: `show` and `list`. Accounts, users and QOS come from the yard's config, so words that
 * would write them are refused.
 */

import { type GivenOption, isGiven, type OptionSpec } from '../../options.ts';
import { type Asking, type Invocation, type Program, printOut, query } from '../../program.ts';
import { findMembership } from '../associations.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { readCommandLine } from '../command-line.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { type Column, chooseColumns, tableText } from '../field-table.ts';
import { TABLE_OPTIONS, tableStyleOf } from '../table-options.ts';
import { type Conditions, fits, readConditions } from './conditions.ts';
import { ENTITIES, type Entity, type Knowledge } from './entities.ts';
import { FIELDS, type Row } from './fields.ts';
import { HELP } from './help.ts';

export const sacctmgr: SlurmCommand = { name: 'sacctmgr', run: runSacctmgr };

const OPTIONS: readonly OptionSpec[] = [
  { name: 'associations', short: 's', value: 'none' },
  { name: 'help', short: 'h', value: 'none' },
  { name: 'immediate', short: 'i', value: 'none' },
  { name: 'oneliner', short: 'o', value: 'none' },
  { name: 'quiet', short: 'Q', value: 'none' },
  { name: 'readonly', short: 'r', value: 'none' },
  { name: 'usage', value: 'none' },
  { name: 'verbose', short: 'v', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
  ...TABLE_OPTIONS,
];

const WRITING = 'add,archive,clear,create,delete,dump,load,modify,reconfigure,remove,shutdown'.split(',');

function* runSacctmgr(invocation: Invocation): Program {
  const {
    options: given,
    positionals,
    afterDashes,
  } = readCommandLine(OPTIONS, invocation.argv.slice(1), {
    command: 'sacctmgr',
    positionals: 'anywhere',
    exitCode: 1,
  });
  const [verb = 'help', ...words] = [...positionals, ...(afterDashes ?? [])];
  const asked = verb.toLowerCase();
  if (isGiven(given, 'version') || asked === 'version') {
    yield* printOut(`slurm ${SLURM_VERSION}\n`);
    return 0;
  }
  if (isGiven(given, 'help') || isGiven(given, 'usage') || asked === 'help') {
    yield* printOut(HELP);
    return 0;
  }
  if (WRITING.includes(asked)) throw writingRefused(asked);
  if (asked !== 'show' && asked !== 'list') throw new SlurmFailure([`invalid keyword: ${verb}`], 1);
  return yield* show(words, given, invocation);
}

function writingRefused(verb: string): SlurmFailure {
  const sentence = 'accounts, QOS and shares are written in trainyard.toml, and sacctmgr only shows them';
  return failure('sacctmgr', `cannot ${verb}: ${sentence}`);
}

function* show(words: readonly string[], given: readonly GivenOption[], invocation: Invocation): Program {
  const [what = '', ...rest] = words;
  if (isRunaway(what)) {
    const { name } = yield* query('yard', {});
    yield* printOut(`Runaway Jobs: No runaway jobs found on cluster ${name}\n`);
    return 0;
  }
  const entity = entityNamed(what);
  const conditions = readConditions(rest, entity);
  const asked = {
    withAssociations: isGiven(given, 'associations') || conditions.withAssociations,
    asTree: conditions.asTree,
  };
  const columns = chooseFormat(conditions.format ?? entity.format(asked).split(','));
  const knowledge = yield* findKnowledge(invocation, conditions);
  const rows = entity.rows(knowledge, asked).filter((row) => fits(row, conditions));
  yield* printOut(tableText(columns, rows, tableStyleOf(given)));
  return 0;
}

function isRunaway(what: string): boolean {
  return what.length > 1 && 'runawayjobs'.startsWith(what.toLowerCase());
}

/** Of these Slurm has something to tell, but a yard has not. */
const NOT_KEPT: Readonly<Record<string, string>> = {
  configuration: 'there is no accounting daemon with a configuration of its own; see scontrol show config',
  events: 'a yard keeps no list of what happened to nodes; see sinfo -R',
  stats: 'there is no accounting daemon that counts its calls; see sdiag',
  transactions: 'nothing is changed by sacctmgr, so there is no list of changes',
};

function entityNamed(what: string): Entity {
  const wanted = what.toLowerCase().replace(/(?<=.)s$/, '');
  const known = wanted === '' ? undefined : ENTITIES.find(({ name }) => nameOf(name).startsWith(wanted));
  if (known !== undefined) return known;
  const missing = wanted === '' ? undefined : Object.keys(NOT_KEPT).find((name) => name.startsWith(wanted));
  if (missing !== undefined) throw failure('sacctmgr', NOT_KEPT[missing] as string);
  throw new SlurmFailure(
    [
      'No valid entity in list command',
      'Input line must include "Account", "Association", "Cluster", "Configuration",',
      '"Event", "Federation", "Problem", "QOS", "Resource", "Reservation",',
      '"RunAwayJobs", "Stats", "Transaction", "TRES", "User", or "WCKey"',
    ],
    1,
  );
}

/** The plural of `QOS` and `TRES` is what they are already. */
function nameOf(name: string): string {
  return name.toLowerCase().replace(/s$/, '');
}

function chooseFormat(words: readonly string[]): readonly Column<Row>[] {
  const chosen = chooseColumns(FIELDS, words);
  if (chosen.ok) return chosen.columns;
  throw new SlurmFailure([`Unknown field '${chosen.unknown}'`], 1);
}

/** Somebody who is asked for by name counts, if there is such a user, though they may never have used the yard. */
function* findKnowledge({ user }: Invocation, { values }: Conditions): Asking<Knowledge> {
  const named = yield* query('users', { names: values.get('User') ?? [] });
  const existing = named.flatMap((each) => (each === null ? [] : [each.name]));
  const { name: cluster, host, user: owner } = yield* query('yard', {});
  return {
    membership: yield* findMembership([user, ...existing]),
    cluster,
    host,
    owner,
    nodes: yield* query('nodes', { names: null }),
  };
}

/**
 * What `qconf` answers without an argument: the names of things, or a table of them; where there is none, the sentence
 * of the original.
 */

import { printable } from '../../../model/bytes.ts';
import { COMPLEXES } from '../complexes.ts';
import { GridEngineFailure } from '../failure.ts';
import { ALL_HOSTS } from '../patterns.ts';
import { settingsText } from './layout.ts';
import { USER_LISTS } from './people.ts';
import type { Setup } from './setup.ts';
import { SCHEDULER_WIDTH, schedulerSettings } from './yard-settings.ts';

/** What is never there. */
const NEVER_THERE: Readonly<Record<string, string>> = {
  '-so': 'no operator defined',
  '-scall': 'no calendar defined',
  '-sckptl': 'no ckpt interface definition defined',
  '-srqsl': 'no resource quota set list defined',
  '-sconfl': 'no config defined',
  '-sstree': 'no sharetree element',
};

export function isList(flag: string): boolean {
  return Object.hasOwn(LISTS, flag) || Object.hasOwn(NEVER_THERE, flag);
}

export function listText(flag: string, setup: Setup): string {
  const sentence = NEVER_THERE[flag];
  if (sentence !== undefined) throw new GridEngineFailure([sentence], 1);
  return LISTS[flag]?.(setup) ?? '';
}

const LISTS: Readonly<Record<string, (setup: Setup) => string>> = {
  '-sql': queues,
  '-spl': parallelEnvironments,
  '-sel': hosts,
  '-ss': hosts,
  '-sh': yardHost,
  '-sss': yardHost,
  '-shgrpl': hostGroups,
  '-sm': managers,
  '-sprjl': projects,
  '-sul': userLists,
  '-suserl': users,
  '-sc': complexes,
  '-ssconf': scheduler,
  '-secl': eventClients,
  '-sds': nothing,
};

function queues(setup: Setup): string {
  const names = setup.queues.map(({ queue }) => queue.name);
  return sortedLines(names, 'no cluster queue list defined');
}

function parallelEnvironments({ policy }: Setup): string {
  const names = policy.layouts.map(({ name }) => name);
  return sortedLines(names, 'no parallel environment defined');
}

function hosts({ nodes }: Setup): string {
  const names = nodes.map(({ node }) => node.name);
  return sortedLines(names, 'no execution host defined');
}

function yardHost({ yard }: Setup): string {
  return `${printable(yard.host)}\n`;
}

function hostGroups(): string {
  return `${ALL_HOSTS}\n`;
}

function managers({ yard }: Setup): string {
  return sortedLines([...new Set(['root', yard.user])], 'no manager defined');
}

/** The yard's accounts, where only some may be named. */
function projects({ policy }: Setup): string {
  const names = (policy.accounts ?? []).map(({ name }) => name);
  return sortedLines(names, 'no project list defined');
}

function userLists(): string {
  return sortedLines(USER_LISTS, 'no userset list defined');
}

function users({ shares }: Setup): string {
  const names = shares.map(({ user }) => user);
  return sortedLines(names, 'no user list defined');
}

function scheduler({ policy, isSingleLine }: Setup): string {
  return settingsText(schedulerSettings(policy), { width: SCHEDULER_WIDTH, isSingleLine });
}

/** The scheduler is the only one that is told of everything. */
function eventClients({ yard }: Setup): string {
  const row = (id: string, name: string, where: string) =>
    `${id.padStart(8)} ${printable(name).padEnd(15)} ${printable(where).padEnd(25)}\n`;
  return `${row('ID', 'NAME', 'HOST')}${'-'.repeat(50)}\n${row('1', 'scheduler', yard.host)}`;
}

function nothing(): string {
  return '';
}

const COMPLEX_WIDTHS = [20, 11, 10, 6, 12, 11, 9] as const;

function complexes(): string {
  const row = (cells: readonly string[]) =>
    cells.map((cell, at) => cell.padEnd(COMPLEX_WIDTHS[at] ?? 0)).join('');
  const heading = row([
    '#name',
    'shortcut',
    'type',
    'relop',
    'requestable',
    'consumable',
    'default',
    'urgency ',
  ]);
  const rows = COMPLEXES.map((each) =>
    row([
      each.name,
      each.shortcut,
      each.type,
      each.relation,
      each.requestable,
      each.consumable,
      each.standard,
      `${each.urgency}`,
    ]),
  );
  const rule = `#${'-'.repeat(heading.length - 1)}`;
  const foot = '# >#< starts a comment but comments are not saved across edits --------';
  return [heading, rule, ...rows, foot].map((line) => `${printable(line)}\n`).join('');
}

function sortedLines(names: readonly string[], none: string): string {
  if (names.length === 0) throw new GridEngineFailure([none], 1);
  return [...names]
    .sort()
    .map((name) => `${printable(name)}\n`)
    .join('');
}

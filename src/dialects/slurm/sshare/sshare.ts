/** `sshare`: what everybody may use of the yard, and has used of it lately. */

import { type GivenOption, isGiven, lastValue, type OptionSpec } from '../../options.ts';
import { type Invocation, type Program, printErr, printOut, query } from '../../program.ts';
import { type Association, findMembership, type Membership, sharesOfUser } from '../associations.ts';
import { chooseCluster } from '../clusters.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { readCommandLine } from '../command-line.ts';
import { failure } from '../failure.ts';
import { type Column, chooseColumns, type Field, fieldNamesText, tableText } from '../field-table.ts';
import { TABLE_OPTIONS, tableStyleOf } from '../table-options.ts';
import { HELP } from './help.ts';

export const sshare: SlurmCommand = { name: 'sshare', run: runSshare };

const OPTIONS: readonly OptionSpec[] = [
  { name: 'accounts', short: 'A', value: 'required' },
  { name: 'all', short: 'a', value: 'none' },
  { name: 'clusters', aliases: ['cluster'], short: 'M', value: 'required' },
  { name: 'format', short: 'o', value: 'required' },
  { name: 'help', value: 'none' },
  { name: 'helpformat', short: 'e', value: 'none' },
  { name: 'long', short: 'l', value: 'none' },
  { name: 'partition', short: 'm', value: 'none' },
  { name: 'usage', value: 'none' },
  { name: 'users', short: 'u', value: 'required' },
  { name: 'Users', short: 'U', value: 'none' },
  { name: 'verbose', short: 'v', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
  ...TABLE_OPTIONS,
];

/** Shares and usage of a user, or of everybody at the root; an account has none of its own. */
interface Figures {
  readonly shares: number | null;
  readonly normShares: number;
  readonly usedSeconds: number;
  readonly usedPart: number;
  readonly factor: number | null;
}

interface Row {
  readonly association: Association;
  readonly indent: number;
  readonly figures: Figures | null;
  readonly cluster: string;
  /** Where it stands in the list of all. */
  readonly id: number;
}

const decimal = (value: number | null | undefined) => (value == null ? '' : value.toFixed(6));

const FIELDS: readonly Field<Row>[] = [
  {
    name: 'Account',
    width: -20,
    value: ({ association, indent }) => ' '.repeat(indent) + association.account,
  },
  { name: 'Cluster', width: 10, value: ({ cluster }) => cluster },
  { name: 'EffectvUsage', width: 13, isWhole: true, value: ({ figures }) => decimal(figures?.usedPart) },
  { name: 'FairShare', width: 10, isWhole: true, value: ({ figures }) => decimal(figures?.factor) },
  { name: 'GrpTRESMins', width: 30, value: () => '' },
  { name: 'GrpTRESRaw', width: 30, value: () => '' },
  { name: 'ID', width: 6, isWhole: true, value: ({ id }) => `${id}` },
  { name: 'LevelFS', width: 10, isWhole: true, value: levelText },
  { name: 'NormShares', width: 11, isWhole: true, value: ({ figures }) => decimal(figures?.normShares) },
  { name: 'NormUsage', width: 11, isWhole: true, value: normUsageText },
  { name: 'Partition', width: 12, value: () => '' },
  { name: 'RawShares', width: 10, isWhole: true, value: ({ figures }) => `${figures?.shares ?? ''}` },
  {
    name: 'RawUsage',
    width: 11,
    isWhole: true,
    value: ({ figures }) => (figures === null ? '' : `${Math.floor(figures.usedSeconds)}`),
  },
  { name: 'TRESRunMins', width: 30, value: () => '' },
  { name: 'User', width: 10, value: ({ association }) => association.user ?? '' },
];

function levelText({ figures }: Row): string {
  if (figures === null || figures.shares === null) return '';
  return figures.usedPart === 0 ? 'inf' : (figures.normShares / figures.usedPart).toFixed(6);
}

function normUsageText({ figures }: Row): string {
  return figures === null || figures.shares === null ? '' : decimal(figures.usedPart);
}

function* runSshare(invocation: Invocation): Program {
  const { options: given } = readCommandLine(OPTIONS, invocation.argv.slice(1), {
    command: 'sshare',
    positionals: 'anywhere',
    exitCode: 1,
  });
  const aboutItself = textAboutItself(given);
  if (aboutItself !== null) {
    yield* printOut(aboutItself);
    return 0;
  }
  const columns = chooseFormat(given);
  const { name: cluster } = yield* chooseCluster('sshare', lastValue(given, 'clusters'), null);
  const users = readUsers(given, invocation.user);
  const existing = yield* query('users', { names: users ?? [] });
  const known = existing.flatMap((user) => (user === null ? [] : [user.name]));
  const membership = yield* findMembership([invocation.user, ...known]);
  const accounts = lastValue(given, 'accounts')?.split(',') ?? null;
  if (isGiven(given, 'verbose')) yield* printErr(askedText(users, accounts));
  const rows = chosen(membership, users, accounts, isGiven(given, 'Users')).map((row) => ({
    ...row,
    cluster,
  }));
  yield* printOut(tableText(columns, rows, tableStyleOf(given)));
  return 0;
}

function textAboutItself(given: readonly GivenOption[]): string | null {
  if (isGiven(given, 'version')) return `slurm ${SLURM_VERSION}\n`;
  if (isGiven(given, 'help') || isGiven(given, 'usage')) return HELP;
  if (isGiven(given, 'helpformat'))
    return fieldNamesText(
      FIELDS.map(({ name }) => name),
      17,
    );
  return null;
}

function chooseFormat(given: readonly GivenOption[]): readonly Column<Row>[] {
  const partition = isGiven(given, 'partition') ? ['partition'] : [];
  const words = isGiven(given, 'long')
    ? [
        'account',
        'user',
        ...partition,
        'rawshares',
        'normshares',
        'rawusage',
        'normusage',
        'effectvusage',
        'fairshare',
      ]
    : ['account', 'user', ...partition, 'rawshares', 'normshares', 'rawusage', 'effectvusage', 'fairshare'];
  const more = isGiven(given, 'long') ? ['levelfs', 'grptresmins', 'tresrunmins'] : [];
  const asked = lastValue(given, 'format')
    ?.split(',')
    .filter((word) => word !== '');
  const columns = chooseColumns(FIELDS, asked ?? [...words, ...more]);
  if (columns.ok) return columns.columns;
  throw failure('sshare', `Invalid field requested: "${columns.unknown}"`);
}

/** Null: everybody. */
function readUsers(given: readonly GivenOption[], me: string): readonly string[] | null {
  const named = lastValue(given, 'users');
  if (named !== null) return named.split(',');
  return isGiven(given, 'all') ? null : [me];
}

function askedText(users: readonly string[] | null, accounts: readonly string[] | null): string {
  const list = (names: readonly string[] | null) =>
    (names ?? ['all']).map((name) => `\t: ${name}\n`).join('');
  return `Users requested:\n${list(users)}Accounts requested:\n${list(accounts)}`;
}

/** Accounts stand at the left when they were asked for by name, and so do users without their accounts. */
function chosen(
  membership: Membership,
  users: readonly string[] | null,
  accounts: readonly string[] | null,
  onlyUsers: boolean,
): readonly Omit<Row, 'cluster'>[] {
  const totals = totalsOf(membership);
  return membership.associations.flatMap((association, i) => {
    const { account, user, depth } = association;
    if (accounts !== null && !accounts.includes(account)) return [];
    if (user === null ? onlyUsers : users !== null && !users.includes(user)) return [];
    const indent = onlyUsers ? 0 : accounts === null ? depth : user === null ? 0 : 1;
    return [{ association, indent, figures: figuresOf(membership, totals, association), id: i + 1 }];
  });
}

interface Totals {
  readonly shares: number;
  readonly usedSeconds: number;
}

function totalsOf(membership: Membership): Totals {
  let [shares, usedSeconds] = [0, 0];
  for (const user of membership.users) {
    shares += sharesOfUser(membership, user);
    usedSeconds += membership.shares.get(user)?.usedSeconds ?? 0;
  }
  return { shares, usedSeconds };
}

function figuresOf(membership: Membership, totals: Totals, { user, parent }: Association): Figures | null {
  if (user === null) {
    if (parent !== null) return null;
    return { shares: null, normShares: 0, usedSeconds: totals.usedSeconds, usedPart: 1, factor: null };
  }
  const shares = sharesOfUser(membership, user);
  const { usedSeconds = 0, factor = 1 } = membership.shares.get(user) ?? {};
  const usedPart = totals.usedSeconds === 0 ? 0 : usedSeconds / totals.usedSeconds;
  return { shares, normShares: shares / totals.shares, usedSeconds, usedPart, factor };
}

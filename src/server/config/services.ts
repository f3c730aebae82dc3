/** Classes of service (QOS) and accounts, and the mistakes that only show when they are seen together. */

import { nearest } from '../../model/nearest.ts';
import type { Account, Qos } from '../../model/policy.ts';
import { type Choices, showDuration, showLimit, showList } from './choices.ts';
import type { ConfigFile, Path } from './file.ts';
import { keyText, type Mistake, mistakeAt } from './mistakes.ts';
import type { AccountSettings, QosSettings } from './schema.ts';

type Tables<T> = Readonly<Record<string, T>>;

const DEFAULT_NAME = 'normal';

export function qosOf(tables: Tables<QosSettings>, choices: Choices): Qos[] {
  const entries = Object.entries(tables);
  if (entries.length === 0) return [oneQos(DEFAULT_NAME, {}, true, choices)];
  const standing = (entries.find(([, settings]) => settings.default === true) ??
    entries.find(([name]) => name === DEFAULT_NAME) ??
    (entries[0] as [string, QosSettings]))[0];
  return entries.map(([name, settings]) => oneQos(name, settings, name === standing, choices));
}

function oneQos(name: string, settings: QosSettings, isDefault: boolean, choices: Choices): Qos {
  const at = (key: keyof QosSettings) => ['qos', name, key];
  const limit = (key: LimitKey) => choices.choose(at(key), settings[key], null, showLimit);
  const fromFile = settings.default === isDefault ? isDefault : undefined;
  const preempts = choices.choose(at('preempts'), settings.preempts, [], showList);
  const preempt = choices.choose(at('preempt'), settings.preempt, null, (mode) => mode ?? 'as its queue');
  return {
    name,
    isDefault: choices.choose(at('default'), fromFile, isDefault, String),
    priority: choices.choose(at('priority'), settings.priority, 0, String),
    ...(preempts.length === 0 ? {} : { preempts }),
    ...(preempt === null ? {} : { preempt }),
    maxLimitMs: choices.choose(at('max_time'), settings.max_time, null, showDuration),
    maxRunningPerUser: limit('max_running_per_user'),
    maxQueuedPerUser: limit('max_queued_per_user'),
    maxCpusPerUser: limit('max_cpus_per_user'),
    maxGpusPerUser: limit('max_gpus_per_user'),
  };
}

type LimitKey = 'max_running_per_user' | 'max_queued_per_user' | 'max_cpus_per_user' | 'max_gpus_per_user';

export function accountsOf(tables: Tables<AccountSettings>, choices: Choices): Account[] {
  return Object.entries(tables).map(([name, settings]) => {
    const at = (key: keyof AccountSettings) => ['accounts', name, key];
    return {
      name,
      description: choices.choose(at('description'), settings.description, name, String),
      users: choices.choose(at('users'), settings.users, null, (users) =>
        users === null ? 'all' : showList(users),
      ),
      parent: choices.choose(at('parent'), settings.parent, null, (parent) => parent ?? 'none'),
    };
  });
}

export function mistakesInServices(
  file: ConfigFile,
  qos: Tables<QosSettings>,
  accounts: Tables<AccountSettings>,
): Mistake[] {
  return [
    ...Object.keys(qos).flatMap((name) => badName(file, 'qos', name)),
    ...secondDefaults(file, qos),
    ...Object.keys(qos).flatMap((name) => badPreempts(file, name, qos)),
    ...Object.keys(accounts).flatMap((name) => badName(file, 'accounts', name)),
    ...Object.entries(accounts).flatMap(([name, settings]) => badParent(file, name, settings, accounts)),
  ];
}

function badName(file: ConfigFile, table: 'qos' | 'accounts', name: string): Mistake[] {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return [];
  const what = table === 'qos' ? 'a QOS' : 'an account';
  const sentence = `${JSON.stringify(name)} is not a name for ${what}; use letters, digits, ".", "_" and "-"`;
  return [mistakeAt(file, [table, name], sentence)];
}

function secondDefaults(file: ConfigFile, tables: Tables<QosSettings>): Mistake[] {
  const marked = Object.entries(tables).filter(([, settings]) => settings.default === true);
  const [first, ...others] = marked.map(([name]) => ['qos', name, 'default']);
  return others.map((path) =>
    mistakeAt(
      file,
      path,
      `${keyText(path)} is true, but ${keyText(first ?? [])} on line ${file.lineOf(first ?? [])} is too; one QOS is the default`,
    ),
  );
}

/** One that is not there, or that would have to leave for itself, be it by way of others. */
function badPreempts(file: ConfigFile, name: string, qos: Tables<QosSettings>): Mistake[] {
  const known = Object.keys(qos);
  return preemptsOf(qos, name).flatMap((other, i) => {
    const path = ['qos', name, 'preempts', i];
    const is = `${keyText(path)} is ${JSON.stringify(other)}`;
    if (other === name) return [mistakeAt(file, path, `${is}, the QOS itself; name others`)];
    if (!known.includes(other)) return [noSuch(file, path, `${is}, which is no QOS`, other, known)];
    if (!reaches(qos, other, name)) return [];
    const inTurn = `${is}, which may preempt ${JSON.stringify(name)} in turn; let one of them go first`;
    return [mistakeAt(file, path, inTurn)];
  });
}

function preemptsOf(qos: Tables<QosSettings>, name: string): readonly string[] {
  return Object.hasOwn(qos, name) ? (qos[name]?.preempts ?? []) : [];
}

function reaches(qos: Tables<QosSettings>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const name of seen) for (const other of preemptsOf(qos, name)) seen.add(other);
  return seen.has(to);
}

function noSuch(
  file: ConfigFile,
  path: Path,
  sentence: string,
  given: string,
  known: readonly string[],
): Mistake {
  const meant = nearest(given, known)[0] ?? null;
  const suggestion = meant === null ? null : `did you mean ${JSON.stringify(meant)}?`;
  return mistakeAt(file, path, `${sentence}; choose from ${known.join(', ')}`, suggestion, known);
}

/** A parent that is not there, or an account that is its own ancestor. */
function badParent(
  file: ConfigFile,
  name: string,
  { parent }: AccountSettings,
  accounts: Tables<AccountSettings>,
): Mistake[] {
  if (parent === undefined) return [];
  const path = ['accounts', name, 'parent'];
  if (!Object.hasOwn(accounts, parent)) {
    const sentence = `${keyText(path)} is ${JSON.stringify(parent)}, which is no account`;
    return [noSuch(file, path, sentence, parent, Object.keys(accounts))];
  }
  const seen = new Set<string>();
  for (let above: string | undefined = parent; above !== undefined; above = accounts[above]?.parent) {
    if (above === name)
      return [mistakeAt(file, path, `${keyText(path)} makes the account an ancestor of itself`)];
    if (seen.has(above)) break;
    seen.add(above);
  }
  return [];
}

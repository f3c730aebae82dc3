/** Classes of service (QOS) and accounts, and the mistakes that only show when they are seen together. */

import { nearest } from '../../model/nearest.ts';
import type { Account, Qos } from '../../model/policy.ts';
import { type Choices, showDuration, showLimit, showList } from './choices.ts';
import type { ConfigFile } from './file.ts';
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
  return {
    name,
    isDefault: choices.choose(at('default'), fromFile, isDefault, String),
    priority: choices.choose(at('priority'), settings.priority, 0, String),
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
    const known = Object.keys(accounts);
    const meant = nearest(parent, known)[0] ?? null;
    const suggestion = meant === null ? null : `did you mean ${JSON.stringify(meant)}?`;
    const sentence = `${keyText(path)} is ${JSON.stringify(parent)}, which is no account; choose from ${known.join(', ')}`;
    return [mistakeAt(file, path, sentence, suggestion, known)];
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

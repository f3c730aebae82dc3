/** The words after `sacctmgr show ENTITY`: what to filter by, and which fields to show. */

import { SlurmFailure } from '../failure.ts';
import type { Entity } from './entities.ts';
import type { Row } from './fields.ts';

export interface Conditions {
  /** Field → any of these values. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly format: readonly string[] | null;
  readonly withAssociations: boolean;
  readonly asTree: boolean;
}

/** Words that change nothing here: nothing is deleted, and limits are not inherited. */
const WITHOUT_EFFECT = ['where', 'set', 'onlydefaults', 'withcoordinators', 'withdeleted', 'withrawqoslevel'];
const MORE_WITHOUT_EFFECT = [
  'withsubaccounts',
  'wolimits',
  'wopinfo',
  'woplimits',
  'withclusters',
  'withfed',
];

export function readConditions(words: readonly string[], entity: Entity): Conditions {
  const values = new Map<string, readonly string[]>();
  let format: readonly string[] | null = null;
  let [withAssociations, asTree] = [false, false];
  for (const word of words) {
    const equals = word.indexOf('=');
    const name = (equals === -1 ? word : word.slice(0, equals)).toLowerCase();
    const value = equals === -1 ? null : unquoted(word.slice(equals + 1));
    if (value === null) {
      if (isShortFor(name, 'withassociations', 5)) withAssociations = true;
      else if (isShortFor(name, 'tree', 4)) asTree = true;
      else if (![...WITHOUT_EFFECT, ...MORE_WITHOUT_EFFECT].some((each) => isShortFor(name, each, 5)))
        values.set(...bareCondition(word, entity));
    } else if (isShortFor(name, 'format', 1)) format = value.split(',');
    else values.set(conditionField(name, word, entity), value.split(','));
  }
  return { values, format, withAssociations, asTree };
}

function bareCondition(word: string, { bareWord }: Entity): [string, readonly string[]] {
  if (bareWord !== null) return [bareWord, unquoted(word).split(',')];
  throw new SlurmFailure([`sacctmgr: error: Invalid value for AssocId (${word})`], 1);
}

function conditionField(name: string, word: string, { conditions }: Entity): string {
  const known = Object.keys(conditions).find((each) => name !== '' && each.startsWith(name));
  if (known !== undefined) return conditions[known] as string;
  throw new SlurmFailure([` Unknown condition: ${word}`, " Use keyword 'set' to modify value"], 1);
}

function isShortFor(word: string, whole: string, least: number): boolean {
  return word.length >= Math.min(least, whole.length) && whole.startsWith(word);
}

function unquoted(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, '$2');
}

/** A list of several in a field fits when one of them does. */
export function fits(row: Row, { values }: Conditions): boolean {
  return [...values].every(([field, wanted]) => {
    const has = (row[field] ?? '').trim().toLowerCase().split(',');
    return wanted.some((value) => has.includes(value.toLowerCase()));
  });
}

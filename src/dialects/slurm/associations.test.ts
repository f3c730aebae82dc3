import { expect, it } from 'vitest';
import { PLAIN_POLICY } from '../../model/plain.ts';
import { associationsOf, defaultAccountOf } from './associations.ts';

const account = (name: string, users: readonly string[] | null, parent: string | null = null) => ({
  name,
  description: name,
  users,
  parent,
});
const POLICY = {
  ...PLAIN_POLICY,
  accounts: [account('vision', ['mail'], 'ml'), account('open', null), account('ml', ['mail', 'games'])],
};

function tree(policy: typeof PLAIN_POLICY, users: readonly string[]): readonly string[] {
  return associationsOf(policy, users).map(
    ({ account: name, user, depth }) => `${' '.repeat(depth)}${name}${user === null ? '' : `/${user}`}`,
  );
}

it('puts everybody below the root where there are no accounts', () => {
  expect(tree(PLAIN_POLICY, ['bob', 'ada', 'bob'])).toEqual(['root', ' root/ada', ' root/bob']);
  expect(defaultAccountOf(PLAIN_POLICY, 'ada')).toBe('root');
});

it('makes a tree of accounts, open ones with everybody', () => {
  expect(tree(POLICY, ['ada'])).toEqual([
    'root',
    ' ml',
    '  ml/games',
    '  ml/mail',
    '  vision',
    '   vision/mail',
    ' open',
    '  open/ada',
  ]);
});

it('charges those who name no account to the first in the config that is theirs', () => {
  expect(['mail', 'games', 'ada'].map((user) => defaultAccountOf(POLICY, user))).toEqual([
    'vision',
    'open',
    'open',
  ]);
});

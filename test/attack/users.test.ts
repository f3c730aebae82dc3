import { afterAll, describe, expect, test } from 'vitest';
import { canBecomeOthers, installationForAll, makeUser, removeUsers, runAs } from './users.ts';

afterAll(removeUsers);

describe.runIf(canBecomeOthers)('two real users', () => {
  test('cannot look into the homes of each other', async () => {
    const ann = makeUser('ann');
    const bo = makeUser('bo');
    expect((await runAs(ann, ['id', '-u'])).stdout).toBe(`${ann.uid}\n`);
    expect((await runAs(bo, ['ls', ann.home])).stderr).toContain('Permission denied');
  });

  test('run an installation that neither of them owns', async () => {
    const ann = makeUser('ann');
    const yard = `${installationForAll()}/bin/trainyard`;
    const said = await runAs(ann, [yard, 'status']);
    expect(said.stderr).toBe('');
    expect(said.stdout).toContain(`${ann.home}/.local/state/trainyard`);
    expect((await runAs(ann, [yard, 'down'])).code).toBe(0);
  });
});

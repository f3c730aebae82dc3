import { describe, expect, it } from 'vitest';
import { PLAIN_POLICY } from '../../../model/plain.ts';
import { type FakeYard, fakeYard, runDialect } from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { sshare } from './sshare.ts';

function run(yard: FakeYard, words: string, user = 'ada') {
  const argv = ['sshare', ...words.split(' ').filter((word) => word !== '')];
  return runDialect(slurmProgram(sshare), yard, argv, { user });
}

const lines = (...text: readonly string[]) => text.map((line) => `${line}\n`).join('');

function plainYard(): FakeYard {
  return fakeYard({
    shares: [
      { user: 'ada', shares: 1, usedSeconds: 30, factor: 0.5 },
      { user: 'bob', shares: 3, usedSeconds: 10.7, factor: 0.75 },
    ],
    users: ['ada', 'bob', 'mail', 'games'].map((name, i) => ({ name, uid: 1000 + i, gid: 1, group: 'g' })),
  });
}

function labYard(): FakeYard {
  const account = (name: string, users: readonly string[], parent: string | null = null) => ({
    name,
    description: name,
    users,
    parent,
  });
  const accounts = [account('ml', ['games', 'mail']), account('vision', ['mail'], 'ml')];
  return { ...plainYard(), policy: { ...PLAIN_POLICY, accounts } };
}

describe('sshare', () => {
  it('prints the table that Slurm prints, of the caller', () => {
    expect(run(plainYard(), '').stdout).toBe(
      lines(
        'Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare ',
        '-------------------- ---------- ---------- ----------- ----------- ------------- ---------- ',
        'root                                          0.000000          40      1.000000            ',
        ' root                       ada          1    0.250000          30      0.737101   0.500000 ',
      ),
    );
  });

  it('shows everybody, or those who are named', () => {
    const users = (words: string) => run(plainYard(), `-n -P -o user,rawshares ${words}`).stdout;
    expect(users('-a')).toBe('|\nada|1\nbob|3\n');
    expect(users('-U -a')).toBe('ada|1\nbob|3\n');
    expect(users('-u bob,nobody')).toBe('|\nbob|3\n');
  });

  it("answers snakemake's question for accounts", () => {
    const question = '-U --format Account%256 --noheader';
    expect(run(plainYard(), question).stdout).toBe(`${'root'.padStart(256)} \n`);
    expect(run(labYard(), question, 'mail').stdout).toBe(
      `${'ml'.padStart(256)} \n${'vision'.padStart(256)} \n`,
    );
  });

  it('shows accounts as a tree, and at the left when they are named', () => {
    const tree = (words: string) => run(labYard(), `-n -P -o account,user ${words}`, 'games').stdout;
    expect(tree('-a')).toBe('root|\n ml|\n  ml|games\n  ml|mail\n  vision|\n   vision|mail\n');
    expect(tree('')).toBe('root|\n ml|\n  ml|games\n  vision|\n');
    expect(tree('-A vision -a')).toBe('vision|\n vision|mail\n');
  });

  it('shows more with -l and -m', () => {
    expect(run(plainYard(), '-l -m -P').stdout).toBe(
      lines(
        'Account|User|Partition|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|TRESRunMins',
        'root||||0.000000|40||1.000000||||',
        ' root|ada||1|0.250000|30|0.737101|0.737101|0.500000|0.339167||',
      ),
    );
    expect(run(fakeYard(), '-l -n -P').stdout).toContain('|inf|');
  });

  it('says what was asked for', () => {
    expect(run(plainYard(), '-v -n').stderr).toBe(
      'Users requested:\n\t: ada\nAccounts requested:\n\t: all\n',
    );
  });

  it('refuses what it does not know', () => {
    expect(run(plainYard(), '-o bogus')).toMatchObject({
      code: 1,
      stderr: 'sshare: error: Invalid field requested: "bogus"\n',
    });
    expect(run(plainYard(), '-M elsewhere').stderr).toContain("No cluster 'elsewhere' known by database.");
  });
});

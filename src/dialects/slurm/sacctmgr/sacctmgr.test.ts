import { describe, expect, it } from 'vitest';
import { PLAIN_POLICY, PLAIN_QOS } from '../../../model/plain.ts';
import { type FakeYard, fakeYard, HOUR, runDialect } from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { sacctmgr } from './sacctmgr.ts';

function run(yard: FakeYard, words: string) {
  const argv = ['sacctmgr', ...words.split(' ').filter((word) => word !== '')];
  return runDialect(slurmProgram(sacctmgr), yard, argv);
}

const lines = (...text: readonly string[]) => text.map((line) => `${line}\n`).join('');
const account = (
  name: string,
  description: string,
  users: readonly string[],
  parent: string | null = null,
) => ({
  name,
  description,
  users,
  parent,
});

function labYard(): FakeYard {
  return fakeYard({
    policy: {
      ...PLAIN_POLICY,
      qos: [
        { ...PLAIN_QOS, preempt: 'suspend' },
        {
          ...PLAIN_QOS,
          name: 'high',
          isDefault: false,
          priority: 100,
          preempts: ['normal'],
          maxLimitMs: 24 * HOUR,
          maxRunningPerUser: 4,
          maxQueuedPerUser: 100,
          maxCpusPerUser: 8,
          maxGpusPerUser: 2,
        },
      ],
      accounts: [
        account('ml', 'machine learning', ['games', 'mail']),
        account('vision', 'vision', ['mail'], 'ml'),
      ],
      shares: { games: 3 },
      perUser: { maxRunning: 10, maxQueued: null, maxCpus: null, maxGpus: 4 },
    },
    users: ['ada', 'games', 'mail'].map((name, i) => ({ name, uid: 1000 + i, gid: 1, group: 'g' })),
  });
}

describe('show', () => {
  it('lists associations where no account is configured', () => {
    expect(run(fakeYard(), '-P show assoc format=cluster,account,user,qos').stdout).toBe(
      lines('Cluster|Account|User|QOS', 'yard|root||normal', 'yard|root|ada|normal'),
    );
  });

  it('lists users, and their accounts with -s', () => {
    expect(run(labYard(), 'show user').stdout).toBe(
      lines(
        '      User   Def Acct     Admin ',
        '---------- ---------- --------- ',
        '       ada            Administ+ ',
        '     games         ml      None ',
        '      mail         ml      None ',
      ),
    );
    expect(
      run(labYard(), '-n -P -s list user mail format=user,account,share,maxjobs,grptres,qos').stdout,
    ).toBe(lines('mail|ml|1|10|gres/gpu=4|high,normal', 'mail|vision|1|10|gres/gpu=4|high,normal'));
  });

  it("answers snakemake's question for accounts", () => {
    expect(run(labYard(), '-n -s list user mail format=account%256').stdout).toBe(
      `${'ml'.padStart(256)} \n${'vision'.padStart(256)} \n`,
    );
    expect(run(fakeYard(), '-n -s list user "ada" format=account%256').stdout).toBe(
      `${'root'.padStart(256)} \n`,
    );
  });

  it('lists accounts, as a tree of associations too', () => {
    expect(run(labYard(), '-P list accounts').stdout).toBe(
      lines(
        'Account|Descr|Org',
        'ml|machine learning|ml',
        'root|default root account|root',
        'vision|vision|ml',
      ),
    );
    expect(run(labYard(), '-n show assoc tree format=account%-20,user,share').stdout).toBe(
      lines(
        'root                                    1 ',
        ' ml                                     1 ',
        '  ml                      games         3 ',
        '  ml                       mail         1 ',
        '  vision                                1 ',
        '   vision                  mail         1 ',
      ),
    );
  });

  it('lists classes of service with their limits', () => {
    expect(
      run(labYard(), '-P show qos high format=name,priority,maxwall,maxjobspu,maxtrespu,maxsubmitpu,id')
        .stdout,
    ).toBe(
      lines(
        'Name|Priority|MaxWall|MaxJobsPU|MaxTRESPU|MaxSubmitPU|ID',
        'high|100|1-00:00:00|4|cpu=8,gres/gpu=2|100|2',
      ),
    );
    expect(run(labYard(), '-n -P show qos format=na').stdout).toBe('normal\nhigh\n');
    expect(run(labYard(), '-n -P show qos format=name,preempt,preemptmode').stdout).toBe(
      lines('normal||suspend', 'high|normal|cluster'),
    );
  });

  it('lists the cluster and what is counted', () => {
    expect(run(fakeYard(), '-n -P show cluster format=cluster,controlhost,qos').stdout).toBe(
      'yard|box.example.org|normal\n',
    );
    expect(run(fakeYard(), '-n -P show tres type=gres').stdout).toBe('gres|gpu|1001\n');
  });

  it.each([
    ['assoc where user=mail account=vision', 1],
    ['assoc account=ml', 3],
    ['assoc qos=high', 6],
    ['assoc cluster=elsewhere', 0],
    ['users name=mail,games', 2],
    ['user where name=nosuch', 0],
    ['U withassoc', 3],
    ['reservation', 0],
    ['wckey', 0],
  ])('filters: show %s', (words, count) => {
    expect(run(labYard(), `-n -P show ${words}`).stdout.split('\n')).toHaveLength(count + 1);
  });

  it('knows of no runaway jobs', () => {
    expect(run(fakeYard(), 'show runawayjobs').stdout).toBe(
      'Runaway Jobs: No runaway jobs found on cluster yard\n',
    );
  });
});

describe('what it refuses', () => {
  it.each([
    [
      'add user foo',
      'sacctmgr: error: cannot add: accounts, QOS and shares are written in trainyard.toml, and sacctmgr only shows them\n',
    ],
    ['bogus', 'invalid keyword: bogus\n'],
    ['show user format=bogus', "Unknown field 'bogus'\n"],
    ['show user bogus=1', " Unknown condition: bogus=1\n Use keyword 'set' to modify value\n"],
    ['show assoc nosuch', 'sacctmgr: error: Invalid value for AssocId (nosuch)\n'],
    ['-Z', 'sacctmgr: invalid option -- \'Z\'\nTry "sacctmgr --help" for more information\n'],
    ['show event', 'sacctmgr: error: a yard keeps no list of what happened to nodes; see sinfo -R\n'],
  ])('%s', (words, stderr) => {
    expect(run(fakeYard(), words)).toEqual({ code: 1, stdout: '', stderr });
  });

  it('says what can be shown', () => {
    expect(run(fakeYard(), 'show bogus').stderr).toContain('No valid entity in list command\n');
    expect(run(fakeYard(), 'show').code).toBe(1);
  });
});

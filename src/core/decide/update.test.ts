import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aQueue, aYard, HOUR, MINUTE, type Wants } from '../../../test/builders.ts';
import type { JobChanges } from '../../model/command.ts';

const changing = (job: number, changes: JobChanges) =>
  ({ type: 'update', target: { job, index: null }, by: 'ann', changes }) as const;

describe('update', () => {
  test('changes what was asked for, and nothing else', () => {
    const yard = aYard();
    const id = yard.submit(aJob());
    const before = yard.job(id).spec;
    yard.tell(changing(id, { name: 'new', comment: 'c', priority: 3, account: 'a' }));
    expect(yard.job(id).spec).toEqual({ ...before, name: 'new', comment: 'c', priority: 3, account: 'a' });
  });

  test('a new kind makes a job one of those', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.tell(changing(1, { kind: 'resnet' }));
    expect(yard.job(1).spec.kind).toBe('resnet');
  });

  test('a higher priority moves a job ahead', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(1));
    yard.submit(aJob());
    yard.submit(aJob());
    yard.tell(changing(2, { priority: 10 }));
    expect(yard.plan().starts.map(({ job }) => job)).toEqual([2]);
  });

  test('a longer limit lets a running job go on, a shorter one stops it', () => {
    const yard = aYard();
    yard.run(aJob().limitedTo(MINUTE));
    yard.tell(changing(1, { limitMs: 3 * MINUTE }));
    yard.pass(MINUTE);
    expect(yard.job(1).attempt?.stop).toBeNull();
    yard.tell(changing(1, { limitMs: 2 * MINUTE }));
    yard.pass(MINUTE);
    expect(yard.job(1).attempt?.stop?.cause).toBe('timeLimit');
  });

  test('a begin time makes a pending job wait, and taking it away lets it go', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.tell(changing(1, { beginAt: yard.now + HOUR }));
    expect(yard.job(1).phase).toBe('waiting');
    yard.tell(changing(1, { beginAt: null }));
    expect(yard.job(1).phase).toBe('pending');
  });

  test('a new dependency makes a pending job wait, and a failed one ends it', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(aJob());
    yard.tell(
      changing(2, { dependencies: { need: 'all', terms: [{ kind: 'afterok', job: 1, index: null }] } }),
    );
    expect(yard.job(2).phase).toBe('waiting');
    yard.ends(1, 1);
    expect(yard.job(2).outcome).toBe('dependencyFailed');
  });

  test('without dependencies a waiting job goes', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(aJob().after('afterok', 1));
    yard.tell(changing(2, { dependencies: null }));
    expect(yard.job(2).phase).toBe('pending');
  });

  test('a new name frees those that waited to be the only one of the old name', () => {
    const yard = aYard();
    yard.run(aJob().named('x'));
    yard.submit(aJob().named('x').singleton());
    expect(yard.job(2).phase).toBe('waiting');
    yard.tell(changing(1, { name: 'y' }));
    expect(yard.job(2).phase).toBe('pending');
  });

  test('a job of a new name is the only one of it, or waits for those there are', () => {
    const yard = aYard();
    yard.run(aJob().named('x'));
    yard.submit(aJob().named('x').singleton());
    yard.tell(changing(2, { name: 'y' }));
    expect(yard.job(2).phase).toBe('pending');
    yard.tell(changing(2, { name: 'x' }));
    expect(yard.job(2).phase).toBe('waiting');
  });
});

describe('update is refused', () => {
  const policy = aPolicy({
    queues: [
      aQueue('main', { isDefault: true }),
      aQueue('short', { maxLimitMs: HOUR }),
      aQueue('tiny', { nodes: ['n2'] }),
    ],
  });
  const twoNodes = () => aYard(policy).withNodes(aNode('n1'), aNode('n2').withCpus(1));

  test.each<[string, JobChanges, string]>([
    ['to a queue that is not there', { queue: 'nope' }, "there is no queue 'nope'"],
    [
      'to a queue it can never run in',
      { queue: 'tiny' },
      'it wants 2 CPUs on one node and the largest has 1',
    ],
    [
      'to a queue that allows less time',
      { queue: 'short' },
      'queue short allows 1h at most, not a job without a time limit',
    ],
    [
      'to more time than the queue allows',
      { queue: 'short', limitMs: 2 * HOUR },
      'queue short allows 1h at most, not 2h',
    ],
    ['to no time', { limitMs: 0 }, 'a time limit must be more than nothing'],
    ['to a throttle without an array', { throttle: 2 }, 'job 1 is not an array'],
    [
      'to depend on itself',
      { dependencies: { need: 'all', terms: [{ kind: 'afterok', job: 1, index: null }] } },
      'job 1 cannot depend on itself',
    ],
    [
      'to depend on nothing known',
      { dependencies: { need: 'all', terms: [{ kind: 'afterok', job: 9, index: null }] } },
      'there is no job 9 to depend on',
    ],
  ])('%s', (_what, changes, message) => {
    const yard = twoNodes();
    yard.submit(aJob().wanting({ cpus: 2 }));
    expect(yard.refusalOf(changing(1, changes)).message).toBe(message);
  });

  test('when two jobs would wait for each other', () => {
    const yard = twoNodes();
    yard.submit(aJob().held());
    yard.submit(aJob().after('afterok', 1));
    yard.submit(aJob().after('afterany', 2));
    const circle = { need: 'all', terms: [{ kind: 'after', job: 3, index: null }] } as const;
    expect(yard.refusalOf(changing(1, { dependencies: circle })).message).toBe(
      'job 3 already waits for job 1, so neither would ever start',
    );
  });

  test('when a singleton already waits for it because of its name', () => {
    const yard = twoNodes();
    yard.submit(aJob().named('x').held());
    yard.submit(aJob().named('x').singleton());
    const circle = { need: 'all', terms: [{ kind: 'afterany', job: 2, index: null }] } as const;
    expect(yard.refusalOf(changing(1, { dependencies: circle })).code).toBe('badRequest');
  });

  test('when an element would wait for its own array', () => {
    const yard = twoNodes();
    yard.submit(aJob().asArray('0-3').held());
    const own = { need: 'all', terms: [{ kind: 'afterany', job: 1, index: null }] } as const;
    const command = { ...changing(1, { dependencies: own }), target: { job: 1, index: 2 } };
    expect(yard.refusalOf(command).code).toBe('badRequest');
  });

  test('when a running job should change its queue', () => {
    const yard = twoNodes();
    yard.run(aJob());
    expect(yard.refusalOf(changing(1, { queue: 'tiny' })).code).toBe('wrongState');
  });

  test('when the job has ended', () => {
    const yard = twoNodes();
    yard.run(aJob());
    yard.ends(1);
    expect(yard.refusalOf(changing(1, { priority: 1 })).code).toBe('wrongState');
  });

  test.each([0, -1, 1.5])('to a throttle of %d', (throttle) => {
    const yard = twoNodes();
    yard.submit(aJob().asArray('0-3'));
    expect(yard.refusalOf(changing(1, { throttle })).code).toBe('badRequest');
  });
});

describe('what it asks for', () => {
  const updating = (changes: JobChanges) =>
    ({ type: 'update', target: { job: 1, index: null }, by: 'ann', changes }) as const;
  const wanting = (wants: Wants) => aJob().wanting(wants).spec.resources;

  test('other GPUs are shared as those before were, unless that is said too', () => {
    const yard = aYard().withNodes(aNode('n1').withGpus(4));
    const gpus = (count: number, sharing?: 'auto' | 'whole') => {
      const request = { count, per: 'job', kind: null, shareMillis: 1000 } as const;
      return { ...wanting({ cpus: 1 }), gpus: sharing === undefined ? request : { ...request, sharing } };
    };
    const spec = { ...aJob().spec, held: true, resources: gpus(1, 'auto') };
    yard.tell({ type: 'submit', spec });
    yard.tell(changing(1, { resources: gpus(2) }));
    expect(yard.job(1).spec.resources.gpus).toMatchObject({ count: 2, sharing: 'auto' });
    yard.tell(changing(1, { resources: gpus(2, 'whole') }));
    expect(yard.job(1).spec.resources.gpus).toMatchObject({ count: 2, sharing: 'whole' });
  });

  test('can change until it runs, to what is possible', () => {
    const yard = aYard();
    yard.run(aJob().wanting({ cpus: 8 }));
    yard.submit(aJob().wanting({ cpus: 8 }));
    const target = { job: 2, index: null };
    yard.tell({ type: 'update', target, by: 'ann', changes: { resources: wanting({ cpus: 4 }) } });
    expect(yard.job(2).spec.resources.cpusPerRank).toBe(4);
    yard.ends(1);
    yard.schedule();
    expect(yard.job(2).attempt?.placement.nodes).toMatchObject([{ cpus: 4 }]);
    const late = { type: 'update', target, by: 'ann', changes: { resources: wanting({ cpus: 1 }) } } as const;
    expect(yard.refusalOf(late)).toMatchObject({
      code: 'wrongState',
      message: 'job 2 is running and cannot change what it asked for',
    });
  });

  test('is held against the same rules as a submission', () => {
    const yard = aYard();
    yard.submit(aJob().held());
    expect(yard.refusalOf(updating({ resources: wanting({ cpus: 99 }) }))).toMatchObject({
      code: 'neverPossible',
    });
    expect(yard.refusalOf(updating({ resources: wanting({ cpus: 0 }) }))).toMatchObject({
      code: 'badRequest',
    });
  });

  test('warnings and mail change at any time', () => {
    const yard = aYard();
    yard.run(aJob().limitedTo(10 * MINUTE));
    yard.tell(updating({ warning: { signal: 12, beforeMs: 5 * MINUTE, scope: 'steps' } }));
    yard.tell(updating({ mail: { to: 'ann@example.org', on: ['end'] } }));
    yard.pass(5 * MINUTE);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'warn', signal: 12, scope: 'steps' }]);
    expect(yard.job(1).spec.mail).toEqual({ to: 'ann@example.org', on: ['end'] });
  });
});

describe('its queues', () => {
  const policy = aPolicy({
    queues: [
      aQueue('main', { isDefault: true }),
      aQueue('fast', { maxLimitMs: MINUTE }),
      aQueue('far', { nodes: ['n2'] }),
    ],
  });

  test('several may be named, and it is in the first; naming one means no other', () => {
    const yard = aYard(policy).withNodes(aNode('n1'), aNode('n2'));
    yard.submit(aJob());
    yard.tell(changing(1, { queueChoices: ['far', 'main'] }));
    expect(yard.job(1).spec).toMatchObject({ queue: 'far', queueChoices: ['far', 'main'] });
    yard.tell(changing(1, { queue: 'main', queueChoices: ['far', 'main'] }));
    expect(yard.job(1).spec).toMatchObject({ queue: 'main', queueChoices: ['far', 'main'] });
    yard.tell(changing(1, { queue: 'far' }));
    expect(yard.job(1).spec).toMatchObject({ queue: 'far', queueChoices: ['far'] });
    expect(yard.plan().starts).toMatchObject([{ queue: 'far' }]);
  });

  test.each<[JobChanges, string]>([
    [{ queueChoices: ['main', 'nope'] }, "there is no queue 'nope'"],
    [{ queueChoices: [] }, 'a job needs a queue'],
    [{ queue: 'main', queueChoices: ['fast'] }, 'queue main is not among fast'],
    [{ queueChoices: ['fast'] }, 'queue fast allows 1m at most, not 10m'],
    [{ queueChoices: ['far'] }, 'queue far has no node that this job may use'],
  ])('%j is refused', (changes, message) => {
    const yard = aYard(policy);
    yard.submit(aJob().limitedTo(10 * MINUTE));
    expect(yard.refusalOf(changing(1, changes)).message).toBe(message);
  });

  test('one of several is enough', () => {
    const yard = aYard(policy);
    yard.submit(aJob().limitedTo(10 * MINUTE));
    yard.tell(changing(1, { queueChoices: ['far', 'fast', 'main'] }));
    expect(yard.plan().starts).toMatchObject([{ queue: 'main' }]);
  });
});

describe('what it runs', () => {
  const streams = { ...aJob().spec.streams, stdout: 'other' };
  const program = { ...aJob().spec.program, argv: ['other'] };

  test('can be changed until it does', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.tell(changing(1, { streams, program, workDir: '/other' }));
    expect(yard.job(1).spec).toMatchObject({ streams, program, workDir: '/other' });
    yard.schedule();
    for (const changes of [{ streams }, { program }, { workDir: '/x' }, { queueChoices: ['main'] }])
      expect(yard.refusalOf(changing(1, changes)).code).toBe('wrongState');
    const origin = { dialect: 'native', words: { said: 'x' } };
    yard.tell(changing(1, { origin, stopSignal: 9, suspendSignal: 10 }));
    expect(yard.job(1).spec).toMatchObject({ origin, stopSignal: 9, suspendSignal: 10 });
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.job(1).attempt?.stop?.step).toBe('kill');
  });

  test('not by whom: only its caller runs what a caller asked for', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.submit(aJob().runByItsCaller());
    const callers = aJob().runByItsCaller().spec.program;
    expect(yard.refusalOf(changing(1, { program: callers })).code).toBe('wrongState');
    expect(yard.refusalOf(changing(2, { program })).code).toBe('wrongState');
  });
});

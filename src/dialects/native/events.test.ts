import { describe, expect, it } from 'vitest';
import type { EventBody, EventType, RecordedEvent } from '../../model/event.ts';
import {
  aFootprint,
  aJob,
  anAttempt,
  aSpec,
  aStep,
  aView,
  CALLER_GONE,
  fakeYard,
  NOW,
} from '../fake-yard.ts';
import { eventSentence } from './event-sentences.ts';
import { run } from './fake-yard.ts';

const node = {
  name: 'node1',
  cpus: 8,
  cpuIds: [],
  memoryBytes: 64 * 2 ** 30,
  devices: [],
  features: [],
  state: 'up',
  reason: null,
} as const;

const exit = { code: 3, signal: null, outOfMemory: false };

/** One of each kind: a new kind does not compile until it is here. */
const SENTENCES: { readonly [T in EventType]: readonly [Extract<EventBody, { type: T }>, string] } = {
  jobSubmitted: [
    { type: 'jobSubmitted', job: 17, spec: aSpec(), phase: 'pending' },
    'job 17 (train.sh) was submitted by ada to queue main: queued',
  ],
  elementSplit: [
    { type: 'elementSplit', job: 24, array: 20, index: 3 },
    'job 24 is element 3 of array 20: 20_3',
  ],
  unstartedDropped: [
    { type: 'unstartedDropped', job: 20, outcome: 'cancelled', by: 'ada' },
    'the elements of array 20 that had not started ended: cancelled, by ada',
  ],
  jobHeld: [
    { type: 'jobHeld', job: 17, hold: { by: 'yard', reason: 'restarted 5 times' } },
    'job 17 was held by the yard (restarted 5 times)',
  ],
  jobWaiting: [{ type: 'jobWaiting', job: 17 }, 'job 17 waits for its time or for other jobs'],
  jobPending: [{ type: 'jobPending', job: 17 }, 'job 17 is ready to start'],
  jobUpdated: [
    { type: 'jobUpdated', job: 17, changes: { nice: 5, name: 'x' }, by: 'ada' },
    'job 17 was changed by ada: nice, name',
  ],
  attemptAssigned: [
    { type: 'attemptAssigned', job: 17, attempt: '17.1', placement: anAttempt().placement },
    'attempt 17.1 was given its place on node1',
  ],
  attemptStarted: [
    { type: 'attemptStarted', job: 17, attempt: '17.1', startedAt: NOW },
    'attempt 17.1 started',
  ],
  attemptTimed: [
    { type: 'attemptTimed', job: 17, attempt: '17.1', clockFrom: NOW },
    'attempt 17.1 has been running since another time than the clock had it',
  ],
  warningDue: [
    { type: 'warningDue', job: 17, attempt: '17.1' },
    'attempt 17.1 is to be warned of its time limit',
  ],
  warningSent: [
    { type: 'warningSent', job: 17, attempt: '17.1' },
    'attempt 17.1 was warned of its time limit',
  ],
  stopRequested: [
    { type: 'stopRequested', job: 17, attempt: '17.1', cause: 'cancelled', by: 'ada', killAt: NOW },
    'attempt 17.1 is to stop: cancelled, by ada',
  ],
  killDue: [
    { type: 'killDue', job: 17, attempt: '17.1' },
    'attempt 17.1 did not stop in time and is to be killed',
  ],
  signalRequested: [
    { type: 'signalRequested', job: 17, attempt: '17.1', n: 1, signal: 10, scope: 'all', by: 'ada' },
    'attempt 17.1 is to get SIGUSR1, by ada',
  ],
  suspendAnnounced: [
    {
      type: 'suspendAnnounced',
      job: 17,
      attempt: '17.1',
      by: 'ada',
      cause: 'queue',
      suspendAt: NOW,
    },
    'attempt 17.1 was told that it will be suspended with its queue, by ada',
  ],
  attemptSuspended: [
    { type: 'attemptSuspended', job: 17, attempt: '17.1', by: 'ada' },
    'attempt 17.1 was suspended, by ada',
  ],
  attemptResumed: [
    { type: 'attemptResumed', job: 17, attempt: '17.1', by: 'ada' },
    'attempt 17.1 was resumed, by ada',
  ],
  stepStarted: [
    { type: 'stepStarted', job: 17, step: aStep() },
    'step 0 (python) of attempt 17.1 started on node1',
  ],
  stepStopRequested: [
    { type: 'stepStopRequested', job: 17, attempt: '17.1', n: 0, by: 'ada' },
    'step 0 of attempt 17.1 is to stop, by ada',
  ],
  stepEnded: [
    { type: 'stepEnded', job: 17, attempt: '17.1', n: 0, exit, usage: null },
    'step 0 of attempt 17.1 ended: exit code 3',
  ],
  signalSent: [
    { type: 'signalSent', job: 17, attempt: '17.1', n: 1 },
    'attempt 17.1 got the signal asked for',
  ],
  attemptEnded: [
    {
      type: 'attemptEnded',
      job: 17,
      attempt: '17.1',
      exit,
      usage: { peakMemoryBytes: 2 ** 30, cpuMs: 5 },
      fault: null,
    },
    'attempt 17.1 ended: exit code 3, 1G memory at its peak',
  ],
  attemptSyncing: [
    { type: 'attemptSyncing', job: 17, attempt: '17.1', exit, usage: null, fault: null },
    'the processes of attempt 17.1 have ended (exit code 3); what they left is being made safe',
  ],
  checkpointKept: [
    {
      type: 'checkpointKept',
      job: 17,
      attempt: '17.1',
      checkpoint: { name: 'step-100.pt', step: 100, bytes: 2 ** 30, writtenAt: NOW, keptAt: NOW },
    },
    'checkpoint step-100.pt of attempt 17.1 is safe: step 100, 1G',
  ],
  checkpointTroubled: [
    { type: 'checkpointTroubled', job: 17, attempt: '17.1', trouble: 'no space left on /data' },
    'the checkpoints of attempt 17.1 cannot be made safe (no space left on /data)',
  ],
  attemptLost: [
    { type: 'attemptLost', job: 17, attempt: '17.1', reason: 'the machine restarted' },
    'attempt 17.1 was lost (the machine restarted)',
  ],
  jobRequeued: [
    { type: 'jobRequeued', job: 17, why: 'its node was lost', hold: null },
    'job 17 was queued again (its node was lost)',
  ],
  jobEnded: [
    { type: 'jobEnded', job: 17, outcome: 'timeout', note: null, by: null },
    'job 17 ended: timeout',
  ],
  nodeSeen: [{ type: 'nodeSeen', node }, 'node node1 is here: 8 CPUs, 64G memory'],
  nodeGone: [{ type: 'nodeGone', node: 'node1' }, 'node node1 is gone'],
  nodeDrained: [
    { type: 'nodeDrained', node: 'node1', reason: 'repair' },
    'node node1 takes no new jobs (repair)',
  ],
  nodeResumed: [{ type: 'nodeResumed', node: 'node1' }, 'node node1 takes jobs again'],
  nodeLost: [{ type: 'nodeLost', node: 'node1', reason: 'silent' }, 'node node1 was lost (silent)'],
  queueChanged: [
    { type: 'queueChanged', queue: 'gpu', state: { disabled: true, suspended: false }, by: 'ada' },
    'queue gpu was disabled, by ada',
  ],
  deviceShareChanged: [
    {
      type: 'deviceShareChanged',
      job: 17,
      attempt: '17.1',
      node: 'node1',
      share: { index: 2, millis: 125, hasGrown: true },
      because: 'grown',
    },
    'attempt 17.1 uses more than was kept for it: 12.5 % of GPU 2 of node1 from now on',
  ],
  footprintLearned: [
    { type: 'footprintLearned', footprint: aFootprint(), attempt: '17.1', by: null },
    'attempt 17.1 showed what jobs like train.py use of a GPU a100: 3G at most in 2 runs',
  ],
  footprintForgotten: [
    { type: 'footprintForgotten', key: 'kind:resnet#0', device: 'a100', by: 'ada' },
    'what kind:resnet#0 uses of a GPU a100 was forgotten, by ada',
  ],
  foreignUseSeen: [
    { type: 'foreignUseSeen', node: 'node1', foreign: [{ index: 0, bytes: 2 ** 30 }] },
    "others than the yard's jobs use 1G of GPU 0 on node1",
  ],
  clockJumped: [{ type: 'clockJumped', byMs: -3_600_000 }, 'the clock jumped back by 1h'],
};

describe('sentences', () => {
  const said = (body: EventBody) => eventSentence({ at: NOW, ...body });

  it('say what is out of the ordinary', () => {
    const ofAttempt = { job: 17, attempt: '17.1' } as const;
    const { placement } = anAttempt();
    expect(said({ type: 'attemptAssigned', ...ofAttempt, placement, queue: 'gpu' })).toBe(
      'attempt 17.1 was given its place on node1 in queue gpu',
    );
    expect(
      said({ type: 'stopRequested', ...ofAttempt, cause: 'cancelled', by: 'ada', killAt: NOW, isKill: true }),
    ).toBe('attempt 17.1 is to be killed: cancelled, by ada');
    const hold = { by: 'yard', reason: 'broken', isError: true } as const;
    expect(said({ type: 'jobRequeued', job: 17, why: 'broken', hold })).toBe(
      'job 17 was queued again and held in error (broken)',
    );
    expect(said({ type: 'attemptResumed', ...ofAttempt, by: 'ada', cause: 'queue' })).toBe(
      'attempt 17.1 was resumed with its queue, by ada',
    );
    const room = { ...ofAttempt, by: 'the yard', cause: 'preemption' } as const;
    expect(said({ type: 'attemptSuspended', ...room, forJob: 30 })).toBe(
      'attempt 17.1 was suspended to make room for job 30, by the yard',
    );
    expect(said({ type: 'attemptResumed', ...room })).toBe(
      'attempt 17.1 was resumed: there is room again, by the yard',
    );
    const queue = (disabled: boolean, suspended: boolean) =>
      said({ type: 'queueChanged', queue: 'gpu', state: { disabled, suspended }, by: 'ada' });
    expect(queue(false, false)).toBe('queue gpu starts jobs again, by ada');
    expect(queue(true, true)).toBe('queue gpu was suspended and disabled, by ada');
  });

  it('there is one for every kind of event', () => {
    for (const [body, sentence] of Object.values(SENTENCES)) {
      expect(eventSentence({ at: NOW, ...body })).toBe(sentence);
    }
  });
});

function recorded(): RecordedEvent[] {
  const kinds = ['jobSubmitted', 'nodeSeen', 'attemptStarted', 'jobEnded'] as const;
  return kinds.map((kind, i) => ({ seq: i + 1, event: { at: NOW + i * 1000, ...SENTENCES[kind][0] } }));
}

describe('events', () => {
  it('lists what happened, in the zone of the caller', () => {
    const yard = fakeYard({ events: recorded(), views: [aView(aJob())] });
    expect(run(yard, ['events', '-n', '2'], { timeZone: 'Europe/Berlin' }).stdout).toBe(
      '2026-03-10 15:20:02  attempt 17.1 started\n2026-03-10 15:20:03  job 17 ended: timeout\n',
    );
    expect(run(yard, ['events', '--job', '17']).stdout.split('\n')).toHaveLength(4);
    expect(run(yard, ['events', '--job', '99'])).toMatchObject({ code: 1 });
    expect(run(fakeYard(), ['events']).stdout).toBe('nothing has happened yet\n');
    const value = JSON.parse(run(yard, ['events', '--json', '-n', '1']).stdout);
    expect(value.events).toEqual([
      expect.objectContaining({
        seq: 4,
        type: 'jobEnded',
        at: '2026-03-10T14:20:03.000Z',
        sentence: 'job 17 ended: timeout',
      }),
    ]);
  });

  it('shows names from outside safely', () => {
    const spec = aSpec({ name: 'a\n\x1b[2J' });
    const yard = fakeYard({
      events: [{ seq: 1, event: { at: NOW, type: 'jobSubmitted', job: 1, spec, phase: 'held' } }],
    });
    expect(run(yard, ['events']).stdout).toContain('job 1 (a\\n\\x1b[2J) was submitted');
  });

  it('goes on with -f, each event once', () => {
    const all = recorded();
    const yard = fakeYard({ events: all.slice(0, 2) });
    yard.meanwhile = [() => (yard.events = all.slice(0, 3)), () => (yard.events = all)];
    const { stdout, code } = run(yard, ['events', '-f', '-n', '1']);
    expect(code).toBe(CALLER_GONE);
    expect(stdout.split('\n').map((line) => line.slice(21))).toEqual([
      'node node1 is here: 8 CPUs, 64G memory',
      'attempt 17.1 started',
      'job 17 ended: timeout',
      '',
    ]);
  });

  it('follows one job past the events of others', () => {
    const all = recorded();
    const yard = fakeYard({ events: all.slice(0, 1), views: [aView(aJob())] });
    yard.meanwhile = [() => (yard.events = all.slice(0, 2)), () => (yard.events = all)];
    const { stdout } = run(yard, ['events', '-f', '-n', '0', '--job', '17']);
    expect(stdout.split('\n').map((line) => line.slice(21))).toEqual([
      'attempt 17.1 started',
      'job 17 ended: timeout',
      '',
    ]);
  });
});

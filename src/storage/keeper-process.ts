/**
 * The keeper of a yard, as a process of its own: started when it is first needed, started again when it dies, and then
 * asked again what it had not answered and told again what to watch. What it does while it works is not known here.
 */

import type { AttemptId } from '../model/ids.ts';
import { Fault } from '../model/refusal.ts';
import { packageRoot } from '../platform/install.ts';
import type { Flushed, Keeper, KeeperEvents, KeepOrder, Prepared } from './keeper.ts';
import { type KeeperChild, startKeeperChild } from './keeper-child.ts';
import type { FromKeeper, ToKeeper } from './keeper-protocol.ts';

export interface KeeperProcess extends Keeper {
  /** Null while there is none. */
  pid(): number | null;
}

export interface KeeperTimes {
  /** Before the second restart in a row; twice as long before each further one. */
  readonly restartMs: number;
  readonly longestRestartMs: number;
  /** One that has lived so long did not die of being started. */
  readonly steadyMs: number;
  /** Whoever asks something of which so many die is told so. */
  readonly mostDeaths: number;
  /** How much longer than its limit a flush is waited for. */
  readonly slackMs: number;
}

const KEEPER_TIMES: KeeperTimes = {
  restartMs: 100,
  longestRestartMs: 10_000,
  steadyMs: 10_000,
  mostDeaths: 8,
  slackMs: 30_000,
};

interface Question {
  /** As it is to be asked now. */
  readonly message: () => Extract<ToKeeper, { id: number }>;
  readonly settle: (answer: unknown) => void;
  readonly fail: (fault: Fault) => void;
  deaths: number;
}

export interface KeeperProcessOptions {
  readonly events: KeeperEvents;
  readonly program?: string;
  readonly times?: Partial<KeeperTimes>;
}

export function createKeeperProcess({ events, program, times: some }: KeeperProcessOptions): KeeperProcess {
  const times = { ...KEEPER_TIMES, ...some };
  const questions = new Map<number, Question>();
  const watched = new Map<AttemptId, KeepOrder>();
  /** Those that were told that nobody looks after them. */
  const neglected = new Set<AttemptId>();
  let lastId = 0;
  let child: KeeperChild | null = null;
  let steadyTimer: NodeJS.Timeout | null = null;
  let restartTimer: NodeJS.Timeout | null = null;
  let deathsInRow = 0;
  let isClosed = false;

  /** Does nothing while one is on its way: everything that is owed is sent when it is there. */
  function ensureChild(): boolean {
    if (child !== null) return true;
    if (restartTimer !== null || isClosed) return false;
    start();
    return false;
  }

  function start(): void {
    const startedAt = performance.now();
    const started = startKeeperChild({
      program: program ?? `${packageRoot()}/dist/bin/keeper.js`,
      heard,
      log: events.log,
      ended: (how) => {
        if (child !== started) return;
        child = null;
        if (steadyTimer !== null) clearTimeout(steadyTimer);
        if (!isClosed) onDeath(how, performance.now() - startedAt);
      },
    });
    child = started;
    steadyTimer = setTimeout(onSteady, times.steadyMs);
    steadyTimer.unref();
    for (const order of watched.values()) started.send({ say: 'watch', order });
    for (const question of questions.values()) started.send(question.message());
  }

  function onSteady(): void {
    deathsInRow = 0;
    for (const attempt of neglected) events.trouble(attempt, null);
    neglected.clear();
  }

  function onDeath(how: string, livedMs: number): void {
    events.log(`the keeper ${how}`);
    deathsInRow = livedMs >= times.steadyMs ? 1 : deathsInRow + 1;
    for (const [id, question] of questions) {
      question.deaths++;
      if (question.deaths < times.mostDeaths) continue;
      questions.delete(id);
      question.fail(new Fault(`the process that copies checkpoints ${how}, again and again`, true));
    }
    if (deathsInRow >= times.mostDeaths) neglectAll(how);
    restartTimer = setTimeout(() => {
      restartTimer = null;
      if (child === null && (questions.size > 0 || watched.size > 0)) start();
    }, restartDelayMs());
  }

  /** One death may have come from outside, and is made good at once. */
  function restartDelayMs(): number {
    if (deathsInRow < 2) return 0;
    return Math.min(times.restartMs * 2 ** Math.min(deathsInRow - 2, 20), times.longestRestartMs);
  }

  function neglectAll(how: string): void {
    for (const attempt of watched.keys()) {
      if (neglected.has(attempt)) continue;
      neglected.add(attempt);
      events.trouble(attempt, `checkpoints are not being kept: the process that copies them ${how}`);
    }
  }

  function heard(message: FromKeeper): void {
    switch (message.say) {
      case 'answer':
        return take(message.id)?.settle(message.answer);
      case 'fault':
        return take(message.id)?.fail(new Fault(message.message, message.retryable));
      case 'log':
        return events.log(message.line);
      case 'kept':
        return events.kept(message.attempt, message.checkpoint);
      case 'trouble':
        return events.trouble(message.attempt, message.trouble);
      case 'overScratch':
        return events.overScratch(message.attempt, message.usedBytes);
    }
  }

  function take(id: number): Question | undefined {
    const question = questions.get(id);
    questions.delete(id);
    return question;
  }

  function ask(
    message: (id: number) => Extract<ToKeeper, { id: number }>,
    settle: Question['settle'],
    fail: Question['fail'],
  ): number {
    const id = ++lastId;
    questions.set(id, { message: () => message(id), settle, fail, deaths: 0 });
    if (ensureChild()) child?.send(message(id));
    return id;
  }

  function forget(attempt: AttemptId): void {
    watched.delete(attempt);
    neglected.delete(attempt);
  }

  return {
    pid: () => child?.pid ?? null,
    prepare: (order) =>
      new Promise<Prepared>((resolve, reject) => {
        ask((id) => ({ say: 'prepare', id, order }), resolve as Question['settle'], reject);
      }),
    watch(order) {
      watched.set(order.attempt, order);
      if (ensureChild()) child?.send({ say: 'watch', order });
    },
    flush: (order, ending) =>
      new Promise<Flushed>((resolve) => {
        forget(order.attempt);
        const deadline = performance.now() + ending.limitMs;
        const unsafe = (why: string) => resolve({ trouble: unsafeSentence(order, why), checkpoint: null });
        const left = () => ({ ...ending, limitMs: Math.max(0, Math.round(deadline - performance.now())) });
        const id = ask(
          (given) => ({ say: 'flush', id: given, order, ending: left() }),
          (answer) => {
            clearTimeout(giveUp);
            resolve(answer as Flushed);
          },
          (fault) => {
            clearTimeout(giveUp);
            unsafe(fault.message);
          },
        );
        const giveUp = setTimeout(() => {
          if (take(id) !== undefined) unsafe('the storage does not answer');
        }, ending.limitMs + times.slackMs);
        giveUp.unref();
      }),
    letGo(attempt) {
      forget(attempt);
      for (const [id, { message, fail }] of questions) {
        const asked = message();
        if (asked.say === 'ask' || asked.order.attempt !== attempt) continue;
        questions.delete(id);
        fail(new Fault('nobody wanted it any more', true));
      }
      child?.send({ say: 'letGo', attempt });
    },
    ask: (order, question) =>
      new Promise((resolve, reject) => {
        ask((id) => ({ say: 'ask', id, order, ask: question }), resolve as Question['settle'], reject);
      }),
    /** What it was still asked to prepare or flush is not answered: whoever comes next asks again. */
    async close() {
      isClosed = true;
      if (restartTimer !== null) clearTimeout(restartTimer);
      if (steadyTimer !== null) clearTimeout(steadyTimer);
      const open = [...questions.values()];
      questions.clear();
      watched.clear();
      for (const { message, fail } of open)
        if (message().say === 'ask') fail(new Fault('the yard is being closed', true));
      await child?.end();
    },
  };
}

function unsafeSentence({ from }: KeepOrder, why: string): string {
  const where = from === null ? '' : `; what was not copied is still in ${from}`;
  return `not everything is known to be safe: ${why}${where}`;
}

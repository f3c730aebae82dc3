/** A real engine on a directory of its own, for tests that run real processes. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeSnapshot } from '../../src/agent/members.ts';
import { createEmbeddedEngine, type EmbeddedEngineOptions } from '../../src/engines/embedded.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { Attempt, Job } from '../../src/model/job.ts';
import { sendSignal } from '../../src/platform/processes.ts';
import { build, createBlobs, createReports, nodeOf, type Wish } from './builders.ts';

let yards = 0;

export const TEST_TIMES = {
  checkEveryMs: 50,
  measureEveryMs: 50,
  lookForCallersEveryMs: 20,
  keepForgottenMs: 300,
  strays: { lookEveryMs: 50, graceMs: 200, giveUpMs: 5000 },
  steps: { claimWithinMs: 30_000, graceMs: 100 },
};

export type TestYard = Awaited<ReturnType<typeof openYard>>;

type Options = Partial<EmbeddedEngineOptions>;

/** Options may depend on the directory that everything of the test is in. */
export async function openYard(given: Options | ((directory: string) => Options) = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-agent-'));
  const yardId = `test-${process.pid}-${++yards}`;
  const options = typeof given === 'function' ? given(directory) : given;
  const workDir = join(directory, 'work');
  mkdirSync(workDir);
  const blobs = createBlobs();
  const built = new Map<string, { readonly job: Job; readonly attempt: Attempt }>();
  /** Attempts whose end the store would know. */
  const onRecord = new Set<string>();
  const log: string[] = [];
  let current = await open();

  async function open() {
    const reports = createReports();
    const engine = createEmbeddedEngine({
      directory: join(directory, 'yard'),
      yardId,
      nodes: [nodeOf()],
      useCgroups: false,
      times: TEST_TIMES,
      ...options,
    });
    await engine.open({
      report: reports.report,
      blob: blobs.blob,
      isOwed: (attempt) => built.has(attempt) && !onRecord.has(attempt) && !reports.hasEnded(attempt),
      log: (line) => log.push(line),
    });
    return { engine, reports };
  }

  /** Looks again whenever something changes in the working directory. */
  function seen(isThere: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watcher = watch(workDir, () => look());
      const look = () => {
        if (!isThere()) return;
        watcher.close();
        resolve();
      };
      look();
    });
  }

  return {
    directory,
    workDir,
    yardId,
    log,
    onRecord,
    get engine() {
      return current.engine;
    },
    get reports() {
      return current.reports;
    },

    build(wish: Partial<Wish> = {}) {
      const made = build(blobs, { workDir, ...wish });
      built.set(made.attempt.id, made);
      return made;
    },

    perform(type: 'start' | 'watch', made: { readonly job: Job; readonly attempt: Attempt }) {
      current.engine.perform({ type, ...made });
    },

    effect(effect: Effect) {
      current.engine.perform(effect);
    },

    start(wish: Partial<Wish>) {
      const made = this.build(wish);
      this.perform('start', made);
      return made;
    },

    /** Starts it and waits for its end. */
    async run(wish: Partial<Wish>) {
      const { attempt } = this.start(wish);
      return current.reports.next('attemptEnded', attempt.id);
    },

    output(name = 'out'): string {
      return readFileSync(join(workDir, name), 'latin1');
    },

    /** Resolves when a job has made this file in the working directory. */
    made(name: string): Promise<void> {
      return seen(() => existsSync(join(workDir, name)));
    },

    /** Resolves when a job has printed this. */
    printed(text: string): Promise<void> {
      return seen(() => existsSync(join(workDir, 'out')) && this.output().includes(text));
    },

    /** Another agent takes over, as after a crash of the first. */
    async reopen() {
      await current.engine.close();
      current = await open();
    },

    async close() {
      await current.engine.close();
      for (const attempt of built.keys()) {
        const target = {
          attempt,
          step: null,
          shims: [],
          callers: [],
          orphans: [],
          sinceTicks: 0,
          cgroups: [],
        };
        for (const { pid } of takeSnapshot(yardId).membersOf(target)) sendSignal(pid, 9);
      }
      // A shim may be writing down the end of what was killed just now.
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** For tests of the loop: an engine without processes, and what a daemon knows of itself. */

import type { Engine, EngineContext } from '../src/engines/engine.ts';
import type { Effect } from '../src/model/effect.ts';
import type { Surroundings } from '../src/server/query-sources.ts';
import { aNode } from './builders.ts';

export interface Noted {
  readonly engine: Engine;
  readonly effects: Effect[];
  readonly forgotten: string[];
  readonly context: () => EngineContext;
}

/** An engine that does nothing and notes everything. */
export function notingEngine(cpus = 2): Noted {
  const effects: Effect[] = [];
  const forgotten: string[] = [];
  let context: EngineContext | null = null;
  return {
    effects,
    forgotten,
    context: () => context as EngineContext,
    engine: {
      name: 'noting',
      open: async (given) => {
        context = given;
        given.report({ type: 'nodesSeen', nodes: [aNode('n1').withCpus(cpus).node] });
      },
      perform: (effect) => void effects.push(effect),
      measure: () => null,
      devices: () => ({ source: null, devices: [] }),
      giveBack: () => false,
      planRun: () => {
        throw new Error('nothing runs here');
      },
      checkpoints: async () => {
        throw new Error('nothing is kept here');
      },
      forgetStep: () => {},
      forget: (attempt) => void forgotten.push(attempt),
      remarks: () => [],
      close: async () => {},
    },
  };
}

export const SURROUNDINGS: Surroundings = {
  version: '0',
  name: 'yard',
  host: 'box',
  mail: null,
  userNamed: () => null,
  machine: () => ({ architecture: 'x86_64', system: 'Linux', bootedAt: 0, load: 0, freeMemoryBytes: 0 }),
  directory: '/',
  socket: '/',
  startedAt: 0,
  user: 'ann',
  config: { file: null, values: [] },
  remarks: () => [],
};

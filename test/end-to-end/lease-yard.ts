/** A real yard with pretended GPUs, and clients of its leases: connections of this process, and processes of their own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { yardApi } from '../../src/client/api.ts';
import type { Event, RecordedEvent } from '../../src/model/event.ts';
import type { YardView } from '../../src/model/query.ts';
import type { LeaseWord } from '../../src/server/leases/lease.ts';
import { type LeaseStream, openLease } from '../api/lease-stream.ts';
import { type YardAtHand, yardAtHand } from './yard-at-hand.ts';

export interface LeaseYard extends YardAtHand {
  socketPath(): string;
  lease(kind: string, more?: object): Promise<LeaseStream>;
  /** The same by a process that can be killed. */
  process(kind: string): Promise<LeaseProcess>;
  complete(lease: string, body?: object): Promise<{ job: number; changed: boolean }>;
  /** Resolves with the first event of which this is true, whether or not it has happened yet. */
  event(isIt: (event: Event) => boolean): Promise<Event>;
  /** Starts the daemon that a kill has ended. */
  startAgain(): Promise<void>;
}

export interface LeaseProcess {
  readonly pid: number;
  word<S extends LeaseWord['state']>(state: S): Promise<Extract<LeaseWord, { state: S }>>;
  kill(): Promise<void>;
}

const CLIENT = `
const [socketPath, body] = process.argv.slice(1);
const asking = require('node:http').request({ socketPath, method: 'POST', path: '/v1/leases' }, (response) => {
  response.pipe(process.stdout);
  response.on('error', () => {});
});
asking.end(body);
setInterval(() => {}, 1e6);
`;

export async function leaseYard(gpus: string): Promise<LeaseYard> {
  const yard = yardAtHand();
  const processes = new Set<ChildProcess>();
  let socketPath = '';
  const seen: RecordedEvent[] = [];
  const lookers = new Set<() => void>();
  let stopFollowing = () => {};
  const onEvent = (recorded: RecordedEvent) => {
    seen.push(recorded);
    for (const look of [...lookers]) look();
  };
  const findSocket = async () => {
    stopFollowing();
    socketPath = (await yard.json<YardView>('status')).socket;
    stopFollowing = yardApi(socketPath).follow(seen.at(-1)?.seq ?? 0, { onEvent, onGone: () => {} });
  };
  await yard.run('up', '--simulate-gpus', gpus);
  await findSocket();

  return {
    ...yard,
    socketPath: () => socketPath,
    lease: (kind, more = {}) => openLease(socketPath, { kind, ...more }),
    complete: (lease, body = {}) => yardApi(socketPath).post(`/v1/leases/${lease}/complete`, body),
    startAgain: findSocket,
    async process(kind) {
      const child = spawn(process.execPath, ['-e', CLIENT, socketPath, JSON.stringify({ kind })], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      processes.add(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        pid: child.pid as number,
        async word(state) {
          for (;;) {
            const { value, done } = await lines.next();
            if (done === true) throw new Error(`it ended without a word of ${state}`);
            const word = JSON.parse(value) as LeaseWord;
            if (word.state === state) return word as never;
          }
        },
        async kill() {
          const gone = once(child, 'exit');
          child.kill('SIGKILL');
          await gone;
          processes.delete(child);
        },
      };
    },
    event: (isIt) =>
      new Promise((resolve) => {
        const look = () => {
          const found = seen.find(({ event }) => isIt(event));
          if (found === undefined) return;
          lookers.delete(look);
          resolve(found.event);
        };
        lookers.add(look);
        look();
      }),
    async close() {
      stopFollowing();
      for (const child of processes) child.kill('SIGKILL');
      await yard.close();
    },
  };
}

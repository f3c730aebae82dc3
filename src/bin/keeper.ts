/**
 * The keeper's process. It is told what to do on its standard input, and ends with it: whoever started it is gone
 * then, and the next one starts a keeper of its own. What it was doing may be cut off at any point.
 */

import { loadOneByOne } from '../platform/load-modules.ts';
import { KEEPER_PROTOCOL } from '../storage/keeper-protocol.ts';
import { serveKeeper } from '../storage/serve-keeper.ts';

if (process.argv[2] !== KEEPER_PROTOCOL) {
  process.stderr.write('the keeper is of another version than the yard that started it: restart the yard\n');
  process.exit(2);
}
// The terminal or the session that its yard was started from may go.
process.on('SIGHUP', () => {});
process.stdout.on('error', end);

const { createLocalKeeper } = await loadOneByOne(
  import.meta.filename,
  '../storage/local-keeper',
  () => import('../storage/local-keeper.ts'),
);
await serveKeeper({ input: process.stdin, write: (line) => process.stdout.write(line) }, (events) =>
  createLocalKeeper({ events, now: () => Date.now() }),
);
end();

/** At once, lock and all: an exit would wait for threads, and those for storage that may hang. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

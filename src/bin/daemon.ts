/** The daemon's process: reads its options, says to its starter how starting went, and runs until told to stop. */

import { closeSync, writeSync } from 'node:fs';
import { formatReadiness, READINESS_FD, READINESS_FLAG, type Readiness } from '../client/readiness.ts';
import { loadOneByOne } from '../platform/load-modules.ts';
import { parseDaemonOptions } from './daemon-options.ts';
import { takeStartOrders } from './start-orders.ts';

const words = process.argv.slice(2);
const announces = words.includes(READINESS_FLAG);
const { orders, rest } = takeStartOrders(words.filter((word) => word !== READINESS_FLAG));

const { runDaemon } = await loadOneByOne(
  import.meta.filename,
  './run-daemon',
  () => import('./run-daemon.ts'),
);
process.exit(await runDaemon(parseDaemonOptions(rest), { announce, alsoLog: () => {} }, orders));

function announce(word: Readiness): void {
  if (!announces) return;
  try {
    writeSync(READINESS_FD, formatReadiness(word));
    closeSync(READINESS_FD);
  } catch {
    // The command that started us was interrupted: the next one finds us all the same.
  }
}

/** `scontrol ping`: whoever gets an answer knows that the yard is up. */

import { type Asking, printOut, query } from '../../program.ts';
import { atMost, type Call, EXIT_OK } from './call.ts';

export function* ping(call: Call): Asking<number> {
  atMost(call, 0);
  const { host } = yield* query('yard', {});
  yield* printOut(pingText(host));
  return EXIT_OK;
}

export function pingText(host: string): string {
  return `Slurmctld(primary) at ${host} is UP\n`;
}

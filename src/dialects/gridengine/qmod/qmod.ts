/** `qmod`: changes the states of jobs and queues. All it has to say about them goes to stdout. */

import { printable } from '../../../model/bytes.ts';
import { type Asking, printOut } from '../../program.ts';
import { changerOf } from '../changer.ts';
import type { GridEngineCommand } from '../command.ts';
import { type Deed, readCall, usage } from './call.ts';
import { QMOD_HELP } from './help.ts';
import { type Doer, dealWithJobs } from './job-deeds.ts';
import { dealWithQueues } from './queue-deeds.ts';

const EXIT_OK = 0;
const EXIT_FAILED = 1;

export const qmod: GridEngineCommand = {
  name: 'qmod',
  *run(invocation) {
    const words = invocation.argv.slice(1);
    if (words.length === 0) throw usage('ERROR! no option argument');
    const { help, force, deeds } = readCall(words);
    if (help) {
      yield* printOut(QMOD_HELP);
      return EXIT_OK;
    }
    const changer = yield* changerOf('qmod', invocation);
    let exitCode = EXIT_OK;
    for (const deed of deeds) if (!(yield* carryOut({ ...changer, force }, deed))) exitCode = EXIT_FAILED;
    return exitCode;
  },
};

function* carryOut(doer: Doer, deed: Deed): Asking<boolean> {
  const went =
    deed.on === 'job'
      ? yield* dealWithJobs(doer, deed.verb, deed.word)
      : yield* dealWithQueues(doer, deed.verb, deed.text);
  if (typeof went === 'boolean') return went;
  const text = deed.on === 'job' ? deed.word.text : deed.text;
  yield* printOut(`invalid ${deed.otherwise} "${printable(text)}"\n`);
  return false;
}

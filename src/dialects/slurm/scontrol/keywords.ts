/** Every keyword of `scontrol`: how much of it must be written, and what it does. */

import { type Asking, printOut } from '../../program.ts';
import { chooseCluster } from '../clusters.ts';
import { SLURM_VERSION } from '../command.ts';
import { atMost, type Call, EXIT_OK, type Manner, refusing, saying } from './call.ts';
import { completing } from './completing.ts';
import { doTo, hold, release, requeueKeyword, resume, suspend } from './control.ts';
import { HELP } from './help.ts';
import { notify } from './notify.ts';
import { listPids, pidInfo } from './pids.ts';
import { ping } from './ping.ts';
import { show } from './show.ts';
import { top } from './top.ts';
import { update } from './update.ts';
import { waitJob } from './wait-job.ts';
import { write } from './write.ts';

export interface Keyword {
  readonly name: string;
  /** So many letters of it are enough. */
  readonly least: number;
  readonly run: (call: Call) => Asking<number>;
  /** How answers are given from now on. */
  readonly sets?: Partial<Manner>;
  /** Whether no more commands are read after it. */
  readonly ends?: boolean;
}

const nothing = saying('');

/** In the order in which they are looked for. */
const KEYWORDS: readonly Keyword[] = [
  { name: 'all', least: 2, run: nothing },
  { name: 'cluster', least: 2, run: cluster },
  { name: 'completing', least: 2, run: completing },
  { name: 'details', least: 1, run: nothing, sets: { details: true } },
  { name: 'errnumstr', least: 2, run: administration('`scontrol` says its errors in words') },
  { name: 'exit', least: 2, run: nothing, ends: true },
  { name: 'help', least: 2, run: help },
  { name: 'hide', least: 2, run: nothing },
  { name: 'hold', least: 4, run: doTo(hold) },
  { name: 'holdu', least: 5, run: doTo(hold) },
  { name: 'listpids', least: 1, run: listPids },
  { name: 'notify', least: 1, run: notify },
  { name: 'oneliner', least: 1, run: nothing, sets: { oneLine: true } },
  { name: 'pidinfo', least: 3, run: pidInfo },
  { name: 'ping', least: 3, run: ping },
  { name: 'quiet', least: 4, run: nothing, sets: { quiet: true } },
  { name: 'quit', least: 4, run: nothing, ends: true },
  { name: 'release', least: 3, run: doTo(release) },
  { name: 'requeue', least: 3, run: requeueKeyword(false) },
  { name: 'requeuehold', least: 8, run: requeueKeyword(true) },
  { name: 'resume', least: 3, run: doTo(resume) },
  { name: 'show', least: 3, run: show },
  { name: 'suspend', least: 2, run: doTo(suspend) },
  { name: 'top', least: 3, run: top },
  { name: 'update', least: 1, run: update },
  { name: 'uhold', least: 2, run: doTo(hold) },
  { name: 'verbose', least: 4, run: nothing, sets: { quiet: false } },
  { name: 'version', least: 4, run: version },
  { name: 'wait_job', least: 2, run: waitJob },
  { name: 'write', least: 5, run: write },
  { name: 'abort', least: 5, run: administration('`trainyard down` stops the yard') },
  { name: 'cancel_reboot', least: 3, run: administration('a yard reboots no machine') },
  { name: 'create', least: 2, run: administration('nodes and partitions come from trainyard.toml') },
  { name: 'delete', least: 3, run: administration('nodes and partitions come from trainyard.toml') },
  { name: 'fsdampeningfactor', least: 3, run: administration('fair share is set in trainyard.toml') },
  { name: 'reboot', least: 3, run: administration('a yard reboots no machine') },
  {
    name: 'reconfigure',
    least: 3,
    run: administration('a yard reads trainyard.toml when it starts: `trainyard down`, then `trainyard up`'),
  },
  {
    name: 'schedloglevel',
    least: 3,
    run: administration('`trainyard why JOB` tells what the scheduler thinks'),
  },
  { name: 'setdebug', least: 2, run: administration('a yard writes all that it knows to its log') },
  { name: 'setdebugflags', least: 9, run: administration('a yard writes all that it knows to its log') },
  { name: 'shutdown', least: 3, run: administration('`trainyard down` stops the yard; jobs go on') },
  { name: 'takeover', least: 2, run: administration('a yard has no backup to take over') },
  {
    name: 'token',
    least: 3,
    run: administration('the kernel tells the yard who is calling: no token is needed'),
  },
];

export function keywordNamed(written: string): Keyword | null {
  const wanted = written.toLowerCase();
  return KEYWORDS.find(({ name, least }) => wanted.length >= least && name.startsWith(wanted)) ?? null;
}

/** What runs a cluster from day to day has no counterpart here, or another name. */
function administration(sentence: string): Keyword['run'] {
  return (call) => refusing(`${call.keyword} is not for a yard: ${sentence}`)();
}

function* help(call: Call): Asking<number> {
  yield* printOut(HELP);
  atMost(call, 0);
  return EXIT_OK;
}

function* version(call: Call): Asking<number> {
  atMost(call, 0);
  yield* printOut(`slurm ${SLURM_VERSION}\n`);
  return EXIT_OK;
}

function* cluster({ words }: Call): Asking<number> {
  yield* chooseCluster('scontrol', words[0] ?? null, null);
  return EXIT_OK;
}

/** `scontrol update NodeName=… State=…`: a node takes no more jobs, or takes them again. */

import { type Asking, command, printErr, query } from '../../program.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { expandHosts } from '../host-list.ts';
import { type Call, complain, EXIT_FAILED, EXIT_OK } from './call.ts';
import type { Assignment } from './specification.ts';

type NodeAction = 'drain' | 'resume';

const ACTIONS: Readonly<Record<string, NodeAction>> = {
  DRAIN: 'drain',
  DOWN: 'drain',
  FAIL: 'drain',
  RESUME: 'resume',
  UNDRAIN: 'resume',
  IDLE: 'resume',
};

/** States of machines that are switched on and off by others. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set([
  'NORESP',
  'FUTURE',
  'POWER_DOWN',
  'POWER_DOWN_ASAP',
  'POWER_DOWN_FORCE',
  'POWER_UP',
  'CANCEL_REBOOT',
]);

const NO_EFFECT: ReadonlySet<string> = new Set(['weight', 'comment', 'extra', 'cpubind']);
const FROM_CONFIG: ReadonlySet<string> = new Set([
  'features',
  'availablefeatures',
  'activefeatures',
  'gres',
  'nodeaddr',
  'nodehostname',
]);

interface NodeUpdate {
  /** As it was written; null: nothing about the state was said. */
  state: string | null;
  reason: string | null;
}

export function* updateNodes(
  call: Call,
  assignments: readonly Assignment[],
  nodes: readonly Assignment[],
): Asking<number> {
  const update: NodeUpdate = { state: null, reason: null };
  const others = assignments.filter((each) => !nodes.includes(each));
  if (others.length === 0) return yield* complain(call, 'No changes specified');
  for (const assignment of others) yield* readInto(update, assignment);
  if (update.state === null) {
    if (update.reason === null) return EXIT_OK;
    throw failure('scontrol', 'the reason of a node goes with State=DRAIN');
  }
  if (ACTIONS[update.state] === 'drain' && update.reason === null)
    return yield* complain(call, 'You must specify a reason when DOWNING or DRAINING a node. Request denied');
  const names = yield* nodesNamed(nodes.map(({ value }) => value ?? '').join(','));
  if (names === null) return yield* complain(call, 'slurm_update error: Invalid node name specified');
  return yield* carryOut(call, update.state, update.reason ?? '', names);
}

function* readInto(update: NodeUpdate, { name, text, value }: Assignment): Asking<void> {
  const key = name.toLowerCase();
  if (key === 'reason') update.reason = value ?? '';
  else if (key === 'state') yield* readState(update, text, (value ?? '').toUpperCase());
  else if (NO_EFFECT.has(key)) yield* printErr(`scontrol: warning: ${name} of a node has no effect here\n`);
  else if (FROM_CONFIG.has(key)) {
    const sentence = `scontrol: error: ${name} of a node comes from trainyard.toml: change it there`;
    throw new SlurmFailure([sentence, 'Request aborted'], EXIT_FAILED);
  } else {
    const sentence = `Update of this parameter is not supported: ${text}`;
    throw new SlurmFailure([sentence, 'Request aborted'], EXIT_FAILED);
  }
}

function* readState(update: NodeUpdate, text: string, state: string): Asking<void> {
  if (WITHOUT_MEANING.has(state)) {
    throw new SlurmFailure(
      [`scontrol: error: the machines of a yard are not switched on and off: ${text}`, 'Request aborted'],
      EXIT_FAILED,
    );
  }
  if (!Object.hasOwn(ACTIONS, state)) {
    throw new SlurmFailure(
      [
        `Invalid input: ${text}`,
        'Request aborted',
        `Valid states are: ${['DRAIN', 'DOWN', 'FAIL', 'RESUME', 'UNDRAIN'].join(' ')}`,
        "Not all states are valid given a node's prior state",
      ],
      EXIT_FAILED,
    );
  }
  if (state === 'DOWN') yield* printErr('scontrol: warning: jobs on the node run to their end\n');
  update.state = state;
}

/** Null when one of them is not there. */
function* nodesNamed(text: string): Asking<readonly string[] | null> {
  const all = (yield* query('nodes', { names: null })).map(({ node }) => node.name);
  if (/^all$/i.test(text)) return all;
  const names = expandHosts(text);
  if (names === null || names.length === 0) return null;
  return names.every((name) => all.includes(name)) ? names : null;
}

function* carryOut(call: Call, state: string, reason: string, names: readonly string[]): Asking<number> {
  let exitCode = EXIT_OK;
  for (const { node } of yield* query('nodes', { names })) {
    if (state === 'RESUME' && node.state === 'up') {
      exitCode = yield* complain(call, 'slurm_update error: Invalid node state specified');
      continue;
    }
    const result = yield* command(
      ACTIONS[state] === 'drain'
        ? { type: 'drainNode', node: node.name, reason }
        : { type: 'resumeNode', node: node.name },
    );
    if (!result.ok) exitCode = yield* complain(call, `slurm_update error: ${result.refusal.message}`);
  }
  return exitCode;
}

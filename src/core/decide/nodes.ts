/** Machines coming, going and changing. */

import type { NodeName } from '../../model/ids.ts';
import { isLive } from '../../model/job.ts';
import type { Node } from '../../model/node.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { deviceOf } from '../devices.ts';
import { jobOf, type YardState } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { loseAttempt } from './attempts.ts';
import { isLeaving, leave } from './leaving.ts';

/** The engine's whole list: nodes that are no longer in it leave. */
export function nodesSeen(turn: Turn, nodes: readonly Node[]): null {
  for (const node of nodes) seeNode(turn, node);
  const names = new Set(nodes.map(({ name }) => name));
  for (const name of [...turn.state.nodes.keys()]) {
    if (!names.has(name)) leave(turn, name);
  }
  return null;
}

function seeNode(turn: Turn, node: Node): void {
  const known = turn.state.nodes.get(node.name);
  // Draining is a person's wish and outlasts a restart.
  const drained = known?.state === 'draining' && !isLeaving(known);
  const there = withStrangers(node, known);
  const seen: Node = drained ? { ...there, state: 'draining', reason: known.reason } : there;
  if (known !== undefined && JSON.stringify(known) === JSON.stringify(seen)) return;
  record(turn, { type: 'nodeSeen', node: seen });
}

/** Whoever names the machines does not look at who uses their devices; what was last seen of that still holds. */
function withStrangers(node: Node, known: Node | undefined): Node {
  if (known === undefined || known.devices.every(({ foreignBytes }) => foreignBytes === undefined))
    return node;
  const devices = node.devices.map((device) => {
    const foreignBytes = device.foreignBytes ?? deviceOf(known, device.index)?.foreignBytes;
    return foreignBytes === undefined ? device : { ...device, foreignBytes };
  });
  return { ...node, devices };
}

export function nodeLost(turn: Turn, name: NodeName, reason: string): null {
  const node = turn.state.nodes.get(name);
  if (node === undefined) return null;
  if (node.state !== 'lost') record(turn, { type: 'nodeLost', node: name, reason });
  loseAttemptsOn(turn, name, reason);
  return null;
}

function loseAttemptsOn(turn: Turn, name: NodeName, reason: string): void {
  for (const id of [...turn.state.live]) {
    const job = jobOf(turn.state, id);
    if (!isLive(job.attempt)) continue;
    if (job.attempt.placement.nodes.some((share) => share.node === name))
      loseAttempt(turn, job, job.attempt, reason);
  }
}

export function drainNode(turn: Turn, name: NodeName, reason: string): null | Refusal {
  const node = turn.state.nodes.get(name);
  if (node === undefined) return noSuchNode(turn.state, name);
  const isNews = node.state !== 'draining' || (node.reason !== reason && !isLeaving(node));
  if (isNews) record(turn, { type: 'nodeDrained', node: name, reason });
  return null;
}

export function resumeNode(turn: Turn, name: NodeName): null | Refusal {
  const node = turn.state.nodes.get(name);
  if (node === undefined) return noSuchNode(turn.state, name);
  if (node.state === 'lost')
    return refusal('wrongState', `node ${name} is lost: ${node.reason ?? 'it does not answer'}`);
  if (node.state === 'draining') record(turn, { type: 'nodeResumed', node: name });
  return null;
}

function noSuchNode(state: YardState, name: NodeName): Refusal {
  const names = [...state.nodes.keys()];
  return refusal(
    'noSuchNode',
    `there is no node '${name}'`,
    `choose one of ${names.slice(0, 20).join(', ')}`,
    names,
  );
}

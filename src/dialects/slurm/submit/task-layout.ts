/** How many nodes, tasks and CPUs: what `-N`, `-n`, `-c`, `--ntasks-per-node` and a list of hosts come to together. */

import { complaint, EXIT_OPTION, fatal } from './complaints.ts';
import { type Asked, countAsked, textAsked } from './given.ts';
import { type GpusAsked, nodesForGpus, tasksForGpus } from './gpus.ts';
import type { Submitter } from './options.ts';
import { parseNodeCount } from './values.ts';

export interface TaskLayout {
  readonly nodes: { readonly min: number; readonly max: number };
  readonly ntasks: number;
  /** Somebody said how many tasks there are, or what they follow from. */
  readonly isAsked: boolean;
  readonly tasksPerNode: number | null;
  /** Said on stderr, complete but for the command's name. */
  readonly remarks: readonly string[];
}

export function layOutTasks(asked: Asked, hosts: readonly string[], gpus: GpusAsked): TaskLayout {
  const { command } = asked;
  const ntasksAsked = countAsked(asked, 'ntasks');
  const perNode = countAsked(asked, 'ntasks-per-node');
  if (perNode !== null && gpus.tasksPerGpu !== null) {
    throw fatal(
      command,
      '--ntasks-per-node is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU',
    );
  }
  const nodesAsked = nodesFrom(asked) ?? nodesOfHosts(hosts) ?? fixed(nodesForGpus(gpus));
  checkHosts(command, nodesAsked, hosts);
  const fewest = nodesAsked?.min ?? 1;
  const implied = perNode === null ? tasksForGpus(gpus, fewest) : perNode * fewest;
  const ntasks = ntasksAsked ?? implied ?? fewest;
  const isAsked = ntasksAsked !== null || implied !== null;
  if (nodesAsked !== null && ntasks < nodesAsked.min) {
    const remark = `Warning: can't run ${ntasks} processes on ${nodesAsked.min} nodes, setting nnodes to ${ntasks}`;
    const nodes = { min: ntasks, max: ntasks };
    return { nodes, ntasks, isAsked, tasksPerNode: perNode, remarks: [remark] };
  }
  const needed = perNode === null ? 1 : Math.ceil(ntasks / perNode);
  const nodes =
    nodesAsked === null
      ? { min: needed, max: Math.max(needed, ntasks) }
      : { min: Math.max(nodesAsked.min, Math.min(needed, nodesAsked.max)), max: nodesAsked.max };
  return { nodes, ntasks, isAsked, tasksPerNode: perNode, remarks: [] };
}

interface NodesAsked {
  readonly min: number;
  readonly max: number;
}

function nodesFrom(asked: Asked): NodesAsked | null {
  const text = textAsked(asked, 'nodes');
  if (text === null) return null;
  const count = parseNodeCount(text);
  if (!count.ok) throw complaint(asked.command, count.message, EXIT_OPTION);
  return count;
}

/** A list of hosts without a number of nodes means all of them. */
function nodesOfHosts(hosts: readonly string[]): NodesAsked | null {
  return fixed(hosts.length === 0 ? null : hosts.length);
}

function fixed(count: number | null): NodesAsked | null {
  return count === null ? null : { min: count, max: count };
}

function checkHosts(command: Submitter, nodes: NodesAsked | null, hosts: readonly string[]): void {
  if (nodes === null || hosts.length <= nodes.max) return;
  throw complaint(command, `invalid number of nodes (-N ${hosts.length}-${nodes.max})`, 1);
}

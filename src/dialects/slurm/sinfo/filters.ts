/** Which nodes `sinfo` tells of. */

import { failure, SlurmFailure } from '../failure.ts';
import { expandHosts } from '../host-list.ts';
import { isBusy, type NodeSight } from './node-sights.ts';

export interface NodeFilters {
  readonly nodes: ReadonlySet<string> | null;
  readonly responding: 'only' | 'not' | null;
  /** Null: any. */
  readonly states: StateFilter | null;
}

type Test = (node: NodeSight) => boolean;

export interface StateFilter {
  readonly need: 'all' | 'any';
  readonly tests: readonly Test[];
}

const base =
  (...names: readonly NodeSight['facts']['base'][]): Test =>
  ({ facts }) =>
    names.includes(facts.base) && !facts.flags.includes('DRAIN');

const isDraining: Test = ({ facts }) => facts.flags.includes('DRAIN');
const never: Test = () => false;
const allocated = base('ALLOCATED', 'MIXED');
const completing: Test = (node) => node.completing;
const mixed = base('MIXED');
const reserved = never;

const STATES: Readonly<Record<string, Test>> = {
  alloc: allocated,
  allocated,
  cloud: never,
  comp: completing,
  completing,
  down: base('DOWN'),
  drain: isDraining,
  drained: (node) => isDraining(node) && !isBusy(node.facts),
  draining: (node) => isDraining(node) && isBusy(node.facts),
  drng: (node) => isDraining(node) && isBusy(node.facts),
  err: never,
  error: never,
  fail: never,
  failg: never,
  failing: never,
  futr: never,
  future: never,
  idle: base('IDLE'),
  maint: never,
  mix: mixed,
  mixed,
  no_respond: ({ facts }) => facts.flags.includes('NOT_RESPONDING'),
  npc: never,
  perfctrs: never,
  planned: never,
  plnd: never,
  power_down: never,
  powered_down: never,
  powering_down: never,
  powering_up: never,
  reboot: never,
  'reboot^': never,
  reboot_issued: never,
  reboot_requested: never,
  reserved,
  resv: reserved,
  unk: never,
  unknown: never,
};

const VALID_STATES =
  'unknown,down,idle,allocated,?,mixed,future,drain,drained,draining,no_respond,reserved,perfctrs,cloud,completing,' +
  'powering_down,powered_down,power_down,powering_up,fail,maint,reboot,reboot^,unknown';

/** `idle,mix`, or `drain&down` for nodes that are both. */
export function readStates(text: string | null): StateFilter | null {
  if (text === null || text.toLowerCase() === 'all') return null;
  const need = text.includes('&') ? 'all' : 'any';
  const tests = text
    .split(need === 'all' ? '&' : ',')
    .filter((word) => word !== '')
    .map((word) => {
      const name = word.toLowerCase();
      if (Object.hasOwn(STATES, name)) return STATES[name] as Test;
      throw new SlurmFailure(
        [`sinfo: error: Bad state string: "${word}"`, `sinfo: error: valid states: ${VALID_STATES}`],
        1,
      );
    });
  return { need, tests };
}

export function readNodes(text: string | null): ReadonlySet<string> | null {
  if (text === null) return null;
  const hosts = expandHosts(text);
  if (hosts === null) throw failure('sinfo', `'${text}' invalid entry for --nodes`);
  return new Set(hosts);
}

export function isWantedNode(node: NodeSight, { nodes, responding, states }: NodeFilters): boolean {
  const silent = node.facts.flags.includes('NOT_RESPONDING');
  return (
    (nodes === null || nodes.has(node.name)) &&
    (responding === null || silent === (responding === 'not')) &&
    (states === null || isInStates(node, states))
  );
}

function isInStates(node: NodeSight, { need, tests }: StateFilter): boolean {
  return need === 'any' ? tests.some((test) => test(node)) : tests.every((test) => test(node));
}

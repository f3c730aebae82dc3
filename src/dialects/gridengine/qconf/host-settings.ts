/** A host as `qconf -se` shows it, with what it said of itself last. */

import type { NodeView } from '../../../model/query.ts';
import { complexNamed } from '../complexes.ts';
import { type AttributeValue, hostValues } from '../host-values.ts';
import type { Setting } from './layout.ts';

export const HOST_WIDTH = 22;

export function hostSettings(view: NodeView): readonly Setting[] {
  const { node } = view;
  const values = hostValues(view).filter(({ dominance }) => dominance === 'hl');
  return settings({
    name: node.name,
    complexes: node.devices.length === 0 ? 'NONE' : `gpu=${node.devices.length}`,
    load: values.length === 0 ? 'NONE' : values.map(valueText).join(','),
    cpus: node.cpus,
  });
}

/** The host that stands for all of them, for which nothing is set here. */
export const GLOBAL_HOST = 'global';

export function globalHostSettings(): readonly Setting[] {
  return settings({ name: GLOBAL_HOST, complexes: 'NONE', load: 'NONE', cpus: 0 });
}

interface HostSaid {
  readonly name: string;
  readonly complexes: string;
  readonly load: string;
  readonly cpus: number;
}

function settings({ name, complexes, load, cpus }: HostSaid): readonly Setting[] {
  return [
    ['hostname', name],
    ['load_scaling', 'NONE'],
    ['complex_values', complexes],
    ['load_values', load],
    ['processors', `${cpus}`],
    ['user_lists', 'NONE'],
    ['xuser_lists', 'NONE'],
    ['projects', 'NONE'],
    ['xprojects', 'NONE'],
    ['usage_scaling', 'NONE'],
    ['report_variables', 'NONE'],
  ];
}

/** Memory is in megabytes here. */
function valueText({ name, value }: AttributeValue): string {
  if (typeof value === 'string') return `${name}=${value}`;
  const type = complexNamed(name)?.type;
  if (type === 'MEMORY') return `${name}=${(value / 1024 ** 2).toFixed(6)}M`;
  return `${name}=${type === 'INT' ? value : value.toFixed(6)}`;
}

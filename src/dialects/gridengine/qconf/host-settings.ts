/** A host as `qconf -se` shows it, with what it said of itself last. */

import type { NodeView } from '../../../model/query.ts';
import { complexNamed } from '../complexes.ts';
import { type AttributeValue, hostValues } from '../host-values.ts';
import type { Setting } from './layout.ts';

export const HOST_WIDTH = 22;

export function hostSettings(view: NodeView): readonly Setting[] {
  const { node } = view;
  const values = hostValues(view).filter(({ dominance }) => dominance === 'hl');
  return [
    ['hostname', node.name],
    ['load_scaling', 'NONE'],
    ['complex_values', node.devices.length === 0 ? 'NONE' : `gpu=${node.devices.length}`],
    ['load_values', values.length === 0 ? 'NONE' : values.map(valueText).join(',')],
    ['processors', `${node.cpus}`],
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

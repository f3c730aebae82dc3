/** How the ranks of parallel jobs may be spread: two that every yard has, and those of its own. */

import { PLAIN_POLICY } from '../../model/plain.ts';
import type { Layout } from '../../model/policy.ts';
import { type Choices, showLimit } from './choices.ts';
import type { ConfigFile } from './file.ts';
import { badName, type Mistake } from './mistakes.ts';
import type { LayoutSettings } from './schema.ts';

type LayoutTable = Readonly<Record<string, LayoutSettings>>;

export function layoutsOf(table: LayoutTable, choices: Choices): Layout[] {
  const standing = PLAIN_POLICY.layouts;
  const added = Object.keys(table).filter((name) => !standing.some((layout) => layout.name === name));
  return [...standing, ...added.map(plainLayout)].map((layout) => {
    const settings = Object.hasOwn(table, layout.name) ? (table[layout.name] as LayoutSettings) : {};
    return {
      name: layout.name,
      spread: choices.choose(['layouts', layout.name, 'spread'], settings.spread, layout.spread, showSpread),
      maxRanks: choices.choose(
        ['layouts', layout.name, 'max_ranks'],
        settings.max_ranks,
        layout.maxRanks,
        showLimit,
      ),
    };
  });
}

export function mistakesInLayouts(file: ConfigFile, table: LayoutTable): Mistake[] {
  return Object.keys(table).flatMap((name) => badName(file, ['layouts', name], 'a layout'));
}

function plainLayout(name: string): Layout {
  return { name, spread: 'fill', maxRanks: null };
}

function showSpread(spread: Layout['spread']): string {
  if (spread === 'oneNode') return 'one_node';
  return spread === 'roundRobin' ? 'round_robin' : String(spread);
}

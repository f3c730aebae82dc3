/**
 * What the yard is told about those on its devices whom it did not start: when they have come, grown or shrunk by
 * enough, and when they have gone. Pure but for what was said last.
 */

import type { Observation } from '../../model/command.ts';
import type { DeviceName } from './attribution.ts';

export interface ForeignSeen extends DeviceName {
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface ForeignReports {
  /** What there is to report after a look; devices that could not be looked at are left out of it. */
  after(look: readonly ForeignSeen[]): readonly Extract<Observation, { type: 'foreignUseSeen' }>[];
  /** Something seems to have changed, and another look is to show whether that is so. */
  readonly isUnsure: () => boolean;
}

const ROUNDED_TO_BYTES = 16 * 1024 ** 2;
/** In thousandths of a device. */
const NEWS_MILLIS = 10;

interface Said {
  readonly node: string;
  readonly index: number;
  bytes: number;
  /** The last look showed something else. */
  isInDoubt: boolean;
}

export function createForeignReports(nodes: readonly string[]): ForeignReports {
  const said = new Map<string, Said>();
  const reported = new Set<string>();

  /** True when it is news. One look may have caught somebody on the way out, two in a row have not. */
  function consider({ node, index, bytes: exact, totalBytes }: ForeignSeen): boolean {
    const bytes = Math.round(exact / ROUNDED_TO_BYTES) * ROUNDED_TO_BYTES;
    const known = said.get(`${node} ${index}`);
    if (known === undefined) {
      said.set(`${node} ${index}`, { node, index, bytes, isInDoubt: false });
      return bytes > 0;
    }
    const hasGone = bytes === 0 && known.bytes > 0;
    const isOther = hasGone || Math.abs(bytes - known.bytes) > (totalBytes * NEWS_MILLIS) / 1000;
    const isNews = isOther && (hasGone || known.isInDoubt);
    known.isInDoubt = isOther && !isNews;
    if (isNews) known.bytes = bytes;
    return isNews;
  }

  return {
    after(look) {
      const changed = new Set(look.filter(consider).map(({ node }) => node));
      // Whatever was known before this daemon may be long gone: each node is told of once.
      for (const { node } of look) if (!reported.has(node)) changed.add(node);
      return nodes
        .filter((node) => changed.has(node))
        .map((node) => {
          reported.add(node);
          const foreign = [...said.values()]
            .filter((each) => each.node === node && each.bytes > 0)
            .map(({ index, bytes }) => ({ index, bytes }));
          return { type: 'foreignUseSeen', node, foreign };
        });
    },
    isUnsure: () => [...said.values()].some(({ isInDoubt }) => isInDoubt),
  };
}

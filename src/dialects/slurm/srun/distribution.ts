/** `--distribution`: in which order tasks are dealt out to nodes. What it says of sockets and cores is only checked. */

export type Distribution =
  /** Whatever suits the numbers. */
  | { readonly kind: 'default' }
  | { readonly kind: 'block' | 'cyclic' | 'arbitrary' }
  | { readonly kind: 'plane'; readonly size: number };

const WITHIN_NODES = /^(?::(?:\*|block|cyclic|fcyclic)){0,2}$/i;
const PACKING = /,(?:pack|nopack)$/i;

/** Null when it is none. A plane without a size takes that of the environment. */
export function parseDistribution(text: string, planeSize: string | null): Distribution | null {
  const packed = text.replace(PACKING, '');
  const colon = packed.indexOf(':');
  const first = (colon === -1 ? packed : packed.slice(0, colon)).toLowerCase();
  if (colon !== -1 && !WITHIN_NODES.test(packed.slice(colon))) return null;
  switch (first) {
    case '*':
      return { kind: 'default' };
    case 'block':
    case 'cyclic':
    case 'arbitrary':
      return { kind: first };
    default: {
      const match = /^plane(?:=(\d{1,6}))?$/.exec(first);
      const size = Number(match?.[1] ?? planeSize ?? 0);
      return match === null || !(size > 0) ? null : { kind: 'plane', size };
    }
  }
}

/** What a step is told of how its tasks were dealt out. */
export function distributionName(distribution: Distribution, ntasks: number, nodes: number): string {
  if (distribution.kind !== 'default') return distribution.kind;
  return ntasks <= nodes ? 'cyclic' : 'block';
}

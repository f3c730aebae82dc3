import type { Unit } from './units.ts';

export interface Look {
  readonly ready: readonly Unit[];
  readonly growing: readonly Unit[];
}

export interface LastLook {
  readonly ready: readonly Unit[];
  readonly unproven: readonly Unit[];
}

export interface Settling {
  look(now: number): Promise<Look>;
  lastLook(ending: { readonly isOrderly: boolean }): Promise<LastLook>;
}

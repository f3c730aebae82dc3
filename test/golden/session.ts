/** How a session in which captures were made is written down, so that it can be held again. */

import type { Comparison } from './compare.ts';

export interface Act {
  /** The capture whose line is given. */
  readonly capture: string;
  /** Shell lines before it, whose output is nobody's concern. */
  readonly before?: readonly string[];
  /** A number in the line → the name of the job that is meant. */
  readonly jobs?: Readonly<Record<string, string>>;
  /** The line to give instead, where the capture's own is only a remark on how it was made. */
  readonly line?: string;
  /** Parts of the line → what to say in their place, as where it sleeps until something has surely happened. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly by?: Comparison;
}

/** Each begins with a fresh yard. */
export interface Scene {
  readonly config: string;
  readonly acts: readonly Act[];
}

export interface Session {
  readonly scenes: Readonly<Record<string, Scene>>;
  /** The scripts that are there, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Captures that no yard of one user on one machine can be asked for, and why. */
  readonly elsewhere: Readonly<Record<string, string>>;
}

/** What is called differently on two machines, and by what word it goes here. */
export interface Surroundings {
  readonly workDir: string;
  readonly host: string;
  readonly user: string;
  readonly uid: number;
}

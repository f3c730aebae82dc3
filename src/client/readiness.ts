/** The one line that a daemon says to whoever started it, once it knows how starting went. */

export type Readiness =
  | { readonly kind: 'ready'; readonly socketPath: string }
  /** Another daemon has the directory. */
  | { readonly kind: 'taken'; readonly sentence: string }
  | { readonly kind: 'failed'; readonly sentence: string; readonly hint: string | null };

/** The file descriptor it is said on, by a daemon that is called with the flag. */
export const READINESS_FD = 3;
export const READINESS_FLAG = '--announce';

export function formatReadiness(word: Readiness): string {
  return `${JSON.stringify(word)}\n`;
}

/** Null: it ended without a whole line. */
export function parseReadiness(said: string): Readiness | null {
  const end = said.indexOf('\n');
  return end === -1 ? null : (JSON.parse(said.slice(0, end)) as Readiness);
}

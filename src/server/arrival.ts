/**
 * What a daemon makes of a directory that is not where its yard was: it goes on, or refuses until somebody says what it
 * is. Nothing of the yard is touched before that.
 */

import { RefusalError, refusal } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
import { compareHomes, type Home, homeNow, isStillThere, rememberHome } from './home.ts';

/** What somebody said about a directory: the yard itself, or a new one made from it. */
export type Said = 'moved' | 'copied' | null;

/** `first`: nobody has noted yet where it is. */
export type Arrival = 'first' | 'same' | 'renamed' | 'moved' | 'copied';

export interface ArrivalFacts {
  readonly before: Home | 'unreadable' | null;
  readonly now: Home;
  readonly said: Said;
  /** Whether processes of the yard's jobs run on this machine. */
  readonly jobsRun: () => boolean;
}

const WAYS =
  'if the original is gone and this is the yard from now on: trainyard up --moved; ' +
  'to make a new yard of it, without the jobs that had not ended: trainyard up --copied';

/** Throws a RefusalError. */
export function arrivalOf({ before, now, said, jobsRun }: ArrivalFacts): Arrival {
  if (before === 'unreadable') return unknownOrigin(now, said);
  const verdict = before === null ? 'first' : compareHomes(before, now);
  if (verdict !== 'elsewhere' && said === 'copied')
    throw refused(`${now.path} is no copy of a yard`, 'leave --copied out');
  if (before === null) return 'first';
  if (verdict === 'same') return 'same';
  if (verdict === 'renamed') return renamed(before, now, said, jobsRun);
  if (said === 'copied') return 'copied';
  const original = originalOf(before, now);
  if (said === null) throw refused(original.sentence, WAYS);
  if (!original.isThere) return 'moved';
  const hint = 'remove the original first; or, for a new yard beside it: trainyard up --copied';
  throw refused(`${original.sentence}, so it was not moved`, hint);
}

/** From now on the yard is at home here. */
export function noteHome(directory: string, arrival: Arrival, log: (line: string) => void): void {
  try {
    rememberHome(directory, homeNow(directory));
  } catch (error) {
    // Of a yard that is where it was, nothing is lost by that.
    if (arrival !== 'first' && arrival !== 'same') throw error;
    log(`cannot note where the yard is: ${errorWords(error)}`);
  }
}

/** What runs knows the old path only, and would count as lost: it would be ended and run again. */
function renamed(before: Home, now: Home, said: Said, jobsRun: () => boolean): Arrival {
  if (said === 'moved' || !jobsRun()) return 'renamed';
  const sentence = `the yard in ${now.path} was in ${before.path} before, and jobs that it started there still run`;
  const hint = `use it as ${before.path} until they have ended; or, to end them and run them again: trainyard up --moved`;
  throw refused(sentence, hint);
}

function originalOf(before: Home, now: Home): { readonly sentence: string; readonly isThere: boolean } {
  if (before.machine !== now.machine)
    return {
      sentence: `${now.path} holds the yard of another machine, where it was in ${before.path}`,
      isThere: false,
    };
  const isThere = before.path !== now.path && isStillThere(before);
  const how = isThere ? 'which is still there' : 'or has been moved or restored from there';
  return { sentence: `${now.path} is a copy of the yard in ${before.path}, ${how}`, isThere };
}

function unknownOrigin({ path }: Home, said: Said): Arrival {
  if (said !== null) return said;
  throw refused(`nobody can tell whether the yard in ${path} is a copy: its file home.json is damaged`, WAYS);
}

function refused(sentence: string, hint: string): RefusalError {
  return new RefusalError(refusal('wrongState', sentence, hint));
}

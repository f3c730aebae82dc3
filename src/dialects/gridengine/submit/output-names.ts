/**
 * Paths of output and input as Grid Engine writes them, in the words of the model's own patterns. What is known only
 * when the job starts stays a pattern; the submitter's home is filled in.
 */

import type { Streams } from '../../../model/job-spec.ts';
import { absolutePath } from '../../../model/paths.ts';
import { type Asking, readFile } from '../../program.ts';
import { lastWord } from '../flags.ts';
import { rejected } from './complaints.ts';
import type { AskedFlag } from './layers.ts';
import { isLenient, type Surroundings } from './surroundings.ts';
import { parseYesNo } from './values.ts';

export interface OutputWish {
  readonly given: readonly AskedFlag[];
  readonly home: string;
  readonly user: string;
  /** Where the job runs. */
  readonly workDir: string;
  readonly isArray: boolean;
}

export interface Outputs {
  readonly streams: Streams;
  readonly warnings: readonly string[];
}

/** Asks whether a path is a directory, once for each path. */
export function* outputsFrom(wish: OutputWish, surroundings: Surroundings): Asking<Outputs> {
  const { given, isArray } = wish;
  const warnings: string[] = [];
  const pathOf = function* (flag: string, letter: string): Asking<string | null> {
    const chosen = chosenPath(given, flag, surroundings);
    if (chosen === null) return null;
    warnings.push(...chosen.warnings);
    const pattern = pathPattern(chosen.path, wish);
    return (yield* isDirectory(pattern, wish)) ? `${pattern}/${defaultName(letter, isArray)}` : pattern;
  };
  const isMerged = parseYesNo(lastWord(given, '-j') ?? 'n') === true;
  const stdout = (yield* pathOf('-o', 'o')) ?? defaultName('o', isArray);
  const stderr = isMerged ? null : ((yield* pathOf('-e', 'e')) ?? defaultName('e', isArray));
  const stdin = chosenPath(given, '-i', surroundings);
  return {
    streams: {
      stdin: stdin === null ? null : pathPattern(stdin.path, wish),
      stdout,
      // Two openings of one file would write over each other.
      stderr: stderr === stdout ? null : stderr,
      openMode: 'append',
      makeDirectories: false,
    },
    warnings,
  };
}

/** `name.o17`, `name.o17.3`. The letter is `o`, `e`, `po` or `pe`. */
export function defaultName(letter: string, isArray: boolean): string {
  return `%x.${letter}%A${isArray ? '.%a' : ''}`;
}

interface ListedPath {
  /** Null: any host. */
  readonly host: string | null;
  readonly path: string;
}

/** `[[host]:]path,...`. */
export function pathList(text: string): readonly ListedPath[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const colon = part.indexOf(':');
      if (colon < 0) return { host: null, path: part };
      const host = part.slice(0, colon);
      return { host: host === '' ? null : host, path: part.slice(colon + 1) };
    });
}

/** Of all lists the last path for each host. Throws when one list has two for the same. */
function mergedPaths(given: readonly AskedFlag[], flag: string): readonly ListedPath[] {
  const byHost = new Map<string | null, ListedPath>();
  for (const each of given) {
    if (each.flag !== flag) continue;
    const paths = pathList(each.words[0] ?? '');
    if (new Set(paths.map(({ host }) => host)).size < paths.length) {
      throw rejected('ERROR! two files are specified for the same host');
    }
    for (const listed of paths) byHost.set(listed.host, listed);
  }
  return [...byHost.values()];
}

interface ChosenPath {
  readonly path: string;
  readonly warnings: readonly string[];
}

/** A path of one of the yard's hosts, otherwise the one for any host. */
function chosenPath(
  given: readonly AskedFlag[],
  flag: string,
  surroundings: Surroundings,
): ChosenPath | null {
  const paths = mergedPaths(given, flag);
  const here = new Set(['localhost', ...surroundings.nodes.map(({ node }) => node.name)]);
  const stranger = paths.find(({ host }) => host !== null && !here.has(host));
  if (stranger !== undefined && !isLenient(surroundings)) {
    throw rejected(`can't resolve hostname "${stranger.host}"`);
  }
  const chosen =
    paths.find(({ host }) => host !== null && here.has(host)) ??
    paths.find(({ host }) => host === null) ??
    paths[0];
  if (chosen === undefined) return null;
  const warnings = chosen === stranger ? [`there is no host ${chosen.host} here; ${flag} means any`] : [];
  return { path: chosen.path, warnings };
}

const PSEUDO_VARIABLES = /\$(HOME|USER|JOB_ID|JOB_NAME|HOSTNAME|TASK_ID)/g;

/** A path of Grid Engine's as a pattern of the yard's. */
function pathPattern(path: string, { home, user, isArray }: OutputWish): string {
  const escaped = path.replaceAll('%', '%%');
  const literal = (text: string) => text.replaceAll('%', '%%');
  const fromHome = escaped.replace(/^~([^/]*)(?=\/|$)/, (written, name: string) =>
    name === '' || name === user ? literal(home) : written,
  );
  return fromHome.replace(PSEUDO_VARIABLES, (_written, name: string) => {
    switch (name) {
      case 'HOME':
        return literal(home);
      case 'USER':
        return '%u';
      case 'JOB_ID':
        return '%A';
      case 'JOB_NAME':
        return '%x';
      case 'HOSTNAME':
        return '%N';
      default:
        return isArray ? '%a' : '0';
    }
  });
}

/** Only what can be known now: a path that depends on the job's number is none yet. */
function* isDirectory(pattern: string, { workDir }: OutputWish): Asking<boolean> {
  if (pattern.endsWith('/')) return true;
  const literal = pattern.replaceAll('%%', '');
  if (literal.includes('%')) return false;
  const read = yield* readFile(absolutePath(workDir, pattern.replaceAll('%%', '%')), 0);
  return !read.ok && read.error === 'directory';
}

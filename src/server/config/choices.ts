/** Decides each setting between file and default, and keeps a record of which it was. */

import type { ConfigValue, ConfigView } from '../../model/query.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';
import type { ConfigFile, Path } from './file.ts';
import { keyText } from './mistakes.ts';

export type Origin = 'default' | 'detected';

export interface Choices {
  /** What the file says, if it says something, otherwise the value given. */
  choose<T, U>(
    path: Path,
    fromFile: T | undefined,
    otherwise: U,
    show: (value: T | U) => string,
    origin?: Origin,
  ): T | U;
  view(): ConfigView;
}

export function recordChoices(file: ConfigFile | null): Choices {
  const values: ConfigValue[] = [];
  return {
    choose(path, fromFile, otherwise, show, origin = 'default') {
      const inFile = fromFile !== undefined && file !== null;
      const value = inFile ? fromFile : otherwise;
      const written = inFile ? file.valueAt(path) : undefined;
      values.push({
        key: keyText(path),
        // People know their own spelling best.
        value: typeof written === 'string' ? written : show(value),
        from: inFile ? `${file.label}:${file.lineOf(path)}` : origin,
      });
      return value;
    },
    view: () => ({ file: file?.path ?? null, values }),
  };
}

export function showDuration(durationMs: number | null): string {
  return durationMs === null ? 'none' : formatDuration(durationMs).replace(' ', '');
}

export function showSize(bytes: number | null): string {
  return bytes === null ? 'none' : formatBytes(bytes);
}

export function showLimit(limit: number | null): string {
  return limit === null ? 'no limit' : String(limit);
}

export function showList(list: readonly (string | number)[]): string {
  return list.length === 0 ? 'none' : list.join(', ');
}

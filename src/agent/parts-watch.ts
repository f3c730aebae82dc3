/** Notices when the file of a rank or a step changes. A watch may miss some; whoever uses this also looks now and then. */

import { type FSWatcher, watch } from 'node:fs';
import type { AttemptId } from '../model/ids.ts';
import { errorWords } from '../platform/files.ts';
import { parsePartName } from './yard-files.ts';

export interface PartsWatch {
  close(): void;
}

export function watchParts(
  directory: string,
  changed: (attempt: AttemptId, n: number) => void,
  log: (line: string) => void,
): PartsWatch {
  // One change makes several notices; a turn of the loop looks at each file once.
  const names = new Set<string>();
  let scheduled = false;
  let closed = false;

  function look(): void {
    scheduled = false;
    const batch = [...names];
    names.clear();
    for (const name of batch) {
      if (closed) return;
      const parsed = parsePartName(name);
      if (parsed !== null) tell(parsed.attempt, parsed.n);
    }
  }

  /** What cannot be looked at now is found when everything is looked through. */
  function tell(attempt: AttemptId, n: number): void {
    try {
      changed(attempt, n);
    } catch (error) {
      log(`attempt ${attempt}: what it wrote is noticed late: ${errorWords(error)}`);
    }
  }

  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(directory, { persistent: false }, (kind, name) => {
      // Files that come and go are our own doing; what shims write is a change.
      if (name === null || kind !== 'change') return;
      names.add(name);
      if (scheduled) return;
      scheduled = true;
      setImmediate(look);
    });
    watcher.on('error', (error) => log(`exits are noticed late, since they cannot be watched: ${error}`));
  } catch (error) {
    log(`exits are noticed late, since they cannot be watched: ${String(error)}`);
  }
  return {
    close() {
      closed = true;
      watcher?.close();
    },
  };
}

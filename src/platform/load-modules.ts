/**
 * Loads a module with all that it imports, one file after another. An import opens hundreds of files at once, which ends
 * a process that may have only a few open.
 */

import { createRequire } from 'node:module';
import { extname } from 'node:path';

/** `name` is relative to the file `from`, without its ending; `load` imports it where Node cannot do it otherwise. */
export async function loadOneByOne<T>(from: string, name: string, load: () => Promise<T>): Promise<T> {
  const features = process.features as { readonly require_module?: boolean };
  return features.require_module === true ? (createRequire(from)(`${name}${extname(from)}`) as T) : load();
}

/** Default flags: of the yard's cell, of the user, and of the directory in which somebody submits. */

import type { Asking } from '../../program.ts';
import { commonDirectory } from '../cell.ts';
import { type Layer, type Reader, requestFileLayer } from './sources.ts';

/** In the order in which the last one counts; a directory that is the home as well has one file. */
export function* requestLayers(
  reader: Reader,
  yardDirectory: string,
  home: string,
): Asking<readonly Layer[]> {
  const paths = [
    `${commonDirectory(yardDirectory)}/sge_request`,
    `${home}/.sge_request`,
    `${reader.workDir}/.sge_request`,
  ];
  const layers: Layer[] = [];
  for (const path of new Set(paths)) {
    const layer = yield* requestFileLayer(reader, path);
    if (layer !== null) layers.push(layer);
  }
  return layers;
}

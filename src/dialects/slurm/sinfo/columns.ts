/** The letters of `sinfo -o`, each with the field of `-O` that says the same; and the formats that have a name. */

import { NODE_FIELDS } from './fields.ts';
import type { NodeField } from './groups.ts';

/** In the order of `%all`. */
const LETTERS: Readonly<Record<string, string>> = {
  a: 'available',
  b: 'features_act',
  c: 'cpus',
  d: 'disk',
  e: 'freemem',
  f: 'features',
  g: 'groups',
  h: 'oversubscribe',
  l: 'time',
  m: 'memory',
  n: 'nodehost',
  o: 'nodeaddr',
  p: 'prioritytier',
  r: 'root',
  s: 'size',
  t: 'statecompact',
  u: 'user',
  v: 'version',
  w: 'weight',
  z: 'socketcorethread',
  A: 'nodeai',
  B: 'maxcpuspernode',
  C: 'cpusstate',
  D: 'nodes',
  E: 'reason',
  F: 'nodeaiot',
  G: 'gres',
  H: 'timestamp',
  I: 'priorityjobfactor',
  L: 'defaulttime',
  M: 'preemptmode',
  N: 'nodelist',
  O: 'cpusload',
  P: 'partition',
  R: 'partitionname',
  S: 'allocnodes',
  T: 'statelong',
  U: 'userlong',
  V: 'cluster',
  X: 'sockets',
  Y: 'cores',
  Z: 'threads',
};

export const NODE_COLUMNS: Readonly<Record<string, NodeField>> = Object.fromEntries(
  Object.entries(LETTERS).map(([letter, field]) => [letter, NODE_FIELDS[field] as NodeField]),
);

/** What `%all` stands for; the original puts a blank after each capital. */
export const ALL_LETTERS = Object.keys(LETTERS)
  .map((letter) => (letter === letter.toLowerCase() ? `%${letter}` : `%${letter} `))
  .join('|');

/** How wide names are that a format leaves room for. */
export interface Widths {
  readonly partition: number;
  readonly nodes: number;
}

export const LEAST_WIDTHS: Widths = { partition: 9, nodes: 9 };

export type NamedFormat = (widths: Widths) => string;

export const USUAL_FORMAT: NamedFormat = ({ partition }) => `%${partition}P %.5a %.10l %.6D %.6t %N`;
export const SUMMARY_FORMAT: NamedFormat = ({ partition }) => `%${partition}P %.5a %.10l %.16F %N`;
export const LONG_FORMAT: NamedFormat = ({ partition }) =>
  `%${partition}P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N`;
export const NODE_FORMAT: NamedFormat = ({ partition, nodes }) => `%${nodes}N %.6D %.${partition}P %6t`;
export const LONG_NODE_FORMAT: NamedFormat = ({ partition, nodes }) =>
  `%${nodes}N %.6D %.${partition}P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E`;
export const REASON_FORMAT: NamedFormat = () => '%20E %9u %19H %N';
export const LONG_REASON_FORMAT: NamedFormat = () => '%20E %12U %19H %6t %N';

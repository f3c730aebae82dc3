/** The nodes' part of the live screen: one line each, with what is taken of CPUs, memory and GPUs. */

import { NODE_WORDS } from '../../dialects/native/states.ts';
import { cutTo, displayWidth, padEnd } from '../../dialects/text/width.ts';
import { printable } from '../../model/bytes.ts';
import type { NodeView } from '../../model/query.ts';
import { formatBytes } from '../../model/units.ts';
import { bar, type Look, line, type Piece } from './line.ts';

const BAR_CELLS = 8;
const LONGEST_NAME = 16;
/** From this on a resource counts as nearly gone. */
const NEARLY_FULL = 0.9;

/** At most `rows` lines; what does not fit is counted. */
export function nodeLines(nodes: readonly NodeView[], look: Look, rows: number): string[] {
  const all = nodes.length <= rows;
  const shown = all ? nodes : nodes.slice(0, rows - 1);
  const nameCells = Math.min(LONGEST_NAME, Math.max(4, ...shown.map(({ node }) => displayWidth(node.name))));
  const lines = shown.map((view) => line(nodePieces(view, nameCells, look), look));
  if (!all)
    lines.push(line([{ text: `and ${nodes.length - shown.length} more nodes`, colour: 'grey' }], look));
  return lines;
}

function nodePieces(view: NodeView, nameCells: number, look: Look): Piece[] {
  const { node } = view;
  const name = padEnd(cutTo(printable(node.name), nameCells), nameCells);
  const state = NODE_WORDS[node.state];
  const pieces: Piece[] = [{ text: `${name} `, colour: node.state === 'up' ? 'none' : state.colour }];
  if (node.state === 'lost') {
    pieces.push({
      text: node.reason === null ? state.word : `${state.word}: ${printable(node.reason)}`,
      colour: state.colour,
    });
    return pieces;
  }
  pieces.push(...gauge('cpu', view.cpusUsed, node.cpus, `${view.cpusUsed}/${node.cpus}`, look));
  const memory = `${formatBytes(view.memoryUsedBytes)}/${formatBytes(node.memoryBytes)}`;
  pieces.push(...gauge('mem', view.memoryUsedBytes, node.memoryBytes, memory, look));
  if (node.devices.length > 0) pieces.push(...devicePieces(view, look));
  if (node.state !== 'up') pieces.push({ text: `  ${state.word}`, colour: state.colour });
  return pieces;
}

function gauge(name: string, used: number, total: number, amount: string, look: Look): Piece[] {
  const part = total === 0 ? 0 : used / total;
  return [
    { text: ` ${name} `, colour: 'grey' },
    { text: bar(part, BAR_CELLS, look), colour: colourOf(part) },
    { text: ` ${amount} `, colour: 'none' },
  ];
}

/** One cell per GPU: which are taken matters more than how many. */
function devicePieces(view: NodeView, look: Look): Piece[] {
  const used = new Map(view.devices.map((device) => [device.index, device.usedMillis / 1000]));
  const busy = view.node.devices.filter((device) => (used.get(device.index) ?? 0) > 0).length;
  return [
    { text: ' gpu ', colour: 'grey' },
    ...view.node.devices.map((device): Piece => {
      const part = used.get(device.index) ?? 0;
      return { text: bar(part > 0 ? 1 : 0, 1, look), colour: colourOf(part) };
    }),
    { text: ` ${busy}/${view.node.devices.length}`, colour: 'none' },
  ];
}

function colourOf(part: number): Piece['colour'] {
  if (part <= 0) return 'grey';
  return part >= NEARLY_FULL ? 'yellow' : 'green';
}

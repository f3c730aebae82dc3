/** Colours of a terminal. Whether there are any is the caller's: a painter without colour changes nothing. */

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'grey' | 'bold' | 'none';

export type Paint = (colour: Colour, text: string) => string;

const CODES: Readonly<Record<Colour, string>> = {
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
  grey: '90',
  bold: '1',
  none: '',
};

export function painter(colour: boolean): Paint {
  if (!colour) return (_, text) => text;
  return (name, text) => (name === 'none' || text === '' ? text : `\x1b[${CODES[name]}m${text}\x1b[0m`);
}

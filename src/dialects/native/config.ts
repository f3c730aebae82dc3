/** `trainyard config`: the settings in force, and where each came from. */

import { printable } from '../../model/bytes.ts';
import { nearest } from '../../model/nearest.ts';
import { type Program, printOut, query } from '../program.ts';
import { table } from '../text/table.ts';
import type { Call, NativeCommand } from './call.ts';
import { refusalError } from './failure.ts';
import { printJson } from './json.ts';

export const config: NativeCommand = {
  name: 'config',
  aliases: ['settings'],
  group: 'yard',
  summary: 'the settings in force, and where each came from',
  usage: ['[KEY…]'],
  about: [],
  examples: [
    { line: 'trainyard config', says: 'all of them' },
    { line: 'trainyard config -q yard.grace', says: 'one value' },
  ],
  options: [],
  positionals: 'anywhere',
  arguments: 'some',
  run: runConfig,
};

function* runConfig(call: Call): Program {
  const view = yield* query('config', {});
  const wanted = call.positionals;
  const values = view.values.filter(
    ({ key }) => wanted.length === 0 || wanted.some((name) => covers(name, key)),
  );
  for (const name of wanted) {
    if (values.some(({ key }) => covers(name, key))) continue;
    const keys = view.values.map(({ key }) => key);
    throw refusalError(
      'badRequest',
      `there is no setting ${name}`,
      'see `trainyard config`',
      nearest(name, keys),
    );
  }
  if (call.json) yield* printJson({ file: view.file, values });
  else if (call.quiet) yield* printOut(values.map(({ value }) => `${printable(value)}\n`).join(''));
  else {
    const file =
      view.file === null ? 'no config file: defaults and what was detected' : `config file ${view.file}`;
    yield* printOut(`${call.paint('grey', printable(file))}\n`);
    const rows = values.map(({ key, value, from }) => [key, value, { text: from, colour: 'grey' as const }]);
    yield* printOut(
      table([{ title: 'KEY' }, { title: 'VALUE' }, { title: 'FROM' }], rows, { ...call, width: null }),
    );
  }
  return 0;
}

/** A name means itself and everything below it: `yard` and `yard.grace`. */
function covers(name: string, key: string): boolean {
  return key === name || key.startsWith(`${name}.`);
}

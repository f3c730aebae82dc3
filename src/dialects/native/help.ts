/** The help, of all commands and of one. It is made from the table of commands, so it cannot fall behind. */

import type { Paint } from '../text/colour.ts';
import { displayWidth, padEnd } from '../text/width.ts';
import type { Example, NativeCommand, NativeOption } from './call.ts';

export const GLOBAL_OPTIONS: readonly NativeOption[] = [
  { name: 'json', value: 'none', help: 'answer with one JSON value, errors too', commandLineOnly: true },
  { name: 'quiet', short: 'q', value: 'none', help: 'only what a script needs', commandLineOnly: true },
  { name: 'help', short: 'h', value: 'none', help: 'this', commandLineOnly: true },
];

const GROUPS: readonly (readonly [NativeCommand['group'], string])[] = [
  ['jobs', 'Jobs'],
  ['yard', 'The yard'],
];

const FIRST_STEPS: readonly Example[] = [
  { line: 'trainyard submit -- python train.py', says: 'run a command' },
  { line: 'trainyard queue', says: 'see what waits and runs' },
  { line: 'trainyard logs -f 1', says: 'watch job 1' },
  { line: 'trainyard why 2', says: 'why job 2 waits' },
];

export function overview(commands: readonly NativeCommand[], paint: Paint): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const groups = GROUPS.map(([group, title]) => {
    const lines = commands
      .filter((command) => command.group === group)
      .map(({ name, summary }) => `  ${paint('cyan', name.padEnd(width))}  ${summary}`);
    return section(title, lines, paint);
  });
  return [
    'Usage: trainyard COMMAND [options]\n',
    ...groups,
    section('Everywhere', optionLines([...GLOBAL_OPTIONS, VERSION_OPTION], paint), paint),
    section('Examples', exampleLines(FIRST_STEPS, paint), paint),
    'trainyard help COMMAND says more.\n',
  ].join('\n');
}

export const VERSION_OPTION: NativeOption = {
  name: 'version',
  short: 'V',
  value: 'none',
  help: 'which version',
};

export function helpOf(command: NativeCommand, paint: Paint): string {
  const usage = command.usage.map((rest, i) =>
    `${i === 0 ? 'Usage:' : '      '} trainyard ${command.name} ${rest}`.trimEnd(),
  );
  const aliases = command.aliases.length === 0 ? [] : [`Also called: ${command.aliases.join(', ')}`];
  const parts = [
    `${usage.join('\n')}\n`,
    `${[`${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`, ...command.about, ...aliases].join('\n')}\n`,
    section('Options', optionLines([...command.options, ...GLOBAL_OPTIONS], paint), paint),
    section('Examples', exampleLines(command.examples, paint), paint),
  ];
  return parts.join('\n');
}

function section(title: string, lines: readonly string[], paint: Paint): string {
  return `${paint('bold', `${title}:`)}\n${lines.join('\n')}\n`;
}

function optionLines(options: readonly NativeOption[], paint: Paint): readonly string[] {
  const forms = options.map(formOf);
  const width = Math.max(...forms.map(displayWidth));
  return options.map(({ help }, i) => {
    const form = forms[i] as string;
    return `  ${paint('cyan', form)}${padEnd('', width - displayWidth(form))}  ${help}`;
  });
}

function formOf({ name, short, argument }: NativeOption): string {
  const letter = short === undefined ? '    ' : `-${short}, `;
  const value = argument === undefined || argument.startsWith('[=') ? (argument ?? '') : ` ${argument}`;
  return `${letter}--${name}${value}`;
}

function exampleLines(examples: readonly Example[], paint: Paint): readonly string[] {
  const width = Math.max(...examples.map(({ line }) => displayWidth(line)));
  return examples.map(({ line, says }) => `  ${padEnd(line, width)}  ${paint('grey', `# ${says}`)}`);
}

/** Help of a command, laid out: groups of options with a few words on each. */

export type HelpRow = readonly [option: string, says: string];
export type HelpGroup = readonly [title: string, rows: readonly HelpRow[]];

const OPTION_WIDTH = 30;

export function helpText(
  usage: readonly string[],
  groups: readonly HelpGroup[],
  after: readonly string[],
): string {
  return [
    ...usage,
    ...groups.flatMap(([title, rows]) => [
      '',
      `${title}:`,
      ...rows.map(([option, says]) => `  ${option.padEnd(OPTION_WIDTH)}${says}`),
    ]),
    '',
    ...after,
    '',
  ].join('\n');
}

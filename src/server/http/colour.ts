/** Whether the caller wants colour, by the customs that commands share: NO_COLOR, TERM, CLICOLOR_FORCE. */

export function wantsColour(
  stdoutIsTerminal: boolean,
  variable: (name: string) => string | undefined,
): boolean {
  const isSaid = (name: string) => (variable(name) ?? '') !== '';
  const isForced = (name: string) => isSaid(name) && variable(name) !== '0';
  if (isForced('CLICOLOR_FORCE') || isForced('FORCE_COLOR')) return true;
  return stdoutIsTerminal && !isSaid('NO_COLOR') && variable('TERM') !== 'dumb';
}

/** Signals of Linux on x64 and arm64, by name and by number. */

const NAMES = [
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT',
  'CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS',
]
  .join(' ')
  .split(' ');

const LAST_SIGNAL = 64;

export const SIGINT = 2;
export const SIGKILL = 9;
export const SIGTERM = 15;
export const SIGCONT = 18;
export const SIGSTOP = 19;

/** `TERM`, `SIGTERM`, `15`; null when there is no such signal. */
export function parseSignal(text: string): number | null {
  if (/^\d{1,2}$/.test(text)) {
    const number = Number(text);
    return number >= 1 && number <= LAST_SIGNAL ? number : null;
  }
  const at = NAMES.indexOf(text.toUpperCase().replace(/^SIG/, ''));
  return at === -1 ? null : at + 1;
}

/** All that have a name, without SIG. */
export const SIGNAL_NAMES: readonly string[] = NAMES;

/** `SIGTERM`, or `signal 34` for one without a name. */
export function signalName(signal: number): string {
  const name = NAMES[signal - 1];
  return name === undefined ? `signal ${signal}` : `SIG${name}`;
}

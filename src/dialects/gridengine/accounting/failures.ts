/** What Grid Engine's accounting calls a run that failed: a number, and the words that `qacct` puts behind it. */

export const FAILED = {
  no: 0,
  beforeJob: 1,
  rescheduling: 25,
  openingFile: 26,
  searchingShell: 27,
  workingDirectory: 28,
  applicationError: 30,
  enforcedLimit: 37,
  afterJob: 100,
} as const;

const WORDS: Readonly<Record<number, string>> = {
  1: 'assumedly before job',
  2: 'on executing shepherd',
  3: 'before writing config',
  4: 'before writing pid',
  5: 'on reading config file',
  6: 'setting processor set',
  7: 'before prolog',
  8: 'in prolog',
  9: 'before pestart',
  10: 'in pestart',
  11: 'before job',
  12: 'before pestop',
  13: 'in pestop',
  14: 'before epilog',
  15: 'in epilog',
  16: 'releasing processor set',
  17: 'through signal',
  18: 'shepherd returned error',
  19: 'before writing exit_status',
  20: 'found unexpected error file',
  21: 'in recognizing job',
  22: 'removed manually',
  24: 'migrating',
  25: 'rescheduling',
  26: 'opening input/output file',
  27: 'searching requested shell',
  28: 'changing into working directory',
  29: 'AFS setup',
  30: 'application error returned',
  31: 'accessing sgepasswd file',
  32: 'entry is missing in sgepasswd file',
  33: 'wrong password',
  34: 'communicating with Grid Engine Helper Service',
  35: 'before job in Grid Engine Helper Service',
  36: 'checking configured daemons',
  37: 'qmaster enforced h_rt, h_cpu, or h_vmem limit',
  38: 'adding supplementary group',
  100: 'assumedly after job',
};

export function failureWords(failed: number): string {
  return WORDS[failed] ?? 'invalid execution state';
}

/**
 * Where a yard has what programs look for below SGE_ROOT: a cell named `default`, with the files in `common` that tell
 * how the cluster is reached, and the commands. Paths and texts only; the server writes them.
 */

import { quotedForShell } from '../text/shell-quotes.ts';

export const CELL = 'default';

/** What SGE_ROOT is. */
export function cellRoot(yardDirectory: string): string {
  return `${yardDirectory}/sge`;
}

export function commonDirectory(yardDirectory: string): string {
  return `${cellRoot(yardDirectory)}/${CELL}/common`;
}

/** Where programs look for the commands, given the name of the architecture. */
export function binaryDirectory(yardDirectory: string, architecture: string): string {
  return `${cellRoot(yardDirectory)}/bin/${architecture}`;
}

const ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: 'lx-amd64',
  aarch64: 'lx-arm64',
  i686: 'lx-x86',
  ppc64le: 'lx-ppc64le',
};

/** `machine` is the system's own word: `x86_64`. */
export function architectureName(machine: string): string {
  return ARCHITECTURES[machine] ?? `lx-${machine}`;
}

export interface CellFacts {
  readonly yardDirectory: string;
  readonly yardName: string;
  readonly host: string;
  /** Where the yard has the commands. */
  readonly commands: string;
}

/** The files of `common`, by name, whole. */
export function commonFiles(facts: CellFacts): Readonly<Record<string, string>> {
  return {
    act_qmaster: `${facts.host}\n`,
    cluster_name: `${facts.yardName}\n`,
    bootstrap: bootstrap(facts),
    'settings.sh': settingsForSh(facts),
    'settings.csh': settingsForCsh(facts),
  };
}

function bootstrap({ yardDirectory }: CellFacts): string {
  const root = cellRoot(yardDirectory);
  const entries = [
    ['admin_user', 'none'],
    ['default_domain', 'none'],
    ['ignore_fqdn', 'true'],
    ['spooling_method', 'classic'],
    ['spooling_lib', 'libspoolc'],
    ['spooling_params', `${root}/${CELL}/common;${root}/${CELL}/spool/qmaster`],
    ['binary_path', `${root}/bin`],
    ['qmaster_spool_dir', `${root}/${CELL}/spool/qmaster`],
    ['security_mode', 'none'],
    ['listener_threads', '1'],
    ['worker_threads', '1'],
    ['scheduler_threads', '1'],
  ] as const;
  return entries.map(([key, value]) => `${key.padEnd(23)} ${value}\n`).join('');
}

function variablesOf({ yardDirectory, yardName }: CellFacts): readonly (readonly [string, string])[] {
  return [
    ['SGE_ROOT', cellRoot(yardDirectory)],
    ['SGE_CELL', CELL],
    ['SGE_CLUSTER_NAME', yardName],
    ['TRAINYARD_DIR', yardDirectory],
  ];
}

function settingsForSh(facts: CellFacts): string {
  const exports = variablesOf(facts).map(
    ([name, value]) => `${name}=${quotedForShell(value)}; export ${name}\n`,
  );
  const commands = quotedForShell(facts.commands);
  return `${exports.join('')}unset SGE_QMASTER_PORT SGE_EXECD_PORT\nPATH=${commands}:$PATH; export PATH\n`;
}

function settingsForCsh(facts: CellFacts): string {
  const exports = variablesOf(facts).map(([name, value]) => `setenv ${name} ${quotedForCsh(value)}\n`);
  const commands = quotedForCsh(facts.commands);
  return `${exports.join('')}unsetenv SGE_QMASTER_PORT\nunsetenv SGE_EXECD_PORT\nsetenv PATH ${commands}:"$PATH"\n`;
}

/** In a csh, an exclamation mark and the end of a line mean something even between quotes. */
function quotedForCsh(text: string): string {
  return quotedForShell(text).replaceAll('!', '\\!').replaceAll('\n', '\\\n');
}

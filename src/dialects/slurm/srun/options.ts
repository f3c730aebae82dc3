/** The command line of `srun`, read: what was asked for, by whom, and what is to be run. Asks for nothing but files. */

import { textFromBytes } from '../../../model/bytes.ts';
import { variableOf } from '../../environment.ts';
import { type GivenOption, isGiven, lastValue, type ParsedArguments } from '../../options.ts';
import { type Asking, type Invocation, readFile } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import { complaint, fatal, invalid } from '../submit/complaints.ts';
import { optionsFromEnvironment } from '../submit/environment-input.ts';
import { type Asked, textAsked } from '../submit/given.ts';
import { gpusAsked } from '../submit/gpus.ts';
import { mergedOptions } from '../submit/layers.ts';
import { withHostsFromFiles } from '../submit/listed-files.ts';
import { type CpuBinding, parseCpuBinding } from './cpu-binding.ts';
import { type Distribution, parseDistribution } from './distribution.ts';
import { type GpuBinding, parseGpuBinding } from './gpu-binding.ts';
import { type ProgramsFile, programsOf } from './multi-prog.ts';

export interface SrunWish {
  readonly invocation: Invocation;
  readonly asked: Asked;
  readonly commandLine: readonly GivenOption[];
  /** The command, or the file of commands and what comes after it. */
  readonly command: readonly string[];
  readonly programsFile: ProgramsFile | null;
  readonly distribution: Distribution;
  readonly cpuBinding: CpuBinding | null;
}

const MOST_FILE_BYTES = 1024 ** 2;

export function* readWish(invocation: Invocation, parsed: ParsedArguments): Asking<SrunWish> {
  const command = [...parsed.positionals, ...(parsed.afterDashes ?? [])];
  if (command.includes(':')) {
    throw complaint(
      'srun',
      'heterogeneous steps, with a ":" between two commands, are not supported here',
      1,
    );
  }
  if (command.length === 0) throw fatal('srun', 'No command given to execute.');
  const typed = parsed.options;
  const environment = optionsFromEnvironment('srun', invocation.environment);
  const merged = mergedOptions('srun', { script: [], environment, commandLine: typed });
  const given = yield* withHostsFromFiles('srun', merged);
  const asked: Asked = { command: 'srun', given };
  if (isGiven(typed, 'exclusive') && isGiven(typed, 'overlap')) {
    throw complaint('srun', '--exclusive and --overlap are mutually exclusive', 1);
  }
  return {
    invocation,
    asked,
    // As they are in the merged list, where files have become names.
    commandLine: given.slice(given.length - typed.length),
    command,
    programsFile: isGiven(typed, 'multi-prog') ? yield* readPrograms(command[0] as string) : null,
    distribution: distributionFrom(asked, invocation),
    cpuBinding: cpuBindingFrom(asked),
  };
}

function* readPrograms(path: string): Asking<ProgramsFile> {
  const read = yield* readFile(path, MOST_FILE_BYTES);
  if (!read.ok) throw complaint('srun', `Could not open multi_prog config file ${path}`, 1);
  return { called: path, text: textFromBytes(read.bytes) };
}

/** What each of so many tasks runs. */
export function programsFor({ programsFile, command }: SrunWish, ntasks: number) {
  if (programsFile === null) return Array.from({ length: ntasks }, () => command);
  const read = programsOf(programsFile, ntasks, command.slice(1));
  if (read.ok) return read.programs;
  throw new SlurmFailure(
    read.complaints.map((sentence) => `srun: error: ${sentence}`),
    1,
  );
}

function distributionFrom(asked: Asked, { environment }: Invocation): Distribution {
  const text = textAsked(asked, 'distribution');
  if (text === null) return { kind: 'default' };
  const distribution = parseDistribution(text, variableOf(environment, 'SLURM_DIST_PLANESIZE'));
  if (distribution === null) throw invalid('srun', 'distribution');
  return distribution;
}

function cpuBindingFrom(asked: Asked): CpuBinding | null {
  const text = textAsked(asked, 'cpu-bind');
  if (text === null) return null;
  const binding = parseCpuBinding(text);
  if (binding !== null) return binding;
  throw new SlurmFailure(
    [
      `srun: error: unrecognized --cpu-bind argument "${text}"`,
      'srun: fatal: Failed to parse --cpu-bind= values.',
    ],
    1,
  );
}

/** Tasks that have GPUs of their own see only those. */
export function gpuBindingFrom(asked: Asked): GpuBinding {
  const text = textAsked(asked, 'gpu-bind');
  if (text !== null) {
    const binding = parseGpuBinding(text);
    if (binding === null) throw invalid('srun', 'gpu-bind');
    return binding;
  }
  const { perTask, tasksPerGpu } = gpusAsked(asked);
  if (perTask !== null) return { kind: 'perTask', count: perTask.count };
  return tasksPerGpu === null ? { kind: 'none' } : { kind: 'single', tasksPerGpu };
}

/** What is not kept to because the caller runs the tasks itself, after `warning: `. */
export function ownWarnings({ commandLine, distribution }: SrunWish): readonly string[] {
  const warnings = [...mpiWarnings(commandLine)];
  if (distribution.kind === 'arbitrary') {
    warnings.push('--distribution=arbitrary has no effect here: tasks fill one node after the other');
  }
  const limits = lastValue(commandLine, 'propagate');
  if (limits !== null && !/^all$/i.test(limits)) {
    warnings.push(`--propagate=${limits} has no effect here: tasks have the limits of srun itself`);
  }
  return warnings;
}

const MPI_TYPES = /^(?:none|pmi2|pmix(?:_v\d)?|cray_shasta|openmpi)$/;

function mpiWarnings(commandLine: readonly GivenOption[]): readonly string[] {
  const type = lastValue(commandLine, 'mpi');
  if (type === null || type === 'none') return [];
  if (!MPI_TYPES.test(type)) {
    throw complaint('srun', `Invalid MPI type '${type}', --mpi=list for acceptable types`, 1);
  }
  return [`--mpi=${type} has no effect here: there is no PMI; mpirun in a job starts the ranks itself`];
}

/**
 * Every option that `sbatch`, `srun` and `salloc` document (22.05 to 25.05), in one table: how it is written, who
 * takes it, and what becomes of it. What its value means is read elsewhere.
 */

import type { OptionSpec } from '../../options.ts';
import type { SlurmWord } from '../words.ts';

export type Submitter = 'sbatch' | 'srun' | 'salloc';

export interface SubmitOption extends OptionSpec {
  readonly by: readonly Submitter[];
  /** What its value must be where nothing else looks at it. */
  readonly form?: 'count' | 'countOrZero' | 'size';
  /** The word under which its value is kept on the job, to be said back. */
  readonly word?: SlurmWord;
  /** It is accepted and changes nothing here: what is said about that, once. */
  readonly noEffect?: string;
  /** Going on without it would run something else than was asked for: why it is refused. */
  readonly refused?: string;
}

const EVERY: readonly Submitter[] = ['sbatch', 'srun', 'salloc'];
const SBATCH: readonly Submitter[] = ['sbatch'];
const SRUN: readonly Submitter[] = ['srun'];
const SALLOC: readonly Submitter[] = ['salloc'];
const BATCH_OR_RUN: readonly Submitter[] = ['sbatch', 'srun'];
const BATCH_OR_ALLOCATE: readonly Submitter[] = ['sbatch', 'salloc'];
const RUN_OR_ALLOCATE: readonly Submitter[] = ['srun', 'salloc'];

type Details = Omit<SubmitOption, 'name' | 'value' | 'by'>;

function taking(name: string, by: readonly Submitter[], details: Details = {}): SubmitOption {
  return { name, value: 'required', by, ...details };
}

function flag(name: string, by: readonly Submitter[], details: Details = {}): SubmitOption {
  return { name, value: 'none', by, ...details };
}

function maybeTaking(name: string, by: readonly Submitter[], details: Details = {}): SubmitOption {
  return { name, value: 'optional', by, ...details };
}

const NO_BINDING = 'where a task runs within its node is left to the system';
const NO_TOPOLOGY = 'sockets, cores and threads are not told apart: CPUs are counted';
const NO_NETWORK = 'there is no network between the nodes to choose from';
const NO_COPYING = 'all nodes see the same files, so nothing is copied';
const NO_CONTAINERS = 'containers are not started here; call the container program in the script instead';
const NO_FREQUENCY = 'frequencies are not changed';
const NO_SEGMENTS = 'the nodes are not arranged in blocks';
const NO_HOOKS = 'no further programs are run around a step';

/** By name, which is also the order in which choices are listed. */
export const SUBMIT_OPTIONS: readonly SubmitOption[] = [
  taking('accel-bind', SRUN, { noEffect: NO_BINDING }),
  taking('account', EVERY, { short: 'A' }),
  taking('acctg-freq', EVERY, { noEffect: 'how often usage is measured is not changed' }),
  taking('array', SBATCH, { short: 'a' }),
  taking('batch', SBATCH, { noEffect: 'the script runs on the first node of the job' }),
  taking('bb', EVERY, { word: 'burstBuffer', noEffect: 'there are no burst buffers' }),
  taking('bbf', EVERY, { word: 'burstBuffer', noEffect: 'there are no burst buffers' }),
  maybeTaking('bcast', SRUN, { noEffect: NO_COPYING }),
  taking('bcast-exclude', SRUN, { noEffect: NO_COPYING }),
  taking('begin', EVERY, { short: 'b' }),
  flag('bell', SALLOC),
  taking('chdir', EVERY, { short: 'D' }),
  taking('cluster-constraint', EVERY, { noEffect: 'there is one cluster' }),
  taking('clusters', EVERY, { short: 'M', word: 'clusters' }),
  taking('comment', EVERY),
  maybeTaking('compress', SRUN, { noEffect: NO_COPYING }),
  flag('consolidate-segments', EVERY, { noEffect: NO_SEGMENTS }),
  taking('constraint', EVERY, { short: 'C' }),
  taking('container', EVERY, { refused: NO_CONTAINERS }),
  taking('container-id', EVERY, { refused: NO_CONTAINERS }),
  flag('contiguous', EVERY, { word: 'contiguous', noEffect: 'the nodes have no order' }),
  taking('core-spec', EVERY, {
    form: 'countOrZero',
    short: 'S',
    word: 'coreSpec',
    noEffect: 'no cores are set aside',
  }),
  taking('cores-per-socket', EVERY, { form: 'count', noEffect: NO_TOPOLOGY }),
  taking('cpu-bind', SRUN, { word: 'cpuBind' }),
  taking('cpu-freq', EVERY, { word: 'cpuFrequency', noEffect: NO_FREQUENCY }),
  taking('cpus-per-gpu', EVERY, { word: 'cpusPerGpu' }),
  taking('cpus-per-task', EVERY, { short: 'c', word: 'cpusPerTask' }),
  taking('deadline', EVERY),
  flag('debugger-test', SRUN, { noEffect: 'no debugger is attached' }),
  taking('delay-boot', EVERY, { noEffect: 'nodes are never booted for a job' }),
  taking('dependency', EVERY, { short: 'd', word: 'dependency' }),
  flag('disable-status', SRUN, { short: 'X' }),
  taking('distribution', EVERY, { short: 'm', word: 'distribution' }),
  taking('epilog', SRUN, { noEffect: NO_HOOKS }),
  taking('error', BATCH_OR_RUN, { short: 'e' }),
  flag('exact', SRUN),
  taking('exclude', EVERY, { short: 'x' }),
  maybeTaking('exclusive', EVERY),
  taking('export', BATCH_OR_RUN, { word: 'export' }),
  taking('export-file', SBATCH),
  flag('external-launcher', SRUN, { noEffect: 'every step may use all that its job has' }),
  taking('extra', EVERY, { word: 'extra' }),
  taking('extra-node-info', EVERY, { short: 'B', noEffect: NO_TOPOLOGY }),
  maybeTaking('get-user-env', BATCH_OR_ALLOCATE, {
    word: 'getUserEnv',
    noEffect: 'the job gets the environment it was submitted from',
  }),
  taking('gid', EVERY, { noEffect: 'a job runs with the groups of its submitter' }),
  taking('gpu-bind', EVERY, { word: 'gpuBind' }),
  taking('gpu-freq', EVERY, { word: 'gpuFrequency', noEffect: NO_FREQUENCY }),
  taking('gpus', EVERY, { short: 'G', word: 'gpus' }),
  taking('gpus-per-node', EVERY, { word: 'gpusPerNode' }),
  taking('gpus-per-socket', EVERY, { word: 'gpusPerSocket' }),
  taking('gpus-per-task', EVERY, { word: 'gpusPerTask' }),
  taking('gres', EVERY, { word: 'gres' }),
  taking('gres-flags', EVERY, { noEffect: NO_BINDING }),
  flag('help', EVERY, { short: 'h' }),
  taking('het-group', SRUN, { aliases: ['pack-group'], refused: 'there are no heterogeneous jobs here' }),
  taking('hint', EVERY, { word: 'hint', noEffect: NO_TOPOLOGY }),
  flag('hold', EVERY, { short: 'H' }),
  flag('ignore-pbs', SBATCH),
  maybeTaking('immediate', RUN_OR_ALLOCATE, { short: 'I' }),
  taking('input', BATCH_OR_RUN, { short: 'i' }),
  flag('interactive', SRUN),
  taking('job-name', EVERY, { short: 'J' }),
  taking('jobid', SRUN),
  maybeTaking('kill-command', SALLOC, { short: 'K' }),
  maybeTaking('kill-on-bad-exit', SRUN, { short: 'K' }),
  taking('kill-on-invalid-dep', SBATCH, { word: 'killOnInvalidDependency' }),
  flag('label', SRUN, { short: 'l' }),
  taking('licenses', EVERY, { short: 'L', word: 'licenses', noEffect: 'licenses are not counted' }),
  taking('mail-type', EVERY),
  taking('mail-user', EVERY),
  taking('mcs-label', EVERY, { word: 'mcsLabel' }),
  taking('mem', EVERY, { word: 'memPerNode' }),
  taking('mem-bind', EVERY, { word: 'memBind', noEffect: NO_BINDING }),
  taking('mem-per-cpu', EVERY, { word: 'memPerCpu' }),
  taking('mem-per-gpu', EVERY, { word: 'memPerGpu' }),
  taking('mincpus', EVERY, { word: 'minCpus' }),
  taking('mpi', SRUN),
  taking('msg-timeout', SRUN, { noEffect: 'no messages are sent between nodes' }),
  flag('multi-prog', SRUN),
  taking('network', EVERY, { word: 'network', noEffect: NO_NETWORK }),
  maybeTaking('nice', EVERY),
  flag('no-allocate', SRUN, { short: 'Z', refused: 'every step needs a place' }),
  flag('no-bell', SALLOC),
  maybeTaking('no-kill', EVERY, { short: 'k', noEffect: 'a job ends when a node of it is lost' }),
  flag('no-requeue', SBATCH),
  flag('no-shell', SALLOC),
  taking('nodefile', EVERY, { short: 'F' }),
  taking('nodelist', EVERY, { short: 'w' }),
  taking('nodes', EVERY, { short: 'N', word: 'nodes' }),
  taking('ntasks', EVERY, { short: 'n', word: 'ntasks' }),
  taking('ntasks-per-core', EVERY, { form: 'count', word: 'ntasksPerCore', noEffect: NO_TOPOLOGY }),
  taking('ntasks-per-gpu', EVERY, { aliases: ['ntasks-per-tres'], word: 'ntasksPerGpu' }),
  taking('ntasks-per-node', EVERY, { aliases: ['tasks-per-node'], word: 'ntasksPerNode' }),
  taking('ntasks-per-socket', EVERY, { form: 'count', word: 'ntasksPerSocket', noEffect: NO_TOPOLOGY }),
  maybeTaking('oom-kill-step', EVERY, { noEffect: 'a job that runs out of memory ends as a whole' }),
  taking('open-mode', BATCH_OR_RUN, { word: 'openMode' }),
  taking('output', BATCH_OR_RUN, { short: 'o' }),
  flag('overcommit', EVERY, { short: 'O', word: 'overcommit' }),
  flag('overlap', SRUN),
  flag('oversubscribe', EVERY, { short: 's', noEffect: 'jobs do not share their CPUs' }),
  flag('parsable', SBATCH),
  taking('partition', EVERY, { short: 'p' }),
  taking('power', EVERY, { word: 'power', noEffect: 'power is not managed' }),
  taking('prefer', EVERY, { noEffect: 'preferences among nodes are not looked at, only --constraint is' }),
  flag('preserve-env', SRUN, { short: 'E' }),
  taking('priority', EVERY),
  taking('profile', EVERY, { word: 'profile', noEffect: 'no profiles are recorded' }),
  taking('prolog', SRUN, { noEffect: NO_HOOKS }),
  maybeTaking('propagate', BATCH_OR_RUN),
  maybeTaking('pty', SRUN),
  taking('qos', EVERY, { short: 'q' }),
  flag('quiet', EVERY, { short: 'Q' }),
  flag('quit-on-interrupt', SRUN),
  flag('reboot', EVERY, { noEffect: 'nodes are never booted for a job' }),
  taking('relative', SRUN, { short: 'r' }),
  flag('requeue', SBATCH),
  taking('reservation', EVERY, { word: 'reservation', noEffect: 'there are no reservations' }),
  maybeTaking('resv-ports', EVERY, { noEffect: 'no ports are set aside' }),
  taking('segment', EVERY, { form: 'count', noEffect: NO_SEGMENTS }),
  maybeTaking('send-libs', SRUN, { noEffect: NO_COPYING }),
  taking('signal', EVERY, { word: 'signal' }),
  taking('slurmd-debug', SRUN, { noEffect: 'there is nothing more to print' }),
  taking('sockets-per-node', EVERY, { form: 'count', noEffect: NO_TOPOLOGY }),
  flag('spread-job', EVERY, { noEffect: 'a job gets as few nodes as it can do with' }),
  flag('spread-segments', EVERY, { noEffect: NO_SEGMENTS }),
  flag('stepmgr', EVERY, { noEffect: 'steps need no manager of their own' }),
  taking('switches', EVERY, { word: 'switches', noEffect: NO_NETWORK }),
  taking('task-epilog', SRUN, { noEffect: NO_HOOKS }),
  taking('task-prolog', SRUN, { noEffect: NO_HOOKS }),
  flag('test-only', BATCH_OR_RUN),
  taking('thread-spec', EVERY, {
    form: 'countOrZero',
    word: 'threadSpec',
    noEffect: 'no threads are set aside',
  }),
  taking('threads', SRUN, { short: 'T', noEffect: 'steps are not started over a network' }),
  taking('threads-per-core', EVERY, { form: 'count', word: 'threadsPerCore', noEffect: NO_TOPOLOGY }),
  taking('time', EVERY, { short: 't' }),
  taking('time-min', EVERY, { word: 'timeMin' }),
  taking('tmp', EVERY, { form: 'size', word: 'tmp', noEffect: 'free space on disks is not looked at' }),
  taking('treewidth', SRUN, { noEffect: 'steps are not started over a network' }),
  taking('tres-bind', EVERY, { noEffect: NO_BINDING }),
  taking('tres-per-task', EVERY),
  taking('uid', EVERY),
  flag('unbuffered', SRUN, { short: 'u' }),
  flag('usage', EVERY),
  flag('use-min-nodes', EVERY),
  flag('verbose', EVERY, { short: 'v' }),
  flag('version', EVERY, { short: 'V' }),
  flag('wait', SBATCH, { short: 'W' }),
  taking('wait', SRUN, { short: 'W' }),
  taking('wait-all-nodes', BATCH_OR_ALLOCATE, { form: 'countOrZero' }),
  flag('wait-for-children', SRUN),
  taking('wckey', EVERY, { word: 'wckey' }),
  flag('whole', SRUN),
  taking('wrap', SBATCH),
  maybeTaking('x11', RUN_OR_ALLOCATE, { noEffect: 'windows are not forwarded' }),
];

export const SBATCH_OPTIONS = optionsOf('sbatch');
export const SRUN_OPTIONS = optionsOf('srun');
export const SALLOC_OPTIONS = optionsOf('salloc');

function optionsOf(command: Submitter): readonly SubmitOption[] {
  return SUBMIT_OPTIONS.filter(({ by }) => by.includes(command));
}

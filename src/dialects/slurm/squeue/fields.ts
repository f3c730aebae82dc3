/** Every field of `squeue -O` that a job has, by its name in lower case. The letters of `-o` are in columns.ts. */

import { dependencyText } from '../dependency-text.ts';
import { clockText } from '../durations.ts';
import { foldHosts } from '../host-list.ts';
import { accountOf, hasBatchStep, preemptedAtOf, qosOf } from '../job-facts.ts';
import type { Columns } from '../listing/format.ts';
import type { Column } from '../listing/layout.ts';
import { partitionsOf } from '../partitions.ts';
import { tresText } from '../tres.ts';
import { type SlurmWord, wordOf } from '../words.ts';
import {
  arrayTaskText,
  displayIdText,
  eligibleAtOf,
  endAtOf,
  executingHost,
  inputPath,
  leastCpusPerNode,
  leastTimeMs,
  memoryText,
  outputPath,
  placeOrReason,
  priorityOf,
  priorityShareText,
  profilesOf,
  rawExitStatus,
  sharingText,
  spanText,
  startAtOf,
  switchesOf,
  timeLeftMs,
  tresPer,
  writtenBytes,
} from './job-values.ts';
import type { JobRow } from './rows.ts';

type JobColumn = Column<JobRow>;

function column(heading: string, text: JobColumn['text'], whole?: JobColumn['whole']): JobColumn {
  return whole === undefined ? { heading, text } : { heading, text, whole };
}

/** What is the same for every job of a yard. */
function always(heading: string, value: string | null): JobColumn {
  return { heading, text: () => value };
}

function counted(heading: string, count: (row: JobRow) => number): JobColumn {
  return { heading, text: (row) => `${count(row)}` };
}

function said(heading: string, word: SlurmWord, otherwise: string | null = null): JobColumn {
  return { heading, text: ({ job }) => wordOf(job, word) ?? otherwise };
}

function moment(heading: string, at: (row: JobRow) => number | null): JobColumn {
  return { heading, text: (row) => momentOr(row, at(row), 'N/A') };
}

function momentOr({ scene }: JobRow, at: number | null, otherwise: string): string {
  return at === null ? otherwise : scene.momentText(at);
}

function endText(row: JobRow): string {
  const endAt = endAtOf(row);
  return endAt === 'never' ? 'NONE' : momentOr(row, endAt, 'N/A');
}

function pendingSeconds({ facts, job, scene }: JobRow): number {
  const until = facts.attempt?.startedAt ?? scene.now;
  return Math.max(0, Math.floor((until - job.submittedAt) / 1000));
}

function perGpu(row: JobRow, word: 'cpusPerGpu' | 'memPerGpu'): string {
  const asked = wordOf(row.job, word);
  return asked === null ? 'N/A' : `gres:gpu:${asked}`;
}

function coreSpecText({ job }: JobRow): string {
  const threads = wordOf(job, 'threadSpec');
  return threads === null ? (wordOf(job, 'coreSpec') ?? 'N/A') : `${threads} Threads`;
}

function mostNodes({ facts, job }: JobRow): number {
  return facts.attempt === null ? job.spec.resources.nodes.max : facts.tres.nodes;
}

const sharing = column('OVER_SUBSCRIBE', sharingText);
const tresPerNode = column('TRES_PER_NODE', (row) => tresPer(row, 'node') ?? 'N/A');
const cpusPerTask = counted('CPUS_PER_TASK', ({ job }) => job.spec.resources.cpusPerRank);
const hetJobId = always('HET_JOB_ID', 'N/A');
const hetJobOffset = always('HET_JOB_OFFSET', 'N/A');
const hetJobIdSet = always('HET_JOB_ID_SET', 'N/A');

export const JOB_FIELDS: Columns<JobRow> = {
  account: column('ACCOUNT', ({ job }) => accountOf(job)),
  accruetime: moment('ACCRUE_TIME', ({ job }) => job.eligibleAt),
  admin_comment: said('ADMIN_COMMENT', 'adminComment'),
  allocnodes: said('ALLOC_NODES', 'submitHost'),
  allocsid: always('ALLOC_SID', 'N/A'),
  arrayjobid: counted('ARRAY_JOB_ID', ({ job, tasks }) => tasks?.arrayId ?? job.id),
  arraytaskid: column('ARRAY_TASK_ID', (row) => arrayTaskText(row) ?? 'N/A'),
  associd: always('ASSOC_ID', '0'),
  batchflag: counted('BATCH_FLAG', ({ job }) => Number(hasBatchStep(job))),
  batchhost: column('EXEC_HOST', (row) => executingHost(row) ?? 'n/a'),
  boardspernode: always('BOARDS_PER_NODE', '0'),
  burstbuffer: said('BURST_BUFFER', 'burstBuffer'),
  burstbufferstate: always('BURST_BUFFER_STATE', null),
  cluster: column('CLUSTER', ({ scene }) => scene.cluster),
  clusterfeature: always('CLUSTER_FEATURES', null),
  command: said('COMMAND', 'command'),
  comment: column('COMMENT', ({ job }) => job.spec.comment),
  container: always('CONTAINER', null),
  contiguous: counted('CONTIGUOUS', ({ job }) => Number(wordOf(job, 'contiguous') !== null)),
  cores: always('CORES_PER_SOCKET', '*'),
  corespec: column('CORE_SPEC', coreSpecText),
  'cpus-per-task': cpusPerTask,
  cpuspertask: cpusPerTask,
  'cpus-per-tres': column('CPUS_PER_TRES', (row) => perGpu(row, 'cpusPerGpu')),
  deadline: moment('DEADLINE', ({ job }) => job.spec.deadlineAt),
  delayboot: always('DELAY_BOOT', '0:00'),
  dependency: column('DEPENDENCY', ({ facts }) => dependencyText(facts.view)),
  derivedec: always('DERIVED_EC', '0'),
  eligibletime: moment('ELIGIBLE_TIME', eligibleAtOf),
  endtime: column('END_TIME', endText),
  exit_code: counted('EXIT_CODE', ({ facts }) => rawExitStatus(facts)),
  feature: column('FEATURES', ({ job }) => job.spec.resources.constraint),
  gres: tresPerNode,
  groupid: column('GROUP', ({ job, scene }) => `${scene.users.get(job.spec.user)?.gid ?? 'N/A'}`),
  groupname: column('GROUP', ({ job, scene }) => scene.users.get(job.spec.user)?.group ?? null),
  hetjobid: hetJobId,
  hetjobidset: hetJobIdSet,
  hetjoboffset: hetJobOffset,
  jobarrayid: column('JOBID', displayIdText),
  jobid: counted('JOBID', ({ job }) => job.id),
  lastschedeval: moment('LAST_SCHED_EVAL', ({ facts }) => facts.attempt?.assignedAt ?? null),
  licenses: said('LICENSES', 'licenses'),
  maxcpus: counted('MAX_CPUS', ({ facts }) => facts.tres.cpus),
  maxnodes: counted('MAX_NODES', mostNodes),
  mcslabel: said('MCSLABEL', 'mcsLabel'),
  'mem-per-tres': column('MEM_PER_TRES', (row) => perGpu(row, 'memPerGpu')),
  mincpus: counted('MIN_CPUS', leastCpusPerNode),
  minmemory: column('MIN_MEMORY', ({ job, scene }) =>
    memoryText(job.spec.resources.memory?.bytes ?? 0, scene),
  ),
  mintime: column('TIME_MIN', (row) => clockText(leastTimeMs(row))),
  mintmpdisk: column('MIN_TMP_DISK', ({ job, scene }) => memoryText(writtenBytes(wordOf(job, 'tmp')), scene)),
  name: column('NAME', ({ job }) => job.spec.name),
  network: said('NETWORK', 'network'),
  nice: counted('NICE', ({ job }) => job.spec.nice),
  nodelist: column('NODELIST', ({ facts }) => facts.nodeList, 'both'),
  ntperboard: always('NTASKS_PER_BOARD', '0'),
  ntpercore: said('NTASKS_PER_CORE', 'ntasksPerCore', 'N/A'),
  ntpernode: counted('NTASKS_PER_NODE', ({ job }) => job.spec.resources.ranksPerNode ?? 0),
  ntpersocket: said('NTASKS_PER_SOCKET', 'ntasksPerSocket', 'N/A'),
  numcpus: counted('CPUS', ({ facts }) => facts.tres.cpus),
  numnodes: counted('NODES', ({ facts }) => facts.tres.nodes),
  numtasks: counted('TASKS', ({ facts }) => facts.tasks),
  origin: always('ORIGIN', 'NA'),
  originraw: always('ORIGIN_RAW', 'NA'),
  oversubscribe: sharing,
  packjobid: hetJobId,
  packjobidset: hetJobIdSet,
  packjoboffset: hetJobOffset,
  partition: column('PARTITION', ({ job }) => partitionsOf(job).join(',')),
  pendingtime: counted('PENDING_TIME', pendingSeconds),
  preempttime: moment('PREEMPT_TIME', ({ facts }) => preemptedAtOf(facts)),
  prefer: always('PREFER', null),
  priority: column('PRIORITY', priorityShareText),
  prioritylong: counted('PRIORITY', priorityOf),
  profile: column('PROFILE', (row) => profilesOf(row)?.join(',') ?? 'NotSet'),
  qos: column('QOS', ({ job, scene }) => qosOf(job, scene.policy)),
  reason: column('REASON', ({ facts }) => facts.describedReason),
  reasonlist: column('NODELIST(REASON)', placeOrReason, 'both'),
  reboot: always('REBOOT', '0'),
  reqnodes: column('REQ_NODES', ({ job }) => foldHosts(job.spec.resources.onlyNodes)),
  reqswitch: counted('REQ_SWITCH', (row) => switchesOf(row).count),
  requeue: counted('REQUEUE', ({ job }) => Number(job.spec.requeue)),
  reservation: said('RESERVATION', 'reservation'),
  resizetime: always('RESIZE_TIME', 'N/A'),
  restartcnt: counted('RESTART_COUNT', ({ job }) => job.restarts),
  schednodes: { heading: 'SCHEDNODES', text: () => null, whole: 'both' },
  sct: always('S:C:T', '*:*:*'),
  selectjobinfo: always('', ''),
  shared: sharing,
  siblingsactive: always('ACTIVE_SIBLINGS', 'NA'),
  siblingsactiveraw: always('ACTIVE_SIBLINGS_RAW', 'NA'),
  siblingsviable: always('VIABLE_SIBLINGS', 'NA'),
  // Spelled as the original spells it.
  siblingsviableraw: always('VIALBLE_SIBLINGS_RAW', 'NA'),
  sockets: always('SOCKETS_PER_NODE', '*'),
  sperboard: always('SOCKETS_PER_BOARD', '0'),
  starttime: moment('START_TIME', startAtOf),
  state: column('STATE', ({ facts }) => facts.state.name),
  statecompact: column('ST', ({ facts }) => facts.state.code),
  stderr: column('STDERR', (row) => outputPath(row, 'stderr')),
  stdin: column('STDIN', inputPath),
  stdout: column('STDOUT', (row) => outputPath(row, 'stdout')),
  submittime: moment('SUBMIT_TIME', ({ job }) => job.submittedAt),
  system_comment: always('SYSTEM_COMMENT', null),
  threads: always('THREADS_PER_CORE', '*'),
  timeleft: column('TIME_LEFT', (row) => spanText(timeLeftMs(row)), 'text'),
  timelimit: column('TIME_LIMIT', ({ job }) => spanText(job.spec.limitMs), 'text'),
  timeused: column('TIME', ({ facts }) => clockText(facts.runMs), 'text'),
  'tres-alloc': column('TRES_ALLOC', ({ facts }) => tresText(facts.tres)),
  'tres-bind': column('TRES_BIND', ({ job }) => {
    const bind = wordOf(job, 'gpuBind');
    return bind === null ? 'N/A' : `gres:gpu:${bind}`;
  }),
  'tres-freq': always('TRES_FREQ', 'N/A'),
  'tres-per-job': column('TRES_PER_JOB', (row) => tresPer(row, 'job') ?? 'N/A'),
  'tres-per-node': tresPerNode,
  'tres-per-socket': column('TRES_PER_SOCKET', (row) => tresPer(row, 'socket') ?? 'N/A'),
  'tres-per-task': column('TRES_PER_TASK', (row) => tresPer(row, 'task') ?? 'N/A'),
  userid: column('UID', ({ job, scene }) => `${scene.users.get(job.spec.user)?.uid ?? 'N/A'}`),
  username: column('USER', ({ job }) => job.spec.user),
  wait4switch: column('WAIT4SWITCH', (row) => clockText(switchesOf(row).waitMs)),
  wckey: said('WCKEY', 'wckey'),
  workdir: column('WORK_DIR', ({ job }) => job.spec.workDir),
};

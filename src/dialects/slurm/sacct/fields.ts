/**
 * Every field of `sacct --helpformat`: its name, the width of its column, what it says. What a field says is worked out
 * in values.ts. Knows no option.
 */

import type { UserView } from '../../../model/query.ts';
import { fullClockText } from '../durations.ts';
import type { Field } from '../field-table.ts';
import { accountOf, qosOf } from '../job-facts.ts';
import { wordOf } from '../words.ts';
import type { Run } from './runs.ts';
import type { StepRun } from './step-runs.ts';
import {
  averageCpu,
  type Context,
  clock,
  cpuPart,
  cpusOf,
  elapsedOf,
  energyText,
  exitText,
  flagsText,
  idOf,
  limitText,
  memoryText,
  momentOrUnknown,
  nodesOf,
  ofOnlyTask,
  peakText,
  priorityText,
  qosNumber,
  type Row,
  rawIdOf,
  startText,
  stateText,
  tresListText,
  usageOwnerText,
  usageText,
  waitedSeconds,
  waitReason,
} from './values.ts';

export const BRIEF_FORMAT = 'jobid,state,exitcode';
export const USUAL_FORMAT = 'jobid,jobname,partition,account,alloccpus,state,exitcode';
export const COMPLETION_FORMAT = 'jobid,uid,jobname,partition,nnodes,nodelist,state,end';
export const LONG_FORMAT =
  'jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,' +
  'maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,alloccpus,elapsed,state,exitcode,' +
  'avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,' +
  'avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,reqtres,alloctres,tresusageinave,' +
  'tresusageinmax,tresusageinmaxnode,tresusageinmaxtask,tresusageinmin,tresusageinminnode,tresusageinmintask,' +
  'tresusageintot,tresusageoutmax,tresusageoutmaxnode,tresusageoutmaxtask,tresusageoutave,tresusageouttot';

type Say = (row: Row) => string;

function field(name: string, width: number, value: Say): Field<Row> {
  return { name, width, value };
}

/** A number or a time, which is never cut. */
function whole(name: string, width: number, value: Say): Field<Row> {
  return { name, width, isWhole: true, value };
}

/** A step has no such thing. */
function ofRun(say: Say): Say {
  return (row) => (row.step === null ? say(row) : '');
}

/** Only a step has it. */
function ofStep(say: (row: Row & { readonly step: StepRun }) => string): Say {
  return (row) => (row.step === null ? '' : say({ ...row, step: row.step }));
}

/** Pages, disks, virtual memory and the like are not measured here; containers and reservations are not to be had. */
const unknownHere: Say = () => '';

function userOf({ job }: Run, { users }: Context): UserView | null {
  return users.get(job.spec.user) ?? null;
}

function allocatedText({ run, step, context }: Row): string {
  const tres = (step ?? run).allocated;
  return tres === null ? '' : tresListText(tres, step === null, context.conversion);
}

function requestedMemory({ requested }: Run, { conversion }: Context): string {
  return requested.memoryBytes === null ? '0' : memoryText(requested.memoryBytes, conversion);
}

/** Nobody can ask for a frequency here; Slurm writes that down differently for a batch script. */
const requestedFrequency: Say = ({ step }) => (step !== null && step.n === null ? '0' : 'Unknown');

function waitedText(row: Row, times: number): string {
  const seconds = waitedSeconds(row);
  return seconds === null ? 'INVALID' : clock(seconds * times);
}

/** In the order of `--helpformat`, which is also the order in which the beginning of a name is looked up. */
export const FIELDS: readonly Field<Row>[] = [
  field('Account', 10, ({ run }) => accountOf(run.job)),
  field(
    'AdminComment',
    15,
    ofRun(({ run }) => wordOf(run.job, 'adminComment') ?? ''),
  ),
  whole('AllocCPUS', 10, (row) => `${cpusOf(row)}`),
  whole('AllocNodes', 10, ({ run, step }) => `${(step ?? run).allocated?.nodes ?? 0}`),
  field('AllocTRES', 10, allocatedText),
  whole('AssocID', 7, () => '0'),
  whole('AveCPU', 10, averageCpu),
  field(
    'AveCPUFreq',
    10,
    ofStep(() => '0'),
  ),
  field('AveDiskRead', 14, unknownHere),
  field('AveDiskWrite', 14, unknownHere),
  field('AvePages', 10, unknownHere),
  field('AveRSS', 10, (row) => ofOnlyTask(row, peakText(row))),
  field('AveVMSize', 10, unknownHere),
  field('BlockID', 16, unknownHere),
  field('Cluster', 10, ({ context }) => context.cluster),
  field(
    'Comment',
    14,
    ofRun(({ run }) => run.job.spec.comment ?? ''),
  ),
  field(
    'Constraints',
    19,
    ofRun(({ run }) => run.job.spec.resources.constraint ?? ''),
  ),
  field('ConsumedEnergy', 14, energyText),
  field('ConsumedEnergyRaw', 17, energyText),
  field('Container', 19, unknownHere),
  whole('CPUTime', 10, (row) => clock(elapsedOf(row) * cpusOf(row))),
  whole('CPUTimeRAW', 10, (row) => `${elapsedOf(row) * cpusOf(row)}`),
  field('DBIndex', -10, unknownHere),
  field(
    'DerivedExitCode',
    15,
    ofRun(({ run }) => exitText(run.derivedExit)),
  ),
  whole('Elapsed', 10, (row) => clock(elapsedOf(row))),
  whole('ElapsedRaw', 10, (row) => `${elapsedOf(row)}`),
  whole('Eligible', 19, ({ run, step, context }) =>
    momentOrUnknown(step === null ? run.eligibleAt : step.startedAt, context),
  ),
  whole('End', 19, ({ run, step, context }) => momentOrUnknown((step ?? run).endedAt, context)),
  field('ExitCode', 8, ({ run, step }) => exitText((step ?? run).exit)),
  field('Flags', 19, ofRun(flagsText)),
  whole(
    'GID',
    6,
    ofRun(({ run, context }) => `${userOf(run, context)?.gid ?? ''}`),
  ),
  field(
    'Group',
    9,
    ofRun(({ run, context }) => userOf(run, context)?.group ?? ''),
  ),
  field('JobID', -12, idOf),
  field('JobIDRaw', -12, rawIdOf),
  field('JobName', 10, ({ run, step }) => step?.name ?? run.job.spec.name),
  field(
    'Layout',
    9,
    ofStep(({ step }) => step.layout),
  ),
  field('MaxDiskRead', 12, unknownHere),
  field('MaxDiskReadNode', 15, unknownHere),
  field('MaxDiskReadTask', 15, unknownHere),
  field('MaxDiskWrite', 12, unknownHere),
  field('MaxDiskWriteNode', 16, unknownHere),
  field('MaxDiskWriteTask', 16, unknownHere),
  field('MaxPages', 8, unknownHere),
  field('MaxPagesNode', 12, unknownHere),
  field('MaxPagesTask', 14, unknownHere),
  field('MaxRSS', 10, peakText),
  field('MaxRSSNode', 10, (row) => ofOnlyTask(row, row.step?.nodeList ?? '')),
  field('MaxRSSTask', 10, (row) => ofOnlyTask(row, '0')),
  field('MaxVMSize', 10, unknownHere),
  field('MaxVMSizeNode', 14, unknownHere),
  field('MaxVMSizeTask', 14, unknownHere),
  field(
    'McsLabel',
    12,
    ofRun(({ run }) => wordOf(run.job, 'mcsLabel') ?? ''),
  ),
  whole('MinCPU', 10, (row) => ofOnlyTask(row, averageCpu(row))),
  field('MinCPUNode', 10, (row) => ofOnlyTask(row, row.step?.nodeList ?? '')),
  field('MinCPUTask', 10, (row) => ofOnlyTask(row, '0')),
  whole('NCPUS', 10, (row) => `${cpusOf(row)}`),
  whole('NNodes', 8, (row) => `${nodesOf(row)}`),
  field('NodeList', 15, ({ run, step }) => step?.nodeList ?? (run.nodeList || 'None assigned')),
  whole(
    'NTasks',
    8,
    ofStep(({ step }) => `${step.tasks}`),
  ),
  field(
    'Partition',
    10,
    ofRun(({ run }) => run.job.spec.queue),
  ),
  whole('Priority', 10, ofRun(priorityText)),
  field(
    'QOS',
    10,
    ofRun(({ run, context }) => qosOf(run.job, context.policy) ?? ''),
  ),
  whole(
    'QOSRAW',
    6,
    ofRun(({ run, context }) => qosNumber(run, context.policy)),
  ),
  field(
    'Reason',
    22,
    ofRun(({ run }) => waitReason(run)),
  ),
  field('ReqCPUFreq', 10, requestedFrequency),
  field('ReqCPUFreqGov', 13, requestedFrequency),
  field('ReqCPUFreqMax', 13, requestedFrequency),
  field('ReqCPUFreqMin', 13, requestedFrequency),
  whole('ReqCPUS', 8, ({ run, step }) => `${(step?.allocated ?? run.requested).cpus}`),
  field(
    'ReqMem',
    10,
    ofRun(({ run, context }) => requestedMemory(run, context)),
  ),
  whole('ReqNodes', 8, ({ run, step }) => `${(step?.allocated ?? run.requested).nodes}`),
  field(
    'ReqTRES',
    10,
    ofRun(({ run, context }) => tresListText(run.requested, true, context.conversion)),
  ),
  field(
    'Reservation',
    20,
    ofRun(({ run }) => wordOf(run.job, 'reservation') ?? ''),
  ),
  field('ReservationId', 8, unknownHere),
  whole(
    'Reserved',
    10,
    ofRun((row) => waitedText(row, 1)),
  ),
  whole(
    'ResvCPU',
    10,
    ofRun((row) => waitedText(row, row.run.requested.cpus)),
  ),
  whole(
    'ResvCPURAW',
    10,
    ofRun((row) => `${(waitedSeconds(row) ?? 0) * row.run.requested.cpus}`),
  ),
  whole('Start', 19, startText),
  field('State', 10, stateText),
  whole('Submit', 19, ({ run, step, context }) => context.moment(step?.startedAt ?? run.submittedAt)),
  field('SubmitLine', 20, ({ run, step }) => step?.submitLine ?? wordOf(run.job, 'submitLine') ?? ''),
  whole('Suspended', 10, ({ run, step }) => clock((step ?? run).suspendedSeconds)),
  field('SystemComment', 15, unknownHere),
  field('SystemCPU', 10, (row) => cpuPart(row, 'systemMs')),
  whole(
    'Timelimit',
    10,
    ofRun(({ run }) => limitText(run, fullClockText)),
  ),
  field(
    'TimelimitRaw',
    10,
    ofRun(({ run }) => limitText(run, (limitMs) => `${Math.ceil(limitMs / 60_000)}`)),
  ),
  field('TotalCPU', 10, (row) => cpuPart(row, 'totalMs')),
  field('TRESUsageInAve', 14, (row) => usageText(row, 'average')),
  field('TRESUsageInMax', 14, (row) => usageText(row, 'one')),
  field('TRESUsageInMaxNode', 18, (row) => usageOwnerText(row, row.step?.nodeList ?? '')),
  field('TRESUsageInMaxTask', 18, (row) => usageOwnerText(row, '0')),
  field('TRESUsageInMin', 14, (row) => usageText(row, 'one')),
  field('TRESUsageInMinNode', 18, (row) => usageOwnerText(row, row.step?.nodeList ?? '')),
  field('TRESUsageInMinTask', 18, (row) => usageOwnerText(row, '0')),
  field('TRESUsageInTot', 14, (row) => usageText(row, 'all')),
  field('TRESUsageOutAve', 15, unknownHere),
  field('TRESUsageOutMax', 15, unknownHere),
  field('TRESUsageOutMaxNode', 19, unknownHere),
  field('TRESUsageOutMaxTask', 19, unknownHere),
  field('TRESUsageOutMin', 15, unknownHere),
  field('TRESUsageOutMinNode', 19, unknownHere),
  field('TRESUsageOutMinTask', 19, unknownHere),
  field('TRESUsageOutTot', 15, unknownHere),
  whole(
    'UID',
    6,
    ofRun(({ run, context }) => `${userOf(run, context)?.uid ?? ''}`),
  ),
  field(
    'User',
    9,
    ofRun(({ run }) => run.job.spec.user),
  ),
  field('UserCPU', 10, (row) => cpuPart(row, 'userMs')),
  field(
    'WCKey',
    10,
    ofRun(({ run }) => wordOf(run.job, 'wckey') ?? ''),
  ),
  whole(
    'WCKeyID',
    10,
    ofRun(() => '0'),
  ),
  field(
    'WorkDir',
    20,
    ofRun(({ run }) => run.job.spec.workDir),
  ),
];

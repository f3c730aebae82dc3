/** Every field of `sstat --helpformat`: what a step that runs uses at this moment, of its tasks together and apart. */

import { amountText, type Conversion } from '../amounts.ts';
import { fullClockText } from '../durations.ts';
import type { Field } from '../field-table.ts';

/** One step that runs. */
export interface Row {
  /** `17.batch`, `17.0`. */
  readonly id: string;
  readonly isBatch: boolean;
  readonly nodeList: string;
  readonly taskCount: number;
  readonly pids: readonly number[];
  /** Empty when nobody could look. */
  readonly tasks: readonly TaskUsage[];
  readonly conversion: Conversion;
}

export interface TaskUsage {
  readonly task: number;
  readonly node: string;
  readonly memoryBytes: number;
  readonly virtualBytes: number;
  readonly cpuMs: number;
}

type Quantity = 'memoryBytes' | 'virtualBytes' | 'cpuMs';
type Say = (row: Row) => string;
/** Which task a figure is about; null: all of them on average. */
type Pick = (row: Row, of: Quantity) => TaskUsage | null;

const most: Pick = ({ tasks }, of) =>
  tasks.reduce<TaskUsage | null>((a, b) => (a !== null && a[of] >= b[of] ? a : b), null);
const least: Pick = ({ tasks }, of) =>
  tasks.reduce<TaskUsage | null>((a, b) => (a !== null && a[of] <= b[of] ? a : b), null);

function total({ tasks }: Row, of: Quantity): number | null {
  return tasks.length === 0 ? null : tasks.reduce((sum, task) => sum + task[of], 0);
}

function written(value: number | null | undefined, of: Quantity, { conversion }: Row): string {
  if (value == null) return '';
  return of === 'cpuMs' ? fullClockText(value) : amountText(Math.floor(value / 1024) * 1024, '', conversion);
}

const extreme =
  (pick: Pick, of: Quantity): Say =>
  (row) =>
    written(pick(row, of)?.[of], of, row);
const average =
  (of: Quantity): Say =>
  (row) => {
    const sum = total(row, of);
    return written(sum === null ? null : sum / row.tasks.length, of, row);
  };
const taskOf =
  (pick: Pick, of: Quantity): Say =>
  (row) =>
    `${pick(row, of)?.task ?? ''}`;
const nodeOf =
  (pick: Pick, of: Quantity): Say =>
  (row) =>
    pick(row, of)?.node ?? '';

/** `cpu=00:00:01,mem=2916K,vmem=5512K`: what is measured of what Slurm lists. */
function listed(say: (of: Quantity) => Say): Say {
  return (row) => {
    if (row.tasks.length === 0) return '';
    return `cpu=${say('cpuMs')(row)},mem=${say('memoryBytes')(row)},vmem=${say('virtualBytes')(row)}`;
  };
}

const listedTotal = listed((of) => (row) => written(total(row, of), of, row));

/** Pages and disks are not measured. */
const unknownHere: Say = () => '';
/** Nobody can ask for a frequency here; Slurm writes that down differently for a batch script. */
const requestedFrequency: Say = ({ isBatch }) => (isBatch ? '0' : 'Unknown');

const field = (name: string, width: number, value: Say): Field<Row> => ({ name, width, value });
const whole = (name: string, width: number, value: Say): Field<Row> => ({
  name,
  width,
  isWhole: true,
  value,
});

/** In the order of `--helpformat`. */
export const FIELDS: readonly Field<Row>[] = [
  whole('AveCPU', 10, average('cpuMs')),
  field('AveCPUFreq', 10, () => '0'),
  field('AveDiskRead', 12, unknownHere),
  field('AveDiskWrite', 12, unknownHere),
  field('AvePages', 10, unknownHere),
  field('AveRSS', 10, average('memoryBytes')),
  field('AveVMSize', 10, average('virtualBytes')),
  field('ConsumedEnergy', 14, () => '0'),
  field('ConsumedEnergyRaw', 17, () => '0'),
  field('JobID', -12, ({ id }) => id),
  field('MaxDiskRead', 12, unknownHere),
  field('MaxDiskReadNode', 15, unknownHere),
  field('MaxDiskReadTask', 15, unknownHere),
  field('MaxDiskWrite', 12, unknownHere),
  field('MaxDiskWriteNode', 16, unknownHere),
  field('MaxDiskWriteTask', 16, unknownHere),
  field('MaxPages', 8, unknownHere),
  field('MaxPagesNode', 12, unknownHere),
  field('MaxPagesTask', 14, unknownHere),
  field('MaxRSS', 10, extreme(most, 'memoryBytes')),
  field('MaxRSSNode', 10, nodeOf(most, 'memoryBytes')),
  field('MaxRSSTask', 10, taskOf(most, 'memoryBytes')),
  field('MaxVMSize', 10, extreme(most, 'virtualBytes')),
  field('MaxVMSizeNode', 14, nodeOf(most, 'virtualBytes')),
  field('MaxVMSizeTask', 14, taskOf(most, 'virtualBytes')),
  whole('MinCPU', 10, extreme(least, 'cpuMs')),
  field('MinCPUNode', 10, nodeOf(least, 'cpuMs')),
  field('MinCPUTask', 10, taskOf(least, 'cpuMs')),
  field('Nodelist', 20, ({ nodeList }) => nodeList),
  whole('NTasks', 8, ({ taskCount }) => `${taskCount}`),
  field('Pids', 20, ({ pids }) => pids.join(',')),
  field('ReqCPUFreq', 10, requestedFrequency),
  field('ReqCPUFreqMin', 13, requestedFrequency),
  field('ReqCPUFreqMax', 13, requestedFrequency),
  field('ReqCPUFreqGov', 13, requestedFrequency),
  field('TRESUsageInAve', 14, listed(average)),
  field(
    'TRESUsageInMax',
    14,
    listed((of) => extreme(most, of)),
  ),
  field(
    'TRESUsageInMaxNode',
    18,
    listed((of) => nodeOf(most, of)),
  ),
  field(
    'TRESUsageInMaxTask',
    18,
    listed((of) => taskOf(most, of)),
  ),
  field(
    'TRESUsageInMin',
    14,
    listed((of) => extreme(least, of)),
  ),
  field(
    'TRESUsageInMinNode',
    18,
    listed((of) => nodeOf(least, of)),
  ),
  field(
    'TRESUsageInMinTask',
    18,
    listed((of) => taskOf(least, of)),
  ),
  field('TRESUsageInTot', 14, listedTotal),
  field('TRESUsageOutAve', 15, unknownHere),
  field('TRESUsageOutMax', 15, unknownHere),
  field('TRESUsageOutMaxNode', 19, unknownHere),
  field('TRESUsageOutMaxTask', 19, unknownHere),
  field('TRESUsageOutMin', 15, unknownHere),
  field('TRESUsageOutMinNode', 19, unknownHere),
  field('TRESUsageOutMinTask', 19, unknownHere),
  field('TRESUsageOutTot', 15, unknownHere),
];

export const PID_FORMAT = 'jobid,nodelist,pids';
export const USUAL_FORMAT =
  'jobid,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,maxpages,maxpagesnode,' +
  'maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,' +
  'consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,' +
  'avediskwrite,tresusageinave,tresusageinmax,tresusageinmaxnode,tresusageinmaxtask,tresusageinmin,tresusageinminnode,' +
  'tresusageinmintask,tresusageintot,tresusageoutave,tresusageoutmax,tresusageoutmaxnode,tresusageoutmaxtask,' +
  'tresusageoutmin,tresusageoutminnode,tresusageoutmintask,tresusageouttot';

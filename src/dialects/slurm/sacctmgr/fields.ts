/**
 * The fields of `sacctmgr`. All entities share one list, and leave empty what does not concern them; a row is made of
 * what an entity has to say.
 */

import type { Field } from '../field-table.ts';

/** By the name of the field. */
export type Row = Readonly<Record<string, string>>;

interface Known {
  readonly name: string;
  readonly heading?: string;
  readonly aliases?: readonly string[];
  readonly width: number;
}

const KNOWN: readonly Known[] = [
  { name: 'Account', width: 10, aliases: ['Acct'] },
  { name: 'AdminLevel', heading: 'Admin', width: 9 },
  { name: 'Classification', heading: 'Class', width: 9 },
  { name: 'Cluster', width: 10 },
  { name: 'ClusterNodes', heading: 'Cluster Nodes', width: 20, aliases: ['NodeNames'] },
  { name: 'Coordinators', heading: 'Coord Accounts', width: 20 },
  { name: 'ControlHost', width: 15 },
  { name: 'ControlPort', width: 12 },
  { name: 'Count', width: 6 },
  { name: 'DefaultAccount', heading: 'Def Acct', width: 10 },
  { name: 'DefaultQOS', heading: 'Def QOS', width: 9 },
  { name: 'DefaultWCKey', heading: 'Def WCKey', width: 10 },
  { name: 'Description', heading: 'Descr', width: 20 },
  { name: 'Features', width: 20 },
  { name: 'Federation', width: 10 },
  { name: 'FedState', width: 12 },
  { name: 'Flags', width: 20 },
  { name: 'GraceTime', width: 10 },
  { name: 'GrpCPUMins', width: 11 },
  { name: 'GrpCPUs', width: 8 },
  { name: 'GrpJobs', width: 7 },
  { name: 'GrpMemory', heading: 'GrpMem', width: 7 },
  { name: 'GrpNodes', width: 8 },
  { name: 'GrpSubmitJobs', heading: 'GrpSubmit', width: 9 },
  { name: 'GrpTRES', width: 13 },
  { name: 'GrpTRESMins', width: 13 },
  { name: 'GrpTRESRunMins', width: 13 },
  { name: 'GrpWall', width: 11 },
  { name: 'ID', width: 6 },
  { name: 'LFT', width: 6 },
  { name: 'MaxCPUMinsPerJob', heading: 'MaxCPUMins', width: 11, aliases: ['MaxCPUMins'] },
  { name: 'MaxCPUsPerJob', heading: 'MaxCPUs', width: 8, aliases: ['MaxCPUs'] },
  { name: 'MaxCPUsPerUser', heading: 'MaxCPUsPU', width: 9, aliases: ['MaxCPUsPU'] },
  { name: 'MaxJobs', width: 7 },
  { name: 'MaxJobsPerAccount', heading: 'MaxJobsPA', width: 9, aliases: ['MaxJobsPA'] },
  { name: 'MaxJobsPerUser', heading: 'MaxJobsPU', width: 9, aliases: ['MaxJobsPU'] },
  { name: 'MaxNodesPerJob', heading: 'MaxNodes', width: 8, aliases: ['MaxNodes'] },
  { name: 'MaxSubmitJobs', heading: 'MaxSubmit', width: 9 },
  { name: 'MaxSubmitJobsPerAccount', heading: 'MaxSubmitPA', width: 11, aliases: ['MaxSubmitPA'] },
  { name: 'MaxSubmitJobsPerUser', heading: 'MaxSubmitPU', width: 11, aliases: ['MaxSubmitPU'] },
  { name: 'MaxTRESPerJob', heading: 'MaxTRES', width: 13, aliases: ['MaxTRES'] },
  { name: 'MaxTRESMinsPerJob', heading: 'MaxTRESMins', width: 13, aliases: ['MaxTRESMins'] },
  { name: 'MaxTRESPerAccount', heading: 'MaxTRESPA', width: 13, aliases: ['MaxTRESPA'] },
  { name: 'MaxTRESPerNode', width: 14 },
  { name: 'MaxTRESPerUser', heading: 'MaxTRESPU', width: 13, aliases: ['MaxTRESPU'] },
  { name: 'MaxWallDurationPerJob', heading: 'MaxWall', width: 11, aliases: ['MaxWall'] },
  { name: 'MinTRESPerJob', heading: 'MinTRES', width: 13, aliases: ['MinTRES'] },
  { name: 'Name', width: 10 },
  { name: 'NodeCount', width: 9 },
  { name: 'Organization', heading: 'Org', width: 20 },
  { name: 'ParentID', width: 8 },
  { name: 'ParentName', width: 10 },
  { name: 'Partition', width: 10 },
  { name: 'PluginIDSelect', width: 14 },
  { name: 'Preempt', width: 10 },
  { name: 'PreemptExemptTime', width: 19 },
  { name: 'PreemptMode', width: 11 },
  { name: 'Priority', width: 10 },
  { name: 'Problem', width: 40 },
  { name: 'QOSLevel', heading: 'QOS', width: 20 },
  { name: 'RGT', width: 6 },
  { name: 'RPC', width: 5 },
  { name: 'Server', width: 10 },
  { name: 'ServerType', width: 10 },
  { name: 'Share', width: 9, aliases: ['Fairshare'] },
  { name: 'TimeEnd', width: 19, aliases: ['End'] },
  { name: 'TimeStart', width: 19, aliases: ['Start'] },
  { name: 'TRES', width: 20 },
  { name: 'Type', width: 8 },
  { name: 'UnusedWall', width: 10 },
  { name: 'UsageFactor', width: 11 },
  { name: 'UsageThreshold', heading: 'UsageThres', width: 10 },
  { name: 'User', width: 10 },
  { name: 'WCKey', width: 10 },
];

export const FIELDS: readonly Field<Row>[] = KNOWN.map((known) => ({
  ...known,
  value: (row: Row) => row[known.name] ?? '',
}));

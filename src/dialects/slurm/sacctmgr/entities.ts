/** What `sacctmgr show` can show: for each kind of thing the fields it prints unasked, and its rows. */

import type { Policy, Qos, UserLimits } from '../../../model/policy.ts';
import type { NodeView } from '../../../model/query.ts';
import type { Membership } from '../associations.ts';
import { type Association, defaultAccountOf, ROOT, sharesOfUser } from '../associations.ts';
import { fullClockText } from '../durations.ts';
import { foldHosts } from '../host-list.ts';
import { megabytesText } from '../tres.ts';
import type { Row } from './fields.ts';

export interface Knowledge {
  readonly membership: Membership;
  readonly cluster: string;
  readonly host: string;
  /** Whose yard it is: its administrator, besides root. */
  readonly owner: string;
  readonly nodes: readonly NodeView[];
}

export interface Asked {
  /** Associations too, where a thing has some. */
  readonly withAssociations: boolean;
  readonly asTree: boolean;
}

export interface Entity {
  readonly name: string;
  /** Fields that a word without a name, and each name before an equals sign, are about. */
  readonly bareWord: string | null;
  readonly conditions: Readonly<Record<string, string>>;
  readonly format: (asked: Asked) => string;
  readonly rows: (knowledge: Knowledge, asked: Asked) => readonly Row[];
}

const ASSOCIATION_CONDITIONS = {
  accounts: 'Account',
  clusters: 'Cluster',
  users: 'User',
  partitions: 'Partition',
  parents: 'ParentName',
  qoslevel: 'QOSLevel',
  defaultqos: 'DefaultQOS',
  ids: 'ID',
};

const ASSOCIATION_LIMITS =
  'Share,Priority,GrpJobs,GrpTRES,GrpSubmitJobs,GrpWall,GrpTRESMins,MaxJobs,MaxTRES,MaxTRESPerNode,MaxSubmitJobs,MaxWall,MaxTRESMins,QOS,DefaultQOS,GrpTRESRunMins';

export const ENTITIES: readonly Entity[] = [
  {
    name: 'Account',
    bareWord: 'Account',
    conditions: {
      ...ASSOCIATION_CONDITIONS,
      names: 'Account',
      descriptions: 'Description',
      organizations: 'Organization',
    },
    format: ({ withAssociations }) =>
      withAssociations
        ? 'Account,Description,Organization,Cluster,ParentName,User,Share,Priority,GrpJobs,GrpNodes,GrpCPUs,GrpMemory,GrpSubmitJobs,GrpWall,GrpCPUMins,MaxJobs,MaxNodes,MaxCPUs,MaxSubmitJobs,MaxWall,MaxCPUMins,QOS,DefaultQOS'
        : 'Account,Description,Organization',
    rows: accountRows,
  },
  {
    name: 'Association',
    bareWord: null,
    conditions: ASSOCIATION_CONDITIONS,
    format: ({ asTree }) => `Cluster,Account${asTree ? '%-20' : ''},User,Partition,${ASSOCIATION_LIMITS}`,
    rows: (knowledge, { asTree }) =>
      knowledge.membership.associations.map((association, i) => {
        const row = associationRow(knowledge, association, i);
        return asTree ? { ...row, Account: ' '.repeat(association.depth) + association.account } : row;
      }),
  },
  {
    name: 'Cluster',
    bareWord: 'Cluster',
    conditions: { names: 'Cluster', clusters: 'Cluster' },
    format: () =>
      'Cluster,ControlHost,ControlPort,RPC,Share,GrpJobs,GrpTRES,GrpSubmitJobs,MaxJobs,MaxTRES,MaxSubmitJobs,MaxWall,QOS,DefaultQOS',
    rows: clusterRows,
  },
  {
    name: 'QOS',
    bareWord: 'Name',
    conditions: { names: 'Name', ids: 'ID', descriptions: 'Description', preemptmode: 'PreemptMode' },
    format: () =>
      'Name,Priority,GraceTime,Preempt,PreemptExemptTime,PreemptMode,Flags%40,UsageThreshold,UsageFactor,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpJobs,GrpSubmitJobs,GrpWall,MaxTRES,MaxTRESPerNode,MaxTRESMins,MaxWall,MaxTRESPerUser,MaxJobsPerUser,MaxSubmitJobsPerUser,MaxTRESPerAccount,MaxJobsPerAccount,MaxSubmitJobsPerAccount,MinTRES',
    rows: ({ membership }) => membership.policy.qos.map(qosRow),
  },
  {
    name: 'TRES',
    bareWord: 'Type',
    conditions: { types: 'Type', names: 'Name', ids: 'ID' },
    format: () => 'Type,Name%15,ID',
    rows: () =>
      [
        ['cpu', '', 1],
        ['mem', '', 2],
        ['node', '', 4],
        ['billing', '', 5],
        ['gres', 'gpu', 1001],
      ].map(([type, name, id]) => ({ Type: `${type}`, Name: `${name}`, ID: `${id}` })),
  },
  {
    name: 'User',
    bareWord: 'User',
    conditions: {
      ...ASSOCIATION_CONDITIONS,
      names: 'User',
      adminlevel: 'AdminLevel',
      defaultaccount: 'DefaultAccount',
    },
    format: ({ withAssociations }) =>
      withAssociations
        ? 'User,DefaultAccount,AdminLevel,Cluster,Account,Partition,Share,Priority,MaxJobs,MaxNodes,MaxCPUs,MaxSubmitJobs,MaxWall,MaxCPUMins,QOS,DefaultQOS'
        : 'User,DefaultAccount,AdminLevel',
    rows: userRows,
  },
  empty('Federation', 'Federation,Cluster,ID%2,Features,FedState'),
  empty('Problem', 'Cluster,Account,User,Problem'),
  empty('Reservation', 'Cluster,Name%15,TRES%30,TimeStart,TimeEnd,UnusedWall'),
  empty('Resource', 'Name,Server,Type,Count,ServerType'),
  empty('WCKey', 'WCKey,Cluster,User'),
];

/** What a yard has none of. */
function empty(name: string, format: string): Entity {
  return { name, bareWord: 'Name', conditions: ASSOCIATION_CONDITIONS, format: () => format, rows: () => [] };
}

function associationRow(knowledge: Knowledge, { account, parent, user }: Association, at: number): Row {
  const { membership, cluster } = knowledge;
  return {
    Account: account,
    Cluster: cluster,
    User: user ?? '',
    ParentName: user === null ? (parent ?? '') : '',
    ID: `${at + 1}`,
    Share: `${user === null ? 1 : sharesOfUser(membership, user)}`,
    ...qosFields(membership.policy),
    ...(user === null ? {} : limitFields(membership.policy.perUser)),
  };
}

function qosFields({ qos, unknownQos }: Policy): Row {
  const usual = qos.find(({ isDefault }) => isDefault)?.name ?? '';
  return {
    QOSLevel: qos
      .map(({ name }) => name)
      .sort()
      .join(','),
    DefaultQOS: unknownQos === 'refuse' ? usual : '',
  };
}

function limitFields({ maxRunning, maxQueued, maxCpus, maxGpus }: UserLimits): Row {
  return {
    MaxJobs: `${maxRunning ?? ''}`,
    MaxSubmitJobs: `${maxQueued ?? ''}`,
    GrpTRES: tresLimit(maxCpus, maxGpus),
  };
}

function tresLimit(cpus: number | null, gpus: number | null): string {
  return [cpus === null ? '' : `cpu=${cpus}`, gpus === null ? '' : `gres/gpu=${gpus}`]
    .filter((part) => part !== '')
    .join(',');
}

function accountRows(knowledge: Knowledge, { withAssociations }: Asked): readonly Row[] {
  const { membership } = knowledge;
  const configured = membership.policy.accounts ?? [];
  const root = { name: ROOT, description: 'default root account', parent: null };
  return [root, ...configured]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, description, parent }) => {
      const own: Row = { Account: name, Description: description, Organization: parent ?? name };
      if (!withAssociations) return [own];
      return membership.associations.flatMap((association, i) =>
        association.account === name ? [{ ...associationRow(knowledge, association, i), ...own }] : [],
      );
    });
}

function userRows(knowledge: Knowledge, { withAssociations }: Asked): readonly Row[] {
  const { membership, owner } = knowledge;
  return membership.users.flatMap((user) => {
    const own: Row = {
      User: user,
      DefaultAccount: defaultAccountOf(membership.policy, user) ?? '',
      AdminLevel: user === 'root' || user === owner ? 'Administrator' : 'None',
    };
    if (!withAssociations) return [own];
    return membership.associations.flatMap((association, i) =>
      association.user === user ? [{ ...associationRow(knowledge, association, i), ...own }] : [],
    );
  });
}

/** A yard is reached by a socket: it has no port, and speaks no version of Slurm's protocol. */
function clusterRows({ membership, cluster, host, nodes }: Knowledge): readonly Row[] {
  const sum = (of: (node: NodeView) => number) => nodes.reduce((total, node) => total + of(node), 0);
  const cpus = sum(({ node }) => node.cpus);
  const gpus = sum(({ node }) => node.devices.length);
  const memory = megabytesText(sum(({ node }) => node.memoryBytes));
  return [
    {
      Cluster: cluster,
      ControlHost: host,
      ControlPort: '0',
      RPC: '0',
      Share: '1',
      ...qosFields(membership.policy),
      NodeCount: `${nodes.length}`,
      ClusterNodes: foldHosts(nodes.map(({ node }) => node.name)),
      TRES: `billing=${cpus},cpu=${cpus}${gpus > 0 ? `,gres/gpu=${gpus}` : ''},mem=${memory},node=${nodes.length}`,
    },
  ];
}

function qosRow(qos: Qos, at: number): Row {
  return {
    Name: qos.name,
    Description: qos.name,
    ID: `${at + 1}`,
    Priority: `${qos.priority}`,
    GraceTime: '00:00:00',
    Preempt: (qos.preempts ?? []).join(','),
    PreemptMode: qos.preempt ?? 'cluster',
    UsageFactor: '1.000000',
    MaxWallDurationPerJob: qos.maxLimitMs === null ? '' : fullClockText(qos.maxLimitMs),
    MaxTRESPerUser: tresLimit(qos.maxCpusPerUser, qos.maxGpusPerUser),
    MaxCPUsPerUser: `${qos.maxCpusPerUser ?? ''}`,
    MaxJobsPerUser: `${qos.maxRunningPerUser ?? ''}`,
    MaxSubmitJobsPerUser: `${qos.maxQueuedPerUser ?? ''}`,
  };
}

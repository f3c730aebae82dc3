/**
 * slurm.conf for a measurement. What can be tuned for short jobs is: the scheduler runs at once and again every
 * second, looks at every job, nothing is recorded in a database, and no cgroups are made. The wait of a requeued
 * job (cred_expire) is as short as Slurm allows: five seconds.
 */

export function renderConfig({ directory, host, socket, controllerPort, requeueExit, nodes }) {
  return `${Object.entries({
    ClusterName: 'bench',
    SlurmctldHost: `${host}(127.0.0.1)`,
    SlurmctldPort: controllerPort,
    SlurmUser: 'root',
    SlurmdUser: 'root',
    AuthType: 'auth/munge',
    AuthInfo: `socket=${socket},cred_expire=5`,
    CredType: 'cred/munge',
    StateSaveLocation: `${directory}/state`,
    SlurmctldPidFile: `${directory}/slurmctld.pid`,
    SlurmctldLogFile: `${directory}/slurmctld.log`,
    SlurmdSpoolDir: `${directory}/spool-%n`,
    SlurmdPidFile: `${directory}/slurmd-%n.pid`,
    SlurmdLogFile: `${directory}/slurmd-%n.log`,
    SlurmctldDebug: 'error',
    SlurmdDebug: 'error',
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    SwitchType: 'switch/none',
    MpiDefault: 'none',
    MailProg: '/bin/true',
    SlurmdParameters: 'config_overrides',
    ReturnToService: 2,
    SchedulerType: 'sched/backfill',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_CPU_Memory',
    DefMemPerCPU: 100,
    SchedulerParameters: [
      'batch_sched_delay=0',
      'sched_min_interval=0',
      'sched_interval=1',
      'bf_interval=1',
      'default_queue_depth=10000',
      'partition_job_depth=0',
      'max_rpc_cnt=0',
    ].join(','),
    PriorityType: 'priority/basic',
    JobRequeue: 1,
    RequeueExit: requeueExit,
    MaxArraySize: 10001,
    MaxJobCount: 50000,
    CompleteWait: 0,
    KillWait: 2,
    MinJobAge: 300,
    SlurmctldTimeout: 30,
    SlurmdTimeout: 30,
    JobAcctGatherType: 'jobacct_gather/none',
    AccountingStorageType: 'accounting_storage/none',
    JobCompType: 'jobcomp/none',
    // With an epilog, a freed CPU is given away at once; without, only at the next tick of a second.
    Epilog: '/bin/true',
  })
    .map(([key, value]) => `${key}=${value}`)
    .join('\n')}
${nodes
  .map(
    ({ name, port, cpus, memoryMb }) =>
      `NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${port} CPUs=${cpus} RealMemory=${memoryMb}`,
  )
  .join('\n')}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
}

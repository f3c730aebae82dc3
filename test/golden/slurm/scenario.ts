/**
 * The session in which the captures were made, written down again: which line comes after which, what must have
 * happened before it, and what a job that was 5 there is called here.
 */

import type { Act, Scene } from '../session.ts';

export const CONFIG = `
[yard]
name = "lab"
[node]
name = "n%n"
nodes = 4
cpus = 2
memory = "4000M"
gpus = { count = 2 }
[requeue]
exit_codes = [100]
hold_exit_codes = [101]
[stop]
grace = "2s"
[queues.cpu]
preempt = "requeue"
default = true
priority = 10
default_memory_per_cpu = "200M"
[queues.gpu]
preempt = "requeue"
priority = 10
default_memory_per_cpu = "200M"
[queues.low]
priority = 1
preempt = "requeue"
default_memory_per_cpu = "200M"
[queues.high]
priority = 100
default_memory_per_cpu = "200M"
[queues.short]
preempt = "requeue"
priority = 10
max_time = "5m"
default_time = "1m"
default_memory_per_cpu = "200M"
`;

/** The scripts of the session. */
export const FILES: Readonly<Record<string, string>> = {
  'sleep.sh': '#!/bin/sh\nsleep 300\n',
  'dos.sh': '#!/bin/sh\r\nsleep 1\r\n',
  'nosb.sh': 'sleep 1\n',
  'fail.sh': '#!/bin/sh\nexit 3\n',
  'steps.sh': '#!/bin/sh\nsrun true\nsrun false\n',
  'env.sh': '#!/bin/sh\n#SBATCH -J envjob\nenv | grep -E "^(SLURM|HOSTNAME=|PWD=|TMPDIR=)" | sort\n',
  'step.sh': '#!/bin/sh\nsrun -n2 -l sh -c "env | grep -E ^SLURM_ | sort"\n',
};

const idle: readonly Act[] = [
  { capture: 'slurm-version' },
  { capture: 'slurm-squeue-empty' },
  { capture: 'slurm-sinfo' },
  { capture: 'slurm-sinfo-s' },
  { capture: 'slurm-sinfo-N-l', by: 'lines' },
  { capture: 'slurm-sinfo-o', by: 'lines' },
  { capture: 'slurm-sinfo-json', by: 'fields' },
  { capture: 'slurm-scontrol-ping' },
  { capture: 'slurm-scontrol-show-hostnames' },
  { capture: 'slurm-scontrol-show-hostlist' },
  { capture: 'slurm-scontrol-show-partition' },
  { capture: 'slurm-scontrol-show-node-bad' },
  { capture: 'slurm-scontrol-show-job-none' },
  { capture: 'slurm-scontrol-bad-cmd' },
  { capture: 'slurm-squeue-nojob' },
  { capture: 'slurm-squeue-badfmt' },
  { capture: 'slurm-scancel-noargs' },
  { capture: 'slurm-scancel-bad' },
  { capture: 'slurm-scancel-none' },
  { capture: 'slurm-scancel-v-none' },
  { capture: 'slurm-sacct-nojob' },
  { capture: 'slurm-sacct-helpformat' },
  { capture: 'slurm-sacctmgr-show' },
  { capture: 'slurm-sprio' },
];

const submitted: readonly Act[] = [
  { capture: 'slurm-sbatch-ok', before: ['srun -Q echo ok'] },
  { capture: 'slurm-sbatch-parsable' },
  { capture: 'slurm-sbatch-array' },
  { capture: 'slurm-sbatch-gpu' },
  { capture: 'slurm-sbatch-2nodes' },
  { capture: 'slurm-sbatch-dep' },
  { capture: 'slurm-sbatch-hold' },
  { capture: 'slurm-sbatch-begin' },
  { capture: 'slurm-sbatch-testonly' },
];

const TWO = { 6: 'two' };

const running: readonly Act[] = [
  { capture: 'slurm-squeue', before: ['sleep 2.5'] },
  { capture: 'slurm-squeue-l' },
  { capture: 'slurm-squeue-me' },
  { capture: 'slurm-squeue-o-full' },
  { capture: 'slurm-squeue-o-i-t' },
  { capture: 'slurm-squeue-r' },
  { capture: 'slurm-squeue-s', by: 'lines' },
  { capture: 'slurm-squeue-start' },
  { capture: 'slurm-squeue-json', by: 'fields' },
  { capture: 'slurm-squeue-yaml', by: 'fields' },
  { capture: 'slurm-scontrol-show-job', jobs: { 2: 'sleep.sh' } },
  { capture: 'slurm-scontrol-show-job-oneliner', jobs: { 2: 'sleep.sh' } },
  { capture: 'slurm-scontrol-show-job-array' },
  { capture: 'slurm-scontrol-show-job-d', jobs: { 5: 'gpujob' } },
  { capture: 'slurm-scontrol-show-job-2nodes', jobs: TWO },
  { capture: 'slurm-scontrol-show-node-n1' },
  { capture: 'slurm-scontrol-show-node' },
  { capture: 'slurm-scontrol-show-config', by: 'fields' },
  { capture: 'slurm-scontrol-write-batch', jobs: { 2: 'sleep.sh' } },
  { capture: 'slurm-scontrol-hold-running', jobs: { 2: 'sleep.sh' } },
  { capture: 'slurm-scontrol-update-bad', jobs: { 2: 'sleep.sh' } },
  { capture: 'slurm-scancel-signal', jobs: TWO },
  { capture: 'slurm-scancel-array-task' },
  { capture: 'slurm-scancel-name' },
  { capture: 'slurm-scancel-ok', jobs: { 2: 'sleep.sh' } },
];

const refused: readonly Act[] = [
  { capture: 'slurm-sbatch-err-account' },
  { capture: 'slurm-sbatch-err-array' },
  { capture: 'slurm-sbatch-err-array-bad' },
  { capture: 'slurm-sbatch-err-badopt' },
  { capture: 'slurm-sbatch-err-chdir' },
  { capture: 'slurm-sbatch-err-cpus' },
  { capture: 'slurm-sbatch-err-dep' },
  { capture: 'slurm-sbatch-err-depsyntax' },
  { capture: 'slurm-sbatch-err-dos' },
  { capture: 'slurm-sbatch-err-gres' },
  { capture: 'slurm-sbatch-err-gres-many' },
  { capture: 'slurm-sbatch-err-mem' },
  { capture: 'slurm-sbatch-err-noconf' },
  { capture: 'slurm-sbatch-err-nodelist' },
  { capture: 'slurm-sbatch-err-nodes' },
  { capture: 'slurm-sbatch-err-noscript' },
  { capture: 'slurm-sbatch-err-noshebang' },
  { capture: 'slurm-sbatch-err-nostdin' },
  { capture: 'slurm-sbatch-err-partition' },
  { capture: 'slurm-sbatch-err-qos' },
  { capture: 'slurm-sbatch-err-time' },
  { capture: 'slurm-sbatch-err-time-over' },
  { capture: 'slurm-enforce-cpus' },
  { capture: 'slurm-enforce-mem' },
  { capture: 'slurm-enforce-nodes' },
  { capture: 'slurm-enforce-time-over' },
];

const ended: readonly Act[] = [
  { capture: 'slurm-srun-err-nonzero', before: ['scancel -u "$(id -un)"', 'sleep 1'] },
  { capture: 'slurm-srun-err-signal' },
  { capture: 'slurm-srun-err-nocmd' },
  { capture: 'slurm-srun-label', by: 'lines' },
  {
    capture: 'slurm-env-batch',
    line: 'sbatch -Q -W -p cpu -t 1 -o env-batch.out -N1 -n2 -c1 --mem-per-cpu=100 env.sh && cat env-batch.out',
  },
  {
    capture: 'slurm-env-array',
    line: 'sbatch -Q -W -p cpu -t 1 -a 3,5-7:2%1 -o env-array-%A_%a.out env.sh && cat env-array-*_3.out',
  },
  { capture: 'slurm-env-srun-2tasks', by: 'lines' },
  { capture: 'slurm-env-srun-2nodes', by: 'lines' },
  { capture: 'slurm-env-gpu' },
  {
    capture: 'slurm-env-step-in-batch',
    line: 'sbatch -Q -W -p cpu -t 1 -N2 -n4 -o env-step.out step.sh && cat env-step.out',
    by: 'lines',
  },
  { capture: 'slurm-sbatch-wait-fail' },
  {
    capture: 'slurm-sbatch-default-out',
    line: 'sbatch -W -t 1 --wrap "echo out; echo err >&2"; tail -n 5 $(ls -t slurm-*.out | head -1)',
  },
  { capture: 'slurm-salloc' },
  { capture: 'slurm-sstat' },
  { capture: 'slurm-scancel-again', line: 'scancel $(sbatch --parsable -W --wrap true)' },
  { capture: 'slurm-scancel-verbose-again', line: 'scancel -v $(sbatch --parsable -W --wrap true)' },
  {
    capture: 'slurm-oom-cgroup',
    line:
      'J=$(sbatch --parsable -W -t 2 --mem=100 -o oom.out --wrap "python3 -c \\"a=bytearray(400*1024*1024)\\""); ' +
      'squeue -t all -j $J -o "%i %T %r"; cat oom.out; ' +
      'sacct -j $J -P -o JobID,State,ExitCode,DerivedExitCode,MaxRSS,ReqMem,AllocTRES; ' +
      'scontrol show job $J | grep -E "JobState|ExitCode"',
  },
  { capture: 'slurm-sdiag', by: 'fields' },
];

/** The jobs of which the accounts were printed, on a yard of their own. */
const HISTORY: readonly string[] = [
  'srun -Q echo ok',
  'J=$(sbatch --parsable -J par sleep.sh); G=$(sbatch --parsable -p gpu --gres=gpu:1 -J gpujob sleep.sh); ' +
    'A=$(sbatch --parsable -a 1-3 -J arr sleep.sh); T=$(sbatch --parsable -N2 -n3 -J two sleep.sh); ' +
    'while squeue -h -t PD,CF | grep -q .; do sleep 0.1; done; scancel --signal=USR1 --batch $T; scancel $J $G $A; ' +
    'while squeue -h | grep -q .; do sleep 0.1; done',
  'sbatch -W --wrap true',
  'srun -Q sh -c "exit 7"',
  'srun -Q sh -c "kill -9 \\$\\$"',
  'srun -Q -N2 -n4 sh -c true',
  'sbatch -W -N1 -n2 -c1 --mem-per-cpu=100 -o env-batch.out env.sh',
  'sbatch -W -a 3,5-7:2%1 -o env-array.out env.sh',
  'sbatch -W -N2 -n4 -o env-step.out step.sh',
  'sbatch -W fail.sh',
  'sbatch -W --wrap "kill -9 \\$\\$"',
  'sbatch -W steps.sh',
];

const accounts: readonly Act[] = [
  { capture: 'slurm-sacct-default', before: HISTORY },
  { capture: 'slurm-sacct-parsable2' },
  { capture: 'slurm-sacct-long' },
  { capture: 'slurm-sacct-usage' },
  { capture: 'slurm-sacct-user-filter' },
  { capture: 'slurm-sacct-json', by: 'fields' },
];

/** Where accounts and classes of service are named, others are refused. */
const STRICT = `${CONFIG}
[accounts.root]
[qos.normal]
default = true
`;

/** Each begins with a fresh yard. */
export const SCENES: Readonly<Record<string, Scene>> = {
  'a yard at rest and at work': { config: CONFIG, acts: [...idle, ...submitted, ...running, ...refused] },
  'what has run': { config: CONFIG, acts: ended },
  'the accounts': { config: CONFIG, acts: accounts },
  'a yard with accounts of its own': {
    config: STRICT,
    acts: [{ capture: 'slurm-enforce-account' }, { capture: 'slurm-enforce-qos' }],
  },
};

/** Captures that no yard of one user on one machine can be asked for. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'slurm-sbatch-as-user': 'another user submits',
  'slurm-sbatch-as-user-noassoc': 'another user submits',
  'slurm-scancel-not-owner': 'another user cancels',
  'slurm-squeue-u': 'the jobs of another user',
  'slurm-jobcomp-filetxt': 'a log file of the controller',
  'slurm-oom-overmemorykill':
    'a memory limit kept by polling, which is not how a yard with control groups keeps it',
  'slurm-sinfo-unhealthy': 'a node whose daemon was killed',
};

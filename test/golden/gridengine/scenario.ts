/**
 * The session in which the captures were made, written down again: which line comes after which, what must have
 * happened before it, and what a job that was 5 there is called here. Where the session slept until something had
 * surely happened, it is waited for.
 */

import type { Act, Scene } from '../session.ts';

const config = (grace: string) => `
[yard]
name = "lab"
[node]
name = "vm"
cpus = 4
memory = "4000M"
[stop]
grace = "${grace}"
[queues.cpu]
default = true
[queues.gpu]
[layouts.smp]
`;

/**
 * For all lines: of the environment only what leads to the yard, because `qsub` passes some of it on (TERM, TZ, MAIL …);
 * bash as the user's shell, as in the session; waiting until `qstat` shows a job in a state, or no longer; and the number
 * of a job by its name.
 */
export const SHELL = `
for name in $(compgen -e); do
  case $name in HOME | PATH | SGE_ROOT | SGE_CELL | TRAINYARD_*) ;; *) unset "$name" ;; esac
done
export LC_ALL=C SHELL=/bin/bash
cd "$HOME/work"
listed() { qstat -xml | tr -d ' \\n' | sed 's/<job_list/\\n&/g' | grep "<JB_name>$1</JB_name>"; }
shown() { for _ in $(seq 600); do listed "$1" | grep -q "<state>$2</state>" && return; sleep 0.1; done; }
gone() { for _ in $(seq 600); do listed "$1" >/dev/null || return 0; sleep 0.1; done; }
number() {
  { qstat -j "$1" 2>/dev/null || qacct -j "$1"; } | awk '$1 ~ /^job_?number:?$/ { print $2; exit }'
}
`;

/** The scripts of the session. */
export const FILES: Readonly<Record<string, string>> = {
  'sleep.sh': '#!/bin/sh\nsleep 300\n',
  'env.sh':
    '#!/bin/sh\n#$ -N envjob\n#$ -cwd\n' +
    'env | grep -E "^(ARC|HOME|HOSTNAME|JOB_|LOGNAME|NHOSTS|NQUEUES|NSLOTS|PATH|PE|PWD|QUEUE|REQUEST|RESTARTED|SGE_|SHELL|TMP|USER)" | sort\n',
};

const rest: readonly Act[] = [
  { capture: 'sge-version' },
  { capture: 'sge-qstat-empty' },
  { capture: 'sge-qconf-sql' },
  { capture: 'sge-qconf-sq' },
  { capture: 'sge-qconf-sq-none' },
  { capture: 'sge-qconf-sconf' },
  { capture: 'sge-qconf-ssconf' },
  { capture: 'sge-qhost' },
  { capture: 'sge-qhost-j' },
  { capture: 'sge-qacct-j-none' },
  { capture: 'sge-qstat-j-none' },
  { capture: 'sge-qdel-none' },
  { capture: 'sge-qdel-bad' },
  { capture: 'sge-qsub-verify' },
  { capture: 'sge-qsub-w-v' },
  { capture: 'sge-qsub-err-array' },
  { capture: 'sge-qsub-err-array-big' },
  { capture: 'sge-qsub-err-badopt' },
  { capture: 'sge-qsub-err-opt1' },
  { capture: 'sge-qsub-err-noscript' },
  { capture: 'sge-qsub-err-pe' },
  { capture: 'sge-qsub-err-pe-slots' },
  { capture: 'sge-qsub-err-queue' },
  { capture: 'sge-qsub-err-resource' },
  { capture: 'sge-qsub-err-time' },
  { capture: 'sge-qrsh' },
  { capture: 'sge-qsub-err-nomaster' },
];

const submitted: readonly Act[] = [
  { capture: 'sge-qsub-ok' },
  { capture: 'sge-qsub-terse' },
  { capture: 'sge-qsub-array' },
  { capture: 'sge-qsub-array-terse' },
  { capture: 'sge-qsub-hold' },
  { capture: 'sge-qsub-holdjid' },
  { capture: 'sge-qsub-pe' },
  { capture: 'sge-qsub-later' },
  { capture: 'sge-qsub-binary' },
];

const listed: readonly Act[] = [
  { capture: 'sge-qstat', before: ['shown sleep.sh r; shown terse r; shown arr r; shown bin r'] },
  { capture: 'sge-qstat-all-users' },
  { capture: 'sge-qstat-ext' },
  { capture: 'sge-qstat-f' },
  { capture: 'sge-qstat-f-explain' },
  { capture: 'sge-qstat-f-xml' },
  { capture: 'sge-qstat-g-c' },
  { capture: 'sge-qstat-g-d' },
  { capture: 'sge-qstat-r' },
  { capture: 'sge-qstat-s-p' },
  { capture: 'sge-qstat-xml' },
  { capture: 'sge-qstat-j', jobs: { 2: 'sleep.sh' } },
  { capture: 'sge-qstat-j-array', jobs: { 4: 'arr' } },
  { capture: 'sge-qstat-j-pending', jobs: { 8: 'pejob' } },
  { capture: 'sge-qstat-j-xml', jobs: { 2: 'sleep.sh' } },
  { capture: 'sge-qacct-j-running', jobs: { 2: 'sleep.sh' } },
];

const deleted: readonly Act[] = [
  // There, the scheduler came round only after all of this; here, what is freed is given away at once.
  { capture: 'sge-qdel-ok', before: ['qhold "$(number pejob)" "$(number arr)"'], jobs: { 2: 'sleep.sh' } },
  { capture: 'sge-qdel-again', instead: { 'sleep 2;': 'gone sleep.sh;' }, jobs: { 2: 'sleep.sh' } },
  { capture: 'sge-qdel-array', jobs: { 4: 'arr' } },
  { capture: 'sge-qdel-array-task', jobs: { 4: 'arr' } },
  { capture: 'sge-qdel-name' },
  { capture: 'sge-qsub-err-hold' },
  {
    capture: 'sge-qsub-err-cwd',
    instead: {
      'sleep 3;':
        'shown badwd Eqw; qrls "$(number pejob)" >/dev/null; shown pejob r; ' +
        'qrls "$(number arr)" >/dev/null; shown arr qw;',
    },
  },
  { capture: 'sge-qsub-err-out', instead: { 'sleep 3;': 'shown badout qw;' } },
];

const wrong: readonly Act[] = [
  { capture: 'sge-err-state-wd', instead: { 'sleep 4;': 'shown badwd Eqw;' } },
  { capture: 'sge-err-state-out', instead: { 'sleep 4;': 'shown badout Eqw;' } },
  {
    // There, a job that asks to run again waits for seconds; here only as long as there is no place for it.
    capture: 'sge-exit99-requeue',
    instead: {
      'exit 99\\n': 'until [ -e go ]; do sleep 0.1; done; exit 99\\n',
      'sleep 5;': 'shown r99 r; qmod -d cpu >/dev/null; touch go; shown r99 Rq;',
    },
  },
  {
    capture: 'sge-exit100-error',
    before: ['qmod -e cpu; gone r99'],
    instead: { 'sleep 3;': 'shown e100 Eqw;' },
  },
  { capture: 'sge-h_rt', instead: { 's_rt=3,h_rt=6': 's_rt=1,h_rt=3', 'sleep 12;': 'gone lim;' } },
  {
    capture: 'sge-notify',
    // There, the job of the line before was still running.
    before: ['qsub -cwd -q cpu -N lim -b y sleep 300; shown lim r'],
    instead: {
      'sleep 3;': 'shown notif r; until grep -qs start notif.o*; do sleep 0.1; done;',
      'sleep 8;': 'gone notif;',
    },
  },
  {
    capture: 'sge-qmod-suspend',
    instead: {
      'sleep 2; qmod -sj sus; sleep 1;': 'shown sus r; qmod -sj sus; shown sus s;',
      'qmod -usj sus; sleep 1;': 'qmod -usj sus; shown sus r;',
      'qmod -rj sus; sleep 2;': 'qmod -d cpu >/dev/null; qmod -rj sus; shown sus Rq;',
    },
  },
  {
    capture: 'sge-qmod-rj',
    before: ['qmod -e cpu'],
    instead: {
      'sleep 2;': 'shown rr r; qmod -d cpu >/dev/null;',
      'sleep 4;': 'shown rr Rq;',
      'sleep 2; qacct': 'gone rr; qacct',
    },
  },
  {
    capture: 'sge-qacct-h_rt',
    before: ['qmod -e cpu; qdel lim', 'qsub -sync y -cwd -q cpu -N limh -l h_rt=4 lim.sh'],
  },
];

const disabled: readonly Act[] = [
  {
    capture: 'sge-qmod-disable',
    // There, a job called sleep was just being deleted.
    before: [
      'qsub -cwd -q cpu -notify -N sleep -b y \'trap "" USR2; until [ -e over ]; do sleep 0.1; done\'',
      'shown sleep r; qdel sleep; shown sleep dr',
    ],
    instead: { 'qmod -e cpu': 'qmod -e cpu; touch over; gone sleep' },
  },
];

const ran: readonly Act[] = [
  { capture: 'sge-qsub-sync-fail' },
  { capture: 'sge-qsub-sync-ok' },
  { capture: 'sge-qsub-sync-array', by: 'lines' },
  { capture: 'sge-env-qsub', line: 'qsub -sync y -q cpu env.sh >/dev/null; cat envjob.o*' },
  {
    capture: 'sge-env-array',
    line: 'qsub -sync y -q cpu -t 3-7:2 -tc 1 -N envarr env.sh >/dev/null; cat envarr.o*.3',
  },
  {
    capture: 'sge-env-pe',
    line: 'qsub -sync y -q cpu -pe smp 2 -N envpe env.sh >/dev/null; ls envpe*; cat envpe.o*',
  },
  { capture: 'sge-qacct-j' },
  { capture: 'sge-qacct-j-fail' },
  { capture: 'sge-qacct-j-array', by: 'lines' },
  {
    capture: 'sge-accounting-raw',
    before: [
      'for _ in $(seq 600); do grep -q :envpe: "$SGE_ROOT/$SGE_CELL/common/accounting" && break; sleep 0.1; done',
    ],
  },
  { capture: 'sge-qacct-summary' },
  { capture: 'sge-env-tmpdir', instead: { 'qsub -sync': 'cd; qsub -sync' } },
];

export const SCENES: Readonly<Record<string, Scene>> = {
  'a yard at rest': { config: config('5s'), acts: rest },
  'jobs that run and wait': { config: config('5s'), acts: [...submitted, ...listed, ...deleted] },
  'jobs with which something is wrong': { config: config('3s'), acts: wrong },
  'a queue that is disabled': { config: config('10m'), acts: disabled },
  'what has run': { config: config('5s'), acts: ran },
};

/** Captures that no yard of one user on one machine can be asked for. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'sge-qsub-as-user': 'another user submits',
  'sge-qdel-not-owner': 'another user deletes',
  'sge-qstat-f-host-dead': 'a node whose daemon was killed',
};

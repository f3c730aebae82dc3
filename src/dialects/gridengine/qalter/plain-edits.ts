/** Edits that look at nothing but their flag: names, times, priorities, switches, mail, output. */

import { absolutePath } from '../../../model/paths.ts';
import { requeueChanges } from '../../keeping-words.ts';
import { GridEngineFailure } from '../failure.ts';
import { lastWord } from '../flags.ts';
import { contextFrom } from '../submit/context.ts';
import { isYes, momentFrom, NOTICE, PRIORITY_WEIGHT, projectFrom } from '../submit/job-request.ts';
import { mailFrom, mailLetters, mailList } from '../submit/mail.ts';
import { checkJobName, checkObjectName } from '../submit/names.ts';
import { outputsFrom } from '../submit/output-names.ts';
import { wordOf } from '../words.ts';
import { type Edit, type EditContext, flagsNow, homeOf, isGiven, modified } from './edit.ts';

export const startTime: Edit = (context) => {
  const { given, invocation, surroundings } = context;
  if (!isGiven(context, '-a')) return null;
  const beginAt = momentFrom({ given, command: 'qalter', invocation }, '-a', surroundings);
  return {
    changes: { beginAt: beginAt !== null && beginAt > surroundings.now ? beginAt : null },
    lines: [modified('start time', context)],
  };
};

export const accountString: Edit = (context) => {
  const account = lastWord(context.given, '-A');
  if (account === null) return null;
  checkObjectName(account);
  return { words: { account }, lines: [modified('account', context)] };
};

export const directory: Edit = (context) => {
  const said = context.given.findLast(({ flag }) => flag === '-cwd' || flag === '-wd');
  if (said === undefined) return null;
  const here = context.invocation.workDir;
  return {
    changes: { workDir: said.flag === '-cwd' ? here : absolutePath(here, said.words[0] || '.') },
    words: { ownDirectory: 'y' },
    lines: [modified('working directory', context)],
  };
};

const NONE = null;

/** `-o`, `-e`, `-i` and `-j` together decide where each stream goes. */
function* streamsNow(context: EditContext) {
  const { job, surroundings, isArray } = context;
  const wish = {
    given: flagsNow(context),
    home: homeOf(context),
    user: job.spec.user,
    workDir: job.spec.workDir,
    isArray,
  };
  return yield* outputsFrom(wish, surroundings);
}

export const errorPath: Edit = function* (context) {
  const path = lastWord(context.given, '-e');
  if (path === null) return null;
  const { streams, warnings } = yield* streamsNow(context);
  return {
    changes: { streams: { ...context.job.spec.streams, stderr: streams.stderr } },
    words: { errorPath: path },
    lines: [modified('stderr path list', context)],
    warnings,
  };
};

export const inputPath: Edit = function* (context) {
  const path = lastWord(context.given, '-i');
  if (path === null) return null;
  const { streams } = yield* streamsNow(context);
  return {
    changes: { streams: { ...context.job.spec.streams, stdin: streams.stdin } },
    words: { inputPath: path },
    lines: [modified('stdin path list', context)],
  };
};

export const merge: Edit = function* (context) {
  if (!isGiven(context, '-j')) return null;
  const { streams } = yield* streamsNow(context);
  return {
    changes: { streams: { ...context.job.spec.streams, stderr: streams.stderr } },
    words: { isMerged: isYes(context.given, '-j') ? 'y' : NONE },
    lines: [modified('output merge behaviour', context)],
  };
};

export const outputPath: Edit = function* (context) {
  const path = lastWord(context.given, '-o');
  if (path === null) return null;
  const { streams, warnings } = yield* streamsNow(context);
  return {
    changes: { streams: { ...context.job.spec.streams, stdout: streams.stdout, stderr: streams.stderr } },
    words: { outputPath: path },
    lines: [modified('stdout path list', context)],
    warnings,
  };
};

export const reservation: Edit = (context) => {
  if (!isGiven(context, '-R')) return null;
  return {
    words: { reserve: isYes(context.given, '-R') ? 'y' : NONE },
    lines: [modified('reservation behaviour', context)],
  };
};

export const mailOptions: Edit = (context) => {
  if (!isGiven(context, '-m')) return null;
  return {
    changes: { mail: mailNow(context) },
    words: { mailOptions: mailLetters(context.given) || NONE },
    lines: [modified('mail options', context)],
    warnings: context.surroundings.sendsMail ? [] : ['there is no mail program here, so no mail is sent'],
  };
};

export const mailAddresses: Edit = (context) => {
  if (!isGiven(context, '-M')) return null;
  return {
    changes: { mail: mailNow(context) },
    words: { mailList: mailList(context.given).join(',') },
    lines: [modified('mail list', context)],
  };
};

function mailNow(context: EditContext) {
  return mailFrom(flagsNow(context), context.job.spec.user, context.isArray);
}

export const jobName: Edit = (context) => {
  const name = lastWord(context.given, '-N');
  if (name === null) return null;
  checkJobName(name);
  return { changes: { name }, lines: [modified('job name', context)] };
};

export const notify: Edit = (context) => {
  if (!isGiven(context, '-notify')) return null;
  return { changes: NOTICE, words: { notify: 'y' }, lines: [modified('notify behaviour', context)] };
};

export const restart: Edit = (context) => {
  if (!isGiven(context, '-r')) return null;
  const requeue = isYes(context.given, '-r');
  return {
    changes: requeueChanges(context.job.spec, requeue),
    words: { rerun: requeue ? 'y' : 'n' },
    lines: [modified('restart behaviour', context)],
  };
};

export const contextVariables: Edit = (context) => {
  const { given, job } = context;
  if (!given.some(({ flag }) => flag === '-ac' || flag === '-dc' || flag === '-sc')) return null;
  return {
    words: { context: contextFrom(given, wordOf(job, 'context') ?? '') || NONE },
    lines: [modified('context', context)],
  };
};

export const concurrency: Edit = (context) => {
  const most = lastWord(context.given, '-tc');
  if (most === null) return null;
  if (!context.isArray)
    throw new GridEngineFailure(['invalid option argument "task concurrency"'], 1, 'stdout');
  return {
    changes: { throttle: Number(most) === 0 ? null : Number(most) },
    lines: [modified('task concurrency', context)],
  };
};

export const project: Edit = (context) => {
  const name = lastWord(context.given, '-P');
  if (name === null) return null;
  return {
    changes: { account: projectFrom(context.given, context.surroundings) },
    words: { project: name || NONE },
    lines: [modified('project', context)],
  };
};

export const priority: Edit = ({ given, changer, job }) => {
  const asked = lastWord(given, '-p');
  if (asked === null) return null;
  const after = Number(asked);
  if (!changer.isOperator && after > Number(wordOf(job, 'priority') ?? 0)) {
    const denied = `denied: "${changer.user}" must be operator to increase job priority`;
    throw new GridEngineFailure([denied], 1, 'stdout');
  }
  return {
    changes: { priority: after * PRIORITY_WEIGHT },
    words: { priority: after === 0 ? NONE : `${after}` },
    lines: [`${changer.user}@${changer.host} sets scheduling priority of job ${job.id} to ${after}`],
  };
};

export const overrideTickets: Edit = ({ given, changer, job }) => {
  const tickets = lastWord(given, '-ot');
  if (tickets === null) return null;
  if (!changer.isOperator) {
    const denied = `denied: "${changer.user}" must be operator to change amount of override tickets`;
    throw new GridEngineFailure([denied], 1, 'stdout');
  }
  return {
    lines: [`${changer.user}@${changer.host} sets override tickets of job ${job.id} to ${tickets}`],
    warnings: ['-ot has no effect here: there are no tickets'],
  };
};

export const jobShare: Edit = ({ given, changer, job }) => {
  const share = lastWord(given, '-js');
  if (share === null) return null;
  return {
    words: { jobShare: share },
    lines: [`${changer.user}@${changer.host} sets job share of job ${job.id} to ${share}`],
  };
};

export const binding: Edit = (context) => {
  const said = context.given.findLast(({ flag }) => flag === '-binding');
  if (said === undefined) return null;
  const { job } = context;
  if (job.phase === 'active') {
    throw new GridEngineFailure([`job ${job.id} can't modify running jobs`], 1, 'stdout');
  }
  return { words: { binding: said.words.join(' ') }, lines: [modified('binding', context)] };
};

/**
 * How Slurm speaks to the jobs that were submitted in its words. A batch script is one task, on the first node of
 * its job, whatever the job has asked for beyond that.
 */

import type { Job } from '../../../model/job.ts';
import type { Voice, VoicePlace, VoiceSurroundings } from '../../../model/voice.ts';
import { allocationEntries, timeEntries } from './allocation.ts';
import { type Entry, variablesFrom } from './entries.ts';
import { lastWordsTo } from './last-words.ts';
import { requestEntries } from './request.ts';
import { deviceEntries, type TaskPlace, taskEntries } from './task.ts';

export const slurmVoice: Voice = {
  pidVariable: 'SLURM_TASK_PID',
  variables: (job, attempt, place, surroundings) =>
    variablesFrom(
      surroundingEntries(place, surroundings),
      allocationEntries(job, attempt, surroundings),
      timeEntries(job, attempt, surroundings.now),
      requestEntries(job),
      taskEntries(onlyTask(place)),
      deviceEntries(place.node.devices, place.node.devices, 'SLURM_JOB_GPUS'),
      historyEntries(job),
    ),
  lastWords: lastWordsTo,
};

/** As if the script were on a machine of its own. */
function surroundingEntries(place: VoicePlace, { submitterHas }: VoiceSurroundings): readonly Entry[] {
  return [
    ['HOSTNAME', place.node.node],
    ['TMPDIR', submitterHas('TMPDIR') ? null : '/tmp'],
    ['SLURM_NODE_ALIASES', '(null)'],
  ];
}

/** Only a job that was started again is told of it. */
function historyEntries({ restarts }: Job): readonly Entry[] {
  return [['SLURM_RESTART_COUNT', restarts === 0 ? null : restarts]];
}

function onlyTask({ node, nodeNumber, rank, localRank }: VoicePlace): TaskPlace {
  return { rank, localRank, nodeNumber, nodeName: node.node, cpus: node.cpus, ranksOnNode: [rank] };
}

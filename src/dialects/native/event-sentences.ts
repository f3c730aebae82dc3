/** One sentence for each kind of event. A new kind does not compile until it has one. */

import type { Event } from '../../model/event.ts';
import type { Exit, Hold, LoweredLimit, StopCause, SuspensionCause } from '../../model/job.ts';
import type { CheckpointNote } from '../../model/keeping.ts';
import type { QueueState } from '../../model/policy.ts';
import { signalName } from '../../model/signals.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';
import { counted } from '../text/words.ts';
import { placeText } from './job-facts.ts';
import { limitsText } from './limits-text.ts';
import { OUTCOME_WORDS, PHASE_WORDS } from './states.ts';

export function eventSentence(event: Event): string {
  switch (event.type) {
    case 'jobSubmitted':
      return `job ${event.job} (${event.spec.name}) was submitted by ${event.spec.user} to queue ${event.spec.queue}: ${PHASE_WORDS[event.phase].word}`;
    case 'elementSplit':
      return `job ${event.job} is element ${event.index} of array ${event.array}: ${event.array}_${event.index}`;
    case 'unstartedDropped':
      return `the elements of array ${event.job} that had not started ended: ${OUTCOME_WORDS[event.outcome].word}${byWhom(event.by)}`;
    case 'jobHeld':
      return `job ${event.job} was held${event.hold.by === 'yard' ? ' by the yard' : ''}${because(event.hold.reason)}`;
    case 'jobWaiting':
      return `job ${event.job} waits for its time or for other jobs`;
    case 'jobPending':
      return `job ${event.job} is ready to start`;
    case 'jobUpdated':
      return `job ${event.job} was changed by ${event.by}: ${Object.keys(event.changes).join(', ')}`;
    case 'attemptAssigned':
      return `attempt ${event.attempt} was given its place on ${placeText(event.placement)}${inQueue(event.queue)}`;
    case 'attemptStarted':
      return `attempt ${event.attempt} started${loweredText(event.loweredLimits)}`;
    case 'attemptTimed':
      return `attempt ${event.attempt} has been running since another time than the clock had it`;
    case 'warningDue':
      return `attempt ${event.attempt} is to be warned of its time limit`;
    case 'warningSent':
      return `attempt ${event.attempt} was warned of its time limit`;
    case 'stopRequested':
      return `attempt ${event.attempt} is to ${event.isKill === true ? 'be killed' : 'stop'}: ${STOP_REASONS[event.cause]}${byWhom(event.by)}`;
    case 'killDue':
      return `attempt ${event.attempt} did not stop in time and is to be killed`;
    case 'signalRequested':
      return `attempt ${event.attempt} is to get ${signalName(event.signal)}${byWhom(event.by)}`;
    case 'suspendAnnounced':
      return `attempt ${event.attempt} was told that it will be suspended${withQueue(event.cause)}${roomFor(event)}${byWhom(event.by)}`;
    case 'attemptSuspended':
      return `attempt ${event.attempt} was suspended${withQueue(event.cause)}${roomFor(event)}${byWhom(event.by)}`;
    case 'attemptResumed':
      return `attempt ${event.attempt} was resumed${withQueue(event.cause)}${event.cause === 'preemption' ? ': there is room again' : ''}${byWhom(event.by)}`;
    case 'stepStarted': {
      const { attempt, n, name, placement } = event.step;
      return `step ${n} (${name}) of attempt ${attempt} started on ${placeText(placement)}`;
    }
    case 'stepStopRequested':
      return `step ${event.n} of attempt ${event.attempt} is to stop${byWhom(event.by)}`;
    case 'stepEnded':
      return `step ${event.n} of attempt ${event.attempt} ended: ${exitWords(event.exit)}`;
    case 'signalSent':
      return `attempt ${event.attempt} got the signal asked for`;
    case 'attemptEnded':
      return `attempt ${event.attempt} ended: ${exitWords(event.exit)}${reached(event)}${usedMemory(event)}${because(event.fault)}`;
    case 'attemptSyncing':
      return `the processes of attempt ${event.attempt} have ended (${exitWords(event.exit)}); what they left is being made safe`;
    case 'checkpointKept':
      return `checkpoint ${event.checkpoint.name} of attempt ${event.attempt} is safe${checkpointFacts(event.checkpoint)}`;
    case 'checkpointTroubled':
      return event.trouble === null
        ? `the checkpoints of attempt ${event.attempt} can be made safe again`
        : `the checkpoints of attempt ${event.attempt} cannot be made safe${because(event.trouble)}`;
    case 'deviceShareChanged':
      return shareSentence(event);
    case 'attemptLost':
      return `attempt ${event.attempt} was lost${because(event.reason)}`;
    case 'jobRequeued':
      return `job ${event.job} was queued again${heldText(event.hold)}${because(event.why)}`;
    case 'jobEnded':
      return `job ${event.job} ended: ${OUTCOME_WORDS[event.outcome].word}${byWhom(event.by)}${because(event.note)}`;
    case 'nodeSeen':
      return `node ${event.node.name} is here: ${nodeText(event.node)}`;
    case 'nodeGone':
      return `node ${event.node} is gone`;
    case 'nodeDrained':
      return `node ${event.node} takes no new jobs${because(event.reason)}`;
    case 'nodeResumed':
      return `node ${event.node} takes jobs again`;
    case 'nodeLost':
      return `node ${event.node} was lost${because(event.reason)}`;
    case 'queueChanged':
      return `queue ${event.queue} ${queueWords(event.state)}${byWhom(event.by)}`;
    case 'footprintLearned':
      return footprintSentence(event);
    case 'footprintForgotten':
      return `what ${event.key} uses of a GPU ${event.device} was forgotten${byWhom(event.by)}`;
    case 'foreignUseSeen':
      return foreignSentence(event);
    case 'clockJumped':
      return `the clock jumped ${event.byMs < 0 ? 'back' : 'forward'} by ${formatDuration(Math.abs(event.byMs))}`;
  }
}

function shareSentence({
  attempt,
  node,
  share,
  because,
}: Extract<Event, { type: 'deviceShareChanged' }>): string {
  const part = `${(share.millis / 10).toFixed(1)} % of GPU ${share.index} of ${node}`;
  return because === 'grown'
    ? `attempt ${attempt} uses more than was kept for it: ${part} from now on`
    : `what attempt ${attempt} uses is known: it keeps ${part}`;
}

function footprintSentence({ footprint, attempt, by }: Extract<Event, { type: 'footprintLearned' }>): string {
  const { key, device, memory, setBytes } = footprint;
  if (attempt === null)
    return `jobs like ${key.label} are given ${setBytes === undefined ? 'what was seen' : formatBytes(setBytes)} of a GPU ${device}${byWhom(by)}`;
  if (memory.count === 0)
    return `attempt ${attempt} ended before anybody could see what jobs like ${key.label} use of a GPU ${device}: each has one to itself`;
  return `attempt ${attempt} showed what jobs like ${key.label} use of a GPU ${device}: ${formatBytes(memory.max)} at most in ${counted(memory.count, 'run')}`;
}

function foreignSentence({ node, foreign }: Extract<Event, { type: 'foreignUseSeen' }>): string {
  if (foreign.length === 0) return `nobody else uses the GPUs of ${node} any more`;
  const uses = foreign.map(({ index, bytes }) => `${formatBytes(bytes)} of GPU ${index}`);
  return `others than the yard's jobs use ${uses.join(', ')} on ${node}`;
}

function checkpointFacts({ step, bytes }: CheckpointNote): string {
  return `: ${step === null ? '' : `step ${step}, `}${formatBytes(bytes)}`;
}

function inQueue(name: string | undefined): string {
  return name === undefined ? '' : ` in queue ${name}`;
}

function heldText(hold: Hold | null): string {
  if (hold === null) return '';
  return hold.isError === true ? ' and held in error' : ' and held';
}

function withQueue(cause: SuspensionCause | undefined): string {
  return cause === 'queue' ? ' with its queue' : '';
}

function roomFor({
  cause,
  forJob,
}: Extract<Event, { type: 'suspendAnnounced' | 'attemptSuspended' }>): string {
  if (cause !== 'preemption') return '';
  return forJob === undefined ? ' for a job that goes first' : ` to make room for job ${forJob}`;
}

function queueWords({ disabled, suspended }: QueueState): string {
  if (suspended) return disabled ? 'was suspended and disabled' : 'was suspended';
  return disabled ? 'was disabled' : 'starts jobs again';
}

const STOP_REASONS: Readonly<Record<StopCause, string>> = {
  cancelled: 'cancelled',
  timeLimit: 'its time is up',
  preempted: 'another job needs its place',
  requeued: 'it is to be queued again',
  requeuedHeld: 'it is to be queued again and held',
  memory: 'it used more memory than it had',
  scratch: 'it wrote more to its scratch directory than it may',
  deadline: 'its deadline has passed',
};

function exitWords(exit: Exit): string {
  if (exit.outOfMemory) return 'out of memory';
  if (exit.deviceOutOfMemory === true) return 'out of GPU memory';
  if (exit.signal !== null) return signalName(exit.signal);
  return exit.code === null ? 'it never ran' : `exit code ${exit.code}`;
}

function reached({ progress }: Extract<Event, { type: 'attemptEnded' }>): string {
  return (progress?.step ?? null) === null ? '' : ` at step ${progress?.step}`;
}

function usedMemory(event: Extract<Event, { type: 'attemptEnded' }>): string {
  const peak = event.usage?.peakMemoryBytes ?? null;
  return peak === null ? '' : `, ${formatBytes(peak)} memory at its peak`;
}

function nodeText(node: Extract<Event, { type: 'nodeSeen' }>['node']): string {
  const parts = [counted(node.cpus, 'CPU'), `${formatBytes(node.memoryBytes)} memory`];
  if (node.devices.length > 0) parts.push(counted(node.devices.length, 'GPU'));
  return parts.join(', ');
}

function byWhom(by: string | null): string {
  return by === null ? '' : `, by ${by}`;
}

function because(reason: string | null): string {
  return reason === null || reason === '' ? '' : ` (${reason})`;
}

function loweredText(lowered: readonly LoweredLimit[] = []): string {
  return lowered.length === 0 ? '' : ` with ${limitsText(lowered)}`;
}

/** `qstat -j`: jobs in full, or why any job waits; as text and as XML. */

import { printable } from '../../../model/bytes.ts';
import { printPieces } from '../../print-pieces.ts';
import { type Program, printErr, printOut } from '../../program.ts';
import { instanceMessages, type JobsMessage, overallMessages } from '../scheduling-info.ts';
import { jobText, schedulingText } from './detail-text.ts';
import { detailsXml } from './detail-xml.ts';
import { inFull, jobsNamed } from './known.ts';
import { reasonsXml, unknownXml } from './messages-xml.ts';
import type { QstatCall } from './options.ts';
import type { Hosts, Scene } from './scene.ts';

/** Words that mean nothing are passed over as long as another one means something. */
export function* showJobs(words: readonly string[], scene: Scene, hosts: Hosts, call: QstatCall): Program {
  const numbers = jobsNamed(words, scene);
  if (numbers.length === 0) {
    if (call.xml) yield* printOut(unknownXml(words));
    else yield* printErr(`Following jobs do not exist: \n${printable(words.join(', '))}\n`);
    return call.xml ? 0 : 1;
  }
  const jobs = yield* inFull(numbers, scene, hosts);
  if (call.xml) yield* printPieces(detailsXml(jobs, call.withBinding));
  else yield* printPieces(jobs.map((full) => jobText(full, scene, call.withBinding)));
  return 0;
}

export function* showReasons(scene: Scene, { instances }: Hosts, call: QstatCall): Program {
  const general = instanceMessages(instances);
  const ofJobs = overallMessages(scene.facts, instances);
  if (call.xml) {
    yield* printPieces(reasonsXml(general, ofJobs));
    return 0;
  }
  const groups = ofJobs.map(groupText);
  const first = general.length > 0 || groups.length === 0 ? [schedulingText(general)] : [];
  const nothing = general.length === 0 && groups.length === 0;
  yield* printPieces([[...first, ...groups].join('\n'), nothing ? '\n' : '']);
  return 0;
}

const NUMBERS_IN_LINE = 8;

function groupText({ text, jobs }: JobsMessage): string {
  const lines: string[] = [];
  for (let at = 0; at < jobs.length; at += NUMBERS_IN_LINE) {
    const some = jobs.slice(at, at + NUMBERS_IN_LINE).join(',\t');
    lines.push(`\t${some}${at + NUMBERS_IN_LINE < jobs.length ? ',' : ''}\n`);
  }
  return `${text}\n${lines.join('')}`;
}

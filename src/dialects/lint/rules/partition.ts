/** Partitions that this yard does not have, where it minds. */

import { nearest } from '../../../model/nearest.ts';
import { listed, quoted } from '../../text/words.ts';
import { findingOf } from '../finding.ts';
import { lastAsked, type Rule } from '../subject.ts';

const finding = findingOf('partition');

export const partition: Rule = (subject, { queues }) => {
  const asked = subject.dialect === 'slurm' ? lastAsked(subject, 'partition') : null;
  if (asked?.value == null || queues === null || asked.value.includes('$')) return [];
  const unknown = asked.value.split(',').find((name) => !queues.includes(name));
  if (unknown === undefined) return [];
  const meant = nearest(unknown, queues);
  const advice =
    meant.length > 0 ? `did you mean ${listed(meant, 3, 'or')}?` : `there is ${listed(queues, 8)}`;
  return [finding('error', asked.line, `There is no partition ${quoted(unknown)} in this yard`, advice)];
};

/** Why jobs wait, and which are not there, as XML. */

import type { JobsMessage, Message } from '../scheduling-info.ts';
import { element, opening, XML_DECLARATION, type XmlNode, xmlText } from './xml.ts';

export function* reasonsXml(general: readonly Message[], ofJobs: readonly JobsMessage[]): Generator<string> {
  yield opening('message', 'message');
  yield xmlText(messagesNode(general, ofJobs), 1);
  yield '</message>\n';
}

/** Jobs that are not there. The original indents it like this. */
export function unknownXml(words: readonly string[]): string {
  const names = words.map((word) => xmlText(element('ST_name', word), 2)).join('');
  return `${XML_DECLARATION}<unknown_jobs >\n${names}</unknown_jobs>\n`;
}

export function messagesNode(general: readonly Message[], ofJobs: readonly JobsMessage[]): XmlNode {
  const nodes: XmlNode[] = [];
  if (ofJobs.length > 0) {
    const own = ofJobs.map(({ jobs, ...message }) =>
      element('element', [
        element(
          'MES_job_number_list',
          jobs.map((id) => element('ulong_sublist', [element('ULNG_value', id)])),
        ),
        ...messageNodes(message),
      ]),
    );
    nodes.push(element('SME_message_list', own));
  }
  if (general.length > 0) {
    const all = general.map((message) => element('element', messageNodes(message)));
    nodes.push(element('SME_global_message_list', all));
  }
  return element('element', nodes);
}

function messageNodes({ number, text }: Message): readonly XmlNode[] {
  return [element('MES_message_number', number), element('MES_message', text)];
}

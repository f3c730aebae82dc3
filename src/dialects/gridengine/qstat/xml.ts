/**
 * XML as `qstat` writes it: an element in a line, what is in it two blanks further in. What XML cannot say (control
 * characters, bytes that are no text) is shown as on a terminal, so that no name can break a document.
 */

import { printable } from '../../../model/bytes.ts';

export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string | number | readonly XmlNode[];
}

export function element(
  name: string,
  content: XmlNode['content'],
  attributes: XmlNode['attributes'] = {},
): XmlNode {
  return { name, content, attributes };
}

const SCHEMAS = 'http://arc.liv.ac.uk/repos/darcs/sge/source/dist/util/resources/schemas/qstat';

export const XML_DECLARATION = "<?xml version='1.0'?>\n";

/** The first line of a document; its end is `</name>`. */
export function opening(name: string, schema: string): string {
  return `${XML_DECLARATION}<${name}  xmlns:xsd="${SCHEMAS}/${schema}.xsd">\n`;
}

export function xmlText({ name, attributes, content }: XmlNode, depth: number): string {
  const indent = '  '.repeat(depth);
  const given = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(value)}"`)
    .join('');
  if (typeof content !== 'object') {
    return `${indent}<${name}${given}>${escaped(`${content}`)}</${name}>\n`;
  }
  const inside = content.map((node) => xmlText(node, depth + 1)).join('');
  return `${indent}<${name}${given}>\n${inside}${indent}</${name}>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const PLAIN = /^[\w .,:;@/+=*()[\]{}|%$#!?~^-]*$/;

export function escaped(text: string): string {
  if (PLAIN.test(text)) return text;
  return printable(text)
    .replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter)
    .replace(/[\ufffe\uffff]/g, '?');
}

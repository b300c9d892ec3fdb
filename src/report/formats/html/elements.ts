/** Elements of HTML, and the text in them. */

import { memberOf } from '../../../base/json.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const SPECIAL = /[&<>"]/;

export function escapeHtml(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replaceAll(/[&<>"]/g, (character) => memberOf(ENTITIES, character) ?? character);
}

export function span(name: string, html: string): string {
  return `<span class="${name}">${html}</span>`;
}

/** `attributes` contains no string of others. */
export function element(name: string, attributes: string, content: string): string {
  return `<${name}${attributes === '' ? '' : ` ${attributes}`}>${content}</${name}>`;
}

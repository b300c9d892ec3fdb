/** The elements of a page, whose strings of others are escaped. */

import { memberOf } from '../../../base/json.ts';
import { escapeLine } from '../../escape.ts';

/** `text` is escaped for its place already. */
export function code(text: string): string {
  return element('code', '', valueHtml(text));
}

export function valueHtml(text: string): string {
  return hideBackticks(escapeHtml(text));
}

export function hideBackticks(html: string): string {
  return html.replaceAll('`', '&#96;');
}

/** The service names its pages, and a browser would obey other schemes. */
export function linked(html: string, url: string): string {
  return /^https?:\/\//.test(url) ? `<a href="${escapeHtml(escapeLine(url))}">${html}</a>` : html;
}

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

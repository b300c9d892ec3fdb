/** HTML around strings of others: each is escaped, so that no string can make an element. */

import { memberOf } from '../../../base/json.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import { writePhrase, type Phrase, type PhraseWriter } from '../../model/phrase.ts';

/** A phrase with its tones. */
export function painted(phrase: Phrase): string {
  return writePhrase(phrase, PAINTED);
}

/** A sentence of a notice, which has one tone; names and commands are code. */
export function unpainted(phrase: Phrase): string {
  return writePhrase(phrase, UNPAINTED);
}

const UNPAINTED: PhraseWriter = {
  words: escapeHtml,
  value: (text, limit) => code(quoteShort(text, limit)),
  code: (text) => code(escapeLine(text)),
  link: ({ link, url }) => linked(code(escapeLine(link)), url),
  tone: (_, html) => html,
};

/** Values and code are in a font for code; terminal-only marks become plain text. */
const PAINTED: PhraseWriter = {
  ...UNPAINTED,
  value: (text, limit) => escapeHtml(quoteShort(text, limit)),
  code: (text) => escapeHtml(escapeLine(text)),
  link: ({ link, url }) => linked(escapeHtml(escapeLine(link)), url),
  tone: (tone, html) => (tone === 'aside' || tone === 'caution' ? html : span(tone, html)),
};

/** `text` is escaped for its place already. */
export function code(text: string): string {
  return element('code', '', escapeHtml(text));
}

/** The service names its pages, and a browser would obey other schemes. */
function linked(html: string, url: string): string {
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

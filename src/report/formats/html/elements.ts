/** A page and its elements, whose strings of others are escaped. */

import { createHash } from 'node:crypto';
import { memberOf } from '../../../base/json.ts';
import { escapeLine } from '../../escape.ts';

/** `title` and `lines` are escaped for their places already. */
export function pageText({
  title,
  style,
  lines,
}: Readonly<Record<'title' | 'style', string>> & { readonly lines: readonly string[] }): string {
  // Forbids loading and scripts: only this style is used.
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8"/>',
    // So that a search for readers of flags knows the page.
    '<meta name="generator" content="flagwright"/>',
    `<meta http-equiv="Content-Security-Policy" content="${policy}"/>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    '<meta name="referrer" content="no-referrer"/>',
    element('title', '', title),
    element('style', '', style),
    '</head>',
    '<body>',
    '<main>',
    ...lines,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

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

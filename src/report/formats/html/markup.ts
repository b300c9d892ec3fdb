/** HTML around strings of others. Painted text keeps its marks until it is escaped, so that no string can make an element. */

import { memberOf } from '../../../base/json.ts';
import type { Paint, Palette } from '../../view.ts';

/** Control characters: strings of others have none, since those that they had are visible escapes. */
const BEGIN = '\u0001';
const END = '\u0002';
const MARKED = new RegExp(`${BEGIN}([a-z]+)${BEGIN}`, 'g');

function mark(name: string): Paint {
  return (text) => `${BEGIN}${name}${BEGIN}${text}${END}`;
}

/** Marks what a terminal would colour. */
export const MARKING: Palette = {
  add: mark('add'),
  change: mark('change'),
  remove: mark('remove'),
  strong: mark('strong'),
  dim: mark('dim'),
  warning: mark('warning'),
  error: mark('error'),
};

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text with marks as HTML. */
export function painted(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (character) => memberOf(ENTITIES, character) ?? character)
    .replaceAll(MARKED, '<span class="$1">')
    .replaceAll(END, '</span>');
}

/** `attributes` contains no string of others. */
export function element(name: string, attributes: string, content: string): string {
  return `<${name}${attributes === '' ? '' : ` ${attributes}`}>${content}</${name}>`;
}

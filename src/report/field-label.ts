/**
 * A JSON pointer in words that people use for flags: `/filters/groups/1/rollout_percentage` is
 * `condition 2 · rollout_percentage`. Each label stands for exactly one pointer; docs/commands.md has the table.
 */

import { fromPointer } from '../base/json-pointer.ts';
import { escapeLine } from './escape.ts';

/** The first segments of a pointer and the words for them; `#` is a list index, counted from 1 in the words. */
const PREFIXES: readonly { readonly segments: readonly string[]; readonly words: string }[] = [
  { segments: ['filters', 'groups', '#'], words: 'condition' },
  { segments: ['filters', 'groups'], words: 'conditions' },
  { segments: ['filters', 'multivariate', 'variants', '#'], words: 'variant' },
  { segments: ['filters', 'multivariate', 'variants'], words: 'variants' },
  { segments: ['filters', 'payloads', '*'], words: 'payload' },
  { segments: ['filters', 'payloads'], words: 'payloads' },
  { segments: ['name'], words: 'description' },
];

export function fieldLabel(pointer: string): string {
  if (pointer === '') return 'flag';
  const segments = fromPointer(pointer);
  const prefix = PREFIXES.find((candidate) => matches(candidate.segments, segments));
  if (prefix === undefined) return segments.map(escapeLine).join('.');
  const rest = segments.slice(prefix.segments.length);
  const head = `${prefix.words}${entryName(prefix.segments, segments)}`;
  return rest.length === 0 ? head : `${head} · ${restLabel(rest)}`;
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((part, index) => {
    const segment = segments[index];
    if (segment === undefined) return false;
    return part === '*' || (part === '#' ? /^\d+$/.test(segment) : part === segment);
  });
}

function entryName(pattern: readonly string[], segments: readonly string[]): string {
  const last = pattern.length - 1;
  const segment = segments[last] ?? '';
  if (pattern[last] === '#') return ` ${Number(segment) + 1}`;
  return pattern[last] === '*' ? ` ${escapeLine(segment)}` : '';
}

function restLabel(rest: readonly string[]): string {
  const [list, index = '', ...deeper] = rest;
  if (list !== 'properties' || !/^\d+$/.test(index)) return rest.map(escapeLine).join('.');
  return [`property ${Number(index) + 1}`, ...(deeper.length === 0 ? [] : [deeper.map(escapeLine).join('.')])].join(
    ' · ',
  );
}

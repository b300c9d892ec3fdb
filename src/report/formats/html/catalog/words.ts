/** The words of the catalog's page that its script shows too. */

import type { CatalogStanding, CatalogWord } from '../../../model/catalog.ts';

/** With a sign, so that a word is found at a glance without its color. */
export const WORDS: Readonly<Record<CatalogWord, string>> = {
  off: '○ off',
  some: '◐ some',
  all: '● all',
  split: '◑ split',
  unknown: '? unknown',
  missing: '– missing',
};

/** Empty where git and the service agree: only what needs a look is marked. */
export const STANDINGS: Readonly<Record<CatalogStanding, string>> = {
  in_sync: '',
  pending: '… pending',
  drifted: '≠ drifted',
  both: '… pending, ≠ drifted',
  differs: '≠ differs',
  unmanaged: '+ unmanaged',
  // The head of the page says it once.
  unread: '',
};

export const VIEWS = ['live', 'projects', 'calendar', 'changed'] as const;

export type ViewName = (typeof VIEWS)[number];

/** The groups of what is live, by the words that they hold. */
export const GROUPS: readonly (readonly [title: string, words: readonly CatalogWord[]])[] = [
  ['On for everybody', ['all', 'split']],
  ['On for some', ['some']],
  ['Off', ['off']],
  ['Not known', ['unknown']],
  ['Not in this project', ['missing']],
];

/** `This week`, by the number of weeks from it. */
export function weekName(weeks: number): string {
  if (weeks < 0) return weeks === -1 ? 'Last week' : 'Past';
  return ['This week', 'Next week'][weeks] ?? 'Later';
}

/** What a link to a file and a line, or to a commit, has behind the start of its address, by its text. */
export function impliedEnd(text: string, mark: string): string {
  const [, file = text, line = ''] = /^(.+):(\d+)$/.exec(text) ?? [];
  const path = file.split('/').map(encodeURIComponent).join('/');
  return line === '' ? path : `${path}${mark}${line}`;
}

/** The option `--persons`: a file of people, or the newest people of the service. */

import { InvalidArgumentError } from 'commander';
import type { Parameter } from './parameters.ts';

export type PersonsOption =
  { readonly source: 'file'; readonly file: string } | { readonly source: 'live'; readonly most: number };

const DEFAULT_LIVE = 1_000;
const MOST_LIVE = 1_000_000;

export const PERSONS: Parameter<PersonsOption | undefined> = {
  syntax: '--persons <file|live[:n]>',
  description: 'with --impact: count the people of a file, or the newest n of the project (default: 1000)',
  parse: parsePersons,
};

/** `earlier`: of the same option. */
function parsePersons(text: string, earlier?: PersonsOption): PersonsOption {
  if (earlier !== undefined) throw new InvalidArgumentError('It may be given once. Join files of people into one.');
  if (text === 'live') return { source: 'live', most: DEFAULT_LIVE };
  if (!text.startsWith('live:')) return { source: 'file', file: text };
  const digits = text.slice('live:'.length);
  const most = /^\d+$/.test(digits) ? Number(digits) : 0;
  if (most >= 1 && most <= MOST_LIVE) return { source: 'live', most };
  throw new InvalidArgumentError(
    `After live: a whole number from 1 to ${MOST_LIVE} must follow, as in live:${DEFAULT_LIVE}. A file of that name is ./${text}.`,
  );
}

/** The query language of the catalog's page: words, and terms such as `is:off` and `in:prod`. Runs in a browser. */

import { daysAfter } from '../../../../words/days.ts';

/** Texts are in lower case. */
export interface SearchedFlag {
  /** Key, description, owner and tags, a line each. */
  readonly text: string;
  /** Empty if nobody is named. */
  readonly owner: string;
  readonly tags: readonly string[];
  /** Its last day; empty if it has none. */
  readonly expires: string;
  /** One for each project. */
  readonly states: readonly SearchedState[];
}

interface SearchedState {
  readonly project: string;
  /** For whom, in words, and the test people who get it. */
  readonly who: string;
  readonly marks: ReadonlySet<string>;
}

export interface Query {
  readonly terms: readonly Term[];
  /** What was not understood: then no flag matches. */
  readonly problems: readonly string[];
}

/** A word, or one of several values of a name. */
interface Term {
  readonly name: TermName | 'word';
  readonly isNegative: boolean;
  readonly values: readonly string[];
}

const TERM_NAMES = ['owner', 'in', 'is', 'expires', 'tag'] as const;

type TermName = (typeof TERM_NAMES)[number];

/** What a query is read with. */
export interface KnownNames {
  readonly projects: readonly string[];
  /** The day of the page, from which days are counted. */
  readonly day: string;
}

/** The values of `is:`. `on`: somebody gets it. */
const MARKS: readonly string[] = [
  ...['on', 'off', 'some', 'all', 'split', 'unknown', 'missing'],
  ...['in_sync', 'pending', 'drifted', 'differs', 'unmanaged', 'unread', 'stale', 'waiting'],
];

/** What `is:` finds of a state: `others` beside what its word and its standing say. */
export function marksOf(word: string, standing: string, others: readonly string[]): ReadonlySet<string> {
  return new Set([
    word,
    ...(word === 'some' || word === 'all' || word === 'split' ? ['on'] : []),
    ...(standing === 'both' ? ['pending', 'drifted'] : [standing]),
    ...others,
  ]);
}

const TOKEN = /(-?)(?:([a-z]+):)?(?:"([^"]*)(?:"|$)|([^\s"]+))/gi;

/** Words and quoted texts, each with `-` before it or a name. */
export function parseQuery(text: string, known: KnownNames): Query {
  const problems: string[] = [];
  const terms = [...text.matchAll(TOKEN)].flatMap(([, minus, written, quoted, bare = '']): readonly Term[] => {
    const isNegative = minus === '-';
    const isNameAlone = written === undefined && quoted === undefined && /^[a-z]+:$/i.test(bare);
    const name = (isNameAlone ? bare.slice(0, -1) : written)?.toLowerCase();
    const value = isNameAlone ? '' : (quoted ?? bare).toLowerCase();
    if (name === undefined) return [{ name: 'word', isNegative, values: [value] }];
    const values = (quoted === undefined ? value.split(',') : [value]).filter((one) => one !== '');
    const read = readTerm(name, values, known);
    if (typeof read !== 'string') return [{ ...read, isNegative }];
    problems.push(read);
    return [];
  });
  return { terms, problems };
}

/** The term, or what is wrong. */
function readTerm(
  name: string,
  values: readonly string[],
  { projects, day }: KnownNames,
): Pick<Term, 'name' | 'values'> | string {
  const termName = TERM_NAMES.find((one) => one === name);
  if (termName === undefined) {
    return `${name}: is not a search term (there are ${TERM_NAMES.join(':, ')}:). Put it in quotes to search for the text.`;
  }
  const refuse = (takes: string, value = values[0]): string =>
    value === undefined ? `${name}: takes ${takes}.` : `${name}: takes ${takes}, not ${value}.`;
  const firstUnlike = (allowed: readonly string[]): string | undefined => values.find((one) => !allowed.includes(one));
  switch (termName) {
    case 'owner':
      return values.length === 0 ? refuse('a part of a name, or none') : { name: termName, values };
    case 'tag':
      return values.length === 0 ? refuse('a tag') : { name: termName, values };
    case 'in': {
      const names = projects.map((one) => one.toLowerCase());
      const unlike = firstUnlike(names);
      return values.length === 0 || unlike !== undefined
        ? refuse(names.join(', '), unlike)
        : { name: termName, values };
    }
    case 'is': {
      const unlike = firstUnlike(MARKS);
      return values.length === 0 || unlike !== undefined
        ? refuse(MARKS.join(', '), unlike)
        : { name: termName, values };
    }
    case 'expires': {
      const days = values.map((one) => lastDay(one, day));
      const unlike = values[days.indexOf(undefined)];
      return values.length === 0 || unlike !== undefined
        ? refuse('a number of days or weeks, as in 30d or 4w', unlike)
        : { name: termName, values: days.filter((one) => one !== undefined) };
    }
  }
}

function lastDay(value: string, day: string): string | undefined {
  const [, number, unit] = /^(\d{1,4})([dw])$/.exec(value) ?? [];
  return number === undefined ? undefined : daysAfter(day, Number(number) * (unit === 'w' ? 7 : 1));
}

/**
 * Whether the flag has a state, in the projects that are asked for, that fits all words and all `is:`, and fits the other terms itself. A term
 * with `-` excludes flags that fit it in one of these projects.
 */
export function isMatch(flag: SearchedFlag, { terms, problems }: Query): boolean {
  if (problems.length > 0) return false;
  if (terms.length === 0) return true;
  const asked = terms.filter(({ isNegative }) => !isNegative);
  const seeksMissing = asked.some(({ name, values }) => name === 'is' && values.includes('missing'));
  const scope = flag.states.filter((state) =>
    asked.every((term) => term.name !== 'in' || isIn(state, term, seeksMissing)),
  );
  return (
    scope.some((state) => asked.every((term) => fits(flag, state, term))) &&
    terms.every(({ isNegative, ...term }) => {
      if (!isNegative) return true;
      if (term.name === 'in') return !flag.states.some((state) => isIn(state, term, seeksMissing));
      return !scope.some((state) => fits(flag, state, term));
    })
  );
}

/** A project is said to have a flag that it will have. */
function isIn({ project, marks }: SearchedState, { values }: Pick<Term, 'values'>, seeksMissing: boolean): boolean {
  return values.includes(project) && (seeksMissing || !marks.has('missing') || marks.has('pending'));
}

function fits(
  flag: SearchedFlag,
  { who, marks }: SearchedState,
  { name, values }: Pick<Term, 'name' | 'values'>,
): boolean {
  switch (name) {
    case 'word':
      return values.every((value) => hasWord(flag.text, value) || hasWord(who, value) || letsIn(who, value));
    case 'is':
      return values.some((value) => marks.has(value));
    case 'owner':
      return values.some((value) => (value === 'none' ? flag.owner === '' : flag.owner.includes(value)));
    case 'tag':
      return values.some((value) => flag.tags.includes(value));
    case 'expires':
      return flag.expires !== '' && values.some((value) => flag.expires <= value);
    case 'in':
      return true;
  }
}

/** Such as the code of a country: a part of a longer word is not meant. */
const SHORTEST_PART = 3;

function hasWord(text: string, word: string): boolean {
  if (word.length >= SHORTEST_PART) return text.includes(word);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + word.length])) return true;
  }
  return false;
}

/** Whether people of the country that the word names get the flag since a condition excludes others alone. */
function letsIn(who: string, word: string): boolean {
  const code = codeOf(word);
  if (code === undefined || who.startsWith('nobody')) return false;
  return who.split('; or ').some((condition) => {
    const excluded = [...condition.matchAll(EXCLUDED)].map(([, codes = '']) => codes.split(', '));
    return excluded.length > 0 && excluded.every((codes) => !codes.includes(code)) && !INCLUDED.test(condition);
  });
}

/** A list that is cut, or has other values than codes, tells nothing. */
const EXCLUDED = /country[^\s"]*"? is not (?:one of )?([a-z]{2}(?:, [a-z]{2})*) \(/g;
const INCLUDED = /country[^\s"]*"? (?!is not )/;

/** `de` of `germany`, and of itself. */
function codeOf(word: string): string | undefined {
  codes ??= readCodes();
  return codes.get(word);
}

function readCodes(): ReadonlyMap<string, string> {
  const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const pairs = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return new Map(
    pairs.flatMap((code): [string, string][] => {
      const name = regions.of(code.toUpperCase())?.toLowerCase();
      return name === undefined ? [] : [code, name].map((one) => [one, code]);
    }),
  );
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
let codes: ReadonlyMap<string, string> | undefined;

function isLetter(character = ''): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}

/** The last day that a query asks for, if it asks for one. */
export function lastDayIn({ terms }: Query): string | undefined {
  return terms.find(({ name }) => name === 'expires')?.values[0];
}

/** The query with the term, or without it if it has it. */
export function toggleTerm(text: string, term: string): string {
  const written = [...text.matchAll(TOKEN)].map(([token]) => token);
  const others = written.filter((token) => token.toLowerCase() !== term.toLowerCase());
  return (others.length === written.length ? [...written, term] : others).join(' ');
}

export function hasTerm(text: string, term: string): boolean {
  return [...text.matchAll(TOKEN)].some(([token]) => token.toLowerCase() === term.toLowerCase());
}

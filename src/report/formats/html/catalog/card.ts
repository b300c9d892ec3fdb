/** A flag on the catalog's page: a line that opens. End tags that HTML needs not are left out, and classes are short: 2,000 flags are one file. */

import { groupBy } from '../../../../base/group.ts';
import {
  isWaiting,
  STANDING_MEANINGS,
  type CatalogAuthor,
  type CatalogChange,
  type CatalogDifference,
  type CatalogFlagView,
  type CatalogPlace,
  type CatalogRequest,
  type CatalogRollout,
  type CatalogStanding,
  type CatalogStateView,
  type CatalogView,
} from '../../../model/catalog.ts';
import { count } from '../../../words/amounts.ts';
import { dayText, momentText } from '../../../words/days.ts';
import { escapeLine } from '../../../escape.ts';
import { impliedEnd, STANDINGS, WORDS } from './words.ts';
import { escapeHtml, linked } from '../elements.ts';

/** What links of the page need. */
export interface PageLinks {
  /** The number of each flag: the script puts its key into the address. */
  readonly numbers: ReadonlyMap<string, number>;
  /** There are so many flags that what repeats counts. */
  readonly isLarge: boolean;
  /** How addresses begin on a large page: it has each once, and the script completes the links. */
  readonly starts: readonly string[];
  /** What stands between a file and a line in addresses. */
  readonly mark: string;
}

export function linksOf({ flags }: CatalogView): PageLinks {
  const numbers = new Map(flags.map(({ key }, index) => [key, index]));
  const isLarge = flags.length > MOST_WHOLE;
  const places = (isLarge ? flags : [])
    .flatMap(({ place, code }) => [...(place === undefined ? [] : [place]), ...(code?.places ?? [])])
    .filter(({ url }) => url !== undefined);
  const mark = ['#L', '#lines-'].find((one) => places.some(({ url = '' }) => url.includes(one))) ?? '';
  return { numbers, isLarge, starts: isLarge ? findStarts(flags, { places, mark }) : [], mark };
}

/** Addresses and changes are most of a large page. */
const MOST_WHOLE = 500;

/** Of projects, files and commits: what comes before their names. */
function findStarts(
  flags: readonly CatalogFlagView[],
  { places, mark }: Pick<PageLinks, 'mark'> & { readonly places: readonly CatalogPlace[] },
): readonly string[] {
  const found = new Set<string>();
  const add = (url: string | undefined, end: string): void => {
    const start = url?.endsWith(end) === true ? url.slice(0, -end.length) : '';
    if (!found.has(start) && /^https?:\/\/[^/]+\/(?:.*\/)?$/.test(start)) found.add(start);
  };
  for (const place of places) add(place.url, impliedEnd(escapeLine(placeName(place)), mark));
  for (const { states, created, changed, changes = [] } of flags) {
    for (const { url = '' } of states) add(url, url.slice(url.lastIndexOf('/') + 1));
    for (const one of [created, changed, ...changes]) add(one?.url, one?.commit ?? '');
  }
  // A start of another one would leave more for each link.
  return [...found].toSorted((a, b) => b.length - a.length);
}

/** Of a commit the page has the first characters. */
function linkTo(text: string, url: string | undefined, { starts, mark }: PageLinks): string {
  const html = textHtml(text);
  if (url === undefined) return html;
  const index = starts.findIndex((start) => url.startsWith(start));
  const start = starts[index];
  if (start === undefined) return linked(html, url);
  const end = url.slice(start.length);
  const isImplied = end === impliedEnd(escapeLine(text), mark) || (/^[0-9a-f]{40,}$/.test(end) && end.startsWith(text));
  if (isImplied) return `<a data-u=${index}>${html}</a>`;
  const rest = `${index}/${textHtml(end)}`;
  return `<a data-u=${/^[\w/.#-]+$/.test(rest) ? rest : `"${rest}"`}>${html}</a>`;
}

export function flagLink(key: string, { numbers }: PageLinks): string {
  const index = numbers.get(key);
  return index === undefined ? textHtml(key) : `<a href=#f${index}>${textHtml(key)}</a>`;
}

/** Most text: of ASCII that neither function changes. */
const PLAIN = /^[ !$%'-;=?-~]*$/;

/** Text of others: no character in it is invisible or makes an element. */
export function textHtml(text: string): string {
  return PLAIN.test(text) ? text : escapeHtml(escapeLine(text));
}

/** In the line the state of the first project: the script shows that of the chosen one. */
export function cardHtml(flag: CatalogFlagView, index: number, links: PageLinks): string {
  const { key, description, owner, tags = [], states, expires, next, removal } = flag;
  const [first] = states;
  const attributes = [
    ` id=f${index}`,
    expires === undefined || !/^\d{4}-\d\d-\d\d$/.test(expires) ? '' : ` data-e=${expires}`,
    removal === undefined ? '' : ' data-x',
  ].join('');
  return [
    `<details${attributes}><summary><b>${textHtml(key)}</b>`,
    first === undefined ? '' : `<i>${whoHtml(first)}</i>`,
    first === undefined || STANDINGS[first.standing] === '' ? '' : `<i class=m>${STANDINGS[first.standing]}</i>`,
    owner === undefined ? '' : `<i class=o>${textHtml(owner.name)}</i>`,
    // Of several lines one: a line break would be shown as an escape.
    description === undefined || description === ''
      ? ''
      : `<span>${textHtml(description.trim().replaceAll(/\s*\n\s*/g, ' '))}</span>`,
    // What can be removed says so in its line.
    removal === undefined
      ? `</summary>${next === undefined ? '' : `<p>${nextHtml(flag)}`}`
      : `<em>${next?.step === removal ? '' : '<b>Can be removed.</b> '}${nextHtml(flag)}</em></summary>`,
    `<ul class=s>${states.map((state) => stateHtml(state, links)).join('')}</ul><dl>`,
    tags.length === 0 ? '' : `<dt>Tags<dd class=t>${tags.map((tag) => `<i>${textHtml(tag)}</i>`).join(' ')}`,
    ...factsOf(flag, links),
    '</dl></details>',
  ].join('');
}

function nextHtml({ next }: CatalogFlagView): string {
  return next === undefined ? '' : `<b>Next: ${textHtml(next.words)}.</b> ${textHtml(next.reason)}`;
}

/** The script reads the standing from the class, the word from its text, and whether something waits from `data-w`. */
function stateHtml(
  { project, url, standing, word, who, differences = [], rollouts = [], requests = [] }: CatalogStateView,
  links: PageLinks,
): string {
  const more = [
    ...rollouts.map(rolloutHtml),
    ...differences.map(({ standing: sort, words, by, at }) => {
      const author = by === undefined ? '' : ` by ${textHtml(by)}`;
      const when = at === undefined ? '' : `, ${textHtml(momentText(at))}`;
      const place = DIFFERENCES[sort];
      return `<b>${place}${author}${when}:</b> ${textHtml(words)}`;
    }),
    ...requests.map(requestHtml),
  ];
  return [
    `<li${standing === 'in_sync' ? '' : ` class=${standing}`}${isWaiting({ rollouts, requests }) ? ' data-w' : ''}>`,
    `${url === undefined ? `<b>${textHtml(project)}</b>` : linkTo(project, url, links)} <i>${WORDS[word]}</i> <span>${whoHtml({ who })}</span>`,
    STANDINGS[standing] === '' ? '' : ` <i class=m>${standingText(standing)}</i>`,
    more.length === 0 ? '' : `<ul>${more.map((html) => `<li>${html}`).join('')}</ul>`,
  ].join('');
}

function requestHtml({ words, url }: CatalogRequest): string {
  return `<b>${url === undefined ? 'Approval' : linked('Approval', url)}:</b> ${textHtml(words)}`;
}

const DIFFERENCES: Readonly<Record<CatalogDifference['standing'], string>> = {
  pending: 'Changed in git',
  drifted: 'Edited in PostHog',
  differs: 'Git says otherwise',
};

function whoHtml({ who }: Pick<CatalogStateView, 'who'>): string {
  return textHtml(who === '' ? '–' : who);
}

export function standingText(standing: CatalogStanding): string {
  return `${STANDINGS[standing] || 'no mark'}: ${STANDING_MEANINGS[standing]}`;
}

function rolloutHtml({ now, next, waits }: CatalogRollout): string {
  return [
    `<b>Rollout:</b> ${textHtml(now)}.`,
    next === undefined ? '' : ` Next, ${textHtml(momentText(next.at))}: ${textHtml(next.words)}.`,
    waits === undefined ? '' : ` It waits: ${textHtml(waits)}.`,
  ].join('');
}

function fact(label: string, html: string): string {
  return `<dt>${label}<dd>${html}`;
}

function factsOf(flag: CatalogFlagView, links: PageLinks): readonly string[] {
  const { owner, place, created, changed, expires, last_called: called, code, answers = [], changes = [] } = flag;
  const { depends_on: needs = [], dependents = [] } = flag;
  const keys = (names: readonly string[]): string => names.map((key) => flagLink(key, links)).join(', ');
  // What the list of changes says is not said, or at least not linked, twice.
  const madeIn = changes.some(({ url }) => url === created?.url) ? withoutUrl(created) : created;
  const isListed = changes[0]?.at === changed?.at;
  const facts: readonly (string | false | undefined)[] = [
    owner?.by !== 'tag' && fact('Owner', owner === undefined ? 'not known' : `${textHtml(owner.name)}, by CODEOWNERS`),
    expires !== undefined && fact('Expires', textHtml(dayText(expires))),
    madeIn && fact('Created', `${textHtml(dayText(madeIn.at))}${sourceHtml(madeIn, links)}`),
    changed && !isListed && fact('Last change', `${textHtml(momentText(changed.at))}${sourceHtml(changed, links)}`),
    called !== undefined &&
      fact('Last called', called === null ? 'never, as far as PostHog knows' : textHtml(dayText(called))),
    code && fact('In code', codeHtml(code, links)),
    place && fact('Declared', placeHtml(place, links)),
    needs.length > 0 && fact('Depends on', keys(needs)),
    dependents.length > 0 && fact('Needed by', keys(dependents)),
    answers.length > 0 && fact('Test people', answersHtml(answers)),
    changes.length > 0 && fact('Changes', changesHtml(changes, links)),
  ];
  return facts.filter((one) => one !== false && one !== undefined);
}

function withoutUrl(author: CatalogAuthor | undefined): CatalogAuthor | undefined {
  if (author === undefined) return undefined;
  const { url: _, ...rest } = author;
  return rest;
}

/** A forge finds a commit by this many of its characters. */
const SHOWN_OF_COMMIT = 10;

/** ` by Ann in git 1a2b3c4d5e`. */
export function sourceHtml({ by, source, commit, url }: Omit<CatalogAuthor, 'at'>, links: PageLinks): string {
  const place = source === 'git' ? 'git' : 'PostHog';
  const where =
    commit === undefined
      ? linkTo(place, url, links)
      : `${place} ${linkTo(commit.slice(0, SHOWN_OF_COMMIT), url, links)}`;
  return `${by === undefined ? '' : ` by ${textHtml(by)}`} in ${where}`;
}

const VERDICTS: Readonly<Record<NonNullable<CatalogFlagView['code']>['verdict'], string>> = {
  read: 'read',
  not_found: 'not found',
  possible: 'perhaps read',
  indirect: 'perhaps read: a key is made at run time',
  unknown: 'not known',
};

function codeHtml({ verdict, places, more }: NonNullable<CatalogFlagView['code']>, links: PageLinks): string {
  const listed = [...places.map((place) => placeHtml(place, links)), ...(more > 0 ? [`${more} more`] : [])];
  return `${VERDICTS[verdict]}${listed.length === 0 ? '' : `: ${listed.join(', ')}`}`;
}

function placeHtml(place: CatalogPlace, links: PageLinks): string {
  const { url, repository } = place;
  return `${linkTo(placeName(place), url, links)}${repository === undefined ? '' : ` in ${textHtml(repository)}`}`;
}

function placeName({ file, line }: CatalogPlace): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** Those who get the same together. The script reads who gets the flag. */
function answersHtml(answers: NonNullable<CatalogFlagView['answers']>): string {
  const items = [...groupBy(answers, ({ project, value }) => `${project}\n${value}`).values()].map((alike) => {
    const [{ project, value } = { project: '', value: '' }] = alike;
    const people = alike.map(({ person }) => textHtml(person)).join(', ');
    return `<li><i>${textHtml(project)}</i>: <b>${textHtml(value)}</b> for <span>${people}</span>`;
  });
  return `<ul class=a>${items.join('')}</ul>`;
}

function changesHtml(changes: readonly CatalogChange[], links: PageLinks): string {
  const shown = links.isLarge ? changes.slice(0, MOST_OF_LARGE) : changes;
  const items = shown.map(
    (change) =>
      `<li>${textHtml(momentText(change.at))}${sourceHtml(change, links)}: ${textHtml(change.words)}${projectsHtml(change)}`,
  );
  const more = changes.length - shown.length;
  return `<ul>${items.join('')}${more === 0 ? '' : `<li>${more} earlier`}</ul>`;
}

/** The page says it once. */
export const MOST_OF_LARGE = 3;

/** ` (prod, staging)`; nothing where it is of all. */
export function projectsHtml({ projects }: Pick<CatalogChange, 'projects'>): string {
  return projects === undefined ? '' : ` (${textHtml(projects.join(', '))})`;
}

/** `3 flags`. */
export function flagsText(amount: number): string {
  return count(amount, 'flag');
}

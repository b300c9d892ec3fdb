/** What the catalog's page says, read from its text; and what is put into it once: choices, links, and names of days by the reader's clock. */

import type { CatalogStanding, CatalogWord } from '../../../../model/catalog.ts';
import { daysBetween, mondayOf } from '../../../../words/days.ts';
import { impliedEnd, type ViewName, VIEWS, weekName } from '../words.ts';
import { isMatch, marksOf, parseQuery, type SearchedFlag } from './query.ts';

interface FlagRow {
  readonly key: string;
  readonly card: HTMLDetailsElement;
  readonly searched: SearchedFlag;
  readonly states: readonly StateRow[];
}

interface StateRow {
  readonly word: CatalogWord;
  readonly standing: CatalogStanding;
  /** Something of it waits for people or for better times. */
  readonly waits: boolean;
  readonly who: string;
}

/** What a view shows or hides: of a flag, or, without a number, of all. */
interface Item {
  readonly element: HTMLElement;
  readonly flag: number;
  readonly project: string | undefined;
}

export interface Page {
  readonly flags: readonly FlagRow[];
  readonly projects: readonly string[];
  /** The day on which the page was made. */
  readonly day: string;
  readonly sections: ReadonlyMap<ViewName, HTMLElement>;
  readonly items: ReadonlyMap<ViewName, readonly Item[]>;
  readonly dialog: HTMLDialogElement;
  readonly search: HTMLInputElement;
  readonly owners: HTMLSelectElement;
}

export function readPage(): Page {
  const main = the<HTMLElement>('main');
  const inputs = [...document.querySelectorAll<HTMLInputElement>('input[name=p]')];
  const projects = inputs.length === 0 ? [textOf(document.querySelector('#in'))] : inputs.map(({ value }) => value);
  const cards = [...document.querySelectorAll<HTMLDetailsElement>('details[id^=f]')];
  const sections = new Map(VIEWS.map((view) => [view, the<HTMLElement>(`[id="view=${view}"]`)]));
  // Or else the browser scrolls to a view whenever it is named in the address.
  for (const section of sections.values()) section.removeAttribute('id');
  // In the order of their numbers, which is that of the keys: the page has them by group.
  const flags = cards.map((card) => readFlag(card, projects)).toSorted((a, b) => numberOf(a.card) - numberOf(b.card));
  return {
    flags,
    projects,
    day: main.dataset['day'] ?? '',
    sections,
    items: new Map([...sections].map(([view, section]) => [view, itemsIn(view, section, flags)])),
    dialog: the<HTMLDialogElement>('dialog'),
    search: the<HTMLInputElement>('#q'),
    owners: the<HTMLSelectElement>('#owner'),
  };
}

function numberOf({ id }: HTMLElement): number {
  return Number(id.slice(1));
}

function readFlag(card: HTMLDetailsElement, projects: readonly string[]): FlagRow {
  const key = textOf(card.querySelector('b'));
  const owner = textOf(card.querySelector('.o')).toLowerCase();
  const tags = [...card.querySelectorAll('.t > i')].map((tag) => textOf(tag).toLowerCase());
  const description = textOf(card.querySelector('summary > span'));
  const states = [...card.querySelectorAll<HTMLElement>('.s > li')].map((row): StateRow => {
    return {
      // Behind its sign.
      word: textOf(row.querySelector('i')).slice(2) as CatalogWord,
      standing: (row.className || 'in_sync') as CatalogStanding,
      waits: 'w' in row.dataset,
      who: textOf(row.querySelector(':scope > span')),
    };
  });
  const people = [...card.querySelectorAll('.a > li')].map((row) => ({
    project: textOf(row.querySelector('i')),
    gets: !NOTHING.has(textOf(row.querySelector('b'))),
    names: textOf(row.querySelector('span')).toLowerCase(),
  }));
  const peopleIn = (project: string | undefined): readonly string[] =>
    people.flatMap((one) => (one.project === project && one.gets ? [one.names] : []));
  return {
    key,
    card,
    states,
    searched: {
      text: [key, description, owner, ...tags].join('\n').toLowerCase(),
      owner,
      tags,
      expires: card.dataset['e'] ?? '',
      states: states.map(({ word, standing, waits, who }, index) => ({
        project: (projects[index] ?? '').toLowerCase(),
        who: [who.toLowerCase(), ...peopleIn(projects[index])].join('\n'),
        marks: marksOf(word, standing, [...('x' in card.dataset ? ['stale'] : []), ...(waits ? ['waiting'] : [])]),
      })),
    },
  };
}

/** What test people have who do not get the flag, or of whom it is not known. */
const NOTHING: ReadonlySet<string> = new Set(['off', 'not known']);

function itemsIn(view: ViewName, section: HTMLElement, flags: readonly FlagRow[]): readonly Item[] {
  if (view === 'live') return flags.map(({ card }, flag) => ({ element: card, flag, project: undefined }));
  if (view === 'projects') {
    const rows = [...section.querySelectorAll<HTMLElement>('tbody.g > tr')];
    return rows.map((element, flag) => ({ element, flag, project: undefined }));
  }
  return [...section.querySelectorAll<HTMLElement>('li:not(.g)')].map((element) => {
    const link = element.querySelector(':scope > a[href^="#f"]');
    const flag = link === null ? -1 : Number(link.getAttribute('href')?.slice(2));
    return { element, flag, project: element.dataset['p']?.toLowerCase() };
  });
}

/** A large page has the start of addresses once. */
export function completeLinks(): void {
  const starts = [...document.querySelectorAll('#starts > li')].map(textOf);
  const mark = document.querySelector<HTMLElement>('#starts')?.dataset['mark'] ?? '';
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-u]')) {
    const [index = '', ...rest] = (link.dataset['u'] ?? '').split('/');
    const start = starts[Number(index)] ?? '';
    const end = rest.length === 0 ? impliedEnd(textOf(link), mark) : rest.join('/');
    if (/^https?:\/\//.test(start)) link.href = start + end;
  }
}

/** How many flags each button finds, and who owns flags. */
export function fillChoices(page: Page): void {
  const { flags, owners } = page;
  for (const button of document.querySelectorAll<HTMLElement>('button[data-term]:not(#only)')) {
    const query = parseQuery(button.dataset['term'] ?? '', page);
    const amount = flags.filter(({ searched }) => isMatch(searched, query)).length;
    const place = button.querySelector('span');
    if (place !== null) place.textContent = String(amount);
  }
  const names = new Set(flags.map(({ card }) => textOf(card.querySelector('.o'))).filter((name) => name !== ''));
  for (const name of [...names].toSorted()) {
    const option = document.createElement('option');
    option.value = name;
    option.textContent = name;
    owners.append(option);
  }
}

const OLD_DAYS = 2;

/** By the clock of the reader: the page may be older than it looks. */
export function nameTimes(): void {
  const today = new Date().toISOString().slice(0, 10);
  for (const week of document.querySelectorAll<HTMLElement>('[data-week]')) {
    week.textContent = weekName(daysBetween(mondayOf(today), week.dataset['week'] ?? '') / 7);
  }
  for (const day of document.querySelectorAll<HTMLElement>('[data-day]:not(main)')) {
    const days = daysBetween(day.dataset['day'] ?? '', today);
    if (days === 0 || days === 1) day.textContent = days === 0 ? ' (today)' : ' (yesterday)';
  }
  const age = daysBetween(the('main').dataset['day'] ?? '', today);
  if (age < OLD_DAYS) return;
  the('#age').textContent = `This page is ${age} days old: what is live may have changed since.`;
  the('#age').hidden = false;
}

function textOf(element: Element | null): string {
  return element?.textContent ?? '';
}

export function the<Kind extends HTMLElement = HTMLElement>(selector: string): Kind {
  const found = document.querySelector<Kind>(selector);
  if (found === null) throw new Error(`The page has no ${selector}.`);
  return found;
}

/** The page itself: a head, notices, and groups of cards that can be filtered. */

import { createHash } from 'node:crypto';
import type { ProjectIdentity } from '../../../engine/project.ts';
import { escapeLine } from '../../escape.ts';
import { element, painted } from './markup.ts';
import { FILTERS, STYLE, type Filter } from './style.ts';

export interface Page {
  /** `Plan for`. */
  readonly words: string;
  readonly project?: ProjectIdentity;
  readonly summary?: string;
  /** Sentences below it; painted. */
  readonly facts: readonly string[];
  readonly notices: readonly Notice[];
  readonly groups: readonly Group[];
}

export interface Notice {
  readonly title: string;
  readonly tone: 'bad' | 'warn';
  /** Painted. */
  readonly sentences: readonly string[];
}

/** What has nothing below its name is an item of a list. */
export type Group = { readonly title: string; readonly cards: readonly Card[] } | ListGroup;

export interface ListGroup {
  readonly title: string;
  /** Painted. */
  readonly items: readonly string[];
  /** How many of what the title says; absent: as many as there are items. */
  readonly amount?: number;
}

export interface Card {
  /** Painted. */
  readonly head: string;
  /** What it can be filtered by. */
  readonly kinds: readonly Filter[];
  /** How many of what the page is about it stands for; absent: 1. */
  readonly amount?: number;
  /** Painted. */
  readonly lines: readonly string[];
}

export function pageText(page: Page): string {
  const title = [page.words, ...(page.project === undefined ? [] : [escapeLine(page.project.name)])].join(' ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8"/>',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(STYLE)}"/>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    '<meta name="referrer" content="no-referrer"/>',
    element('title', '', painted(title)),
    element('style', '', STYLE),
    '</head>',
    '<body>',
    '<main>',
    '<header>',
    element('h1', '', painted(title)),
    ...whereOf(page.project),
    ...(page.summary === undefined ? [] : [element('p', 'class="summary"', painted(page.summary))]),
    ...page.facts.map((fact) => element('p', '', painted(fact))),
    '</header>',
    ...page.notices.flatMap(noticeLines),
    ...filterLines(page.groups),
    ...page.groups.flatMap(groupLines),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Nothing is loaded and nothing runs: only this very style is used. */
function policyOf(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

function whereOf(project: ProjectIdentity | undefined): string[] {
  if (project === undefined) return [];
  const { host, project_id: id } = project;
  const where = host === 'embedded' ? 'On the embedded service' : `On ${escapeLine(host)}, project ${escapeLine(id)}`;
  return [element('p', 'class="where"', painted(where))];
}

function noticeLines({ title, tone, sentences }: Notice): string[] {
  if (sentences.length === 0) return [];
  const items = sentences.map((sentence) => element('li', '', painted(sentence)));
  return [
    `<section class="notice ${tone}">`,
    element('h2', '', painted(title)),
    '<ul>',
    ...items,
    '</ul>',
    '</section>',
  ];
}

/** One choice for each kind of card that the page has, where there is something to choose. */
function filterLines(groups: readonly Group[]): string[] {
  const cards = groups.flatMap((group) => ('cards' in group ? group.cards : []));
  const sum = (some: readonly Card[]): number => some.reduce((total, { amount: own = 1 }) => total + own, 0);
  const amount = (name: Filter): number => sum(cards.filter(({ kinds }) => kinds.includes(name)));
  const names = FILTERS.filter((name) => amount(name) > 0);
  if (cards.length < 2 || names.length < 2) return [];
  const choice = (name: string, words: string, rest = ''): string =>
    `<input type="radio" name="show" id="show-${name}"${rest}/><label for="show-${name}">${words}</label>`;
  return [
    '<fieldset>',
    '<legend>Show</legend>',
    choice('all', `all ${sum(cards)}`, ' checked="checked"'),
    ...names.map((name) => choice(name, `${name} ${amount(name)}`)),
    '</fieldset>',
  ];
}

function groupLines(group: Group): string[] {
  const lines = 'cards' in group ? group.cards.map(cardText) : listLines(group.items);
  if (lines.length === 0) return [];
  const heading = 'cards' in group ? group.title : `${group.title}: ${group.amount ?? group.items.length}`;
  return ['<section class="group">', element('h2', '', painted(heading)), ...lines, '</section>'];
}

function listLines(items: readonly string[]): string[] {
  if (items.length === 0) return [];
  return ['<ul class="list">', ...items.map((item) => element('li', '', painted(item))), '</ul>'];
}

function cardText({ head, kinds, lines }: Card): string {
  const badges = kinds.map((name) => element('span', 'class="badge"', name)).join('');
  const body = lines.length === 0 ? '' : element('pre', '', lines.map(rowText).join(''));
  const classes = ['card', ...kinds.map((name) => `is-${name}`)].join(' ');
  return element('article', `class="${classes}"`, `${badges}${element('h3', '', painted(head))}${body}`);
}

/** A box of its own, in which what wraps is indented: no part of a long value looks like the next line. */
function rowText(line: string): string {
  return element('span', '', `${painted(line)}\n`);
}

/**
 * The catalog's page: one file that answers which flags are on, for whom, and whose they are. All of it is text without the script, which
 * only searches, switches views and opens a flag.
 */

import { createHash } from 'node:crypto';
import { catalogView } from '../../../model/catalog-view.ts';
import {
  WORD_MEANINGS,
  type CatalogFlagView,
  type CatalogProjectView,
  type CatalogStanding,
  type CatalogView,
  type CatalogWord,
} from '../../../model/catalog.ts';
import type { ReportOf } from '../../../report.ts';
import { dayOf, momentText } from '../../../words/days.ts';
import { cardHtml, flagsText, linksOf, MOST_OF_LARGE, type PageLinks, standingText, textHtml } from './card.ts';
import { catalogStyle } from './style.ts';
import { calendarHtml, changedHtml } from './times.ts';
import { GROUPS, STANDINGS, type ViewName, VIEWS, WORDS } from './words.ts';
import { linked } from '../elements.ts';
import { CATALOG_SCRIPT } from '../generated/catalog-script.ts';

export function catalogReportPage({ catalog }: ReportOf<'catalog'>): string {
  return catalogPage(catalogView(catalog));
}

export function catalogPage(view: CatalogView): string {
  const style = catalogStyle(view.projects.length);
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(CATALOG_SCRIPT)}'; base-uri 'none'; form-action 'none'`;
  const { projects, made_at: madeAt } = view;
  const links = linksOf(view);
  return [
    '<!doctype html>\n<html lang=en><head><meta charset=utf-8>',
    // So that a search for readers of flags knows the page.
    '<meta name="generator" content="flagwright"/>',
    `<meta http-equiv=Content-Security-Policy content="${policy}">`,
    '<meta name=viewport content="width=device-width, initial-scale=1"><meta name=referrer content=no-referrer>',
    `<title>Feature flags: ${textHtml(projects.map(({ name }) => name).join(', '))}</title>`,
    `<style>${style}</style><script>${CATALOG_SCRIPT}</script></head>\n<body>`,
    headHtml(view),
    `<nav aria-label=Views>${VIEWS.map((name) => `<a href="#view=${name}">${TITLES[name]}</a>`).join('')}</nav>`,
    `<main data-day=${dayOf(madeAt) ?? ''}>`,
    searchHtml(projects),
    ...VIEWS.flatMap((name) => [
      `\n<section class=v id="view=${name}"><h2>${TITLES[name]}</h2>`,
      ...SECTIONS[name](view, links),
      '</section>',
    ]),
    '</main>',
    // How addresses begin.
    links.starts.length === 0
      ? ''
      : `<ul id=starts data-mark="${links.mark}" hidden>${links.starts.map((start) => `<li>${textHtml(start)}`).join('')}</ul>`,
    '\n<dialog aria-label=Flag><button>Close</button></dialog></body></html>\n',
  ].join('');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

const TITLES: Readonly<Record<ViewName, string>> = {
  live: 'What is live',
  projects: 'Projects',
  calendar: 'Calendar',
  changed: 'Changed',
};

/** In parts, which only the page joins: a join copies them, and 2,000 flags are 3 MB. */
const SECTIONS: Readonly<Record<ViewName, (view: CatalogView, links: PageLinks) => readonly string[]>> = {
  live: liveHtml,
  projects: projectsTable,
  calendar: (view, links) => [`<p>${CALENDAR_WORDS}</p>`, calendarHtml(view, links)],
  changed: (view, links) => [
    `<p>The 14 days before ${textHtml(momentText(view.made_at))}, the newest first. All times are in UTC.</p>`,
    changedHtml(view, links),
  ],
};

const CALENDAR_WORDS =
  'What is planned: steps of rollouts, last days of flags, times without changes, and changes that are scheduled in PostHog. All times are in UTC.';

function headHtml({ made_at: madeAt, commit, branch, projects, flags, notes }: CatalogView): string {
  const from = [
    ...(commit === undefined ? [] : [` from commit <code>${textHtml(commit.slice(0, 12))}</code>`]),
    ...(branch === undefined
      ? []
      : [`${commit === undefined ? ' from' : ' on'} branch <code>${textHtml(branch)}</code>`]),
  ].join('');
  return [
    `<header><h1>Feature flags</h1><p>${flagsText(flags.length)}. Made <b>${textHtml(momentText(madeAt))}</b>${from}.`,
    `<p class="js warn" id=age hidden></p><table class=facts><caption>When each project was read</caption>`,
    ...projects.map((project) => `<tr><th scope=row>${projectName(project)}<td>${readingHtml(project)}`),
    '</table>',
    notes.length === 0
      ? ''
      : `<ul class="notice warn">${notes.map(({ words }) => `<li>${withCode(textHtml(words))}`).join('')}</ul>`,
    '</header>',
  ].join('');
}

function withCode(html: string): string {
  return html.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function projectName({ name, url }: CatalogProjectView): string {
  return url === undefined ? textHtml(name) : linked(textHtml(name), url);
}

function readingHtml({ source, read_at: readAt, reason }: CatalogProjectView): string {
  const at = readAt === undefined ? 'at an unknown time' : textHtml(momentText(readAt));
  switch (source) {
    case 'live':
      return `PostHog, read ${at}`;
    case 'snapshot':
      return `a snapshot of PostHog, taken ${at}`;
    case 'manifests':
      return 'what git declares; PostHog was not read';
    case 'unread':
      return `<p class="notice bad"><b>✗ Not read${reason === undefined ? '' : ':'}</b> ${textHtml(reason ?? '')} What is live there is not known.`;
  }
}

/** What only the script can do is not shown without it. */
function searchHtml([first, ...others]: readonly CatalogProjectView[]): string {
  const filters = FILTERS.map(([term, words]) => `<button data-term="${term}">${words} <span></span></button>`).join(
    '',
  );
  const name = textHtml(first?.name ?? '');
  const help = HELP.map(([term, words]) => `<tr><th scope=row><code>${term}</code><td>${words}`).join('');
  return [
    '<div class=js role=search><label for=q>Search</label><input type=search id=q autocomplete=off spellcheck=false placeholder="germany is:on">',
    // The script names the chosen project.
    `<div id=filters><button id=only data-term="in:${name}"${others.length === 0 ? ' hidden' : ''}>only ${name}</button>${filters}<label>Owner <select id=owner><option value="">anybody</select></label></div>`,
    `<details><summary>Search terms</summary><table>${help}</table></details>`,
    '<p role=status id=found></p><p id=also></p></div>',
  ].join('');
}

const FILTERS: readonly (readonly [term: string, words: string])[] = [
  ['is:on', 'on'],
  ['is:off', 'off'],
  ['is:pending', 'pending'],
  ['is:drifted', 'drifted'],
  ['is:waiting', 'waiting'],
  ['is:stale', 'can be removed'],
  ['expires:30d', 'expires in 30 days'],
  ['is:unmanaged', 'not in git'],
  ['owner:none', 'without an owner'],
];

const HELP: readonly (readonly [term: string, words: string])[] = [
  [
    'germany',
    'a word of the key, the description, the owner, a tag, or of who gets it, also a test person; a country also finds conditions that exclude others; several words must all be found, those of one or two letters as whole words',
  ],
  ['"new checkout"', 'this text'],
  ['in:prod', 'in this project; the other terms are then about it alone'],
  ['is:on', 'somebody gets it; also is:off, is:some, is:all, is:split, is:unknown, is:missing'],
  [
    'is:pending',
    'changed in git, not applied yet; is:drifted: edited in PostHog; also is:differs, is:in_sync, is:unmanaged, is:unread',
  ],
  ['is:waiting', 'a step of its rollout waits, or a change waits for approval'],
  ['is:stale', 'a step of its removal can be taken'],
  ['owner:growth', 'an owner with this in the name; owner:none: nobody is named'],
  ['tag:checkout', 'with this tag'],
  ['expires:30d', 'its last day is at most 30 days after this page was made, or has passed; 4w: weeks'],
  ['-is:off', 'a minus excludes; a comma means or: is:pending,drifted'],
];

/** Grouped by the first project; the script groups by another one. */
function liveHtml(view: CatalogView, links: PageLinks): readonly string[] {
  const { projects, flags } = view;
  const [first] = projects;
  const wordOf = ({ states }: CatalogFlagView): CatalogWord => states[0]?.word ?? 'unknown';
  const cards = flags.map((flag, index) => [wordOf(flag), cardHtml(flag, index, links)] as const);
  const choices = projects.map(
    ({ name }, index) =>
      `<input type=radio name=p id=p${index} value="${textHtml(name)}"${index === 0 ? ' checked' : ''}><label for=p${index}>${textHtml(name)}</label>`,
  );
  return [
    first === undefined ? '' : `<p>In the project <b id=in>${textHtml(first.name)}</b>.</p>`,
    links.isLarge
      ? `<p>There are many flags: each has its newest ${MOST_OF_LARGE} changes here, and more in the JSON document.`
      : '',
    projects.length < 2 ? '' : `<fieldset class=js><legend>Project</legend>${choices.join('')}</fieldset>`,
    ...GROUPS.flatMap(([title, words]) => {
      const own = cards.filter(([word]) => words.includes(word)).map(([, html]) => `\n${html}`);
      const head = `<section class="g l"${own.length === 0 ? ' hidden' : ''}><h3>${title} <span class=n>${own.length}</span></h3>`;
      return [head, ...(own.length === 0 ? ['\n'] : own), '</section>'];
    }),
  ];
}

function projectsTable(view: CatalogView): readonly string[] {
  const { projects, flags } = view;
  const columns = ['Flag', ...projects.map(({ name }) => textHtml(name)), 'Owner', 'Next step'];
  const rows = flags.map(({ key, states, owner, next }, index) => [
    `\n<tr><th scope=row><a href=#f${index}>${textHtml(key)}</a>`,
    ...states.map(({ word, standing }) => {
      const mark = STANDINGS[standing];
      return `<td>${WORDS[word]}${mark === '' ? '' : `<br>${mark}`}`;
    }),
    `<td>${owner === undefined ? '' : textHtml(owner.name)}<td>${next === undefined || next.step === 'none' ? '' : textHtml(next.words)}`,
  ]);
  const meanings = [
    ...(Object.keys(WORDS) as CatalogWord[]).map((word) => `${WORDS[word]}: ${WORD_MEANINGS[word]}`),
    ...(Object.keys(STANDINGS) as CatalogStanding[]).filter((standing) => standing !== 'unread').map(standingText),
  ];
  return [
    `<details><summary>What the words and marks mean</summary><ul>${meanings.map((text) => `<li>${text}`).join('')}</ul></details>`,
    '<div class=wide tabindex=0 role=region aria-label="Flags in each project"><table class=matrix>',
    `<thead><tr>${columns.map((column) => `<th scope=col>${column}`).join('')}<tbody class=g>`,
    ...rows.flat(),
    '</table></div>',
  ];
}

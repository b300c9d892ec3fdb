/** The calendar of the catalog's page, by week and day, and what changed lately, by day. */

import { compareStrings } from '../../../../base/compare-strings.ts';
import { groupBy } from '../../../../base/group.ts';
import type { CalendarEntry, CatalogChange, CatalogFlagView, CatalogView } from '../../../model/catalog.ts';
import {
  clockText,
  dayOf,
  dayText,
  daysAfter,
  daysBetween,
  LATELY_DAYS,
  mondayOf,
  momentText,
  shortDayText,
} from '../../../words/days.ts';
import { flagLink, type PageLinks, projectsHtml, sourceHtml, textHtml } from './card.ts';
import { weekName } from './words.ts';

const KINDS: Readonly<Record<CalendarEntry['kind'], string>> = {
  step: 'Rollout step',
  expiry: 'Expires',
  freeze: 'Freeze',
  schedule: 'Schedule in PostHog',
};

/** This week and the next are shown also if nothing is planned; of others, those with an entry. */
export function calendarHtml(view: CatalogView, links: PageLinks): string {
  const { made_at: madeAt, calendar } = view;
  const thisWeek = mondayOf(dayOf(madeAt) ?? '');
  const weeks = groupBy(calendar, ({ at }) => mondayOf(dayOf(at) ?? thisWeek));
  const shown = new Set([thisWeek, daysAfter(thisWeek, 7), ...[...weeks.keys()].filter((week) => week >= thisWeek)]);
  const before = calendar.filter(({ at, until = at }) => (dayOf(at) ?? thisWeek) < thisWeek && until < thisWeek);
  return [
    before.length === 0
      ? ''
      : `<section class=g><h3>Overdue when this page was made</h3>${entriesHtml(before, links, momentText)}</section>`,
    ...[...shown].toSorted(compareStrings).map((week) => {
      const entries = weeks.get(week) ?? [];
      const lasting = calendar.filter(({ at, until = '' }) => (dayOf(at) ?? week) < week && until > week);
      const days = groupBy(entries, ({ at }) => dayOf(at) ?? week);
      const last = daysAfter(week, 6);
      return [
        `<section class=g><h3><b data-week=${week}>${weekName(daysBetween(thisWeek, week) / 7)}</b>: `,
        `${shortDayText(week)} to ${dayText(last)}</h3>`,
        lasting.length === 0 ? '' : entriesHtml(lasting, links, (at) => `since ${momentText(at)}`),
        entries.length + lasting.length === 0 ? '<p>Nothing is planned.' : '',
        ...[...days].map(
          ([day, some]) =>
            `<section class=g><h4>${dayText(day)}</h4>${entriesHtml(some, links, (at) => clockText(at) || 'all day')}</section>`,
        ),
        '</section>',
      ].join('');
    }),
  ].join('');
}

function entriesHtml(entries: readonly CalendarEntry[], links: PageLinks, timeOf: (at: string) => string): string {
  const items = entries.map(({ at, until, kind, project, key, words }) => {
    return [
      `<li${projectAttribute(project)}>`,
      `<i>${textHtml(timeOf(at))}</i> <i class=w>${KINDS[kind]}</i>`,
      key === undefined ? '' : ` ${flagLink(key, links)}`,
      project === undefined ? ': ' : ` in ${textHtml(project)}: `,
      `<span>${textHtml(words)}${until === undefined ? '' : `, until ${textHtml(momentText(until))}`}</span>`,
    ].join('');
  });
  return `<ul class=r>${items.join('')}</ul>`;
}

function projectAttribute(project: string | undefined): string {
  return project === undefined ? '' : ` data-p="${textHtml(project)}"`;
}

type FlagChange = CatalogChange & { readonly key: string };

/** The newest first. What one commit or edit did to several flags is one entry. */
export function changedHtml(view: CatalogView, links: PageLinks): string {
  const all = recentChanges(view);
  if (all.length === 0) return `<p>Nothing changed, as far as is known.`;
  const changes = links.isLarge ? all.slice(0, MOST_OF_LARGE) : all;
  const days = groupBy(changes, ({ at }) => dayOf(at) ?? '');
  const sections = [...days].map(([day, some]) => {
    const acts = groupBy(some, ({ at, by = '', source, commit = '' }) => `${at} ${source} ${commit} ${by}`);
    const items = [...acts.values()].map((act) => actHtml(act, links));
    return `<section class=g><h3>${dayText(day)}<b data-day=${day}></b></h3><ul class=r>${items.join('')}</ul></section>`;
  });
  const more = all.length - changes.length;
  return `${more === 0 ? '' : `<p>The newest ${changes.length}: ${more} more are in the JSON document.`}${sections.join('')}`;
}

/** Of a large page. */
const MOST_OF_LARGE = 1000;

function recentChanges({ made_at: madeAt, flags, gone = [] }: CatalogView): FlagChange[] {
  const first = daysAfter(dayOf(madeAt) ?? '', -LATELY_DAYS);
  const ofFlag = ({ key, changes = [] }: Pick<CatalogFlagView, 'key' | 'changes'>): FlagChange[] =>
    changes.filter(({ at }) => (dayOf(at) ?? '') >= first).map((change) => ({ ...change, key }));
  return [...flags, ...gone]
    .flatMap(ofFlag)
    .toSorted((a, b) => compareStrings(b.at, a.at) || compareStrings(a.key, b.key));
}

function actHtml(changes: readonly FlagChange[], links: PageLinks): string {
  const [first] = changes;
  if (first === undefined) return '';
  const head = `<i>${textHtml(clockText(first.at))}</i>${sourceHtml(first, links)}`;
  const alike = groupBy(changes, (change) => `${textHtml(change.words)}${projectsHtml(change)}`);
  const items = [...alike].map(([words, some]) => {
    const flags = some.map(({ key }) => `<li>${flagLink(key, links)}`);
    // What happened to several flags is told once.
    return some.length === 1 ? `${flags.join('')}: ${words}` : `<li class=g>${words}<ul>${flags.join('')}</ul>`;
  });
  return `<li class=g>${head}<ul>${items.join('')}</ul>`;
}

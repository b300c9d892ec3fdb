/** Amounts, lists of names, and times as text. */

import { isPartial } from '../../core/engine/change.ts';
import type { Forecast } from '../../core/engine/forecast.ts';
import { type Quote, readName } from '../../posthog/names/resource-name.ts';
import type { Amounts } from '../../core/engine/safety.ts';
import type { Action, Change, PlanSummary } from '../../posthog/plan.ts';
import type { Against } from '../../posthog/snapshot-file/snapshot-file.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import type { Phrase, Span } from '../phrase.ts';
import type { PlanOrigin } from '../report.ts';
import { labelsOf, RESOURCES } from './kinds.ts';

export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

/** `a`, `a and b`, `a, b and c`. */
function allOf(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

/** `2 flags and 1 cohort`, of keys of flags and names of other resources (`cohort:ALIAS`). `before`: a word before each. */
export function countNamed(names: readonly string[], before = ''): string {
  const kinds = names.map((name) => readName(name).kind);
  return allOf(
    RESOURCES.flatMap((resource) => {
      const amount = kinds.filter((kind) => kind === resource).length;
      const { noun, plural } = labelsOf({ resource });
      return amount === 0 ? [] : [count(amount, `${before}${noun}`, `${before}${plural}`)];
    }),
  );
}

const MOST_KEYS = 5;

export function keysText(keys: readonly string[], quote: Quote = quoteShort, most: number = MOST_KEYS): string {
  const shown = keys.slice(0, most).map((key) => quote(key));
  const hidden = keys.length - shown.length;
  return [...shown, ...(hidden === 0 ? [] : [`${hidden} more`])].join(', ');
}

/** `experiment 30`, `experiments 30, 31`. */
export function experimentsText(ids: readonly number[]): string {
  return `${ids.length === 1 ? 'experiment' : 'experiments'} ${ids.join(', ')}`;
}

/** `the experiment Colors (30)`. */
export function experimentNames(
  experiments: readonly { readonly id: number; readonly name?: string }[],
  quote: Quote = quoteShort,
): string {
  const names = experiments.map(({ id, name }) => (name === undefined ? String(id) : `${quote(name)} (${id})`));
  return `${names.length === 1 ? 'the experiment' : 'the experiments'} ${names.join(', ')}`;
}

/** `12 flags and 2 cohorts`; `0 flags` where there is nothing. */
export function amountsText(amounts: Amounts): string {
  const texts = amountTexts(amounts);
  return texts.length === 0 ? count(0, labelsOf({ resource: 'flag' }).noun) : allOf(texts);
}

/** ` (3 to flags, 1 to cohorts)`, to follow the number of changes; nothing where they are to flags and role access only. */
export function changesNote(changes: readonly OfKind[]): string {
  const amounts = amountsOf(changes);
  if (!hasOtherKinds(amounts)) return '';
  const texts = present(amounts).map(([resource, amount]) => `${amount} to ${labelsOf({ resource }).plural}`);
  return ` (${texts.join(', ')})`;
}

interface OfKind {
  readonly resource: string;
}

export function amountsOf(changes: readonly OfKind[]): Amounts {
  return Object.fromEntries(
    RESOURCES.map((name) => [name, changes.filter(({ resource }) => resource === name).length] as const),
  );
}

/** The resources that changes, or differences, are about; role access is about its flag. */
export function resourcesAmong(items: readonly (OfKind & { readonly key: string })[]): Amounts {
  const keys = new Map<string, Set<string>>();
  for (const { resource, key } of items) {
    const kind = OF_FLAGS.has(resource) ? 'flag' : resource;
    keys.set(kind, (keys.get(kind) ?? new Set()).add(key));
  }
  return Object.fromEntries([...keys].map(([kind, { size }]) => [kind, size]));
}

/** Whether the numbers of a plan need nouns, since some are not of flags. */
export function needsNouns(summary: PlanSummary, left: readonly OfKind[] = []): boolean {
  const used = kindRows(summary).filter(([, row]) => Object.values(row).some((amount) => amount > 0));
  return hasOtherKinds(Object.fromEntries(used.map(([name]) => [name, 1] as const))) || hasOtherKinds(amountsOf(left));
}

/** The numbers of unchanged resources of each kind; empty for a plan that did not distinguish kinds. */
export function unchangedIn(summary: PlanSummary): Amounts {
  return Object.fromEntries(
    kindRows(summary).flatMap(([name, row]) => {
      const amount = row['unchanged'];
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
}

function kindRows({ kinds = {} }: { readonly kinds?: object }): [string, Readonly<Record<string, number>>][] {
  return Object.entries(kinds as Readonly<Record<string, Readonly<Record<string, number>>>>);
}

/** Role access is counted with the flags that it is attached to. */
const OF_FLAGS: ReadonlySet<string> = new Set(['flag', 'role_access']);

function hasOtherKinds(amounts: Amounts): boolean {
  return Object.entries(amounts).some(([name, amount]) => amount > 0 && !OF_FLAGS.has(name));
}

function amountTexts(amounts: Amounts): string[] {
  return present(amounts).map(([resource, amount]) => {
    const { noun, plural } = labelsOf({ resource });
    return count(amount, noun, plural);
  });
}

function present(amounts: Amounts): [(typeof RESOURCES)[number], number][] {
  return RESOURCES.flatMap((name) => {
    const amount = amounts[name] ?? 0;
    return amount === 0 ? [] : [[name, amount] as [typeof name, number]];
  });
}

interface ActionWords {
  readonly word: (action: Action, amount: number | string) => string;
  /** Whether the numbers need nouns (`needsNouns`). */
  readonly isNamed: boolean;
}

/** `1 to create, 2 to grant`, in the order of a plan's table; empty when there is nothing to do. */
export function actionCounts(changes: readonly Change[], words: ActionWords): string {
  const found = new Set(changes.map(({ action }) => action));
  const counts = ACTIONS.filter((action) => found.has(action)).map((action) => actionCount(changes, action, words));
  return counts.join(counts.some((one) => one.includes(',')) ? '; ' : ', ');
}

export const ACTIONS: readonly Action[] = ['create', 'update', 'restore', 'delete', 'grant', 'adjust', 'revoke'];

/** `1 to create`; with cohorts, `1 flag and 1 cohort to create`. The actions on role access name what they count. */
export function actionCount(changes: readonly Change[], action: Action, { word, isNamed }: ActionWords): string {
  const own = changes.filter((change) => change.action === action && !isPartial(change));
  const isOfAccess = own.every(({ resource }) => resource === 'role_access');
  return word(action, isNamed && !isOfAccess ? amountsText(amountsOf(own)) : own.length);
}

/** `nouns`: what one of each sort is. */
export function hiddenText<Sort extends string>(
  hidden: readonly { readonly sort: Sort; readonly count: number }[],
  nouns: Readonly<Record<Sort, string>>,
): string {
  const amounts = hidden.map(({ sort, count: amount }) => count(amount, nouns[sort]));
  return `Not listed: ${amounts.join(', ')} more. The page (--report html=FILE) shows all, the summary (--report markdown=FILE) those that fit.`;
}

/** `2026-01-31 12:00:00 UTC`; any other string is shown unchanged. */
export function timeText(time: string): string {
  return escapeLine(time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC'));
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** An estimated duration in whole seconds: `9 s`, never less than one second. */
export function wholeSecondsText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1000);
}

/** `Made from a snapshot of 2026-01-31 12:00:00 UTC, 3 hours old: …` */
export function againstText({ taken_at: takenAt, age_seconds: seconds }: Against): string {
  const age = `${isInFuture(seconds) ? 'which is ' : ''}${ageText(seconds)}`;
  return `Made from a snapshot of ${timeText(takenAt)}, ${age}: later changes in the project are missing.`;
}

const SHOWN_OF_COMMIT = 12;

/** `From commit 1a2b3c4d5e6f on branch main, 2026-01-31 12:00:00 UTC`; `undefined` where nothing is known. */
export function originPhrase({ commit, branch, at }: PlanOrigin): Phrase | undefined {
  const place: readonly Span[] = [
    ...(commit === undefined ? [] : [' commit ', { value: commit.slice(0, SHOWN_OF_COMMIT) }]),
    ...(branch === undefined ? [] : [commit === undefined ? ' branch ' : ' on branch ', { value: branch }]),
  ];
  if (place.length === 0) return at === undefined ? undefined : `Made ${timeText(at)}`;
  return ['From', ...place, ...(at === undefined ? [] : [`, ${timeText(at)}`])];
}

export function otherTimeText(at: string): string {
  return `As planned for ${timeText(at)}, if each step is made on time and nobody changes anything else. Nothing is applied.`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Clocks differ by less. */
const TOLERATED = 5 * MINUTE;

export function isInFuture(seconds: number): boolean {
  return seconds < -TOLERATED;
}

/** `3 hours old`. */
export function ageText(seconds: number): string {
  if (isInFuture(seconds)) return 'in the future by the clock of this machine';
  return `${spanText(Math.max(0, seconds))} old`;
}

/** `3 hours`: in the largest unit of which there are at least two. */
export function spanText(seconds: number): string {
  const [name, unit] = UNITS.find((one) => seconds >= 2 * one[1]) ?? ['second', 1];
  return count(Math.floor(seconds / unit), name);
}

const UNITS: readonly (readonly [string, number])[] = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
];

/** `Applying takes 37 requests, about 9 s, 0.8% of the hourly budget.` */
export function forecastText({ requests, seconds, hour_percent: share }: Forecast): string {
  const time = seconds < 1 ? [] : [`about ${wholeSecondsText(seconds * 1000)}`];
  const budget = share === undefined ? [] : [`${share < 0.1 ? 'less than 0.1' : share}% of the hourly budget`];
  return `Applying takes ${[count(requests, 'request'), ...time, ...budget].join(', ')}.`;
}

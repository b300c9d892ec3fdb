/** Sentences about what moved away from the base, differences that a run skips, and values that others decide. */

import { isJsonNumber } from '../../base/json.ts';
import type { Divergence } from '../../engine/base.ts';
import type { Left } from '../../engine/matched.ts';
import type { Labels } from '../../engine/labels.ts';
import type { Change, FieldChange, Plan } from '../../posthog/plan.ts';
import type { OwnKind } from '../../posthog/kind-types.ts';
import { readName } from '../../posthog/names/resource-name.ts';
import { quoteShort } from '../escape.ts';
import { partsOf } from '../report-status.ts';
import { count } from './amounts.ts';
import { inlineValue } from './values.ts';
import type { ObservedValue, OutsideBounds } from '../../engine/ownership.ts';

/** A note after a value, by its class; empty if the report is about just that. */
export type DivergenceNotes = Readonly<Record<Divergence, string>>;

export const PLAN_NOTES: DivergenceNotes = {
  pending: '',
  drifted: 'reverts a live edit',
  conflict: 'conflicts with a live edit',
};

export const DRIFT_NOTES: DivergenceNotes = {
  pending: 'not applied yet',
  drifted: '',
  conflict: 'conflicts with the manifests',
};

/** The notes on values that the manifests accept. */
export const ACCEPT_NOTES: DivergenceNotes = {
  pending: 'reverts a change that is not applied yet',
  drifted: '',
  conflict: 'replaces a change that is not applied yet',
};

/** Used if the note of the change covers all of its values. */
export const NO_NOTES: DivergenceNotes = { pending: '', drifted: '', conflict: '' };

/** The note for a change as a whole; a change with several values has one after each of them. */
export function noteOfChange(change: Change, notes: DivergenceNotes): string {
  const [divergence] = isWhole(change) ? divergencesOf(change) : [];
  if (divergence === undefined) return '';
  const isLevel = change.resource === 'role_access' && divergence === 'conflict' && change.base_level !== undefined;
  return isLevel ? withBase(notes[divergence], ownLevel(change.base_level)) : notes[divergence];
}

function ownLevel(level: string | null | undefined): string {
  return level === null || level === undefined ? NO_VALUE : quoteShort(level);
}

/** The note after a value; that of a conflict ends with the value of the base. */
export function noteOfField(
  { path, divergence, base }: FieldChange,
  notes: DivergenceNotes,
  { labels, verbose }: { readonly labels: Labels; readonly verbose: boolean },
): string {
  if (divergence === undefined) return '';
  const note = notes[divergence];
  if (divergence !== 'conflict' || note === '') return note;
  const value = base ?? labels.absent(path);
  const text = value === undefined ? NO_VALUE : `${inlineValue(value)}${isJsonNumber(value) ? labels.unit(path) : ''}`;
  return withBase(note, verbose ? text : quoteShort(text, BASE_WIDTH));
}

const NO_VALUE = 'none';
const BASE_WIDTH = 60;

function withBase(note: string, base: string): string {
  return `${note} (base: ${base})`;
}

/** `2 differences pending, 1 drifted, 1 in conflict, 3 converged`; `undefined` if nothing moved. A whole flag or cohort is one. */
export function classCounts(changes: readonly (Change | Left)[], converged = 0): string | undefined {
  const classes = changes.flatMap((change) =>
    isWhole(change) ? divergencesOf(change).slice(0, 1) : divergencesOf(change),
  );
  const amountOf = (one: Divergence): number => classes.filter((found) => found === one).length;
  const counts = [
    [amountOf('pending'), 'pending'],
    [amountOf('drifted'), 'drifted'],
    [amountOf('conflict'), 'in conflict'],
    [converged, 'converged'],
  ] as const;
  const [first, ...others] = counts.filter(([amount]) => amount > 0);
  if (first === undefined) return undefined;
  const [amount, word] = first;
  const head = `${count(amount, 'difference')} ${word}`;
  return [head, ...others.map((one) => one.join(' '))].join(', ');
}

function divergencesOf(change: Change | Left): readonly Divergence[] {
  return partsOf(change).flatMap(({ divergence }) => divergence ?? []);
}

/** A flag that is created, restored or deleted, or one level of access. */
function isWhole({ action }: Pick<Change | Left, 'action'>): boolean {
  return action !== 'update' && action !== 'restore';
}

/** The reason that no part of a flag is written; `undefined` if only some of its values are left. */
export function leftWhole({ action }: Left): string | undefined {
  return Object.hasOwn(LEFT_WHOLE, action) ? LEFT_WHOLE[action] : undefined;
}

const LEFT_WHOLE: Readonly<Record<string, string>> = {
  create: 'does not exist in the project',
  restore: 'is soft-deleted in the project',
  delete: 'exists in the project, and the manifests delete it',
};

const DELETION_HINTS: Readonly<Record<OwnKind, string>> = {
  flag: 'To delete such a flag, declare it under flags as KEY: { deleted: true }',
  cohort: 'To delete such a cohort, declare it under cohorts as ALIAS: { name: NAME, deleted: true }',
  early_access:
    'To archive such an early access feature, declare it under early_access as ALIAS: { flag: KEY, deleted: true }',
};

/** How to delete resources that are no longer declared. */
export function deletionHints(released: NonNullable<Plan['released']>): string[] {
  const kinds = new Set<string>(released.map(({ key }) => readName(key).kind));
  return Object.entries(DELETION_HINTS).flatMap(([kind, hint]) => (kinds.has(kind) ? [hint] : []));
}

/** The text about the number of values. */
export function observedText(observed: readonly ObservedValue[]): string {
  const values = count(observed.length, 'value');
  return `${values} that others decide ${observed.length === 1 ? 'differs' : 'differ'} from the manifests (no drift)`;
}

export function ownershipText({ ownership }: Pick<ObservedValue, 'ownership'>): string {
  if (ownership === 'observed') return 'observed';
  const [low, high] = ownership.between;
  return `between ${low} and ${high}`;
}

/** The note after a change to the nearest bound, which is not the declared value. */
export function outsideText({ between: [low, high], declared }: OutsideBounds, unit: string): string {
  const bounds = `outside the bounds ${low}${unit} to ${high}${unit}`;
  return `${bounds}; the nearest one replaces the declared ${inlineValue(declared)}${unit}`;
}

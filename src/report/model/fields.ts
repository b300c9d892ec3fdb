/**
 * Field changes as aligned lines `label  before → after`; long or multi-line values as a small unified diff. A condition is compared with
 * what it was before, wherever that stood in the list, as in the sentences about it; JSON keeps the places in the list.
 */

import { diffArrays } from 'diff/lib/diff/array.js';
import { groupBy } from '../../base/group.ts';
import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import { type JsonObject, type JsonValue, objectOrEmpty } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import { findConditionEffects } from '../../review/effects/condition-effects.ts';
import {
  type ConditionPair,
  differenceOf,
  driftOf,
  type FlagStateChange,
  pairConditions,
  reversedField,
} from '../../review/effects/sides.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import { diff, earlierIndex } from '../../core/engine/diff.ts';
import type { Labels } from '../../posthog/names/resource-name.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import { viewFilters } from '../../posthog/flag/model/flag.ts';
import type { Change } from '../../posthog/plan.ts';
import { displayWidth } from '../columns.ts';
import { escapeLine, placeText } from '../escape.ts';
import { type Phrase, type Span, spansOf, type Tone, toned } from '../phrase.ts';
import { type DivergenceNotes, noteOfField, outsideText } from '../words/base.ts';
import { DUE_BY_ROLLOUT } from '../words/rollouts.ts';
import { blockLines, inlineValue } from '../words/values.ts';
import type { ReportLine } from './report-model.ts';

// The index of the package loads every other diff.

export interface FieldOptions {
  /** The labels of the kind of resource that has the fields. */
  readonly labels: Labels;
  /** Adds each JSON pointer and never shortens a diff. */
  readonly verbose: boolean;
  /** Whether a line ends with the place of the value, unless the head line shows the same place. */
  readonly places: boolean;
  /** The place in the head line. */
  readonly headPlace?: Place | undefined;
  /** Shows a field without a previous value as its new value alone. */
  readonly onlyAfter?: boolean;
  /** The notes about fields that moved away from the base. */
  readonly notes?: DivergenceNotes;
  /** The paths of values that change whatever git changed: a step is due. */
  readonly due?: ReadonlySet<string>;
}

const INLINE_WIDTH = 76;
const LABEL_WIDTH = 44;
const CONTEXT = 2;
const MOST_LINES = 40;
// A longer diff is unreadable, and finding the shortest one takes quadratic time.
const MOST_EDITS = 2_000;

export function fieldLines(fields: readonly ShownField[], options: FieldOptions): ReportLine[] {
  const labels = fields.map(({ path, label }) => escapeLine(label ?? options.labels.field(path)));
  const width = Math.min(LABEL_WIDTH, Math.max(0, ...labels.map(displayWidth)));
  return fields.flatMap((field, index): ReportLine[] => {
    const label = labels[index] ?? '';
    const gap = Math.max(0, width - displayWidth(label));
    const note = notesOf(field, options);
    const inline = field.text ?? inlineChange(field, options);
    if (inline !== undefined) return [{ phrase: [label, { gap }, '  ', ...spansOf(inline), ...note] }];
    const lines = diffLines(field, options);
    const hidden = options.verbose ? 0 : Math.max(0, lines.length - MOST_LINES);
    const shown = hidden === 0 ? lines : lines.slice(0, MOST_LINES);
    const more: Phrase[] = hidden === 0 ? [] : [[toned('dim', `… ${hidden} more lines; --verbose shows all`)]];
    return [{ phrase: [label, ...note] }, ...[...shown, ...more].map((phrase) => ({ phrase, indent: 2 }))];
  });
}

function notesOf(field: FieldChange, { labels, verbose, places, headPlace, notes, due }: FieldOptions): Span[] {
  const place = places && field.source !== undefined ? placeText(field.source) : undefined;
  const parts = verbose ? [escapeLine(field.path)] : [];
  if (place !== undefined && (headPlace === undefined || place !== placeText(headPlace))) parts.push(place);
  const moved = notes === undefined ? '' : noteOfField(field, notes, { labels, verbose });
  const outside = field.bounds === undefined ? '' : outsideText(field.bounds, labels.unit(field.path));
  const planned = due?.has(field.path) === true ? DUE_BY_ROLLOUT : '';
  const warned = [outside, moved, planned]
    .filter((text) => text !== '')
    .flatMap((text) => ['  ', toned('warning', text)]);
  return parts.length === 0 ? warned : [...warned, '  ', toned('dim', parts.join('  '))];
}

function inlineChange(field: FieldChange, { labels, onlyAfter }: FieldOptions): Phrase | undefined {
  const unit = labels.unit(field.path);
  const absent = labels.absent(field.path);
  const [before, after] = [field.before, field.after].map((value) => inlineSide(value ?? absent, unit));
  if (before === undefined || after === undefined) return undefined;
  if (onlyAfter === true && field.before === undefined) return displayWidth(after) > INLINE_WIDTH ? undefined : after;
  if (widthOf(field.before, before) + widthOf(field.after, after) > INLINE_WIDTH) return undefined;
  return [toned('remove', before), ' → ', toned('add', after)];
}

function inlineSide(value: JsonValue | undefined, unit: string): string | undefined {
  if (value === undefined) return '(none)';
  if (typeof value === 'string' && value.includes('\n')) return undefined;
  if (typeof value === 'number') return `${value}${unit}`;
  return inlineValue(value);
}

/** An absent value has no width: a diff does not show it either. */
function widthOf(value: JsonValue | undefined, text: string): number {
  return value === undefined ? 0 : displayWidth(text);
}

function diffLines(field: FieldChange, { onlyAfter }: FieldOptions): Phrase[] {
  const before = field.before === undefined ? [] : blockLines(field.before);
  const after = field.after === undefined ? [] : blockLines(field.after);
  if (onlyAfter === true && field.before === undefined) return after;
  const parts = diffArrays(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { value: before, added: false, removed: true },
    { value: after, added: true, removed: false },
  ];
  return parts.flatMap((part, index) => {
    const paint = (tone: Tone, sign: string) => (line: string) => [toned(tone, `${sign} ${line}`)];
    if (part.added) return part.value.map(paint('add', '+'));
    if (part.removed) return part.value.map(paint('remove', '-'));
    return contextLines(part.value, index === 0, index === parts.length - 1).map(paint('dim', ' '));
  });
}

function contextLines(lines: readonly string[], isFirst: boolean, isLast: boolean): string[] {
  const head = isFirst ? 0 : CONTEXT;
  const tail = isLast ? 0 : CONTEXT;
  if (lines.length <= head + tail + 1) return [...lines];
  const hidden = lines.length - head - tail;
  return [...lines.slice(0, head), `… ${hidden} unchanged lines`, ...lines.slice(lines.length - tail)];
}

/** `label` and `text`, where they are not those of the path and the values. */
export interface ShownField extends FieldChange {
  readonly label?: string;
  readonly text?: string;
}

type ChangeWithFields = Extract<Change, { readonly fields: readonly FieldChange[] }>;

/** Shows the change from the live values to the declared ones. */
export function plannedFields(change: ChangeWithFields): readonly ShownField[] {
  return isUpdateOfFlag(change) ? withPairedConditions(differenceOf([change]), PLANNED) : change.fields;
}

/** Shows the change from the declared values to the live ones. */
export function driftedFields(change: ChangeWithFields): readonly ShownField[] {
  return isUpdateOfFlag(change) ? withPairedConditions(driftOf([change]), DRIFTED) : change.fields.map(reversedField);
}

function isUpdateOfFlag(
  change: ChangeWithFields,
): change is Extract<Change, { readonly resource: 'flag'; readonly action: 'update' | 'restore' }> {
  return change.resource === 'flag' && (change.action === 'update' || change.action === 'restore');
}

const GROUPS = ['filters', 'groups'] as const;

interface FieldDirection {
  /** The side that the manifests declare, whose places the fields have. */
  readonly declared: keyof ConditionPair;
  /** The word between a condition and its number on the other side. */
  readonly was: string;
  /** The word for a condition that only the other side has. */
  readonly former: string;
}

const PLANNED: FieldDirection = { declared: 'wanted', was: 'was', former: 'former' };
const DRIFTED: FieldDirection = { declared: 'former', was: 'declared as', former: 'declared' };

function withPairedConditions({ sides, fields }: FlagStateChange, direction: FieldDirection): readonly ShownField[] {
  const places = fields.filter(({ path }) => path.startsWith(`${toPointer(GROUPS)}/`));
  const [before, after] = [objectOrEmpty(sides.before?.['filters']), objectOrEmpty(sides.after?.['filters'])];
  const [first] = places;
  if (first === undefined || !places.every((one) => isLike(one, first)) || !isMixed(before, after)) return fields;
  const moved = new Set(
    findConditionEffects(before, after).flatMap((one) =>
      one.what === 'condition_moved' ? [one.condition.number] : [],
    ),
  );
  const placesOf = groupBy(places, ({ path }) => Number(fromPointer(path)[GROUPS.length]));
  const paired = pairConditions(before, after).flatMap((pair): readonly ShownField[] => {
    const shown = fieldsOf(pair, moved, direction);
    const sources = placesOf.get((pair[direction.declared]?.number ?? 0) - 1) ?? [];
    return shown.map((field) => ({
      ...field,
      ...defined({
        source: (sources.find(({ path }) => path === field.path) ?? sources[0])?.source,
        divergence: first.divergence,
      }),
    }));
  });
  const replaced = new Set(places);
  return fields.flatMap((field) => (field === first ? paired : replaced.has(field) ? [] : [field]));
}

/** Whether the two changes have equal notes, and none about a single place, which cannot be moved to another. */
function isLike(a: FieldChange, b: FieldChange): boolean {
  const isPlain = [a, b].every(({ base, bounds }) => base === undefined && bounds === undefined);
  return isPlain && a.divergence === b.divergence;
}

/** Whether the places in the list hold a condition against another one than what it was. */
function isMixed(before: JsonObject, after: JsonObject): boolean {
  const views = [viewFilters(before), viewFilters(after)];
  if (views.some(({ hasUnreadConditions }) => hasUnreadConditions)) return false;
  const [former = [], wanted = []] = views.map(({ conditions }) => conditions.map(({ part }) => part));
  return pairConditions(before, after).some(
    (pair) =>
      pair.wanted !== undefined &&
      earlierIndex(former, wanted, pair.wanted.number - 1) !== (pair.former && pair.former.number - 1),
  );
}

function fieldsOf({ former, wanted }: ConditionPair, moved: ReadonlySet<number>, words: FieldDirection): ShownField[] {
  if (wanted === undefined) {
    if (former === undefined) return [];
    const path = toPointer([...GROUPS, former.number - 1]);
    return [{ path, label: `${words.former} ${FLAG_LABELS.field(path)}`, before: former.condition }];
  }
  const path = [...GROUPS, wanted.number - 1];
  if (former === undefined) return [{ path: toPointer(path), after: wanted.condition }];
  const changed = diff(former.condition, wanted.condition, path);
  if (changed.length === 0) {
    return moved.has(wanted.number) && former.number !== wanted.number
      ? [{ path: toPointer(path), text: `${words.was} condition ${former.number}` }]
      : [];
  }
  return former.number === wanted.number
    ? changed
    : changed.map((one) => ({
        ...one,
        // `condition 1 (was 2) · rollout_percentage`.
        label: FLAG_LABELS.field(one.path).replace(/^condition \d+/u, `$& (${words.was} ${former.number})`),
      }));
}

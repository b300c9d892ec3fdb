/** Field changes as aligned lines `label  before → after`; long or multi-line values as a small unified diff. */

import type { ChangeObject } from 'diff';
// The index of the package loads every other diff.
import { diffArrays } from 'diff/lib/diff/array.js';
import type { JsonValue } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import type { Labels } from '../../engine/labels.ts';
import type { FieldChange } from '../../posthog/plan.ts';
import { displayWidth, pad } from '../display-width.ts';
import { escapeLine, placeText } from '../escape.ts';
import type { ShownField } from '../shown-fields.ts';
import { DUE_BY_ROLLOUT } from '../words/rollouts.ts';
import { outsideText, noteOfField, type DivergenceNotes } from '../words/three-way.ts';
import { blockLines, inlineValue } from '../words/values.ts';
import { toned, type Phrase, type Span, type Tone, spansOf } from '../phrase.ts';
import type { ReportLine } from './report-model.ts';

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
  return fields.flatMap((field, index) => oneField(field, pad(labels[index] ?? '', width), options));
}

function oneField(field: ShownField, label: string, options: FieldOptions): ReportLine[] {
  const note = notesOf(field, options);
  const inline = field.text ?? inlineChange(field, options);
  if (inline !== undefined) return [{ phrase: [`${label}  `, ...spansOf(inline), ...note] }];
  const lines = shorten(diffLines(field, options), options);
  return [{ phrase: [label.trimEnd(), ...note] }, ...lines.map((phrase) => ({ phrase, indent: 2 }))];
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
  const before = inlineSide(field.before ?? absent, unit);
  const after = inlineSide(field.after ?? absent, unit);
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
  const parts = diffArrays(before, after, { maxEditLength: MOST_EDITS }) ?? replacement(before, after);
  return parts.flatMap((part, index) => {
    const paint = (tone: Tone, sign: string) => (line: string) => [toned(tone, `${sign} ${line}`)];
    if (part.added) return part.value.map(paint('add', '+'));
    if (part.removed) return part.value.map(paint('remove', '-'));
    const shown = contextLines(part.value, { first: index === 0, last: index === parts.length - 1 });
    return shown.map(paint('dim', ' '));
  });
}

function replacement(before: string[], after: string[]): ChangeObject<string[]>[] {
  return [
    { value: before, count: before.length, added: false, removed: true },
    { value: after, count: after.length, added: true, removed: false },
  ];
}

function contextLines(lines: readonly string[], at: { readonly first: boolean; readonly last: boolean }): string[] {
  const head = at.first ? 0 : CONTEXT;
  const tail = at.last ? 0 : CONTEXT;
  if (lines.length <= head + tail + 1) return [...lines];
  const hidden = lines.length - head - tail;
  return [...lines.slice(0, head), `… ${hidden} unchanged lines`, ...lines.slice(lines.length - tail)];
}

function shorten(lines: readonly Phrase[], { verbose }: FieldOptions): readonly Phrase[] {
  if (verbose || lines.length <= MOST_LINES) return lines;
  const hidden = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), [toned('dim', `… ${hidden} more lines; --verbose shows all`)]];
}

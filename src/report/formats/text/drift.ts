/** Drift as text: the plan seen from the live side, and the live flags that no manifest names. */

import { memberOf } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { reversedField } from '../../../effects/sides.ts';
import type { KnownRequest } from '../../../engine/change-request.ts';
import type { Amounts } from '../../../engine/safety.ts';
import { groupDrift, type DriftGroups } from '../../../posthog/drift-groups.ts';
import { nameOfChange } from '../../../posthog/kinds.ts';
import type { Action, Change, Plan, PlanSummary, PlanWarning } from '../../../posthog/plan.ts';
import { approvalLines } from './approvals.ts';
import { authorLines, refusalLines, type Authors } from './authors.ts';
import { changeListLines, INDENT } from './change.ts';
import { DRIFT_EFFECTS, driftEffectsByRef, effectLines, effectsSummary, type EffectsByRef } from './effects.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import { fieldLines } from './fields.ts';
import { driftedFields } from '../../shown-fields.ts';
import { observedLines } from './observed.ts';
import { placeText } from './place.ts';
import { inSyncText, leftSummary, unchangedCounts, unmanagedLines, warningLines, type Warned } from './plan.ts';
import { DRIFT_NOTES, noteOfChange } from '../../words/three-way.ts';
import { joinSections, projectLine } from './sections.ts';
import { baseLines, leftLines, releasedLines } from './three-way.ts';
import type { ReportOf } from '../../report.ts';
import { standingOfDrift, type Counting } from '../../standing.ts';
import type { Paint, Palette, View } from '../../view.ts';
import { approvalsSummary } from '../../words/approvals.ts';
import { actionCounts } from '../../words/actions.ts';
import { amountsText, needsNouns, resourcesAmong } from '../../words/amounts.ts';
import { count } from '../../words/count.ts';
import { labelsOf } from '../../words/kinds.ts';
import { lastEditText } from '../../words/last-edit.ts';

const VERB_WIDTH = 7;
export const IGNORED_HEADING = 'Ignored (shown as declared → live):';

export function driftText(report: ReportOf<'drift'>, options: View): string {
  const { plan, counting, attributions, requests } = report;
  const authors = { plan, attributions };
  const { drifted, pending, effects } = dividedDrift(report);
  const linesOf = (changes: readonly Change[], shown: EffectsByRef): string[] =>
    changeListLines(changes.map((change) => driftLines(change, options, { authors, effects: shown, requests })));
  const sections = [
    [projectLine('Drift of', plan, options.palette), ...legend(plan, options.palette)],
    linesOf(drifted, effects),
    pending.length === 0 ? [] : [`${PENDING_TITLE}:`, ...linesOf(pending, NO_EFFECTS)],
    refusalLines(authors, options.palette),
    leftLines(ignoredIn(plan).left, IGNORED_HEADING, options),
    warningLines(warnedByDrift(plan), options),
    releasedLines(plan, options),
    unmanagedLines(plan, options),
    observedLines(plan, options),
    [
      ...effectsSummary(effects, DRIFT_EFFECTS),
      ...baseLines(plan, 'ignored'),
      ...approvalsSummary(requests),
      driftSummary(plan, counting),
    ],
  ];
  return joinSections(sections);
}

/** What people changed comes first, and only that has effects: what nobody applied yet did nothing to anybody. */
export function dividedDrift({ plan, groups }: ReportOf<'drift'>): DriftGroups & { readonly effects: EffectsByRef } {
  const found = groups ?? groupDrift(plan);
  return { ...found, effects: driftEffectsByRef({ changes: found.drifted, warnings: plan.warnings }) };
}

export const NO_EFFECTS: EffectsByRef = new Map();
export const PENDING_TITLE = 'Not applied yet (git changed it since the last apply)';

/** Drift describes the live state: warnings about making a change belong to the plan. */
export function warnedByDrift(plan: Plan): Plan & Warned {
  return { ...plan, warnings: plan.warnings.filter(({ code }) => !OF_CHANGES.has(code)), showing: 'drift' };
}

const OF_CHANGES: ReadonlySet<PlanWarning['code']> = new Set([
  'cannot_edit',
  'experiments_linked',
  'dependents_remain',
  'dependency_disabled',
  'unarchives',
  'deleted_unknown',
  'destroys_deleted',
  'access_fixed',
  'cohort_calculating',
  'cohort_behavioral',
]);

export function legend(plan: Plan, palette: Palette): string[] {
  const updates = plan.changes.some((change) => change.action === 'update' || change.action === 'restore');
  return updates ? [palette.dim('Values and effects are shown as declared → live.')] : [];
}

export interface BesideDrift {
  /** Absent in a format that names them elsewhere. */
  readonly authors?: Authors;
  readonly effects: EffectsByRef;
  /** Absent in a format that lists them elsewhere. */
  readonly requests?: readonly KnownRequest[] | undefined;
}

export function driftLines(change: Change, options: View, { authors, effects, requests }: BesideDrift): string[] {
  const { palette } = options;
  const { glyph, words, paint } = seen(change, palette);
  const labels = labelsOf(change);
  const detail = labels.drift(change, quoteShort);
  const source = change.source === undefined ? '' : `  ${palette.dim(placeText(change.source))}`;
  const note = noteOfChange(change, DRIFT_NOTES);
  const noted = note === '' ? '' : `  ${palette.warning(note)}`;
  const head = `  ${paint(`${glyph} ${words.padEnd(VERB_WIDTH)}`)} ${palette.strong(escapeLine(change.key))}${detail}${source}${noted}`;
  const told = [
    ...effectLines(change, effects, palette),
    ...editLines(change, options, authors),
    ...approvalLines(change, requests, palette),
  ];
  const below = told.map((line) => INDENT + line);
  if (change.action !== 'update' && change.action !== 'restore') return [head, ...below];
  const fieldOptions = { ...options, labels, places: true, headPlace: change.source, notes: DRIFT_NOTES };
  return [head, ...fieldLines(driftedFields(change), fieldOptions).map((line) => INDENT + line), ...below];
}

/** Who made the differences; where that was not asked, who edited the flag last. */
function editLines(change: Change, { palette }: View, authors: Authors | undefined): string[] {
  const named = authors === undefined ? [] : authorLines(change, authors, palette);
  const edit = labelsOf(change).lastEdit(change);
  return named.length > 0 || edit === undefined ? named : [palette.dim(lastEditText(edit))];
}

function seen(change: Change, palette: Palette): { glyph: string; words: string; paint: Paint } {
  switch (change.action) {
    case 'create':
      return { glyph: '-', words: 'missing', paint: palette.remove };
    case 'update':
      return { glyph: '~', words: 'differs', paint: palette.change };
    case 'restore':
      return { glyph: '-', words: 'deleted', paint: palette.remove };
    case 'delete':
      return { glyph: '+', words: 'live', paint: palette.add };
    case 'grant':
      return { glyph: '-', words: 'role', paint: palette.remove };
    case 'adjust':
      return { glyph: '~', words: 'level', paint: palette.change };
    case 'revoke':
      return { glyph: '+', words: 'role', paint: palette.add };
  }
}

/** What is ignored, from the live side as all drift. */
export function ignoredIn({ left }: Pick<Plan, 'left'>): Pick<Plan, 'left'> {
  return defined({ left: left?.map((one) => ({ ...one, fields: one.fields.map(reversedField) })) });
}

/**
 * `Drift: 1 missing, 2 different · 38 in sync · 3 unmanaged`, or that nothing differs. What only the manifests changed is no
 * drift unless it counts: `No drift: 1 flag not applied yet · 40 in sync`.
 */
export function driftSummary(
  plan: Pick<Plan, 'summary' | 'changes' | 'warnings' | 'left' | 'unmanaged'>,
  counting?: Counting,
): string {
  const { summary } = plan;
  const standing = standingOfDrift(plan, counting);
  const { drifted, pending, leftOut, unmanaged } = standing;
  const out = resourcesAmong(leftOut);
  if (drifted.length + pending.length + unmanaged.length === 0) {
    const isIgnored = plan.left !== undefined && leftOut.length === 0;
    return isIgnored ? leftSummary('No other drift', plan, 'ignored') : inSyncText(summary, out, 'drift');
  }
  const isNamed = needsNouns(summary);
  const word = (action: Action, amount: number): string => `${amount} ${DRIFT_WORDS[action]}`;
  const found = [
    ...(drifted.length === 0 ? [] : [actionCounts(drifted, { word, isNamed })]),
    ...(leftOut.length === 0 ? [] : [`${isNamed ? amountsText(out) : leftOut.length} in what the plan leaves out`]),
    ...(unmanaged.length === 0 ? [] : [`${isNamed ? count(unmanaged.length, 'flag') : unmanaged.length} undeclared`]),
  ];
  const waiting = pending.length === 0 ? [] : [`${amountsText(resourcesAmong(pending))} not applied yet`];
  const head = found.length === 0 ? [`No drift: ${waiting.join()}`] : [`Drift: ${found.join(', ')}`, ...waiting];
  const changed = new Set(plan.changes.map(nameOfChange));
  const outOnly = resourcesAmong(leftOut.filter(({ key }) => !changed.has(key)));
  return [...head, ...unchangedCounts(lessUnchanged(summary, outOnly), 'in sync', isNamed)].join(' · ');
}

/** What differs in what no plan can write is unchanged by the plan, and not in sync. */
function lessUnchanged(summary: PlanSummary, amounts: Amounts): PlanSummary {
  const { kinds, unchanged } = summary;
  const less = { ...summary, unchanged: unchanged - Object.values(amounts).reduce((sum, amount) => sum + amount, 0) };
  if (kinds === undefined) return less;
  const rows = Object.entries(kinds as Readonly<Record<string, { readonly unchanged?: number }>>).map(
    ([kind, counts]) => [
      kind,
      counts.unchanged === undefined
        ? counts
        : { ...counts, unchanged: counts.unchanged - (memberOf(amounts, kind) ?? 0) },
    ],
  );
  return { ...less, kinds: Object.fromEntries(rows) as NonNullable<PlanSummary['kinds']> };
}

export const DRIFT_WORDS: Readonly<Record<Action, string>> = {
  create: 'missing',
  update: 'different',
  restore: 'soft-deleted',
  delete: 'not deleted',
  grant: 'without declared role',
  adjust: 'with another level',
  revoke: 'with undeclared role',
};

/** What the base adds to a plan as text: the commit, what is left and released, and what was overridden. */

import type { Left } from '../../../engine/left.ts';
import type { Plan } from '../../../posthog/plan.ts';
import { escapeLine } from '../../escape.ts';
import type { View } from '../../view.ts';
import { baseText, checkoutText, noBaseText, safetySourceText, unreadText, type Showing } from '../../words/base.ts';
import { hazardText } from '../../words/hazards.ts';
import { labelsOfPath, labelsOfRef } from '../../words/kinds.ts';
import { classCounts, leftWhole } from '../../words/three-way.ts';
import { hasPending } from '../../standing.ts';
import { authoredLeft, authorLines, type Authors } from './authors.ts';
import { fieldLines } from './fields.ts';
import { placeText } from './place.ts';
import type { OwnKind } from '../../../posthog/kind-types.ts';
import { readName } from '../../../posthog/resource-name.ts';

const INDENT = ' '.repeat(6);

/**
 * `Against the base 1a2b3c4d5e6f, which was applied last: 2 differences pending, 1 drifted; ignored: 1 difference drifted`, or why there is no base.
 * `how`: why the plan leaves differences.
 */
export function baseLines(
  { base, changes, converged, left = [] }: Pick<Plan, 'changes' | 'base' | 'converged' | 'left'>,
  how: 'left' | 'ignored',
): string[] {
  if (base === undefined) return [];
  if (base.kind === 'none') return [`No base, so pending changes and drift look alike: ${noBaseText(base.reason)}`];
  const counts = classCounts(changes, converged);
  const others = classCounts(left);
  if (counts === undefined && others === undefined) return [];
  const moved = counts === undefined ? '' : `: ${counts}`;
  return [`Against the base ${baseText(base)}${moved}${others === undefined ? '' : `; ${how}: ${others}`}`];
}

/** What to know of the changes that the manifests of this checkout ask for. */
export function checkoutWarnings(
  { base, changes, safety }: Partial<Pick<Plan, 'base' | 'changes' | 'safety'>>,
  showing: Showing,
): string[] {
  const text = base?.kind === 'commit' && changes?.some(hasPending) ? checkoutText(base, showing) : undefined;
  const old = base?.kind === 'commit' ? unreadText(base) : undefined;
  return [old, text, safety && safetySourceText(safety)].filter((one) => one !== undefined);
}

/** With who made the differences, where that was asked. */
export interface LeftView extends View {
  readonly authors?: Authors;
}

export function leftLines(left: readonly Left[] | undefined, heading: string, view: LeftView): string[] {
  if (left === undefined || left.length === 0) return [];
  return [heading, ...left.flatMap((one) => oneLeft(one, view))];
}

export const LEFT_HEADING = 'Left as it is in the service (shown as live → declared):';

function oneLeft(left: Left, view: LeftView): string[] {
  const { ref, key, fields } = left;
  const head = `  ${view.palette.change('=')} ${view.palette.strong(escapeLine(key))}${qualifierOf(left)}`;
  const whole = leftWhole(left);
  const { authors, palette } = view;
  const made =
    authors === undefined ? [] : authoredLeft({ left: [left] }).flatMap((one) => authorLines(one, authors, palette));
  const madeLines = made.map((line) => INDENT + line);
  if (whole !== undefined) return [`${head} ${whole}`, ...madeLines];
  const labels = labelsOfPath(ref, fields[0]?.path ?? '');
  return [head, ...fieldLines(fields, { ...view, labels, places: true }).map((line) => INDENT + line), ...madeLines];
}

/** The access to a flag is left under the name of the flag. */
function qualifierOf({ resource, ref }: Left): string {
  return resource === 'role_access' ? '' : labelsOfRef(ref).qualifier;
}

export function releasedLines({ released = [] }: Pick<Plan, 'released'>, { palette }: Pick<View, 'palette'>): string[] {
  if (released.length === 0) return [];
  return [
    'Released (declared at the base, in no manifest now; left alone):',
    ...released.map(({ key, place }) => {
      const was = place === undefined ? '' : `  ${palette.dim(placeText(place))}`;
      return `  ? ${escapeLine(key)}${was}`;
    }),
    ...deletionHints(released).map((hint) => palette.dim(`  ${hint}`)),
  ];
}

const DELETION_HINTS: Readonly<Record<OwnKind, string>> = {
  flag: 'To delete such a flag, declare it under flags as KEY: { deleted: true }',
  cohort: 'To delete such a cohort, declare it under cohorts as ALIAS: { name: NAME, deleted: true }',
  early_access:
    'To archive such an early access feature, declare it under early_access as ALIAS: { flag: KEY, deleted: true }',
};

function deletionHints(released: NonNullable<Plan['released']>): string[] {
  const kinds = new Set(released.map(({ key }) => readName(key).kind));
  return Object.entries(DELETION_HINTS).flatMap(([kind, hint]) => (kinds.has(kind as OwnKind) ? [hint] : []));
}

export function overriddenLines({ overridden = [] }: Pick<Plan, 'overridden'>, { palette }: View): string[] {
  if (overridden.length === 0) return [];
  return [
    palette.warning('Overridden (--override, or a permit):'),
    ...overridden.map((hazard) => `  ${hazardText(hazard)}`),
  ];
}

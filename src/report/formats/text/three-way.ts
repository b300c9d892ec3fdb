/** What the base adds to a plan as text: the commit, what is left and released, and what was overridden. */

import type { Left } from '../../../engine/left.ts';
import type { Plan } from '../../../posthog/plan.ts';
import { escapeLine } from '../../escape.ts';
import type { View } from '../../view.ts';
import { baseText, noBaseText } from '../../words/base.ts';
import { hazardText } from '../../words/hazards.ts';
import { labelsOfPath } from '../../words/kinds.ts';
import { classCounts, leftWhole } from '../../words/three-way.ts';
import { fieldLines } from './fields.ts';
import { placeText } from './place.ts';

const INDENT = ' '.repeat(6);

/** `Against the base 1a2b3c4d5e6f, which was applied last: 2 pending, 1 drifted`, or why there is no base. */
export function baseLines(plan: Pick<Plan, 'changes' | 'base' | 'converged'>): string[] {
  const { base } = plan;
  if (base === undefined) return [];
  if (base.kind === 'none') return [`No base tells pending changes from drift: ${noBaseText(base.reason)}`];
  const counts = classCounts(plan);
  return counts === undefined ? [] : [`Against the base ${baseText(base)}: ${counts}`];
}

export function leftLines(left: readonly Left[] | undefined, heading: string, view: View): string[] {
  if (left === undefined || left.length === 0) return [];
  return [heading, ...left.flatMap((one) => oneLeft(one, view))];
}

export const LEFT_HEADING = 'Left as it is in the service (shown as live → declared):';

function oneLeft(left: Left, view: View): string[] {
  const { ref, key, fields } = left;
  const head = `  ${view.palette.change('=')} ${view.palette.strong(escapeLine(key))}`;
  const whole = leftWhole(left);
  if (whole !== undefined) return [`${head} ${whole}`];
  const labels = labelsOfPath(ref, fields[0]?.path ?? '');
  return [head, ...fieldLines(fields, { ...view, labels, places: true }).map((line) => INDENT + line)];
}

export function releasedLines({ released = [] }: Pick<Plan, 'released'>, { palette }: View): string[] {
  if (released.length === 0) return [];
  return [
    'Released (declared at the base, in no manifest now; left alone):',
    ...released.map(({ key, place }) => {
      const was = place === undefined ? '' : `  ${palette.dim(placeText(place))}`;
      return `  ? ${escapeLine(key)}${was}`;
    }),
    palette.dim('  To delete such a flag, declare it under flags as KEY: { deleted: true }'),
  ];
}

export function overriddenLines({ overridden = [] }: Pick<Plan, 'overridden'>, { palette }: View): string[] {
  if (overridden.length === 0) return [];
  return [palette.warning('Allowed with --override:'), ...overridden.map((hazard) => `  ${hazardText(hazard)}`)];
}

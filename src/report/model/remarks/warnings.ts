/** The warnings of a plan or a drift report as remarks, at the line of the flag that they name. */

import type { Place } from '../../../base/place.ts';
import { nameOfChange } from '../../../posthog/kinds.ts';
import type { Change, PlanWarning } from '../../../posthog/plan.ts';
import type { Against } from '../../../posthog/snapshot-file/snapshot-file.ts';
import { againstText } from '../../words/against.ts';
import { type Warned, checkoutTexts } from '../../words/base.ts';
import { warningText } from '../../words/warnings.ts';
import type { Remark } from './remark.ts';
import { defined } from '../../../base/optional.ts';

export function warningRemarks({ warnings, showing = 'plan', ...rest }: Warned): Remark[] {
  const places = placesOf(rest.changes ?? []);
  return [
    ...checkoutTexts(rest, showing).map((text) =>
      warningOf({ rule: 'base', text: text.endsWith('.') ? text : `${text}.` }),
    ),
    ...warnings.map((warning) => {
      const name = nameOf(warning);
      const place = name === undefined ? undefined : places.get(name);
      return warningOf({ rule: warning.code, text: warningText(warning), ...defined({ name, place }) });
    }),
  ];
}

/** By the name of a flag or a cohort. A flag and its access have the same one, and not every change of access has a line. */
function placesOf(changes: readonly Change[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const change of changes) {
    const name = nameOfChange(change);
    if (change.source !== undefined && !places.has(name)) places.set(name, change.source);
  }
  return places;
}

function nameOf(warning: PlanWarning): string | undefined {
  return 'key' in warning ? warning.key : undefined;
}

/** The age is another one in each run, so no fingerprint depends on it. */
export function againstRemark(against: Against): Remark {
  return warningOf({
    rule: 'snapshot',
    text: 'The plan does not show the live project.',
    aside: againstText(against),
  });
}

export function warningOf(remark: Omit<Remark, 'family' | 'level'>): Remark {
  return { family: 'warning', level: 'warning', ...remark };
}

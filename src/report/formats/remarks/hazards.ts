/** A safety rule that a plan breaks as a remark, with the ways out, at the line that asks for the change. */

import { defined } from '../../../base/optional.ts';
import type { Change, Hazard } from '../../../posthog/plan.ts';
import { hazardText } from '../../words/hazards.ts';
import { waysOut } from '../../words/ways-out.ts';
import type { Remark } from './remark.ts';
import { sourceOf } from './source.ts';

interface Around {
  /** Its name, for commands. */
  readonly project: string | undefined;
  /** Those of the plan. */
  readonly changes: readonly Change[];
}

export function hazardRemark(hazard: Hazard, around: Around): Remark {
  const ways = waysOut(hazard, around.project).map(({ words, text }) => `${words} ${text}.`);
  return { ...remarkOf(hazard, around), level: 'error', remedy: ways.join(' ') };
}

/** What an option or a permit lifts stays visible, and refuses nothing. */
export function overriddenRemark(hazard: Hazard, around: Around): Remark {
  return { ...remarkOf(hazard, around), level: 'note', remedy: 'Overridden (--override, or a permit).' };
}

function remarkOf(hazard: Hazard, { changes }: Around): Omit<Remark, 'level'> {
  const change = 'ref' in hazard ? changes.find(({ ref }) => ref === hazard.ref) : undefined;
  return {
    family: 'hazard',
    rule: hazard.code,
    text: hazardText(hazard),
    ...defined({
      source: sourceOf({ sort: 'safety', hazard, isLifted: false }),
      place: change?.source,
      name: 'key' in hazard ? hazard.key : undefined,
    }),
  };
}

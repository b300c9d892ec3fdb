/** A safety rule that a plan breaks as a remark, with the ways out, at the line that asks for the change. */

import { defined } from '../../../base/optional.ts';
import type { Change, Hazard } from '../../../posthog/plan.ts';
import { ruleSourceText } from '../../words/broken-rules.ts';
import { hazardText, waysOut } from '../../words/hazards.ts';
import type { Remark } from './remark.ts';

interface Around {
  /** Its name, for commands. */
  readonly project: string | undefined;
  /** Those of the plan. */
  readonly changes: readonly Change[];
}

export function hazardRemark(hazard: Hazard, { project, changes }: Around): Remark {
  const change = 'ref' in hazard ? changes.find(({ ref }) => ref === hazard.ref) : undefined;
  return {
    family: 'hazard',
    rule: hazard.code,
    level: 'error',
    text: hazardText(hazard),
    remedy: waysOut(hazard, project)
      .map(({ words, text }) => `${words} ${text}.`)
      .join(' '),
    ...defined({ source: ruleSourceText({ sort: 'safety', hazard, isLifted: false }) }),
    ...defined({ place: change?.source, name: 'key' in hazard ? hazard.key : undefined }),
  };
}

/** A change of a run that cannot be undone, as a remark. */

import type { RefusedInversion } from '../../../posthog/invert-plan.ts';
import { quoteShort } from '../../escape.ts';
import { labelsOfRef } from '../../words/kinds.ts';
import { REFUSALS } from '../../words/refusals.ts';
import type { Remark } from './remark.ts';

export function refusedRemark({ ref, key, refusal }: RefusedInversion): Remark {
  const { qualifier } = labelsOfRef(ref);
  return {
    family: 'undo',
    rule: refusal,
    level: 'warning',
    text: `${quoteShort(key)}${qualifier} cannot be undone: ${REFUSALS[refusal]}.`,
    name: key,
  };
}

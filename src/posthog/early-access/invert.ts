/** Reverts the change of an early access feature, or says why not. A created one is archived: the service's own DELETE is final. */

import type { Applied, RefusedInversion } from '../../engine/kind.ts';
import { findToInvert, nameChange } from '../../engine/body-kind.ts';
import { compareFeature, featureBase } from './canonical.ts';
import type { FeatureChange } from './change.ts';
import { ending, enrolmentOf, identityOf } from './find-changes.ts';
import type { FeatureSnapshot } from './feature.ts';

/** The opposite of an applied change, made against what is live now. */
export function invertFeatureChange(
  applied: Applied<FeatureChange>,
  { byId }: FeatureSnapshot,
): FeatureChange | RefusedInversion {
  const { change } = applied;
  const found = findToInvert(applied, byId, (live) => compareFeature(change.body, live));
  if ('refusal' in found) return found;
  const { live } = found;
  if (change.action === 'create') return { ...ending(change, live), reason: 'undone' };
  const { ref, key, flag, managed, base } = change;
  if (base.former['enrolment'] !== undefined) return { ref, key, refusal: 'unwritable', moved: [] };
  return {
    action: 'update',
    ...nameChange('early_access', key),
    ...identityOf(live),
    flag,
    managed,
    fields: compareFeature(base.former, live),
    body: base.former,
    base: featureBase(live, Object.keys(base.former)),
    ...enrolmentOf(live, base.former),
    needs: [],
  };
}

/** One early access feature's change: create, update or soft end, or none. */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import type { Divergence } from '../../engine/base.ts';
import { createdFields, nameChange } from '../../engine/body-kind.ts';
import {
  changeDifferences,
  classifyEnd,
  classifyMissingFields,
  compareWithFormer,
  fieldsIn,
  mixFields,
  NO_OUTCOME,
  type FieldOutcome,
} from '../../engine/field-kind.ts';
import type { Leave } from '../../engine/kind.ts';
import type { Match } from '../../engine/matched.ts';
import { compareFeature, FEATURE_FIELDS, featureBase, fieldsOf, sentFields } from './canonical.ts';
import type { CreateFeature, EndFeature, Enrolment, FeatureChange, UpdateFeature } from './change.ts';
import {
  type DeclaredFeature,
  type DesiredFeature,
  type RetiredFeature,
  ARCHIVED,
  isEnrolling,
  type LiveFeature,
  type MatchedFeature,
} from './feature.ts';

type FormerFeature = Pick<Match<DesiredFeature, MatchedFeature>, 'base' | 'isOther'>;

export type FeatureOutcome = FieldOutcome<FeatureChange, never>;

/** `live` is absent if the flag has no feature. */
export function changeFeature(match: Match<DesiredFeature, MatchedFeature>): FeatureOutcome {
  const { desired, live } = match;
  if (desired.kind === 'retired') {
    if (live === undefined || compareFeature({ stage: ARCHIVED }, live.feature).length === 0) return NO_OUTCOME;
    return { ...NO_OUTCOME, changes: [retire(desired, live.feature, match)] };
  }
  return live === undefined
    ? { ...NO_OUTCOME, changes: [create(desired, match)] }
    : update(desired, live.feature, match);
}

/** Adds the defaults of a new feature. */
function withDefaults({ key, fields }: DeclaredFeature): JsonObject {
  return { name: key, stage: 'draft', ...fields };
}

function create(desired: DeclaredFeature, former: FormerFeature): CreateFeature {
  const { key, flag, managed, places } = desired;
  const body = withDefaults(desired);
  return {
    action: 'create',
    ...nameChange('early_access', key),
    flag,
    managed,
    fields: createdFields(body, places, classifyMissingFields(desired.fields, former, FEATURE_FIELDS)),
    body,
    ...defined({ enrolment: isEnrolling(body['stage']) ? ('starts' as const) : undefined }),
    needs: [],
    source: places.place,
  };
}

function update(desired: DeclaredFeature, feature: LiveFeature, former: FormerFeature): FeatureOutcome {
  const { key, flag, managed, fields, places } = desired;
  const kind = fieldsOf(feature);
  const wanted = kind.canonical(fields);
  const { base } = former;
  const declared = base?.kind === 'declared' ? { base: { ...base, fields: kind.canonical(base.fields) } } : {};
  const compared = compareWithFormer({ wanted, live: feature, former: { ...former, ...declared } }, kind);
  return changeDifferences(compared, places, ({ fields: differing, written, source }): UpdateFeature => {
    const body = sentFields(wanted, written);
    return {
      action: 'update',
      ...nameChange('early_access', key),
      ...identityOf(feature),
      flag,
      managed,
      fields: differing,
      body,
      base: featureBase(feature, written),
      ...enrolmentOf(feature, body),
      needs: [],
      source,
    };
  });
}

function retire(
  { key, flag, managed, places }: RetiredFeature,
  feature: LiveFeature,
  former: FormerFeature,
): EndFeature {
  return {
    ...ending({ key, flag, managed }, feature, classifyEnd(feature, former, fieldsOf(feature))),
    reason: 'retired',
    source: placeAt(places, '/deleted'),
  };
}

/** The soft end of a live feature, without why and where. */
export function ending(
  { key, flag, managed }: Pick<FeatureChange, 'key' | 'flag' | 'managed'>,
  feature: LiveFeature,
  divergence?: Divergence,
): Omit<EndFeature, 'reason' | 'source'> {
  const body = { stage: ARCHIVED };
  const differing = compareFeature(body, feature);
  return {
    action: 'delete',
    ...nameChange('early_access', key),
    ...identityOf(feature),
    flag,
    managed,
    fields: differing.map((field) => ({ ...field, ...defined({ divergence }) })),
    body,
    base: featureBase(feature, fieldsIn(differing)),
    ...enrolmentOf(feature, body),
    needs: [],
  };
}

export function identityOf({ id, feature_id }: LiveFeature): Pick<UpdateFeature, 'id' | 'feature_id'> {
  return { id, feature_id };
}

/** The effect of a write on the flag of a live feature. */
export function enrolmentOf(
  { stage: from, enrolment = isEnrolling(from) }: LiveFeature,
  { stage: to }: JsonObject,
): { readonly enrolment?: Enrolment } {
  if (to === undefined || enrolment === isEnrolling(to)) return {};
  return { enrolment: isEnrolling(to) ? 'starts' : 'ends' };
}

/** The declared feature with live values in place of some differences; `undefined` if nothing of the feature is written. */
export function leaveFeature({
  change,
  parts,
  match: { desired, live },
}: Leave<FeatureChange, DesiredFeature, MatchedFeature>): DeclaredFeature | undefined {
  if (change.action !== 'update' || desired.kind === 'retired' || live === undefined) return undefined;
  return { ...desired, fields: mixFields(desired.fields, live.feature, fieldsIn(parts)) };
}

/** One early access feature's change: create, update or soft end, or none. */

import { fromPointer } from '../../base/json-pointer.ts';
import { memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import type { Divergence } from '../../engine/base.ts';
import { createdFields, nameChange } from '../../engine/body-kind.ts';
import type { Match } from '../../engine/matched.ts';
import { canonicalFeature, compareFeature, featureBase } from './canonical.ts';
import type { CreateFeature, EndFeature, Enrolment, FeatureChange, UpdateFeature } from './change.ts';
import type { DeclaredFeature, DesiredFeature, RetiredFeature } from './desired.ts';
import { ARCHIVED, isEnrolling, type LiveFeature, type MatchedFeature } from './live.ts';
import { classifyEnd, classifyMissingFeature, compareWithFormer, type FormerFeature } from './three-way.ts';

export interface FeatureOutcome {
  readonly changes: readonly FeatureChange[];
  readonly warnings: readonly never[];
  /** How many values the manifests and the service both moved away from the base, to the same value; absent without a base. */
  readonly converged?: number;
}

/** `live` is absent where the flag has no feature. */
export function changeFeature(match: Match<DesiredFeature, MatchedFeature>): FeatureOutcome {
  const { desired, live } = match;
  if (desired.kind === 'retired') {
    if (live === undefined || live.feature.stage === ARCHIVED) return NOTHING;
    return { ...NOTHING, changes: [retire(desired, live.feature, match)] };
  }
  return live === undefined ? { ...NOTHING, changes: [create(desired, match)] } : update(desired, live.feature, match);
}

const NOTHING: FeatureOutcome = { changes: [], warnings: [] };

/** What a new feature has where its manifest does not say. */
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
    fields: createdFields(body, places, classifyMissingFeature(desired, former)),
    body,
    ...defined({ enrolment: isEnrolling(body['stage']) ? ('starts' as const) : undefined }),
    needs: [],
    source: places.place,
  };
}

function update(desired: DeclaredFeature, feature: LiveFeature, former: FormerFeature): FeatureOutcome {
  const { key, flag, managed, fields, places } = desired;
  const { differences, converged } = compareWithFormer(
    compareFeature(fields, feature),
    { wanted: fields, feature },
    former,
  );
  const counted = { ...NOTHING, ...defined({ converged }) };
  const [first] = differences;
  if (first === undefined) return counted;
  const written = differences.map(({ path }) => fromPointer(path)[0] ?? '');
  const body = objectFrom(
    written.map((name): [string, JsonValue] => [name, memberOf(canonicalFeature(fields), name) ?? '']),
  );
  const change: UpdateFeature = {
    action: 'update',
    ...nameChange('early_access', key),
    ...identityOf(feature),
    flag,
    managed,
    fields: differences.map((difference) => ({ ...difference, source: placeAt(places, difference.path) })),
    body,
    base: featureBase(feature, written),
    ...enrolmentOf(feature, body),
    needs: [],
    source: placeAt(places, first.path),
  };
  return { ...counted, changes: [change] };
}

function retire(
  { key, flag, managed, places }: RetiredFeature,
  feature: LiveFeature,
  former: FormerFeature,
): EndFeature {
  return {
    ...ending({ key, flag, managed }, feature, classifyEnd(former, feature)),
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
  return {
    action: 'delete',
    ...nameChange('early_access', key),
    ...identityOf(feature),
    flag,
    managed,
    fields: [{ path: '/stage', before: feature.stage, after: ARCHIVED, ...defined({ divergence }) }],
    body,
    base: featureBase(feature, ['stage']),
    ...enrolmentOf(feature, body),
    needs: [],
  };
}

export function identityOf({ id, feature_id }: LiveFeature): Pick<UpdateFeature, 'id' | 'feature_id'> {
  return { id, feature_id };
}

/** What a write does to the flag of a live feature. */
export function enrolmentOf(
  { stage: from }: LiveFeature,
  { stage: to }: JsonObject,
): { readonly enrolment?: Enrolment } {
  if (to === undefined || isEnrolling(from) === isEnrolling(to)) return {};
  return { enrolment: isEnrolling(to) ? 'starts' : 'ends' };
}

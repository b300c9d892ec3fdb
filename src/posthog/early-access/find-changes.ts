/**
 * One early access feature's change: create, update or soft end, or none; and the change that reverts it. A created one is archived then: the
 * service's own DELETE is final.
 */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import type { Divergence } from '../../engine/base.ts';
import { createdFields, findToInvert, nameChange } from '../../engine/body-kind.ts';
import type { FieldChange } from '../../engine/change.ts';
import {
  changeDifferences,
  classifyEnd,
  classifyMissingFields,
  compareWithFormer,
  fieldsIn,
  mixFields,
  NO_OUTCOME,
  pickFields,
  type FieldOutcome,
} from '../../engine/field-kind.ts';
import type { Applied, Leave, RefusedInversion } from '../../engine/kind.ts';
import type { Match } from '../../engine/matched.ts';
import type { EndFeature, FeatureChange, UpdateFeature } from './change.ts';
import {
  ARCHIVED,
  canonicalFeature,
  compareFeature,
  FEATURE_FIELDS,
  fieldsOf,
  isEnrolling,
  type DeclaredFeature,
  type DesiredFeature,
  type FeatureSnapshot,
  type LiveFeature,
  type MatchedFeature,
} from './feature.ts';

/** `live` is absent if the flag has no feature. */
export function changeFeature(match: Match<DesiredFeature, MatchedFeature>): FieldOutcome<FeatureChange, never> {
  const { desired, live, base } = match;
  const { key, flag, managed, places } = desired;
  const feature = live?.feature;
  if (desired.kind === 'retired') {
    if (feature === undefined) return NO_OUTCOME;
    const end = endOf(desired, feature, classifyEnd(feature, match, fieldsOf(feature)));
    if (end.fields.length === 0) return NO_OUTCOME;
    return { ...NO_OUTCOME, changes: [{ ...end, reason: 'retired', source: placeAt(places, '/deleted') }] };
  }
  if (feature === undefined) {
    const body: JsonObject = { name: key, stage: 'draft', ...desired.fields };
    const change: FeatureChange = {
      action: 'create',
      ...nameChange('early_access', key),
      flag,
      managed,
      fields: createdFields(body, places, classifyMissingFields(desired.fields, match, FEATURE_FIELDS)),
      body,
      ...(isEnrolling(body['stage']) && { enrolment: 'starts' }),
      needs: [],
      source: places.place,
    };
    return { ...NO_OUTCOME, changes: [change] };
  }
  const kind = fieldsOf(feature);
  const wanted = kind.canonical(desired.fields);
  const declared = base?.kind === 'declared' && { base: { ...base, fields: kind.canonical(base.fields) } };
  const compared = compareWithFormer({ wanted, live: feature, former: { ...match, ...declared } }, kind);
  return changeDifferences(compared, places, ({ fields, written, source }) => {
    // The stage writes who is enrolled.
    const sent = written.map((name) => (name === 'enrolment' ? 'stage' : name));
    const change = writeOf(desired, feature, { fields, body: pickFields(wanted, sent), written });
    return { action: 'update', ...change, source };
  });
}

type FeatureName = Pick<FeatureChange, 'key' | 'flag' | 'managed'>;

/** The soft end of a live feature, without why and where. */
function endOf(
  named: FeatureName,
  feature: LiveFeature,
  divergence?: Divergence,
): Omit<EndFeature, 'reason' | 'source'> {
  const body = { stage: ARCHIVED };
  const fields = compareFeature(body, feature).map((field) => ({ ...field, ...defined({ divergence }) }));
  return { action: 'delete', ...writeOf(named, feature, { fields, body, written: fieldsIn(fields) }) };
}

/** A write of a live feature, with its effect on the flag. */
function writeOf(
  { key, flag, managed }: FeatureName,
  feature: LiveFeature,
  { fields, body, written }: { fields: readonly FieldChange[]; body: JsonObject; written: readonly string[] },
): Omit<UpdateFeature, 'action'> {
  const { id, feature_id, stage, enrolment = isEnrolling(stage) } = feature;
  const seen = canonicalFeature(feature);
  const enrols = body['stage'] === undefined ? enrolment : isEnrolling(body['stage']);
  return {
    ...nameChange('early_access', key),
    id,
    feature_id,
    flag,
    managed,
    fields,
    body,
    base: { feature: seen, former: pickFields(seen, written) },
    ...(enrols !== enrolment && { enrolment: enrols ? 'starts' : 'ends' }),
    needs: [],
  };
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

/** The opposite of an applied change, made against what is live now. */
export function invertFeatureChange(
  applied: Applied<FeatureChange>,
  { byId }: FeatureSnapshot,
): FeatureChange | RefusedInversion {
  const { change } = applied;
  const found = findToInvert(applied, byId, (live) => compareFeature(change.body, live));
  if ('refusal' in found) return found;
  const { live } = found;
  if (change.action === 'create') return { ...endOf(change, live), reason: 'undone' };
  const { former: body } = change.base;
  if (body['enrolment'] !== undefined) {
    return { ref: change.ref, key: change.key, refusal: 'unwritable', moved: [] };
  }
  const fields = compareFeature(body, live);
  return { action: 'update', ...writeOf(change, live, { fields, body, written: Object.keys(body) }) };
}

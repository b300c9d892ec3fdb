/**
 * Early access features as a kind of resource, with the consequences of their changes. An enrolling stage gives the flag to everybody who
 * enrolled, before any condition is evaluated, and every other stage takes it away: if no manifest declares the flag, nobody planned that.
 */

import { arrayOrEmpty, isJsonObject, memberOf, objectOrEmpty, type JsonObject } from '../../base/json.ts';
import type { Needs, Applied, Leave, RefusedInversion } from '../../core/engine/kind.ts';
import type { KindOf } from '../kind.ts';
import { nameResource } from '../names/resource-name.ts';
import type { Change } from '../plan.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { FeatureChange, FeatureRisk, FlagProblem, EndFeature, UpdateFeature } from './change.ts';
import { type ExportedFeature, EARLY_ACCESS_FAMILY } from './family.ts';
import {
  type DesiredFeature,
  type FeatureSnapshot,
  type LiveFeature,
  type MatchedFeature,
  ARCHIVED,
  canonicalFeature,
  compareFeature,
  FEATURE_COMPARISON,
  fieldsOf,
  isEnrolling,
  type DeclaredFeature,
} from './feature.ts';
import type { EarlyAccessProblems } from './problems.ts';
import { featureWriter, type FeatureRun } from './write.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import type { Divergence } from '../../core/engine/base.ts';
import { createdFields, findToInvert, nameChange } from '../../core/engine/body-kind.ts';
import type { FieldChange } from '../../core/engine/change.ts';
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
} from '../../core/engine/field-kind.ts';
import type { Match } from '../../core/engine/matched.ts';

export interface EarlyAccessTypes {
  readonly section: 'early_access';
  readonly change: FeatureChange;
  readonly warning: never;
  readonly risk: FeatureRisk;
  readonly problems: EarlyAccessProblems;
  readonly desired: DesiredFeature;
  readonly live: LiveFeature;
  readonly matched: MatchedFeature;
  readonly snapshot: FeatureSnapshot;
  readonly run: FeatureRun;
  readonly exported: ExportedFeature;
}

export const EARLY_ACCESS: KindOf<'early_access'> = {
  name: 'early_access',
  family: EARLY_ACCESS_FAMILY,
  scopes: { object: 'early_access_feature', why: 'early_access' },
  // Today's service names the features of a flag in the flag.
  isPresent: ({ desired, live, former }) =>
    [desired, live, former].some((state) => (state?.early_access ?? []).length > 0) ||
    live?.flags.some((flag) => arrayOrEmpty(flag['features']).length > 0) === true,
  keyless: true,
  countedIfAny: true,
  actions: ['create', 'update', 'delete'],

  compare: changeFeature,
  dependencies: ({ flag }) => [flag],
  findNeeds,

  parts: ({ fields }) => fields,
  leave: leaveFeature,
  // The end of enrollment takes the flag away from those who enrolled, so the limits and protections of disables apply.
  effects: ({ action, enrollment }) =>
    action === 'create' ? [] : enrollment === 'ends' ? [action, 'disable'] : [action],
  liveKey: ({ key }) => nameResource('early_access', key),
  assess: (changes, snapshot) => ({
    risks: changes.flatMap((change) => findRisks(change, changes, snapshot)),
    warnings: [],
  }),

  invert: (applied, { early_access: features }) => invertFeatureChange(applied, features),
  rename: (change) => change,

  findUnwritableParts: () => [],
  // The list has every feature. Its flag may be archived, so it is read by key.
  reads: {
    toPlan: ({ flag }) => ({ early_access: {}, flags: { keys: [flag] } }),
    toApply: ({ flag }, { liveKey, created }) => ({
      early_access: {},
      flags: { keys: created.has(flag) ? [] : [liveKey(flag)] },
    }),
    toUndo: ({ id }, answered) => ({
      early_access: {},
      flags: { ids: [id ?? answered].filter((one) => typeof one === 'number') },
    }),
  },
  writer: featureWriter,
};

/**
 * Makes each feature wait for all other changes of its flag. Writing a feature also changes its flag, and the changes of the flag must not
 * mistake that for another user's edit.
 */
function findNeeds(changes: readonly Change[]): Needs {
  const ofFlags = changes.filter(({ resource, action }) => resource === 'flag' && action !== 'delete');
  return new Map(
    changes.flatMap((change) => {
      if (change.resource !== 'early_access') return [];
      const needs = ofFlags.flatMap(({ key, ref }) => (key === change.flag ? ref : []));
      return needs.length === 0 ? [] : [[change.ref, needs] as const];
    }),
  );
}

function findRisks(
  change: Change,
  changes: readonly Change[],
  { flags, early_access }: ProjectSnapshot,
): FeatureRisk[] {
  const { ref } = change;
  if (change.resource === 'early_access') {
    const { flag, enrollment } = change;
    const key = nameResource('early_access', change.key);
    // What the service refuses starts no enrollment, and no option helps. It looks at the flag only when the feature is made.
    const why = change.action === 'create' ? findProblem(flag, changes, flags) : undefined;
    if (why !== undefined) return [{ code: 'early_access_refused', ref, key, flag, why }];
    if (change.managed || enrollment === undefined) return [];
    return [{ code: 'early_access_unmanaged', ref, key, flag, enrollment, permit: { kind: 'risky', value: key } }];
  }
  if (change.resource !== 'flag' || change.action !== 'delete') return [];
  // Today's service names the features of a flag in the flag.
  const [named] = arrayOrEmpty(flags.byId(change.id)?.['features']);
  const feature = early_access.byId(change.id) ?? named;
  if (!isJsonObject(feature)) return [];
  const { name = '' } = feature;
  return [{ code: 'early_access_linked', ref, key: change.key, feature: typeof name === 'string' ? name : '' }];
}

function findProblem(
  key: string,
  changes: readonly Change[],
  flags: ProjectSnapshot['flags'],
): FlagProblem | undefined {
  const live = flags.all.find((flag) => flags.keyOf(flag.id) === key);
  const written = changes.filter((change) => change.resource === 'flag' && change.key === key);
  if (live === undefined && written.length === 0) return 'missing';
  // A plan that writes a deleted flag restores it.
  const isDeleted = live?.deleted === true && written.length === 0;
  if (isDeleted || written.some(({ action }) => action === 'delete')) return 'deleted';
  if (arrayOrEmpty(live?.experiment_set).length > 0) return 'experiment';
  const body = written.map((change) => memberOf('body' in change ? change.body : {}, 'filters')).find(isJsonObject);
  const { aggregation_group_type_index: index = null, multivariate } = { ...objectOrEmpty(live?.filters), ...body };
  if (index !== null) return 'groups';
  return arrayOrEmpty(objectOrEmpty(multivariate)['variants']).length > 0 ? 'variants' : undefined;
}

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
      fields: createdFields(body, places, classifyMissingFields(desired.fields, match, FEATURE_COMPARISON)),
      body,
      ...(isEnrolling(body['stage']) && { enrollment: 'starts' }),
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
    const sent = written.map((name) => (name === 'enrollment' ? 'stage' : name));
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
  const { id, feature_id, stage, enrollment = isEnrolling(stage) } = feature;
  const seen = canonicalFeature(feature);
  const enrols = body['stage'] === undefined ? enrollment : isEnrolling(body['stage']);
  return {
    ...nameChange('early_access', key),
    id,
    feature_id,
    flag,
    managed,
    fields,
    body,
    base: { feature: seen, former: pickFields(seen, written) },
    ...(enrols !== enrollment && { enrollment: enrols ? 'starts' : 'ends' }),
    needs: [],
  };
}

/** The declared feature with live values in place of some differences; `undefined` if nothing of the feature is written. */
function leaveFeature({
  change,
  parts,
  match: { desired, live },
}: Leave<FeatureChange, DesiredFeature, MatchedFeature>): DeclaredFeature | undefined {
  if (change.action !== 'update' || desired.kind === 'retired' || live === undefined) return undefined;
  return { ...desired, fields: mixFields(desired.fields, live.feature, fieldsIn(parts)) };
}

/** The opposite of an applied change, made against what is live now. */
function invertFeatureChange(
  applied: Applied<FeatureChange>,
  { byId }: FeatureSnapshot,
): FeatureChange | RefusedInversion {
  const { change } = applied;
  const found = findToInvert(applied, byId, (live) => compareFeature(change.body, live));
  if ('refusal' in found) return found;
  const { live } = found;
  if (change.action === 'create') return { ...endOf(change, live), reason: 'undone' };
  const { former: body } = change.base;
  if (body['enrollment'] !== undefined) {
    return { ref: change.ref, key: change.key, refusal: 'unwritable', moved: [] };
  }
  const fields = compareFeature(body, live);
  return { action: 'update', ...writeOf(change, live, { fields, body, written: Object.keys(body) }) };
}

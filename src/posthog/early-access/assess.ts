/**
 * The consequences of changes of early access features. An enrolling stage gives the flag to everybody who enrolled, before any condition
 * is evaluated, and every other stage takes it away: if no manifest declares the flag, nobody planned that.
 */

import { arrayOrEmpty, isJsonObject, memberOf, type JsonObject } from '../../base/json.ts';
import type { Change } from '../plan.ts';
import { nameResource } from '../names/resource-name.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { CreateFeature, FeatureChange, FeatureRisk, FlagProblem } from './change.ts';

export function assessFeatures(
  changes: readonly Change[],
  { flags, early_access: features }: ProjectSnapshot,
): { readonly risks: readonly FeatureRisk[]; readonly warnings: readonly never[] } {
  const risks = changes.flatMap((change): FeatureRisk[] => {
    if (change.resource === 'early_access') {
      // What the service refuses starts no enrolment, and no option helps.
      const refused = change.action === 'create' ? riskRefusal(change, changes, flags) : [];
      return refused.length > 0 ? refused : riskUnmanaged(change);
    }
    if (change.resource !== 'flag' || change.action !== 'delete') return [];
    const name = features.byId(change.id)?.name ?? linkedName(flags.byId(change.id));
    return name === undefined ? [] : [{ code: 'early_access_linked', ref: change.ref, key: change.key, feature: name }];
  });
  return { risks, warnings: [] };
}

function riskUnmanaged({ ref, key: alias, flag, managed, enrolment }: FeatureChange): FeatureRisk[] {
  if (managed || enrolment === undefined) return [];
  const key = nameResource('early_access', alias);
  return [{ code: 'early_access_unmanaged', ref, key, flag, enrolment, permit: { kind: 'risky', value: key } }];
}

/** The service looks at the flag only when the feature is made. */
function riskRefusal(
  { ref, key, flag }: CreateFeature,
  changes: readonly Change[],
  flags: ProjectSnapshot['flags'],
): FeatureRisk[] {
  const why = findProblem(flag, changes, flags);
  return why === undefined
    ? []
    : [{ code: 'early_access_refused', ref, key: nameResource('early_access', key), flag, why }];
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
  return problemOf({ ...(isJsonObject(live?.filters) ? live.filters : {}), ...body });
}

function problemOf({
  aggregation_group_type_index: index = null,
  multivariate = null,
}: JsonObject): FlagProblem | undefined {
  if (index !== null) return 'groups';
  const variants = isJsonObject(multivariate) ? arrayOrEmpty(multivariate['variants']) : [];
  return variants.length > 0 ? 'variants' : undefined;
}

/** Today's service names the features of a flag in the flag. */
function linkedName(flag: JsonObject | undefined): string | undefined {
  const [first] = arrayOrEmpty(flag?.['features']);
  if (!isJsonObject(first)) return undefined;
  return typeof first['name'] === 'string' ? first['name'] : '';
}

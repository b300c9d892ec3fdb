/** The fields in which a declaration is compared: declared and implied ones that the service knows. */

import { isJsonObject, setMember, type JsonObject } from '../../base/json.ts';
import type { DeclaredFlag } from '../desired.ts';
import type { FlagWarning } from './change.ts';
import { keyOnceRestored, type Flag } from './flag.ts';
import { withCommonAggregation, withStoredAggregation } from './forms.ts';
import { isManagedField } from './ownership.ts';

/** Adds what a manifest implies. */
export function completed(desired: DeclaredFlag): DeclaredFlag {
  const { filters } = desired.fields;
  const meant = isJsonObject(filters) ? withCommonAggregation(filters) : filters;
  return meant === filters ? desired : { ...desired, fields: { ...desired.fields, filters: meant } };
}

/**
 * The fields to compare: declared ones that this service knows, and those implied by adopting this live flag. A field that the service
 * never answers would always differ.
 */
export function supportedFields(desired: DeclaredFlag, live: Flag): { wanted: JsonObject; warnings: FlagWarning[] } {
  const warnings: FlagWarning[] = [];
  const wanted: Record<string, JsonObject[string]> = {};
  if (keyOnceRestored(live) !== desired.key) wanted['key'] = desired.key;
  if (live.deleted === true) wanted['deleted'] = false;
  const enables = desired.fields['active'] === true && isManagedField(desired.ownership, 'active');
  if (live.archived === true && enables && desired.fields['archived'] === undefined) {
    wanted['archived'] = false;
    warnings.push({ code: 'unarchives', key: desired.key, id: live.id });
  }
  for (const [field, value] of Object.entries(desired.fields)) {
    if (Object.hasOwn(live, field)) setMember(wanted, field, value);
    else warnings.push({ code: 'field_unsupported', key: desired.key, field });
  }
  return { wanted: withStoredAggregation(wanted, live), warnings };
}

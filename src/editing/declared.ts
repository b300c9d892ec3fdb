/** What manifests declare for a project, by the names that options have for it: the key of a flag, `cohort:ALIAS`. */

import { fromPointer } from '../base/json-pointer.ts';
import type { JsonValue } from '../base/json.ts';
import type { Declaration } from '../manifest/declaration.ts';
import { COHORT_SECTION } from '../posthog/cohort/manifest.ts';
import type { DesiredFlag, DesiredState } from '../posthog/desired.ts';
import type { DesiredCohort } from '../posthog/cohort/desired.ts';
import { nameResource } from '../posthog/resource-name.ts';

export function nameOfDeclaration({ section, key }: Pick<Declaration, 'section' | 'key'>): string {
  return section === COHORT_SECTION.name ? nameResource('cohort', key) : key;
}

/** `/cohorts/beta/filters` is about `cohort:beta`. */
export function nameAtPath(path: string): string {
  const [section = '', key = ''] = fromPointer(path);
  return nameOfDeclaration({ section, key });
}

/** What each declaration means, without its places. */
export function meaningsOf({ flags, cohorts = [] }: DesiredState): ReadonlyMap<string, JsonValue> {
  return new Map([
    ...flags.map((flag) => [flag.key, meaningOf(flag) as JsonValue] as const),
    ...cohorts.map((cohort) => [nameResource('cohort', cohort.key), meaningOfCohort(cohort)] as const),
  ]);
}

export function meaningOf(flag: DesiredFlag): unknown {
  if (flag.kind === 'retired') return { key: flag.key, retired: true };
  const { key, previousKeys, fields, roleAccess, everyone } = flag;
  const roles = roleAccess?.map(({ id, level }) => (level === undefined ? id : { id, level }));
  return { key, previousKeys, fields, roleAccess: roles, everyone: everyone?.level };
}

function meaningOfCohort(cohort: DesiredCohort): JsonValue {
  const { key, id = null, names } = cohort;
  return { key, id, names, ...(cohort.kind === 'retired' ? { retired: true } : { fields: cohort.fields }) };
}

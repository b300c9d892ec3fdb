/** Requests the edits that copy what one project has of a cohort into the manifests of another. */

import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, isJsonObject, objectFrom, type JsonValue } from '../../base/json.ts';
import { nameResource } from '../../posthog/resource-name.ts';
import { writeCohort } from '../../posthog/cohort/layout.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { DesiredCohort } from '../../posthog/cohort/desired.ts';
import { only } from '../../posthog/flag/layout/members.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import type { CohortEdit } from '../edit.ts';
import type { EditOr } from '../facet.ts';
import { COHORTS } from '../kinds.ts';
import { definitionFor, present, type Promotion, type PromotionSource } from '../promotion.ts';
import type { EditedPart, PromotionReason } from '../results.ts';

/** The fields that parts are; other parts are of flags only. */
const FIELDS: Readonly<Partial<Record<EditedPart, string>>> = { conditions: 'filters', description: 'description' };

export function isOfCohortPart(path: string, parts: readonly EditedPart[]): boolean {
  const [field] = fromPointer(path);
  return parts.some((part) => FIELDS[part] !== undefined && FIELDS[part] === field);
}

export function hasCohortPart(parts: readonly EditedPart[]): boolean {
  return parts.some((part) => FIELDS[part] !== undefined);
}

export function cohortFromSource({
  key,
  source: { fields },
  target,
  parts,
  crossing,
}: Promotion<DesiredCohort>): EditOr<CohortEdit, { readonly reason: PromotionReason }> {
  const lacking = parts?.find((part) => {
    const field = FIELDS[part];
    return field === undefined ? !hasCohortPart(parts) : !Object.hasOwn(fields, field);
  });
  if (lacking !== undefined) {
    return { reason: { code: 'part-lacks', part: lacking, project: crossing.from.name } };
  }
  const names = parts?.flatMap((part) => FIELDS[part] ?? []) ?? definedKeys(fields);
  const wanted = objectFrom(names.map((name) => [name, fields[name] as JsonValue] as const));
  const { name, filters } = wanted;
  if (typeof name === 'string' && loses(target, name)) {
    return { reason: { code: 'cohort-renamed', project: crossing.to.name } };
  }
  if (!isJsonObject(filters)) return { edit: { resource: 'cohort', key, fields: wanted, deleted: false } };
  const copied = definitionFor(filters, crossing);
  if (copied.missing !== undefined) return { reason: copied.missing };
  return { edit: { resource: 'cohort', key, fields: { ...wanted, filters: copied.filters }, deleted: false } };
}

/** A cohort without an id is found by its name: with another name, the next plan would create a second cohort. */
function loses(target: DesiredCohort | undefined, name: string): boolean {
  return target !== undefined && target.id === undefined && target.names[0].trim() !== name.trim();
}

/** Sources by name, `cohort:ALIAS`, as manifests declare them or as they are live; `from` has the ids of the declared cohorts. */
export function cohortSources(
  desired: DesiredState,
  live: LiveState | undefined,
  from: ProjectNames,
): ReadonlyMap<string, PromotionSource> {
  const cohorts = COHORTS.desired(desired);
  const declared = new Map(cohorts.flatMap((one) => (one.kind === 'declared' ? [[one.key, one.fields] as const] : [])));
  if (live === undefined) {
    return new Map([...declared].map(([alias, fields]) => [nameResource('cohort', alias), { fields }]));
  }
  return new Map(
    Object.entries(from.cohorts).flatMap(([alias, id]): [string, PromotionSource][] => {
      const cohort = live.cohorts?.find((one) => one.id === id);
      if (cohort === undefined || cohort.deleted === true || cohort.is_static === true) return [];
      const fields = writeCohort(cohort, { nameOf: () => undefined, minimal: false, nameless: false });
      const own = declared.get(alias);
      const names = own === undefined ? Object.keys(fields) : Object.keys(own);
      return [[nameResource('cohort', alias), { fields: present(only(fields, names)) }]];
    }),
  );
}

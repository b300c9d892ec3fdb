/** Turns what one project has of a cohort into what the manifests are to say for another. */

import { definedKeys, isJsonObject, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import type { DesiredCohort } from '../../posthog/cohort/desired.ts';
import type { CohortWish } from '../wish.ts';
import type { Part, PromotionReason } from './promoted.ts';
import { definitionFor, type Crossing } from './target-names.ts';

export interface CohortPromotion {
  /** `cohort:ALIAS`. */
  readonly key: string;
  /** By API name, with ids of the project that it comes from, or aliases. */
  readonly fields: JsonObject;
  /** What the other project declares; absent where it lacks the cohort. */
  readonly target: DesiredCohort | undefined;
  /** Absent: everything. */
  readonly parts?: readonly Part[];
  readonly crossing: Crossing;
}

/** The fields that parts are; other parts are of flags only. */
const FIELDS: Readonly<Partial<Record<Part, string>>> = { conditions: 'filters', description: 'description' };

/** Whether a difference at a pointer into the fields is one of these parts. Absent: everything is promoted. */
export function isOfCohortPart(path: string, parts: readonly Part[] | undefined): boolean {
  const [field] = fromPointer(path);
  return parts === undefined || parts.some((part) => FIELDS[part] !== undefined && FIELDS[part] === field);
}

export function hasCohortPart(parts: readonly Part[]): boolean {
  return parts.some((part) => FIELDS[part] !== undefined);
}

export function toCohortWish(
  promotion: CohortPromotion,
): { readonly wish: CohortWish } | { readonly reason: PromotionReason } {
  const { key, fields, target, parts, crossing } = promotion;
  const lacking = parts?.find((part) => {
    const field = FIELDS[part];
    return field === undefined ? !hasCohortPart(parts) : !Object.hasOwn(fields, field);
  });
  if (lacking !== undefined) {
    return { reason: { code: 'part-lacks', part: lacking, project: crossing.from.name } };
  }
  const names = parts?.flatMap((part) => FIELDS[part] ?? []) ?? definedKeys(fields);
  const wished = objectFrom(names.map((name) => [name, fields[name] as JsonValue] as const));
  const { name, filters } = wished;
  if (typeof name === 'string' && loses(target, name)) {
    return { reason: { code: 'cohort-renamed', project: crossing.to.name } };
  }
  if (!isJsonObject(filters)) return { wish: { resource: 'cohort', key, fields: wished, deleted: false } };
  const copied = definitionFor(filters, crossing);
  if (copied.missing !== undefined) return { reason: copied.missing };
  return { wish: { resource: 'cohort', key, fields: { ...wished, filters: copied.filters }, deleted: false } };
}

/** Without an id a cohort is found by its name: with another one, the next plan would create a second cohort. */
function loses(target: DesiredCohort | undefined, name: string): boolean {
  return target !== undefined && target.id === undefined && target.names[0].trim() !== name.trim();
}

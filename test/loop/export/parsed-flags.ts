/** Reads an exported file back into the fields of the service, without flagwright's own reader. */

import { parse } from 'yaml';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { objectFrom } from '../../../src/base/json.ts';
import { canonicalFlag, PARTS_OF_OTHER_PRODUCTS } from '../../../src/posthog/flag/model/canonical.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { ProjectNames } from '../../../src/posthog/project.ts';
import { mapReferences } from '../../../src/posthog/flag/model/references.ts';
import type { Export } from '../../../src/loop/export/export.ts';

/** The flags of an export's files, by key. */
export function parsedFlags(exported: Export): ReadonlyMap<string, JsonObject> {
  const files = exported.files.map((file) => (parse(file.text) as { flags: JsonObject }).flags);
  return new Map(files.flatMap((flags) => Object.entries(flags) as [string, JsonObject][]));
}

/** A manifest's flag as the service's fields, in canonical form, with ids for cohort aliases. */
export function declaredFields(written: JsonObject, names: ProjectNames): JsonObject {
  const { description, rollout_percentage: rollout, fields, filters, ...others } = written;
  const { role_access: _roles, unknown_members: _allowed, ...rest } = others;
  const declared = rollout === undefined ? filters : { groups: [{ rollout_percentage: rollout }] };
  return canonicalFlag({
    ...rest,
    ...(fields as JsonObject | undefined),
    ...(description === undefined ? {} : { name: description }),
    ...(declared === undefined ? {} : { filters: cohortIds(declared as JsonObject, names) }),
  });
}

/** The same fields of the live flag, for comparison: dependencies by key, without other products' parts. */
export function liveFields(flag: Flag, declared: JsonObject, keys: ReadonlyMap<number, string>): JsonObject {
  const live: Record<string, JsonValue | undefined> = { ...flag };
  if (flag.filters !== undefined) {
    const managed = Object.entries(flag.filters).filter(([name]) => !PARTS_OF_OTHER_PRODUCTS.includes(name));
    const keyOf = (key: string | number): string | number =>
      /^\d+$/.test(String(key)) ? (keys.get(Number(key)) ?? Number(key)) : key;
    live['filters'] = mapReferences(Object.fromEntries(managed), { flag: keyOf });
  }
  const canonical = canonicalFlag(live);
  return objectFrom(
    Object.keys(declared)
      .filter((name) => canonical[name] !== undefined)
      .map((name) => [name, canonical[name] as JsonValue]),
  );
}

function cohortIds(filters: JsonObject, names: ProjectNames): JsonObject {
  return mapReferences(filters, {
    cohort: (value) =>
      typeof value === 'string' && Object.hasOwn(names.cohorts, value) ? (names.cohorts[value] as number) : value,
  });
}

/** Replaces a project's ids with the names that manifests use. */

import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { Flag } from './flag.ts';
import type { ProjectNames } from '../../project.ts';
import { mapReferences } from './references.ts';

/** Looks up names by id; `undefined` if there is none. */
export interface NameLookup {
  readonly flag: (id: number) => string | undefined;
  readonly cohort: (id: number) => string | undefined;
  readonly role: (id: string) => string | undefined;
}

export function lookupNames(flags: readonly Flag[], names: ProjectNames): NameLookup {
  const flagKeys = new Map(flags.map((flag) => [flag.id, flag.key]));
  const cohorts = invert(names.cohorts, (alias) => !isIdText(alias));
  const roles = invert(names.roles, () => true);
  return {
    flag: (id) => flagKeys.get(id),
    cohort: (id) => cohorts.get(id),
    role: (id) => roles.get(id),
  };
}

/** Replaces ids of other flags with their keys. The id of a flag that is not listed stays, as a number. */
export function nameFlags(filters: JsonObject, names: NameLookup): JsonObject {
  return mapReferences(filters, {
    flag: (key) => {
      const id = idOf(key);
      return id === undefined ? key : (names.flag(id) ?? id);
    },
  });
}

/** Replaces cohort ids with aliases. An alias stands for a number, so an id that the service has as a string is kept. */
export function nameCohorts(filters: JsonObject, names: NameLookup): JsonObject {
  return mapReferences(filters, {
    cohort: (value) => (typeof value === 'number' ? (names.cohort(value) ?? value) : value),
  });
}

/** The id that a reference holds as a number or a string; `undefined` for anything else. */
export function idOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'string') return isIdText(value) ? Number(value) : undefined;
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

function isIdText(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

/** Chooses the alphabetically first of several names for an id, so that every export is the same. */
function invert<Id>(ids: Readonly<Record<string, Id>>, usable: (name: string) => boolean): Map<Id, string> {
  const sorted = Object.keys(ids).filter(usable).sort().reverse();
  return new Map(sorted.map((name) => [ids[name] as Id, name]));
}

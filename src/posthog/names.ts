/** From a project's ids back to what manifests call them. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Flag } from './flag/flag.ts';
import type { ProjectNames } from './project.ts';
import { mapReferences } from './flag/references.ts';

/** Looks names up by id; `undefined` where there is none. */
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

/** The same filters with other flags by their keys; of a flag that the project does not list its id stays, as a number. */
export function nameFlags(filters: JsonObject, names: NameLookup): JsonObject {
  return mapReferences(filters, {
    flag: (key) => {
      const id = idOf(key);
      return id === undefined ? key : (names.flag(id) ?? id);
    },
  });
}

/** An alias stands for a number, so an id that the service keeps as text stays as it is. */
export function nameCohorts(filters: JsonObject, names: NameLookup): JsonObject {
  return mapReferences(filters, {
    cohort: (value) => (typeof value === 'number' ? (names.cohort(value) ?? value) : value),
  });
}

/** The id that a reference holds as a number or as text; `undefined` for anything else. */
export function idOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'string') return isIdText(value) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function isIdText(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

/** Of several names for one id the first in order of the alphabet, so that every export chooses the same. */
function invert<Id>(ids: Readonly<Record<string, Id>>, usable: (name: string) => boolean): Map<Id, string> {
  const sorted = Object.keys(ids).filter(usable).sort().reverse();
  return new Map(sorted.map((name) => [ids[name] as Id, name]));
}

/** The members that declarations of every kind may have: the projects that they are for, and their previous keys. */

import { toPointer } from '../../base/json-pointer.ts';
import { isJsonArray, objectOrEmpty, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { type Place, placeAt } from '../../base/place.ts';
import { nearest } from '../../base/text.ts';
import type { ProjectProblems } from '../engine/project.ts';
import { type Declaration, isDeclaredIn, membersIn, type FindingOf } from './declaration.ts';
import type { LayeredDeclaration } from './layers.ts';
import type { ManifestProblems } from './problems.ts';

/** The project names of a declaration that the configuration does not have. Pointers are in the manifest's names. */
export function checkProjects(declaration: Declaration, allProjects: readonly string[]): FindingOf<ProjectProblems>[] {
  const { projects, only_in: onlyIn } = membersIn(declaration);
  const named = [
    ...Object.keys(objectOrEmpty(projects)).map((project) => ({ project, at: toPointer(['projects', project]) })),
    ...placedStrings(onlyIn).map(({ text, index }) => ({ project: text, at: `/only_in/${index}` })),
  ];
  return named
    .filter(({ project }) => !allProjects.includes(project))
    .map(({ project, at }) => ({
      code: 'project-unknown',
      severity: 'error',
      at,
      args: { project, ...defined({ suggestion: nearest(project, allProjects) }) },
    }));
}

/** The projects of overlays and `only_in` that the configuration does not have. */
export function strayProjects(declaration: Declaration, allProjects: readonly string[]): string[] {
  return checkProjects(declaration, allProjects).map(({ args: { project } }) => project);
}

/** Previous keys: a resource is not renamed from a key that another one has, or was renamed from. */
export function previousKeysOf(declaration: Declaration): string[] {
  return stringsOf(membersIn(declaration)['previous_keys']);
}

/**
 * The findings by key. `layered` are all declarations of the project, in order of their keys. One with `deleted: true`
 * occupies its key, and its own previous keys are ignored. Pointers are in the manifest's names.
 */
export function checkPreviousKeys(layered: readonly LayeredDeclaration[]): Map<string, FindingOf<ManifestProblems>[]> {
  const taken = new Map<string, Place>(layered.map(({ declaration: { key, places } }) => [key, places.place]));
  const findings = new Map<string, FindingOf<ManifestProblems>[]>();
  for (const { declaration } of layered.filter(({ retired }) => !retired)) {
    const own: FindingOf<ManifestProblems>[] = [];
    for (const { text: key, index } of placedStrings(membersIn(declaration)['previous_keys'])) {
      const at = `/previous_keys/${index}`;
      const other = taken.get(key);
      if (other !== undefined) own.push({ code: 'previous-key-taken', severity: 'error', at, args: { key, other } });
      else taken.set(key, placeAt(declaration.places, at));
    }
    if (own.length > 0) findings.set(declaration.key, own);
  }
  return findings;
}

/** The keys and previous keys, sorted, that declarations have for other projects only. */
export function keysNamedElsewhere(
  all: readonly Declaration[],
  layered: readonly LayeredDeclaration[],
  project: string,
): string[] {
  const keysOf = (declaration: Declaration, isRetired: boolean): readonly string[] =>
    isRetired ? [declaration.key] : [declaration.key, ...previousKeysOf(declaration)];
  const named = new Set(layered.flatMap(({ declaration, retired }) => keysOf(declaration, retired)));
  const elsewhere = all
    .filter((declaration) => !isDeclaredIn(declaration, project))
    .flatMap((declaration) => keysOf(declaration, membersIn(declaration)['deleted'] === true));
  return [...new Set(elsewhere)].filter((key) => !named.has(key)).sort();
}

/** The strings of a list; none when the value is not a list. */
export function stringsOf(value: JsonValue | undefined): string[] {
  return placedStrings(value).map(({ text }) => text);
}

/** The strings of a list with their index. Empty strings name nothing and are left out. */
export function placedStrings(value: JsonValue | undefined): { readonly text: string; readonly index: number }[] {
  if (!isJsonArray(value)) return [];
  return value.flatMap((text, index) => (typeof text === 'string' && text !== '' ? [{ text, index }] : []));
}

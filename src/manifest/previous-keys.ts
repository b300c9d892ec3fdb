/** Previous keys: a resource is not renamed from a key that another one has, or was renamed from. */

import { placeAt, type Place } from '../base/place.ts';
import { membersIn, type Declaration } from './declaration.ts';
import type { FindingOf } from './finding.ts';
import type { LayeredDeclaration } from './layers.ts';
import type { ManifestProblems } from './problems.ts';
import { isDeclaredIn } from './projects.ts';
import { placedStrings, stringsOf } from './strings.ts';

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
  const here = layered.flatMap(({ declaration, retired }) => [
    declaration.key,
    ...(retired ? [] : previousKeysOf(declaration)),
  ]);
  const named = new Set(here);
  const elsewhere = all
    .filter((declaration) => !isDeclaredIn(declaration, project))
    .flatMap((declaration) => [
      declaration.key,
      ...(membersIn(declaration)['deleted'] === true ? [] : previousKeysOf(declaration)),
    ]);
  return [...new Set(elsewhere)].filter((key) => !named.has(key)).sort();
}

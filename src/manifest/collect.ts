/** Collects the declarations of all files by section, and reports keys that are declared twice. */

import { comparing } from '../base/compare-strings.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import type { Declaration, ManifestFile } from './declaration.ts';
import { placeFinding } from './finding.ts';
import type { SectionForm } from './section.ts';

export interface Collected {
  /** By the name of the section. */
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>;
  readonly complete: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** The result does not depend on the order of the files. */
export function collectDeclarations(files: readonly ManifestFile[], sections: readonly SectionForm[]): Collected {
  const sorted = files.toSorted(comparing(({ file }) => file));
  const bySection = new Map<string, Declaration[]>(sections.map(({ name }) => [name, []]));
  for (const { declarations } of sorted) {
    for (const declaration of declarations) bySection.get(declaration.section)?.push(declaration);
  }
  const diagnostics: Diagnostic[] = [];
  for (const { name, duplicate } of sections) {
    if (duplicate === undefined) continue;
    const byKey = new Map<string, Declaration>();
    for (const declaration of bySection.get(name) ?? []) {
      const first = byKey.get(declaration.key);
      if (first === undefined) byKey.set(declaration.key, declaration);
      else diagnostics.push(placeFinding(declaration, { ...duplicate(declaration.key, first.places.place), at: '' }));
    }
    bySection.set(name, [...byKey.values()].sort(comparing(({ key }) => key)));
  }
  return { declarations: bySection, complete: sorted.every(({ complete }) => complete), diagnostics };
}

/** Reads who decides about the fields of flags, by key patterns. */

import { keyGlob } from '../base/key-glob.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type PlaceTree } from '../base/place.ts';
import { toPointer } from '../base/json-pointer.ts';
import type { Ownership } from '../core/engine/ownership.ts';
import { checkRule } from '../posthog/flag/checks/ownership.ts';
import { parseFieldPath, type OwnershipRule } from '../posthog/flag/model/fields.ts';
import type { OwnershipSet } from '../posthog/project.ts';
import { placeProblems, problemsOfEach, projectProblems } from './checks.ts';
import type { ConfigDiagnostic } from './problems.ts';

export interface WrittenOwnership {
  readonly keys: readonly string[];
  readonly projects?: readonly string[];
  readonly fields: Readonly<Record<string, Ownership>>;
}

interface NamedSet extends OwnershipSet {
  /** The projects to which it applies; absent: all. */
  readonly projects?: readonly string[];
}

/** Resolves the rules of each project, and finds mistakes in them. Key patterns are checked with those of the whole file. */
export function resolveOwnership(
  written: readonly WrittenOwnership[],
  names: readonly string[],
  places: PlaceTree,
): { readonly ownershipOf: (project: string) => readonly OwnershipSet[]; readonly diagnostics: ConfigDiagnostic[] } {
  const diagnostics: ConfigDiagnostic[] = [];
  const sets = written.map(({ keys, projects, fields }, index): NamedSet => {
    const unknown = problemsOfEach(projects ?? [], '/projects', (project, member) =>
      projectProblems(project, names, member),
    );
    diagnostics.push(...placeProblems(unknown, `/ownership/${index}`, places));
    const rules = Object.entries(fields).flatMap(([text, ownership]): OwnershipRule[] => {
      const at = toPointer(['ownership', index, 'fields', text]);
      const [path, source] = [parseFieldPath(text), placeAt(places, at)];
      if ('problem' in path) {
        const args = { path: text, problem: path.problem };
        diagnostics.push({ code: 'ownership-path-invalid', severity: 'error', place: source, path: at, args });
        return [];
      }
      const rule = { path, ownership, source };
      const problems = checkRule(rule).map((one) => ({ ...one, place: source, path: at }) as ConfigDiagnostic);
      diagnostics.push(...problems);
      return [rule];
    });
    const matchers = keys.map((pattern) => keyGlob(pattern));
    return { matches: (key) => matchers.some((matches) => matches(key)), rules, ...defined({ projects }) };
  });
  return {
    ownershipOf: (project) => sets.filter(({ projects }) => projects?.includes(project) ?? true),
    diagnostics,
  };
}

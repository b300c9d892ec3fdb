/** Reads who decides about the fields of flags, by key patterns. */

import { keyGlob } from '../base/key-glob.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place, type PlaceTree } from '../base/place.ts';
import { toPointer } from '../base/json-pointer.ts';
import { nearest } from '../base/text.ts';
import type { Ownership } from '../engine/ownership.ts';
import { checkRule } from '../posthog/flag/checks/ownership.ts';
import { parseFieldPath } from '../posthog/flag/model/field-path.ts';
import type { OwnershipRule } from '../posthog/flag/model/fields.ts';
import type { OwnershipSet } from '../posthog/project.ts';
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
  const report = (path: string, found: Pick<ConfigDiagnostic, 'code' | 'severity' | 'args'>): void => {
    diagnostics.push({ ...found, place: placeAt(places, path), path } as ConfigDiagnostic);
  };
  const sets = written.map(({ keys, projects, fields }, index): NamedSet => {
    for (const [at, project] of (projects ?? []).entries()) {
      if (names.includes(project)) continue;
      const args = { project, ...defined({ suggestion: nearest(project, names) }) };
      report(`/ownership/${index}/projects/${at}`, { code: 'project-unknown', severity: 'error', args });
    }
    const rules = Object.entries(fields).flatMap(([text, ownership]) => {
      const at = toPointer(['ownership', index, 'fields', text]);
      const read = readRule(text, ownership, placeAt(places, at));
      for (const problem of read.problems) report(at, problem);
      return read.rules;
    });
    return { matches: matchAny(keys), rules, ...defined({ projects }) };
  });
  return {
    ownershipOf: (project) => sets.filter(({ projects }) => projects?.includes(project) ?? true),
    diagnostics,
  };
}

interface OwnershipReading {
  readonly rules: readonly OwnershipRule[];
  readonly problems: readonly Pick<ConfigDiagnostic, 'code' | 'severity' | 'args'>[];
}

function readRule(text: string, ownership: Ownership, source: Place): OwnershipReading {
  const path = parseFieldPath(text);
  if ('problem' in path) {
    const args = { path: text, problem: path.problem };
    return { rules: [], problems: [{ code: 'ownership-path-invalid', severity: 'error', args }] };
  }
  const rule = { path, ownership, source };
  return { rules: [rule], problems: checkRule(rule) as OwnershipReading['problems'] };
}

function matchAny(patterns: readonly string[]): (key: string) => boolean {
  const matchers = patterns.map((pattern) => keyGlob(pattern));
  return (key) => matchers.some((matches) => matches(key));
}

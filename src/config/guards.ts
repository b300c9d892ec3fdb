/** Reads the guards of the configuration: what the steps of guarded rollouts wait for. */

import { toPointer } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import type { PlaceTree } from '../base/place.ts';
import { parseDuration } from '../base/times.ts';
import { DEFAULT_MAX_AGE_MS, DEFAULT_PATIENCE_MS, type Guard } from '../core/rollout/guard.ts';
import { placeProblems, problemsOfEach, projectProblems } from './checks.ts';
import type { ConfigDiagnostic } from './problems.ts';

export interface WrittenGuard {
  readonly alert?: string;
  readonly verdict?: string;
  readonly max_age?: string;
  readonly patience?: string;
  readonly projects?: readonly string[];
}

/** `names`: of the projects. */
export function resolveGuards(
  written: Readonly<Record<string, WrittenGuard>>,
  names: readonly string[],
  places: PlaceTree,
): { readonly guards: readonly Guard[]; readonly diagnostics: readonly ConfigDiagnostic[] } {
  const diagnostics: ConfigDiagnostic[] = [];
  const guards = Object.entries(written).flatMap(
    ([name, { alert, verdict, max_age: maxAge, patience, projects }]): Guard[] => {
      const at = toPointer(['guards', name]);
      const unknown = problemsOfEach(projects ?? [], '/projects', (one, member) => projectProblems(one, names, member));
      const isOne = (alert === undefined) !== (verdict === undefined);
      const source = isOne ? [] : ([{ code: 'guard-source', args: { name }, member: '' }] as const);
      diagnostics.push(...placeProblems([...unknown, ...source], at, places));
      if (!isOne) return [];
      return [
        {
          name,
          source: alert === undefined ? { verdict: verdict ?? '' } : { alert },
          maxAge: parseDuration(maxAge ?? '') ?? DEFAULT_MAX_AGE_MS,
          patience: parseDuration(patience ?? '') ?? DEFAULT_PATIENCE_MS,
          ...defined({ projects }),
        },
      ];
    },
  );
  return { guards, diagnostics };
}

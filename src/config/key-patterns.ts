/** Checks the configuration's globs over flag keys: an invalid one would match nothing without notice. */

import { keyGlobProblem } from '../base/key-glob.ts';
import { placeAt, type PlaceTree } from '../base/place.ts';
import type { ConfigDiagnostic } from './problems.ts';
import type { WrittenConfig } from './written.ts';

export function checkKeyPatterns(
  { protected: guarded, scope, ownership = [] }: WrittenConfig,
  places: PlaceTree,
): ConfigDiagnostic[] {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['/protected', guarded ?? []],
    ['/scope/include', scope?.include ?? []],
    ['/scope/exclude', scope?.exclude ?? []],
    ...ownership.map(({ keys }, index) => [`/ownership/${index}/keys`, keys] as const),
  ];
  return lists.flatMap(([at, patterns]) =>
    patterns.flatMap((pattern, index) => {
      const path = `${at}/${index}`;
      return checkPattern(pattern).map(
        (found) => ({ ...found, place: placeAt(places, path), path }) as ConfigDiagnostic,
      );
    }),
  );
}

// The service trims keys, so none begins or ends with a space.
function checkPattern(pattern: string): ConfigDiagnostic[] {
  const problem = keyGlobProblem(pattern);
  return [
    ...(problem === undefined
      ? []
      : [{ code: 'key-pattern-invalid', severity: 'error', args: { pattern, problem } } as const]),
    ...(pattern === pattern.trim()
      ? []
      : [{ code: 'key-pattern-spaces', severity: 'warning', args: { pattern } } as const]),
  ];
}

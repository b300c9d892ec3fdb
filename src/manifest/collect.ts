/** The flags and roles of all files together, each key once. */

import { comparing } from '../base/compare-strings.ts';
import type { ManifestDiagnostic } from '../posthog/manifest-problems.ts';
import { toPointer } from '../base/json-pointer.ts';
import type { ManifestFile, ManifestFlag, ManifestRole } from './manifest.ts';

export interface Collected {
  /** Sorted by key. */
  readonly flags: readonly ManifestFlag[];
  readonly roles: readonly ManifestRole[];
  /** Every key that a manifest declares. */
  readonly keys: ReadonlySet<string>;
  readonly complete: boolean;
  readonly diagnostics: readonly ManifestDiagnostic[];
}

/** The order in which the files are given does not count. */
export function collectFlags(files: readonly ManifestFile[]): Collected {
  const sorted = files.toSorted(comparing(({ file }) => file));
  const byKey = new Map<string, ManifestFlag>();
  const diagnostics: ManifestDiagnostic[] = [];
  for (const flag of sorted.flatMap(({ flags }) => flags)) {
    const first = byKey.get(flag.key);
    if (first === undefined) byKey.set(flag.key, flag);
    else diagnostics.push(duplicate(flag, first));
  }
  const flags = [...byKey.values()].sort(comparing(({ key }) => key));
  return {
    flags,
    roles: sorted.flatMap(({ roles }) => roles),
    keys: new Set(byKey.keys()),
    complete: sorted.every(({ complete }) => complete),
    diagnostics,
  };
}

function duplicate({ key, places }: ManifestFlag, first: ManifestFlag): ManifestDiagnostic {
  return {
    code: 'flag-duplicate',
    severity: 'error',
    place: places.place,
    path: toPointer(['flags', key]),
    args: { key, other: first.places.place },
  };
}

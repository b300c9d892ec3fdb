/** Reads an export back in memory, like any manifests: its diagnostics and its plan. */

import type { ManifestDiagnostic } from '../../../src/posthog/manifests/problems.ts';
import type { Export, ExportOptions } from '../../../src/loop/export/export.ts';
import { writeManifests } from '../../../src/loop/export/write-manifests.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { ProjectNames } from '../../../src/posthog/project.ts';
import type { Change } from '../../../src/posthog/plan.ts';
import { planFor } from '../../helpers/states.ts';

export const NAMES: ProjectNames = {
  roles: { engineering: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11' },
  cohorts: { 'beta-testers': 42 },
};

export interface LoadedBack {
  readonly exported: Export;
  readonly errors: readonly ManifestDiagnostic['code'][];
  readonly desired: DesiredState;
  readonly changes: readonly Change[];
  readonly unmanaged: readonly string[];
}

export function loadedBack(
  flags: readonly Flag[],
  roleAccess?: LiveState['roleAccess'],
  options: ExportOptions = {},
): LoadedBack {
  const exported = writeManifests({ flags, roleAccess, names: NAMES }, options);
  const parsed = exported.files.map(({ path, text }) => parseManifest(path, text));
  const resolved = resolveManifests(
    parsed.map(({ file }) => file),
    { name: 'p', ...NAMES },
    ['p'],
  );
  const plan = planFor(resolved.desired, { flags, roleAccess: roleAccess ?? {} });
  const diagnostics = [...parsed.flatMap((file) => file.diagnostics), ...resolved.diagnostics];
  return {
    exported,
    errors: diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    desired: resolved.desired,
    changes: plan.changes,
    unmanaged: plan.unmanaged,
  };
}

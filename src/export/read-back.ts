/** Loads and plans exported manifests, and reports which live flags they do not reproduce. */

import { fromPointer } from '../base/json-pointer.ts';
import { MAX_FILE_BYTES } from '../manifest/tree-source.ts';
import { parseManifest, resolveManifests } from '../posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import type { DesiredFlag } from '../posthog/desired.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { FLAG_KINDS } from '../posthog/kinds.ts';
import { takeSnapshot, type ProjectSnapshot } from '../posthog/snapshot.ts';
import type { ExportedFile, ExportInput, ExportOptions, ExportReason } from './export.ts';

export interface ExportCheck {
  /** The reasons against writing a flag in this form, by key; no entry for a flag that reads back unchanged. */
  readonly reasons: ReadonlyMap<string, readonly ExportReason[]>;
  /** Errors that are not about one flag: the flags in that file could not be read. */
  readonly unplaced: readonly ManifestDiagnostic['code'][];
}

const PROJECT = 'exported';

export function readBack(
  files: readonly ExportedFile[],
  flags: readonly Flag[],
  { input, options = {} }: { readonly input: ExportInput; readonly options?: ExportOptions },
): ExportCheck {
  const { flags: live, roleAccess = {}, names } = input;
  const project = { name: options.onlyIn ?? PROJECT, roles: names.roles, cohorts: names.cohorts };
  const parsed = files.map(parse);
  const manifests = parsed.map(({ file }) => file);
  const { desired, diagnostics } = resolveManifests(manifests, project, [project.name]);
  const errors = [...parsed.flatMap((file) => file.diagnostics), ...diagnostics].filter(isError);
  const reasons = new Map<string, Set<ExportReason>>();
  for (const { path = '', code } of errors) {
    const key = fromPointer(path)[1];
    if (key !== undefined) reasons.set(key, (reasons.get(key) ?? new Set()).add(code));
  }
  const desiredByKey = new Map(desired.flags.map((flag) => [flag.key, flag]));
  const snapshot = takeSnapshot({ flags: live, roleAccess });
  for (const flag of flags) {
    if (reasons.has(flag.key) || isAsLive(flag, desiredByKey.get(flag.key), snapshot)) continue;
    reasons.set(flag.key, new Set(['reads-differently']));
  }
  return {
    reasons: new Map([...reasons].map(([key, found]) => [key, [...found].sort()])),
    unplaced: errors.flatMap(({ path = '', code }) => (fromPointer(path)[1] === undefined ? [code] : [])),
  };
}

/** Reads the text as a file, which has a size limit. */
function parse({ path, text }: ExportedFile): ReturnType<typeof parseManifest> {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_FILE_BYTES) return parseManifest(path, text);
  const problem: ManifestDiagnostic = {
    code: 'file-too-large',
    severity: 'error',
    args: { bytes, limit: MAX_FILE_BYTES },
  };
  return { file: { file: path, complete: false, declarations: [] }, diagnostics: [problem] };
}

function isError({ severity }: ManifestDiagnostic): boolean {
  return severity === 'error';
}

/** Whether a plan has nothing to do for the flag. */
function isAsLive(live: Flag, desired: DesiredFlag | undefined, snapshot: ProjectSnapshot): boolean {
  if (desired?.kind !== 'declared') return false;
  return FLAG_KINDS.every((kind) => {
    const { changes, warnings } = kind.compare({ desired, live }, snapshot);
    return changes.length === 0 && !warnings.some(({ code }) => code === 'filters_opaque');
  });
}

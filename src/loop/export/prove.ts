/** The one loop of an export: write, read back, and write in another form, or leave out, what does not read back as it is live. */

import { FlagwrightError } from '../../base/errors.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { MAX_FILE_BYTES } from '../../core/manifest/tree-source.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import { parseManifest, resolveManifests } from '../../posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import type { ExportedFile, ExportInput, ExportOptions, ExportReason } from './export.ts';

export interface ProofSteps<One> {
  readonly keyOf: (one: One) => string;
  readonly write: (chosen: readonly One[]) => readonly ExportedFile[];
  readonly readBack: (files: readonly ExportedFile[], chosen: readonly One[]) => ExportCheck;
  /** The form to try next for a resource that does not read back; `undefined` if there is none. */
  readonly nextForm: (one: One, reasons: readonly ExportReason[]) => One | undefined;
}

export interface ExportCheck {
  /** The reasons against writing a resource in this form, by key; no entry for one that reads back unchanged. */
  readonly reasons: ReadonlyMap<string, readonly ExportReason[]>;
  /** Errors that are not about one resource: those in that file could not be read. */
  readonly unplaced: readonly ManifestDiagnostic['code'][];
}

export interface ProvenFiles<One> {
  readonly files: readonly ExportedFile[];
  readonly chosen: readonly One[];
  readonly notExported: readonly { readonly one: One; readonly reasons: readonly ExportReason[] }[];
}

/** Writes only what reproduces live state, even if an older service stored something unusual. */
export function writeProven<One>(all: readonly One[], steps: ProofSteps<One>): ProvenFiles<One> {
  const notExported: ProvenFiles<One>['notExported'][number][] = [];
  let chosen = all;
  for (;;) {
    if (chosen.length === 0) return { files: [], chosen, notExported };
    const files = steps.write(chosen);
    const problems = findProblems(chosen, files, steps);
    if (problems.size === 0) return { files, chosen, notExported };
    const reasonsOf = (one: One): readonly ExportReason[] | undefined => problems.get(steps.keyOf(one));
    if (chosen.every((one) => reasonsOf(one) === undefined)) throw unreadable([...problems.values()].flat());
    chosen = chosen.flatMap((one) => {
      const reasons = reasonsOf(one);
      if (reasons === undefined) return [one];
      const next = steps.nextForm(one, reasons);
      if (next === undefined) notExported.push({ one, reasons });
      return next === undefined ? [] : [next];
    });
  }
}

function findProblems<One>(
  chosen: readonly One[],
  files: readonly ExportedFile[],
  steps: ProofSteps<One>,
): ExportCheck['reasons'] {
  const together = steps.readBack(files, chosen);
  if (together.unplaced.length === 0) return together.reasons;
  // If a file cannot be read, what is in it is read one by one.
  const apart = chosen.flatMap((one): (readonly [string, readonly ExportReason[]])[] => {
    const { reasons, unplaced } = steps.readBack(steps.write([one]), [one]);
    return unplaced.length === 0 ? [...reasons] : [[steps.keyOf(one), [...new Set(unplaced)].sort()]];
  });
  if (apart.length === 0) throw unreadable(together.unplaced);
  return new Map(apart);
}

function unreadable(reasons: readonly ExportReason[]): FlagwrightError {
  return new FlagwrightError('internal', `Exported manifests cannot be read: ${reasons.join(', ')}.`);
}

interface ToCheck {
  readonly section: FamilyName;
  /** The keys of what the files must reproduce. */
  readonly keys: readonly string[];
  readonly input: Pick<ExportInput, 'names'>;
  readonly options: ExportOptions;
  /** The keys of the section that a plan would leave as they are live. */
  readonly findUnchanged: (desired: DesiredState) => ReadonlySet<string>;
}

/** Loads and plans exported manifests, and reports which resources of the section they do not reproduce. */
export function checkFiles(
  files: readonly ExportedFile[],
  { section, keys, input: { names }, options, findUnchanged }: ToCheck,
): ExportCheck {
  const project = { name: options.onlyIn ?? 'exported', roles: names.roles, cohorts: names.cohorts };
  const parsed = files.map((file) => parse(file, options.folder));
  const manifests = parsed.map(({ file }) => file);
  const { desired, diagnostics } = resolveManifests(manifests, project, [project.name]);
  const errors = [...parsed.flatMap((file) => file.diagnostics), ...diagnostics].filter(
    ({ severity }) => severity === 'error',
  );
  const reasons = new Map<string, Set<ExportReason>>();
  const unplaced: ManifestDiagnostic['code'][] = [];
  for (const { path = '', code } of errors) {
    const [at, key] = fromPointer(path);
    if (key === undefined) unplaced.push(code);
    else if (at === section) reasons.set(key, (reasons.get(key) ?? new Set()).add(code));
  }
  const unchanged = findUnchanged(desired);
  for (const key of keys) {
    if (!reasons.has(key) && !unchanged.has(key)) reasons.set(key, new Set(['reads-differently']));
  }
  return { reasons: new Map([...reasons].map(([key, found]) => [key, [...found].sort()])), unplaced };
}

/** Reads the text as a file, which has a size limit. */
function parse({ path: file, text }: ExportedFile, folder = ''): ReturnType<typeof parseManifest> {
  const path = folder === '' ? file : `${folder}/${file}`;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_FILE_BYTES) return parseManifest(path, text);
  const problem: ManifestDiagnostic = {
    code: 'file-too-large',
    severity: 'error',
    args: { bytes, limit: MAX_FILE_BYTES },
  };
  return { file: { file: path, complete: false, declarations: [] }, diagnostics: [problem] };
}

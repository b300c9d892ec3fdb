/** Exports live flags to manifest files that read as if written by hand. */

import { compareStrings, comparing } from '../base/compare-strings.ts';
import { FlagwrightError } from '../base/errors.ts';
import { fromPointer } from '../base/json-pointer.ts';
import { memberOf } from '../base/json.ts';
import { MAX_FILE_BYTES } from '../manifest/tree-source.ts';
import type { DesiredFlag } from '../posthog/desired.ts';
import { FLAG_FIELDS } from '../posthog/flag/model/fields.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import { isUsual } from '../posthog/flag/layout/flag.ts';
import { FLAG_KINDS } from '../posthog/kinds.ts';
import { parseManifest, resolveManifests } from '../posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import { lookupNames } from '../posthog/flag/model/names.ts';
import type { HeldAccess } from '../posthog/role-access/access.ts';
import { type ProjectSnapshot, takeSnapshot } from '../posthog/snapshot.ts';
import { findNotes, heldFor } from './notes.ts';
import { writeCohorts } from './cohorts.ts';
import { writeFeatures } from './early-access.ts';
import type {
  Export,
  ExportedFile,
  ExportInput,
  ExportOptions,
  ExportReason,
  LeftOutFlag,
  UnmanagedMember,
  UnmanagedReason,
} from './export.ts';
import { type ChosenFlag, type ExportContext, writeFiles } from './files.ts';

interface ChosenForms {
  readonly files: readonly ExportedFile[];
  readonly chosen: readonly ChosenFlag[];
  readonly leftOut: readonly LeftOutFlag[];
}

/**
 * Writes manifests for all flags that are not deleted. The same input gives the same text, and a plan of the manifests
 * against the exported project is empty. A flag for which that is impossible is listed in `leftOut` instead.
 */
export function writeManifests(input: ExportInput, options: ExportOptions = {}): Export {
  const existing = input.flags
    .filter((flag) => flag.deleted !== true)
    .toSorted((a, b) => compareStrings(a.key, b.key) || a.id - b.id);
  const names = lookupNames(existing, input.names);
  const wanted = existing.filter(({ key }) => input.keys?.has(key) !== false);
  const isSecond = ({ key }: Flag, index: number): boolean => wanted[index - 1]?.key === key;
  const planned = wanted.filter((flag, index) => !isSecond(flag, index));
  const { files, chosen, leftOut } = chooseForms(planned, { input, options, names });
  const cohorts = writeCohorts(
    chosen.map(({ flag }) => flag),
    { input, options, names },
    files.map((file) => file.path),
  );
  const features = writeFeatures(
    chosen.map(({ flag }) => flag),
    { input, options, names },
    files,
  );
  return {
    files: [...files, ...cohorts.files, ...features.files].toSorted(comparing((file) => file.path)),
    notes: [
      ...chosen.flatMap(({ flag }) => findNotes(flag, input, names)),
      ...cohorts.notes,
      ...features.notes,
    ].toSorted(comparing(({ key }) => key)),
    unchecked: chosen.flatMap(({ flag: { key }, reasons }) => (reasons.length > 0 ? [{ key, reasons }] : [])),
    leftOut: [...leftOut, ...wanted.filter(isSecond).map(sharesKey)].toSorted(comparing(({ key }) => key)),
    unmanaged: findUnmanaged(
      chosen.map(({ flag }) => flag),
      input,
      options,
    ),
  };
}

/** Plans use the lowest id of several flags with the same key. */
function sharesKey({ key, id }: Flag): LeftOutFlag {
  return { key, id, reasons: ['key-shared'] };
}

/**
 * Loads and plans the files before they are written. A flag with a problem gets the next form, until no problem is left. So
 * every written flag loads to what is live, whatever older services stored.
 */
function chooseForms(flags: readonly Flag[], surroundings: ExportContext): ChosenForms {
  const leftOut: LeftOutFlag[] = [];
  let chosen = flags.map((flag): ChosenFlag => ({ flag, form: 'checked', reasons: [] }));
  for (;;) {
    const files = writeFiles(chosen, surroundings);
    const problems = findProblems(chosen, files, surroundings);
    if (problems.size === 0) return { files, chosen, leftOut };
    if (!chosen.some(({ flag }) => problems.has(flag.key))) throw unreadable([...problems.values()].flat());
    chosen = chosen.flatMap((one): ChosenFlag[] => {
      const reasons = problems.get(one.flag.key);
      if (reasons === undefined) return [one];
      if (one.form === 'checked' && one.flag.filters !== undefined) return [{ ...one, form: 'unchecked', reasons }];
      leftOut.push({ key: one.flag.key, id: one.flag.id, reasons });
      return [];
    });
  }
}

function findProblems(
  chosen: readonly ChosenFlag[],
  files: readonly ExportedFile[],
  surroundings: ExportContext,
): ExportCheck['reasons'] {
  const together = readBack(files, flagsOf(chosen), surroundings);
  if (together.unplaced.length === 0) return together.reasons;
  // If a file cannot be read, its flags are read one by one.
  const apart = new Map(chosen.flatMap((one) => [...problemsApart(one, surroundings)]));
  if (apart.size === 0) throw unreadable(together.unplaced);
  return apart;
}

function problemsApart(one: ChosenFlag, surroundings: ExportContext): ExportCheck['reasons'] {
  const { reasons, unplaced } = readBack(writeFiles([one], surroundings), [one.flag], surroundings);
  return unplaced.length === 0 ? reasons : new Map([[one.flag.key, [...new Set(unplaced)].sort()]]);
}

function unreadable(reasons: readonly ExportReason[]): FlagwrightError {
  return new FlagwrightError('internal', `Exported manifests cannot be read: ${reasons.join(', ')}.`);
}

function flagsOf(chosen: readonly ChosenFlag[]): Flag[] {
  return chosen.map(({ flag }) => flag);
}

/** Undeclared values that could be declared, in the order of a manifest, role access last. `flags` are those that are in the files. */
function findUnmanaged(
  flags: readonly Flag[],
  input: Pick<ExportInput, 'roleAccess' | 'organization'>,
  { minimal = false }: ExportOptions,
): UnmanagedMember[] {
  const count = (member: string, reason: UnmanagedReason, omits: (flag: Flag) => boolean): UnmanagedMember[] => {
    const omitting = flags.filter(omits).length;
    return omitting === 0 ? [] : [{ member, flags: omitting, reason }];
  };
  const fields = FLAG_FIELDS.flatMap((field): UnmanagedMember[] => {
    if (field.ownership === 'computed' || field.declaredBy !== undefined || field.api === 'filters') return [];
    const member = field.manifest ?? `fields.${field.api}`;
    if (field.write === undefined)
      return count(member, 'never-exported', (flag) => memberOf(flag, field.api) !== undefined);
    return minimal ? count(member, 'minimal', (flag) => isUsual(flag, field)) : [];
  });
  const roles =
    input.roleAccess === undefined
      ? count('role_access', 'not-read', () => true)
      : minimal
        ? count('role_access', 'minimal', (flag) => isBare(heldFor(flag, input)))
        : [];
  return [...fields, ...roles];
}

/** The short form writes nothing of it. */
function isBare(access: HeldAccess | undefined): boolean {
  return access !== undefined && access.roles.length === 0 && access.everyone === null;
}

export interface ExportCheck {
  /** The reasons against writing a flag in this form, by key; no entry for a flag that reads back unchanged. */
  readonly reasons: ReadonlyMap<string, readonly ExportReason[]>;
  /** Errors that are not about one flag: the flags in that file could not be read. */
  readonly unplaced: readonly ManifestDiagnostic['code'][];
}

const PROJECT = 'exported';

/** Loads and plans exported manifests, and reports which live flags they do not reproduce. */
export function readBack(
  files: readonly ExportedFile[],
  flags: readonly Flag[],
  { input, options = {} }: { readonly input: ExportInput; readonly options?: ExportOptions },
): ExportCheck {
  const { flags: live, roleAccess = {}, names } = input;
  const project = { name: options.onlyIn ?? PROJECT, roles: names.roles, cohorts: names.cohorts };
  const parsed = files.map((file) => parse(file, options.folder));
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

/** Exports live flags to manifest files that read as if written by hand. */

import { compareStrings, comparing } from '../base/compare-strings.ts';
import { FlagwrightError } from '../base/errors.ts';
import { memberOf } from '../base/json.ts';
import { FLAG_FIELDS } from '../posthog/flag/fields.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { isUsual } from '../posthog/flag/layout/flag.ts';
import { lookupNames } from '../posthog/names.ts';
import type { HeldAccess } from '../posthog/role-access/access.ts';
import { heldFor } from './access.ts';
import { writeCohorts } from './cohorts.ts';
import { writeFeatures } from './early-access.ts';
import type {
  Export,
  ExportInput,
  ExportOptions,
  LeftOutFlag,
  ExportedFile,
  ExportReason,
  UnmanagedMember,
  UnmanagedReason,
} from './export.ts';
import { writeFiles, type ChosenFlag, type ExportContext } from './files.ts';
import { findNotes } from './notes.ts';
import { readBack, type ExportCheck } from './read-back.ts';

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
  const planned = wanted.filter(({ key }, index) => wanted[index - 1]?.key !== key);
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
    leftOut: [...leftOut, ...wanted.filter((flag) => !planned.includes(flag)).map(sharesKey)].toSorted(
      comparing(({ key }) => key),
    ),
    unmanaged: findUnmanaged(
      chosen.map(({ flag }) => flag),
      input,
      options,
    ),
  };
}

/** Of several flags with the same key, plans use the one with the lowest id. */
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

/** What could be declared and is not, in the order of a manifest, role access last. `flags` are those that are in the files. */
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

/** Nothing of it is written in the short form. */
function isBare(access: HeldAccess | undefined): boolean {
  return access !== undefined && access.roles.length === 0 && access.everyone === null;
}

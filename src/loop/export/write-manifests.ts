/** Exports live flags to manifest files that read as if written by hand. */

import { compareStrings, comparing } from '../../base/compare-strings.ts';
import { memberOf } from '../../base/json.ts';
import { isLeftOut } from '../../posthog/flag/layout.ts';
import { FLAG_FIELDS } from '../../posthog/flag/model/fields.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import { FLAG_KINDS } from '../../posthog/kinds.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import type { Export, ExportedFile, ExportInput, ExportOptions, UnmanagedMember, UnmanagedReason } from './export.ts';
import { writeFiles, type ChosenFlag } from './files.ts';
import { writeFurther } from './further.ts';
import { findNotes, heldFor } from './notes.ts';
import { checkFiles, writeProven, type ExportCheck } from './prove.ts';

/**
 * Writes manifests for all flags that are not deleted. The same input gives the same text, and a plan of the manifests
 * against the exported project is empty. A flag for which that is impossible is listed in `notExported` instead.
 */
export function writeManifests(input: ExportInput, options: ExportOptions = {}): Export {
  const existing = input.flags
    .filter((flag) => flag.deleted !== true)
    .toSorted((a, b) => compareStrings(a.key, b.key) || a.id - b.id);
  const names = lookupNames(existing, input.names);
  const wanted = existing.filter(({ key }) => input.keys?.has(key) !== false);
  // Plans use the lowest id of several flags with the same key.
  const isSecond = ({ key }: Flag, index: number): boolean => wanted[index - 1]?.key === key;
  const planned = wanted.filter((flag, index) => !isSecond(flag, index));
  const context = { input, options, names };
  // A flag with a problem gets the next form, until no problem is left.
  const { files, chosen, notExported } = writeProven<ChosenFlag>(
    planned.map((flag) => ({ flag, form: 'checked', reasons: [] })),
    {
      keyOf: ({ flag }) => flag.key,
      write: (some) => writeFiles(some, context),
      readBack: (written, some) =>
        readBack(
          written,
          some.map(({ flag }) => flag),
          context,
        ),
      nextForm: (one, reasons) =>
        one.form === 'checked' && one.flag.filters !== undefined ? { ...one, form: 'unchecked', reasons } : undefined,
    },
  );
  const flags = chosen.map(({ flag }) => flag);
  const further = writeFurther(flags, context, files);
  const notes = [...flags.flatMap((flag) => findNotes(flag, input, names)), ...further.notes];
  return {
    files: [...files, ...further.files].toSorted(comparing((file) => file.path)),
    flags: flags.length,
    notes: notes.toSorted(comparing(({ key }) => key)),
    unchecked: chosen.flatMap(({ flag: { key }, reasons }) => (reasons.length > 0 ? [{ key, reasons }] : [])),
    notExported: [
      ...notExported.map(({ one: { flag }, reasons }) => ({ key: flag.key, id: flag.id, reasons })),
      ...wanted.filter(isSecond).map(({ key, id }) => ({ key, id, reasons: ['key-shared'] as const })),
    ].toSorted(comparing(({ key }) => key)),
    unmanaged: findUnmanaged(flags, input, options),
  };
}

/** Undeclared values that could be declared, in the order of a manifest, role access last. `flags` are those that are in the files. */
function findUnmanaged(
  flags: readonly Flag[],
  input: Pick<ExportInput, 'roleAccess' | 'organization'>,
  options: ExportOptions,
): UnmanagedMember[] {
  const count = (member: string, reason: UnmanagedReason, omits: (flag: Flag) => boolean): UnmanagedMember[] => {
    const omitting = flags.filter(omits).length;
    return omitting === 0 ? [] : [{ member, flags: omitting, reason }];
  };
  const fields = FLAG_FIELDS.flatMap((field): UnmanagedMember[] => {
    if (field.ownership === 'computed' || field.declaredBy !== undefined || field.api === 'filters') return [];
    const member = field.manifest ?? `fields.${field.api}`;
    if (field.write === undefined) {
      return count(member, 'never-exported', (flag) => memberOf(flag, field.api) !== undefined);
    }
    return count(member, 'minimal', (flag) => isLeftOut(flag, field, options));
  });
  if (input.roleAccess === undefined) return [...fields, ...count('role_access', 'not-read', () => true)];
  // The short form omits that nobody was given access.
  const isBare = (flag: Flag): boolean => {
    const access = heldFor(flag, input);
    return access !== undefined && access.roles.length === 0 && access.everyone === null;
  };
  return [...fields, ...(options.minimal === true ? count('role_access', 'minimal', isBare) : [])];
}

/** Loads and plans exported manifests, and reports which live flags they do not reproduce. */
export function readBack(
  files: readonly ExportedFile[],
  flags: readonly Flag[],
  { input, options = {} }: { readonly input: ExportInput; readonly options?: ExportOptions },
): ExportCheck {
  const { flags: all, roleAccess = {} } = input;
  const keys = flags.map(({ key }) => key);
  return checkFiles(files, {
    ...{ section: 'flags', keys, input, options },
    findUnchanged: (desired) => {
      const byKey = new Map(desired.flags.map((flag) => [flag.key, flag]));
      const snapshot = takeSnapshot({ flags: all, roleAccess });
      // A plan has nothing to do for these.
      const unchanged = flags.filter((live) => {
        const wanted = byKey.get(live.key);
        if (wanted?.kind !== 'declared') return false;
        return FLAG_KINDS.every((kind) => {
          const { changes, warnings } = kind.compare({ desired: wanted, live }, snapshot);
          return changes.length === 0 && !warnings.some(({ code }) => code === 'filters_opaque');
        });
      });
      return new Set(unchanged.map(({ key }) => key));
    },
  });
}

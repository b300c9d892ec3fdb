/** Live flags to manifest files, such as a careful person would have written. */

import type { JsonObject } from '../../base/json.ts';
import type { Flag } from '../../model/flag.ts';
import type { Export, ExportInput, ExportNote, ExportOptions } from './export.ts';
import { writtenFlag } from './flag.ts';
import { groupFiles } from './group-files.ts';
import { layOut } from './layout.ts';
import { lookupNames } from './names.ts';
import { notesOf } from './notes.ts';

/**
 * Manifests for all flags that are not deleted. The same input gives the same text; a plan of the manifests against
 * the project that they were made from is empty.
 */
export function writeManifests(input: ExportInput, options: ExportOptions = {}): Export {
  const existing = input.flags.filter((flag) => flag.deleted !== true).toSorted(byKey);
  const flags = existing.filter((flag) => isManifestKey(flag.key));
  const names = lookupNames(existing, input.names);
  const rolesOf = (flag: Flag) => input.roleAccess?.[String(flag.id)];
  const written = new Map(flags.map((flag) => [flag.key, writtenFlag(flag, rolesOf(flag), names)]));
  const grouped = groupFiles([...written.keys()], options.groupBy ?? 'prefix');
  return {
    files: [...grouped].map(([path, keys]) => ({
      path,
      text: layOut({ flags: pickFlags(written, keys) }, options.schemaPath),
    })),
    notes: existing.flatMap((flag): ExportNote[] =>
      isManifestKey(flag.key)
        ? notesOf(flag, rolesOf(flag), names)
        : [{ kind: 'key-invalid', key: flag.key, id: flag.id }],
    ),
  };
}

/** Services before 2025 took any text as a key. Manifests hold what today's service takes, but for JavaScript's own name. */
function isManifestKey(key: string): boolean {
  return /^(?!__proto__$)[A-Za-z0-9_-]{1,400}$/.test(key);
}

function pickFlags(written: ReadonlyMap<string, JsonObject>, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, written.get(key)]));
}

function byKey(a: Flag, b: Flag): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

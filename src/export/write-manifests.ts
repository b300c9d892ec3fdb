/** Exports live flags to manifest files that read as if written by hand. */

import { compareStrings, comparing } from '../base/compare-strings.ts';
import { lookupNames } from '../posthog/names.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { chooseForms } from './choose-forms.ts';
import { writeCohorts } from './cohorts.ts';
import { writeFeatures } from './early-access.ts';
import type { Export, ExportInput, ExportOptions, LeftOutFlag } from './export.ts';
import { findNotes } from './notes.ts';
import { findUnmanaged } from './unmanaged.ts';

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

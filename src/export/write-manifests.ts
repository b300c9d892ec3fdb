/** Live flags to manifest files, such as a careful person would have written. */

import { compareStrings, comparing } from '../base/compare-strings.ts';
import { lookupNames } from '../posthog/names.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { chooseForms } from './choose-forms.ts';
import type { Export, ExportInput, ExportOptions, LeftOutFlag } from './export.ts';
import { notesOf } from './notes.ts';

/**
 * Manifests for all flags that are not deleted. The same input gives the same text; a plan of the manifests against
 * the project that they were made from is empty. A flag of which that could not be said is in no file, and named.
 */
export function writeManifests(input: ExportInput, options: ExportOptions = {}): Export {
  const existing = input.flags
    .filter((flag) => flag.deleted !== true)
    .toSorted((a, b) => compareStrings(a.key, b.key) || a.id - b.id);
  const names = lookupNames(existing, input.names);
  const planned = existing.filter(({ key }, index) => existing[index - 1]?.key !== key);
  const { files, chosen, leftOut } = chooseForms(planned, { input, options, names });
  return {
    files,
    notes: chosen.flatMap(({ flag }) => notesOf(flag, input.roleAccess?.[String(flag.id)], names)),
    unchecked: chosen.flatMap(({ flag: { key }, reasons }) => (reasons.length > 0 ? [{ key, reasons }] : [])),
    leftOut: [...leftOut, ...existing.filter((flag) => !planned.includes(flag)).map(sharesKey)].toSorted(
      comparing(({ key }) => key),
    ),
  };
}

/** Of several flags with one key a plan looks at the one with the lowest id. */
function sharesKey({ key, id }: Flag): LeftOutFlag {
  return { key, id, reasons: ['key-shared'] };
}

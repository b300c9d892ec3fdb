/** The problems of manifests that do not depend on a kind of resource, and their words. */

import type { Place } from '../../base/place.ts';
import type { ShapeProblems } from '../../base/shape/problems.ts';
import { EITHER, ERROR, listed, quoted, shown, type WordsFor } from '../../base/wording.ts';
import type { YamlProblems } from '../../base/yaml/problems.ts';
import type { ProjectProblems } from '../engine/project.ts';

export interface ManifestProblems {
  'file-outside': { readonly pattern: string };
  /** An error for a file that the user names, a warning for one found near the manifests. */
  'file-unmatched': { readonly patterns: readonly string[] };
  'manifests-none': { readonly patterns: readonly string[] };
  'previous-key-taken': { readonly key: string; readonly other: Place };
}

/** Everything that reading manifests may report, apart from the problems of the kinds. */
export type ManifestReadingProblems = YamlProblems & ShapeProblems & ProjectProblems & ManifestProblems;

export const MANIFEST_WORDS: WordsFor<ManifestProblems> = {
  'file-outside': {
    title: "A pattern or a symbolic link leads outside the configuration's folder",
    severities: ERROR,
    hint: 'Keep manifests in or below the folder of flagwright.yaml.',
    message: ({ pattern }) => `${quoted(pattern)} leads outside the folder of the configuration.`,
  },
  'file-unmatched': {
    title: 'A file that declares flags matches no pattern of `manifests`',
    severities: EITHER,
    hint: 'Rename or move it, or add it to `manifests` in flagwright.yaml; a pattern that begins with `!` leaves it out on purpose.',
    message: ({ patterns }) =>
      `This file does not match \`manifests\`, ${listed(patterns.slice(0, 8))}: plan and apply ignore it.`,
  },
  'manifests-none': {
    title: 'No file matches `manifests`',
    severities: ERROR,
    hint: 'Correct `manifests` in flagwright.yaml, or create a first manifest with `flagwright init`.',
    message: ({ patterns }) => `No file matches ${listed(patterns)}.`,
  },
  'previous-key-taken': {
    title: 'A previous key is in use by another flag',
    severities: ERROR,
    hint: 'Remove the previous key, or the flag that uses it.',
    message: ({ key, other }) => `${quoted(key)} is in use at ${placeText(other)}, so it cannot be a previous key.`,
  },
};

/** `flags/checkout.yaml:3:5`. */
export function placeText({ file, line, column }: Place): string {
  return `${shown(file)}:${line}:${column}`;
}

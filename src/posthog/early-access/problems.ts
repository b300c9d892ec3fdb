/** The problems of declared early access features, and their words. */

import type { OfProjects } from '../../base/diagnostic.ts';
import type { Place } from '../../base/place.ts';
import { didYouMean, EITHER, ERROR, projectsText, quoted, shown, type WordsFor } from '../../base/wording.ts';

export interface EarlyAccessProblems {
  'early-access-duplicate': { readonly alias: string; readonly other: Place };
  /** The service keeps one feature for each flag. */
  'early-access-flag-taken': { readonly alias: string; readonly other: string; readonly flag: string };
  /** The flag is declared with `deleted: true`. */
  /** `renamed`: the new key, where a manifest has this one among the previous keys. */
  'early-access-flag-unknown': OfProjects & {
    readonly alias: string;
    readonly flag: string;
    readonly renamed?: string;
    readonly suggestion?: string;
  };
  'early-access-flag-deleted': { readonly alias: string; readonly flag: string };
  /** The flag declares a part of `filters` that the stage writes. `stage`: absent if none is declared. */
  'early-access-contradicted': {
    readonly alias: string;
    readonly flag: string;
    readonly part: string;
    readonly stage?: string;
  };
}

export const EARLY_ACCESS_WORDS: WordsFor<EarlyAccessProblems> = {
  'early-access-duplicate': {
    title: 'An early access feature is declared twice',
    severities: ERROR,
    hint: 'Remove one of the two, or move what differs between projects to `projects`.',
    message: ({ alias, other }) =>
      `Early access feature ${quoted(alias)} is already declared at ${other.file}:${other.line}:${other.column}.`,
  },
  'early-access-flag-taken': {
    title: 'Two early access features are declared for one flag',
    severities: ERROR,
    hint: 'Declare only one of them: PostHog allows one early access feature per flag.',
    message: ({ alias, other, flag }) =>
      `Early access features ${quoted(other)} and ${quoted(alias)} both offer the flag ${quoted(flag)}.`,
  },
  'early-access-flag-unknown': {
    title: 'An early access feature offers a flag that no manifest declares for the project',
    severities: EITHER,
    hint: 'Name the flag by its current key, or declare it; a warning where nothing renames it, since it may exist unmanaged.',
    message: ({ alias, flag, renamed, ...at }) =>
      `Early access feature ${quoted(alias)} offers the flag ${quoted(flag)}, which ${renamed === undefined ? `no manifest declares for ${projectsText(at)}` : `the manifests rename to ${quoted(renamed)}`}.`,
    remedy: ({ renamed, suggestion }) =>
      renamed === undefined
        ? didYouMean(suggestion, 'Correct `flag`, or declare the flag.')
        : `Write \`flag: ${shown(renamed)}\`.`,
  },
  'early-access-flag-deleted': {
    title: 'An early access feature offers a flag that is declared as deleted',
    severities: ERROR,
    hint: 'Remove `deleted: true` of the flag: PostHog does not delete a flag that has an early access feature.',
    message: ({ alias, flag }) =>
      `Early access feature ${quoted(alias)} offers the flag ${quoted(flag)}, which is declared as deleted.`,
  },
  'early-access-contradicted': {
    title: 'A flag declares enrollment, which the stage of its early access feature decides',
    severities: ERROR,
    hint: 'Remove the part from the `filters` of the flag: PostHog writes it whenever the stage changes.',
    message: ({ alias, flag, part, stage }) =>
      `Flag ${quoted(flag)} declares \`filters.${shown(part)}\`, which ${
        stage === undefined ? 'the stage' : `the stage ${quoted(stage)}`
      } of the early access feature ${quoted(alias)} decides.`,
  },
};

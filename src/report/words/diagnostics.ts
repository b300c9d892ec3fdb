/** The words for every diagnostic: one table that joins those of the folders. docs/diagnostics.md has a row for each code. */

import type { Diagnostic, DiagnosticOf } from '../../base/diagnostic.ts';
import { describeWith, type WordsFor } from '../../base/wording.ts';
import type { ConfigReadingProblems } from '../../config/problems.ts';
import type { ExpectationProblems } from '../../expectations/problems.ts';
import type { AllManifestProblems } from '../../posthog/manifests/problems.ts';
import { ALL_MANIFEST_WORDS } from '../../posthog/manifests/words.ts';
import { CONFIG_READING_WORDS } from '../../config/reading-words.ts';
import { EXPECTATION_WORDS } from '../../expectations/words.ts';

type AllProblems = AllManifestProblems & ConfigReadingProblems & ExpectationProblems;

export type DiagnosticCode = keyof AllProblems;

/** A diagnostic of any folder, with the arguments of its code. */
export type KnownDiagnostic = DiagnosticOf<AllProblems>;

/** Does not compile when a code has no words. */
export const DIAGNOSTIC_WORDS: WordsFor<AllProblems> = {
  ...ALL_MANIFEST_WORDS,
  ...CONFIG_READING_WORDS,
  ...EXPECTATION_WORDS,
};

/** The problem and its fix, one sentence each. Values from files are shortened, escaped and masked. */
export function describe(diagnostic: Diagnostic): { readonly message: string; readonly remedy: string } {
  return describeWith(DIAGNOSTIC_WORDS, diagnostic as KnownDiagnostic);
}

/** Whether the line of the file may be printed: not when it holds a secret, or is not text. */
export function mayShowSource({ code }: Diagnostic): boolean {
  return DIAGNOSTIC_WORDS[code as DiagnosticCode].hidesSource !== true;
}

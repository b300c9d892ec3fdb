/** What a check hands back: a problem at a pointer in the flag, not yet placed in a file. */

import type { Severity } from '../base/diagnostic.ts';
import type { AllManifestProblems } from '../posthog/manifest-problems.ts';

export type Finding = {
  readonly [Code in keyof AllManifestProblems]: {
    readonly code: Code;
    readonly severity: Severity;
    /** Pointer in the flag's fields by their API names, `/filters/groups/0`. */
    readonly at: string;
    readonly args: AllManifestProblems[Code];
  };
}[keyof AllManifestProblems];

/** What a check hands back: a problem at a pointer in the flag, not yet placed in a file. */

import type { DiagnosticArgs, DiagnosticCode, Severity } from '../base/diagnostic.ts';

export type Finding = {
  readonly [Code in DiagnosticCode]: {
    readonly code: Code;
    readonly severity: Severity;
    /** Pointer in the flag's fields by their API names, `/filters/groups/0`. */
    readonly at: string;
    readonly args: DiagnosticArgs[Code];
  };
}[DiagnosticCode];

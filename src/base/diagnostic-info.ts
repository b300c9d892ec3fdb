/** The words for every diagnostic: one table over all codes, and the only place where diagnostics become sentences. */

import type { Diagnostic, DiagnosticCode } from './diagnostic.ts';
import { CONFIG_WORDS } from './diagnostic-words/config.ts';
import type { DiagnosticEntries } from './diagnostic-words/entry.ts';
import { FILE_WORDS } from './diagnostic-words/files.ts';
import { FILTER_WORDS } from './diagnostic-words/filters.ts';
import { MANIFEST_WORDS } from './diagnostic-words/manifest.ts';
import { SHAPE_WORDS } from './diagnostic-words/shape.ts';

/** Does not compile when a code of `DiagnosticArgs` has no entry; docs/diagnostics.md has a row for each. */
export const DIAGNOSTIC_INFO: DiagnosticEntries<DiagnosticCode> = {
  ...FILE_WORDS,
  ...SHAPE_WORDS,
  ...MANIFEST_WORDS,
  ...FILTER_WORDS,
  ...CONFIG_WORDS,
};

/** What is wrong and what to do, a sentence each. Values of files are cut, and have no control characters or keys. */
export function describe(diagnostic: Diagnostic): { readonly message: string; readonly remedy: string } {
  const entry: Wording = DIAGNOSTIC_INFO[diagnostic.code];
  return {
    message: entry.message(diagnostic.args as never),
    remedy: entry.remedy?.(diagnostic.args as never) ?? entry.hint,
  };
}

/** One line for an error that carries these diagnostics: the only one itself, or how many there are. */
export function summarize(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first !== undefined && errors.length === 1) return describe(first).message;
  const files = new Set(errors.flatMap(({ place }) => place?.file ?? [])).size;
  return `${errors.length} errors${files === 0 ? '' : ` in ${files} ${files === 1 ? 'file' : 'files'}`}.`;
}

/** false where the line of the file holds what must not be shown again, or is no text. */
export function mayShowSource({ code }: Diagnostic): boolean {
  return !UNSHOWN.has(code);
}

const UNSHOWN: ReadonlySet<DiagnosticCode> = new Set([
  'config-key-in-file',
  'config-variable-invalid',
  'config-host-invalid',
  'file-not-utf8',
]);

/** An entry of any code, called with the arguments of that code. */
interface Wording {
  readonly hint: string;
  readonly message: (args: never) => string;
  readonly remedy?: (args: never) => string;
}

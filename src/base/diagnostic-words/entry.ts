/** The form of an entry in the table of diagnostics, and the wording that entries share. */

import { replaceKeys } from '../api-key.ts';
import type { DiagnosticArgs, DiagnosticCode, Severity } from '../diagnostic.ts';

interface DiagnosticEntry<Code extends DiagnosticCode> {
  /** What is wrong, in general: the row of docs/diagnostics.md. */
  readonly title: string;
  readonly severities: readonly Severity[];
  /** What to do, in general. */
  readonly hint: string;
  /** What is wrong here: one sentence. */
  readonly message: (args: DiagnosticArgs[Code]) => string;
  /** What to do here, where more can be said than the hint. */
  readonly remedy?: (args: DiagnosticArgs[Code]) => string;
}

export type DiagnosticEntries<Code extends DiagnosticCode> = { readonly [Each in Code]: DiagnosticEntry<Each> };

export const ERROR: readonly Severity[] = ['error'];
export const WARNING: readonly Severity[] = ['warning'];
export const EITHER: readonly Severity[] = ['error', 'warning'];

const SHOWN_CHARACTERS = 80;

/** Text of a file as messages show it: short, on one line, without control characters and API keys. */
export function shown(text: string): string {
  const safe = replaceKeys(text, '[key]').replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escapeCharacter);
  return safe.length <= SHOWN_CHARACTERS ? safe : `${safe.slice(0, SHOWN_CHARACTERS - 1)}…`;
}

export function quoted(text: string): string {
  return `"${shown(text)}"`;
}

/** `"a", "b" or "c"`; long lists are cut. */
export function listed(values: readonly string[], last = 'or'): string {
  const quotedValues = values.map(quoted);
  if (quotedValues.length <= 1) return quotedValues.join('');
  return `${quotedValues.slice(0, -1).join(', ')} ${last} ${quotedValues.at(-1) ?? ''}`;
}

/** `Did you mean "x"?` before what is to be done otherwise. */
export function didYouMean(suggestion: string | undefined, otherwise: string): string {
  return suggestion === undefined ? otherwise : `Did you mean ${quoted(suggestion)}?`;
}

function escapeCharacter(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

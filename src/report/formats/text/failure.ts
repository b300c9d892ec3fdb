/** Why the whole run failed as text: what is wrong, and how to fix it. */

import type { ErrorCode, FlagwrightError } from '../../../base/errors.ts';
import { brokenRules } from '../../../policy/broken-rules.ts';
import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { brokenRuleLines } from './broken-rules.ts';
import { diagnosticsText } from './diagnostics.ts';
import { refusedLines } from './undo.ts';

export function failureText(
  { error, hazards = [], findings = [], changes = [], refused = [], project }: ReportOf<'failure'>,
  view: View,
): string {
  const { diagnostics } = error;
  const parts: string[] = [];
  if (diagnostics.length > 0) parts.push(`${diagnosticsText(diagnostics, view)}\n`);
  // A single diagnostic says the same as the message.
  if (diagnostics.length === 1 && SUMMARIES.has(error.code)) return parts.join('');
  const broken = brokenRules({ hazards, findings, changes });
  if (broken.length > 0) {
    const rules = { heading: 'Refused:', palette: view.palette, project: project?.name };
    parts.push(`${brokenRuleLines(broken, rules).join('\n')}\n`);
  }
  if (refused.length > 0) parts.push(`${refusedLines(refused, view).join('\n')}\n`);
  parts.push(errorText(error, view));
  if (view.verbose && error.code === 'internal' && error.cause instanceof Error) {
    parts.push(`${String(error.cause.stack).split('\n').map(escapeLine).join('\n')}\n`);
  }
  return parts.join('');
}

/** The message of these errors only summarizes their diagnostics. */
export const SUMMARIES: ReadonlySet<ErrorCode> = new Set(['config_invalid', 'manifest_invalid', 'tests_invalid']);

/** The message and the remedy. */
export function errorText({ message, remedy }: FlagwrightError, { palette }: Pick<View, 'palette'>): string {
  const line = `${palette.error('error')}  ${escapeLine(message)}\n`;
  return remedy === undefined ? line : `${line}  ${palette.dim('→')} ${escapeLine(remedy)}\n`;
}

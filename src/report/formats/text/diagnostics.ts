/** Diagnostics as text: place, severity, message and remedy, with the line of the file and a caret under the place. */

import { describe, mayShowSource } from '../../words/diagnostics.ts';
import { maskKeys } from '../../../base/api-key.ts';
import type { Diagnostic } from '../../../base/diagnostic.ts';
import type { Place } from '../../../base/place.ts';
import { escapeLine } from '../../escape.ts';
import { placeText } from './place.ts';
import type { Palette, View } from '../../view.ts';

type DiagnosticView = Pick<View, 'palette' | 'sourceLine'>;

const SOURCE_WIDTH = 100;

export function diagnosticsText(diagnostics: readonly Diagnostic[], view: DiagnosticView): string {
  return diagnostics.map((diagnostic) => `${diagnosticBlock(diagnostic, view).join('\n')}\n`).join('\n');
}

export function diagnosticBlock(diagnostic: Diagnostic, { palette, sourceLine }: DiagnosticView): string[] {
  const { message, remedy } = describe(diagnostic);
  const paint = diagnostic.severity === 'error' ? palette.error : palette.warning;
  const where = diagnostic.place === undefined ? '' : `${palette.strong(placeText(diagnostic.place))}  `;
  const shown = diagnostic.place === undefined || !mayShowSource(diagnostic) ? undefined : diagnostic.place;
  const line = shown === undefined ? undefined : sourceLine?.(shown);
  return [
    `${where}${paint(diagnostic.severity)}  ${escapeLine(message)}  ${palette.dim(diagnostic.code)}`,
    ...(line === undefined || shown === undefined ? [] : excerpt(line, shown, palette)),
    `  ${palette.dim('→')} ${escapeLine(remedy)}`,
  ];
}

function excerpt(written: string, place: Place, palette: Palette): string[] {
  const line = maskKeys(written);
  const start = Math.max(0, place.column - SOURCE_WIDTH + 20);
  // Escaped as a whole: a command to a build log may begin on one side of the caret and end on the other.
  const shown = escapeLine(line.slice(start, start + SOURCE_WIDTH));
  const before = escapeLine(line.slice(start, place.column - 1));
  const gutter = `${place.line}`;
  return [
    `  ${palette.dim(`${gutter} |`)} ${shown}`,
    `  ${palette.dim(`${' '.repeat(gutter.length)} |`)} ${' '.repeat(before.length)}${palette.error('^')}`,
  ];
}

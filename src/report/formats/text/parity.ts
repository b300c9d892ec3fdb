/** Where projects differ, as text: for each flag the values that are not the same, one line for each project. */

import { FLAG_LABELS } from '../../../posthog/flag/labels.ts';
import type { ParityCell, ParityRow } from '../../../posthog/parity/parity.ts';
import { escapeLine } from '../../escape.ts';
import { countParity, shownRows } from '../../parity-rows.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { count } from '../../words/count.ts';
import { inlineValue } from '../../words/value.ts';
import { cut, displayWidth, pad } from './display-width.ts';
import { joinSections } from './sections.ts';

export function parityText(report: ReportOf<'parity'>, view: View): string {
  const { parity, source } = report;
  const names = parity.projects.map((name) => view.palette.strong(escapeLine(name))).join(', ');
  const byKey = new Map<string, ParityRow[]>();
  for (const row of shownRows(report)) byKey.set(row.key, [...(byKey.get(row.key) ?? []), row]);
  return joinSections([
    [`Parity of ${names} ${view.palette.dim(source === 'live' ? '(live flags)' : '(manifests)')}`],
    ...[...byKey].map(([key, rows]) => flagLines({ key, rows }, report, view)),
    [summaryText(report)],
  ]);
}

function flagLines(
  { key, rows }: { readonly key: string; readonly rows: readonly ParityRow[] },
  { parity }: ReportOf<'parity'>,
  view: View,
): string[] {
  const width = Math.max(...parity.projects.map((name) => displayWidth(escapeLine(name))));
  const lines = rows.flatMap(({ path, cells, declared }) => [
    `    ${labelOf(path)}${declared ? view.palette.dim('  declared') : ''}${noteOf(path, view)}`,
    ...cells.map((cell, index) => {
      const name = pad(escapeLine(parity.projects[index] ?? ''), width);
      return fit(`      ${name}  ${cellText(cell, path)}`, view);
    }),
  ]);
  return [`  ${view.palette.strong(escapeLine(key))}`, ...lines];
}

function labelOf(path: string): string {
  return escapeLine(FLAG_LABELS.field(path));
}

function noteOf(path: string, { palette, verbose }: View): string {
  return verbose && path !== '' ? `  ${palette.dim(escapeLine(path))}` : '';
}

function fit(line: string, { width, verbose }: View): string {
  return width === undefined || verbose ? line : cut(line, width);
}

function cellText(cell: ParityCell, path: string): string {
  if (cell.kind !== 'value') return CELLS[cell.kind];
  return typeof cell.value === 'number' ? `${cell.value}${FLAG_LABELS.unit(path)}` : inlineValue(cell.value);
}

const CELLS: Readonly<Record<Exclude<ParityCell['kind'], 'value'>, string>> = {
  none: '(none)',
  unmanaged: '(not managed)',
  present: 'present',
  absent: 'absent',
};

/** `Parity: 2 undeclared differences in 1 of 38 flags · 5 declared (--declared shows them)`. */
function summaryText({ parity, withDeclared }: ReportOf<'parity'>): string {
  const { declared, undeclared, flags } = countParity(parity);
  const found =
    undeclared === 0
      ? `no undeclared difference in ${count(parity.flags, 'flag')}`
      : `${count(undeclared, 'undeclared difference')} in ${flags} of ${count(parity.flags, 'flag')}`;
  const others = declared === 0 ? '' : ` · ${declared} declared${withDeclared ? '' : ' (--declared shows them)'}`;
  return `Parity: ${found}${others}`;
}

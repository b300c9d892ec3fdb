/** Where projects differ, as text: for each flag and cohort the values that are not the same, one line for each project. */

import { COHORT_LABELS } from '../../../posthog/cohort/labels.ts';
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
import { isOfMain } from '../../../posthog/resource-name.ts';

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
  const labels = isOfMain(key) ? FLAG_LABELS : COHORT_LABELS;
  const width = Math.max(...parity.projects.map((name) => displayWidth(escapeLine(name))));
  const lines = rows.flatMap((row) => [
    `    ${escapeLine(labels.field(row.path))}${noteOf(row, view)}`,
    ...row.cells.map((cell, index) => {
      const name = pad(escapeLine(parity.projects[index] ?? ''), width);
      return fit(`      ${name}  ${cellText(cell, row.path)}`, view);
    }),
  ]);
  return [`  ${view.palette.strong(escapeLine(key))}`, ...lines];
}

function noteOf({ path, declared, others }: ParityRow, { palette, verbose }: View): string {
  const why = others === true ? 'declared: others decide' : 'declared';
  const notes = [...(declared ? [why] : []), ...(verbose && path !== '' ? [escapeLine(path)] : [])];
  return notes.map((note) => `  ${palette.dim(note)}`).join('');
}

function fit(line: string, { width, verbose }: View): string {
  return width === undefined || verbose ? line : cut(line, width);
}

function cellText(cell: ParityCell, path: string): string {
  const usual = cell.kind === 'none' ? FLAG_LABELS.absent(path) : undefined;
  if (usual !== undefined) return inlineValue(usual);
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
  const { declared, undeclared, ...differing } = countParity(parity);
  const found =
    undeclared === 0
      ? `no undeclared difference in ${amountText(parity)}`
      : `${count(undeclared, 'undeclared difference')} in ${amountText(parity, differing)}`;
  const others = declared === 0 ? '' : ` · ${declared} declared${withDeclared ? '' : ' (--declared shows them)'}`;
  return `Parity: ${found}${others}`;
}

type Amount = Pick<ReportOf<'parity'>['parity'], 'flags' | 'cohorts'>;

/** `38 flags and 2 cohorts`; with a part of them `1 of 38 flags and 0 of 2 cohorts`. */
function amountText({ flags, cohorts }: Amount, part?: Amount): string {
  const share = (amount: number | undefined): string => (amount === undefined ? '' : `${amount} of `);
  return [
    ...(flags > 0 || cohorts === 0 ? [`${share(part?.flags)}${count(flags, 'flag')}`] : []),
    ...(cohorts > 0 ? [`${share(part?.cohorts)}${count(cohorts, 'cohort')}`] : []),
  ].join(' and ');
}

/** The model of where projects differ: for each resource the values that are not the same, one line for each project. */

import { FAMILIES } from '../../posthog/families.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import type { ParityCell, ParityRow } from '../../posthog/parity/parity.ts';
import { readName } from '../../posthog/names/resource-name.ts';
import { displayWidth, pad } from '../display-width.ts';
import { escapeLine } from '../escape.ts';
import { countParity, shownRows } from '../parity-rows.ts';
import type { ReportOf } from '../report.ts';
import { count } from '../words/amounts.ts';
import { labelsOf } from '../words/kinds.ts';
import { inlineValue } from '../words/values.ts';
import { sourceSpan } from './edits.ts';
import { toned, type Span, joined } from '../phrase.ts';
import type { ReportEntry, ReportGroup, ReportLine, ReportModel } from './report-model.ts';

export function parityModel(report: ReportOf<'parity'>, verbose: boolean): ReportModel {
  const names = report.parity.projects.map((name): Span[] => [toned('strong', escapeLine(name))]);
  return {
    title: { words: ['Parity of ', ...joined(names), ' ', sourceSpan(report.source)] },
    summary: summaryText(report),
    page: () => ({ facts: [], notices: [], groups: [rowsGroup(report, verbose)] }),
  };
}

function rowsGroup(report: ReportOf<'parity'>, verbose: boolean): ReportGroup {
  const byKey = new Map<string, ParityRow[]>();
  for (const row of shownRows(report)) byKey.set(row.key, [...(byKey.get(row.key) ?? []), row]);
  return {
    about: 'values',
    title: 'Differences',
    form: 'blocks',
    indent: { head: 2, lines: 4 },
    spacing: 'always',
    entries: [...byKey].map(([key, rows]): ReportEntry => ({
      head: [toned('strong', escapeLine(key))],
      lines: rows.flatMap((row) => rowLines(row, report, verbose)),
    })),
  };
}

function rowLines(row: ParityRow, { parity }: ReportOf<'parity'>, verbose: boolean): ReportLine[] {
  const { key, path, cells } = row;
  const labels = labelsOf({ resource: readName(key).kind });
  const names = parity.projects.map(escapeLine);
  const width = Math.max(...names.map(displayWidth));
  return [
    { phrase: [escapeLine(labels.field(path)), ...noteSpans(row, verbose)] },
    ...cells.map((cell, index): ReportLine => ({
      phrase: `${pad(names[index] ?? '', width)}  ${cellText(cell, path)}`,
      indent: 2,
      isCut: true,
    })),
  ];
}

function noteSpans({ path, declared, others }: ParityRow, verbose: boolean): Span[] {
  const why = others === true ? 'declared: others decide' : 'declared';
  const notes = [...(declared ? [why] : []), ...(verbose && path !== '' ? [escapeLine(path)] : [])];
  return notes.flatMap((note) => ['  ', toned('dim', note)]);
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

type ParityAmount = Readonly<Record<FamilyName, number>>;

/** `38 flags and 2 cohorts`; with a part of them `1 of 38 flags and 0 of 2 cohorts`. */
function amountText(all: ParityAmount, part?: ParityAmount): string {
  const compared = FAMILIES.filter(({ section }) => all[section] > 0);
  return (compared.length === 0 ? FAMILIES.slice(0, 1) : compared)
    .map(({ kind, section }) => {
      const { noun, plural } = labelsOf({ resource: kind });
      return `${part === undefined ? '' : `${part[section]} of `}${count(all[section], noun, plural)}`;
    })
    .join(' and ');
}

/** What optional rooms add to the report of a plan: a row for each member of `PlanSections`. */

import type { Change, Plan } from '../../posthog/plan.ts';
import type { PlanSections, ReportOf } from '../report.ts';
import * as readers from './code-readers.ts';
import type { Remark } from './remark.ts';
import type { ReportFact, ReportLine } from './report-model.ts';

interface PlanSection<Given> {
  /** Below the change. */
  readonly lines: (given: Given, change: Change) => readonly ReportLine[];
  /** About the whole. */
  readonly facts: (given: Given) => readonly ReportFact[];
  readonly remarks: (given: Given, plan: Plan) => readonly Remark[];
}

const SECTIONS: { readonly [Name in keyof PlanSections]-?: PlanSection<NonNullable<PlanSections[Name]>> } = {
  readers,
};

interface Sections {
  readonly lines: (change: Change) => readonly ReportLine[];
  readonly facts: () => readonly ReportFact[];
  readonly remarks: () => readonly Remark[];
}

export function sectionsOf({ plan, sections = {} }: ReportOf<'plan'>): Sections {
  const given = new Map<string, unknown>(Object.entries(sections));
  const rows = Object.entries<PlanSection<never>>(SECTIONS).filter(([name]) => given.has(name));
  const all = rows.map(([name, row]) => ({ row, value: given.get(name) as never }));
  return {
    lines: (change) => all.flatMap(({ row, value }) => row.lines(value, change)),
    facts: () => all.flatMap(({ row, value }) => row.facts(value)),
    remarks: () => all.flatMap(({ row, value }) => row.remarks(value, plan)),
  };
}

/** Makes the model of any report. A new report needs a function that makes its model, and a row here. */

import { once } from '../../base/once.ts';
import type { ReportKind, ReportOf } from '../report.ts';
import type { View } from '../view.ts';
import type { ReportModel } from './report-model.ts';

/** Kinds of reports with a model. The others are answers of the service or programs, which each format lays out in its own way. */
export type ModeledKind = Exclude<
  ReportKind,
  'service' | 'script' | 'flag-manifest' | 'catalog' | 'records' | 'record' | 'done'
>;

type Make<Kind extends ReportKind> = (report: ReportOf<Kind>, verbose: boolean) => ReportModel | Promise<ReportModel>;

/** A row loads its module only for a report of its kind. */
const MODELS: { readonly [Kind in ModeledKind]: () => Promise<Make<Kind>> } = {
  plan: async () => (await import('./plan.ts')).planModel,
  drift: async () => (await import('./plan.ts')).driftModel,
  result: async () => (await import('./runs.ts')).resultModel,
  nothing: async () => (await import('./runs.ts')).nothingModel,
  projects: async () => (await import('./projects.ts')).projectsModel,
  undo: async () => (await import('./plan.ts')).undoModel,
  resuming: async () => (await import('./runs.ts')).resumingModel,
  run: async () => (await import('./runs.ts')).runModel,
  history: async () => (await import('./runs.ts')).historyModel,
  validation: async () => (await import('./validation.ts')).validationModel,
  test: async () => (await import('./checks.ts')).testModel,
  files: async () => (await import('./files.ts')).filesModel,
  export: async () => (await import('./files.ts')).filesModel,
  promote: async () => (await import('./editing.ts')).promoteModel,
  rehearsal: async () => (await import('./values.ts')).rehearsalModel,
  parity: async () => (await import('./values.ts')).parityModel,
  explain: async () => (await import('./values.ts')).explainModel,
  accept: async () => (await import('./editing.ts')).acceptModel,
  doctor: async () => (await import('./checks.ts')).doctorModel,
  refs: async () => (await import('./code.ts')).referencesModel,
  stale: async () => (await import('./code.ts')).staleModel,
  warnings: async () => (await import('./rules.ts')).warningsModel,
  diagnostics: async () => (await import('./problems.ts')).diagnosticsModel,
  failure: async () => (await import('./problems.ts')).failureModel,
};

export const MODELED = Object.keys(MODELS) as readonly ModeledKind[];

/** Kinds of reports that lists next to the lines of files show. */
export const REMARKED = [
  'plan',
  'drift',
  'result',
  'nothing',
  'projects',
  'undo',
  'validation',
  'test',
  'refs',
  'stale',
  'failure',
] as const satisfies readonly ModeledKind[];

export type RemarkedKind = (typeof REMARKED)[number];

const known = new WeakMap<ReportOf<ModeledKind>, { readonly verbose: boolean; readonly model: ReportModel }>();

/** Makes the model of a report once, for all formats that show it. */
export async function modelOf(report: ReportOf<ModeledKind>, { verbose }: Pick<View, 'verbose'>): Promise<ReportModel> {
  const before = known.get(report);
  if (before?.verbose === verbose) return before.model;
  // The report has the kind of the row.
  const make = (await MODELS[report.kind]()) as Make<ReportKind>;
  const { page, ...model } = await make(report, verbose);
  const made = { ...model, page: once(page) };
  known.set(report, { verbose, model: made });
  return made;
}

/** The text and the Markdown of reports whose model is made at once. */

import { modelMarkdown } from '../../src/report/formats/markdown/page.ts';
import { modelText } from '../../src/report/formats/text/page.ts';
import { diagnosticsModel, failureModel } from '../../src/report/model/problems.ts';
import type { ReportModel } from '../../src/report/model/report-model.ts';
import { driftModel, planModel } from '../../src/report/model/plan.ts';
import { historyModel, nothingModel, resultModel, runModel } from '../../src/report/model/runs.ts';
import type { ReportKind, ReportOf } from '../../src/report/report.ts';
import type { View } from '../../src/report/view.ts';

type Shown<Kind extends ReportKind> = (report: ReportOf<Kind>, view: View) => string;

const textOf =
  <Kind extends ReportKind>(make: (report: ReportOf<Kind>, verbose: boolean) => ReportModel): Shown<Kind> =>
  (report, view) =>
    modelText(make(report, view.verbose), view);

const markdownOf =
  <Kind extends ReportKind>(make: (report: ReportOf<Kind>, verbose: boolean) => ReportModel): Shown<Kind> =>
  (report, view) =>
    modelMarkdown(make(report, view.verbose), view);

export const planText = textOf(planModel);
export const driftText = textOf(driftModel);
export const resultText = textOf(resultModel);
export const historyText = textOf(historyModel);
export const runText = textOf(runModel);
export const nothingText = textOf(nothingModel);
export const failureText = textOf(failureModel);
export const diagnosticsText = textOf(diagnosticsModel);

export const planMarkdown = markdownOf(planModel);
export const driftMarkdown = markdownOf(driftModel);

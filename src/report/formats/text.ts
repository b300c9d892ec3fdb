/** Text for people. A report has one text, made from its model; answers of commands on resources are laid out as tables. */

import { disarmLines } from '../escape.ts';
import type { Renderer } from '../renderer.ts';
import type { ReportOf } from '../report.ts';
import type { View } from '../view.ts';
import { indentedJson, sealJson } from './json/seal.ts';
import { reportText } from './text/page.ts';

/** Every kind of report has a text. */
export const TEXT: Renderer & { readonly forms: Required<Renderer['forms']> } = {
  forms: {
    plan: reportText,
    drift: reportText,
    result: reportText,
    nothing: reportText,
    undo: reportText,
    resuming: reportText,
    run: reportText,
    history: reportText,
    validation: reportText,
    test: reportText,
    files: reportText,
    export: reportText,
    promote: patchOrText,
    rehearsal: reportText,
    parity: reportText,
    explain: reportText,
    accept: patchOrText,
    doctor: reportText,
    refs: reportText,
    stale: async (report, view) =>
      report.tasks ? (await import('./markdown/stale-task.ts')).tasksText(report) : reportText(report, view),
    service: ({ environment }) =>
      Object.entries(environment)
        .map(([name, value]) => `export ${name}=${value}\n`)
        .join(''),
    'flag-manifest': ({ manifest }) => sealJson(indentedJson(manifest)),
    script: ({ text }) => text,
    records: async (report, view) =>
      report.layout !== 'activity'
        ? (await import('./text/records.ts')).recordsText(report, view)
        : (await import('./text/records.ts')).activityText(report, view),
    record: async (report, view) =>
      report.layout === 'flag'
        ? (await import('./text/flag.ts')).flagText(report.record, view)
        : (await import('./text/records.ts')).recordText(report, view),
    done: async (report) => (await import('./text/records.ts')).doneText(report),
    warnings: reportText,
    diagnostics: reportText,
    failure: reportText,
  },
  seal: disarmLines,
};

/** `--patch` prints only the patch. */
function patchOrText(report: ReportOf<'accept' | 'promote'>, view: View): string | Promise<string> {
  return report.patch ?? reportText(report, view);
}

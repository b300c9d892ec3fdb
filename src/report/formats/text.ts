/** Text for people. A file in `text/` renders each kind of report and is loaded when it is needed. */

import { disarmLines } from '../escape.ts';
import type { Renderer } from '../renderer.ts';

export const TEXT: Renderer = {
  forms: {
    plan: async (report, view) => (await import('./text/plan.ts')).planText(report, view),
    drift: async (report, view) => (await import('./text/drift.ts')).driftText(report, view),
    result: async (report, view) => (await import('./text/result.ts')).resultText(report, view),
    nothing: async (report, view) => (await import('./text/nothing.ts')).nothingText(report, view),
    undo: async (report, view) => (await import('./text/undo.ts')).undoText(report, view),
    resuming: async (report, view) => (await import('./text/history.ts')).resumingText(report, view),
    run: async (report, view) => (await import('./text/history.ts')).runText(report, view),
    history: async (report, view) => (await import('./text/history.ts')).historyText(report, view),
    validation: async (report, view) => (await import('./text/validation.ts')).validationText(report, view),
    files: async (report, view) => (await import('./text/files.ts')).filesText(report, view),
    export: async (report, view) => (await import('./text/files.ts')).filesText(report, view),
    service: async (report) => (await import('./text/service.ts')).serviceText(report),
    records: async (report, view) => (await import('./text/records.ts')).recordsText(report, view),
    record: async (report, view) => (await import('./text/records.ts')).recordText(report, view),
    done: async (report) => (await import('./text/records.ts')).doneText(report),
    warnings: async (report, view) => (await import('./text/plan.ts')).warningsText(report, view),
    diagnostics: async (report, view) =>
      (await import('./text/diagnostics.ts')).diagnosticsText(report.diagnostics, view),
    failure: async (report, view) => (await import('./text/failure.ts')).failureText(report, view),
  },
  seal: disarmLines,
};

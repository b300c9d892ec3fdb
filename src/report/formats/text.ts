/** Text for people. A file in `text/` renders each kind of report; those with many parts are loaded when they are needed. */

import { disarmLines } from '../escape.ts';
import type { Renderer } from '../renderer.ts';
import { filesText } from './text/files.ts';
import { serviceText } from './text/service.ts';
import { validationText } from './text/validation.ts';

export const TEXT: Renderer = {
  forms: {
    plan: async (report, view) => (await import('./text/runs.ts')).planText(report, view),
    drift: async (report, view) => (await import('./text/runs.ts')).driftText(report, view),
    result: async (report, view) => (await import('./text/runs.ts')).resultText(report, view),
    nothing: async (report, view) => (await import('./text/runs.ts')).nothingText(report, view),
    undo: async (report, view) => (await import('./text/runs.ts')).undoText(report, view),
    resuming: async (report, view) => (await import('./text/runs.ts')).resumingText(report, view),
    run: async (report, view) => (await import('./text/runs.ts')).runText(report, view),
    history: async (report, view) => (await import('./text/runs.ts')).historyText(report, view),
    validation: validationText,
    test: async (report, view) => (await import('./text/test.ts')).testText(report, view),
    files: filesText,
    export: filesText,
    promote: async (report, view) => (await import('./text/promote.ts')).promoteText(report, view),
    parity: async (report, view) => (await import('./text/parity.ts')).parityText(report, view),
    explain: async (report, view) => (await import('./text/explain.ts')).explainText(report, view),
    accept: async (report, view) => (await import('./text/accept.ts')).acceptText(report, view),
    service: serviceText,
    script: ({ text }) => text,
    records: async (report, view) =>
      report.layout === 'activity'
        ? (await import('./text/activity.ts')).activityText(report, view)
        : (await import('./text/records.ts')).recordsText(report, view),
    record: async (report, view) =>
      report.layout === 'flag'
        ? (await import('./text/flag.ts')).flagText(report.record, view)
        : (await import('./text/records.ts')).recordText(report, view),
    done: async (report) => (await import('./text/records.ts')).doneText(report),
    warnings: async (report, view) => (await import('./text/runs.ts')).warningsText(report, view),
    diagnostics: async (report, view) =>
      (await import('./text/diagnostics.ts')).diagnosticsText(report.diagnostics, view),
    failure: async (report, view) => (await import('./text/failure.ts')).failureText(report, view),
  },
  seal: disarmLines,
};

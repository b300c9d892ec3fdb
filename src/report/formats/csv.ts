/** CSV, for the answers of commands on resources. */

import { disarmLines } from '../escape.ts';
import type { Renderer } from '../renderer.ts';

export const CSV: Renderer = {
  forms: {
    parity: async (report, view) => (await import('./csv/records.ts')).parityCsv(report, view),
    refs: async (report, view) => (await import('./csv/records.ts')).referencesCsv(report, view),
    stale: async (report, view) => (await import('./csv/records.ts')).staleCsv(report, view),
    records: async (report, view) => (await import('./csv/records.ts')).csvRecords(report, view),
    record: async ({ record }, view) => (await import('./csv/records.ts')).csvOfOne(record, view),
    done: async ({ record }, view) => (await import('./csv/records.ts')).csvOfOne(record, view),
  },
  seal: disarmLines,
};

/**
 * What users read, whole: each report in the formats for people as it is stored in `transcripts/`. A change of words or of order that
 * nobody meant fails here, and one that is meant shows in review: `npx vitest run test/report/transcripts.test.ts -u` stores it.
 */

import { expect, test } from 'vitest';
import { type Format, formatsOf } from '../../src/report/formats/render.ts';
import type { Report } from '../../src/report/report.ts';
import { DOCUMENTS } from './document-samples.ts';
import { FULL_DRIFT, FULL_PLAN, FULL_RESULT, FULL_UNDO, FULL_VALIDATION } from './full-samples.ts';
import { renderWhole } from './render-whole.ts';
import { KINDS, sampleOf } from './samples-of-kinds.ts';
import { VIEW } from './samples.ts';

const FULL: readonly Report[] = [FULL_PLAN, FULL_DRIFT, FULL_UNDO, FULL_RESULT, FULL_VALIDATION];
/** Reports that a job shows beside a pull request. */
const IN_PIPELINES = /^(?:plan|result|validation|test|failure|drift)-/;
/** Records are rendered in parts. */
const OTHERS = KINDS.filter((kind) => kind !== 'records' && FULL.every((one) => one.kind !== kind));
const STORED: readonly Format[] = ['text', 'markdown', 'html', 'github', 'json', 'message', 'slack', 'teams'];
/** Of a plan, these repeat for programs what the others say. */
const STORED_OF_SMALL: readonly Format[] = [...STORED, 'junit', 'gitlab', 'sarif', 'csv'];
const isSmall = (kind: string): boolean => ['validation', 'result', 'test', 'failure'].includes(kind);

const CASES = [...FULL, ...OTHERS.map((kind) => sampleOf(kind))].flatMap((report) =>
  formatsOf([report.kind])
    .filter((format) => (isSmall(report.kind) ? STORED_OF_SMALL : STORED).includes(format))
    .map((format) => [report.kind, format, report] as const),
);

test.each(CASES)('%s as %s reads as before', async (kind, format, report) => {
  const rendered = await renderWhole(report, format, { ...VIEW, verbose: true });
  const transcript = rendered.replaceAll(/<(style|script)>.*?<\/\1>/gs, '<$1>…</$1>');
  await expect(transcript).toMatchFileSnapshot(`transcripts/${kind}.${format}.txt`);
});

/** Reports with every kind of change, outcome, warning, hazard and reason. */
const EVERY = Object.entries(DOCUMENTS).flatMap(([kind, reports]) =>
  reports.slice(1).map((report, index): [string, Report] => [`${kind}-${index + 2}`, report]),
);

test.each(EVERY)('%s, with all that may be in it, reads as before', async (name, report) => {
  const rendered = await renderWhole(report, 'text', { ...VIEW, verbose: true });
  await expect(rendered).toMatchFileSnapshot(`transcripts/every/${name}.text.txt`);
});

test.each(EVERY.filter(([name]) => IN_PIPELINES.test(name)))(
  '%s reads as before in a comment',
  async (name, report) => {
    const rendered = await renderWhole(report, 'markdown', VIEW);
    await expect(rendered).toMatchFileSnapshot(`transcripts/every/${name}.markdown.txt`);
  },
);

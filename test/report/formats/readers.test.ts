/** What readers that others wrote make of each report: their schemas accept it, and no string of others becomes more than a string. */

import { expect, test } from 'vitest';
import { formatsOf, render, RENDERERS, type Format } from '../../../src/report/formats/render.ts';
import type { Report } from '../../../src/report/report.ts';
import { expectOnlyCode, gitlabErrors, junitErrors, sarifErrors, workflowCommands } from '../../helpers/readers.ts';
import { HOSTILE } from '../../security/hostile.ts';
import { FULL_DRIFT, FULL_PLAN, FULL_RESULT, FULL_UNDO, FULL_VALIDATION } from '../full-samples.ts';
import { reportsOf } from '../hostile-reports.ts';
import { KINDS, sampleOf } from '../samples-of-kinds.ts';
import { VIEW } from '../samples.ts';

const STRINGS = [HOSTILE, ']]>', '-->', '%0A', '](http://x)', '🏳️‍🌈', `'"&amp;`, 'a b'];

const REPORTS: readonly Report[] = [
  ...KINDS.filter((kind) => formatsOf([kind]).includes('sarif')).map((kind) => sampleOf(kind)),
  FULL_PLAN,
  FULL_DRIFT,
  FULL_UNDO,
  FULL_RESULT,
  FULL_VALIDATION,
  ...reportsOf(STRINGS),
];

async function textsIn(format: Format): Promise<readonly string[]> {
  const rendered = await Promise.all(REPORTS.map((report) => render(report, format, VIEW)));
  return rendered.map((text) => RENDERERS[format].seal(text as string));
}

test('the schema of SARIF accepts every report', async () => {
  for (const text of await textsIn('sarif')) expect(sarifErrors(text)).toEqual([]);
});

test('GitLab accepts every report', async () => {
  for (const text of await textsIn('gitlab')) expect(gitlabErrors(text)).toEqual([]);
});

test('the schema of Jenkins accepts every report', async () => {
  expect(await junitErrors(...(await textsIn('junit')))).toEqual([]);
});

test('GitHub reads annotations in every report, and no other command', async () => {
  for (const text of await textsIn('github')) {
    for (const { command, properties, data } of workflowCommands(text)) {
      expect(['error', 'warning', 'notice']).toContain(command);
      expect(['title', 'col,file,line,title']).toContain(Object.keys(properties).toSorted().join(','));
      expect(data).not.toMatch(/[\r\n]/);
    }
  }
});

test('GitHub shows the strings of every report as code', async () => {
  for (const text of await textsIn('markdown')) expectOnlyCode(text, 'onerror');
});

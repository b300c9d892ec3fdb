/** JUnit XML, read again. */

import { expect, test } from 'vitest';
import { junitText, type JunitCase } from '../../../src/report/formats/remarks/lists.ts';
import { render, RENDERERS } from '../../../src/report/formats/render.ts';
import type { Report } from '../../../src/report/report.ts';
import { elementsOf, parseXml, textOf, type XmlElement } from '../../helpers/xml.ts';
import { HOSTILE } from '../../security/hostile.ts';
import { FULL_PLAN } from '../full-samples.ts';
import { sampleOf } from '../samples-of-kinds.ts';
import { EMPTY_PLAN, RESULT, VIEW } from '../samples.ts';

async function suiteOf(report: Report): Promise<XmlElement> {
  const root = parseXml(RENDERERS.junit.seal((await render(report, 'junit', VIEW)) as string));
  const [suite, ...others] = elementsOf(root, 'testsuite');
  expect(others).toEqual([]);
  return suite as XmlElement;
}

const counts = ({ attributes: { tests, failures, errors, skipped } }: XmlElement): string =>
  [tests, failures, errors, skipped].join(' ');

test.each(['plan', 'undo', 'validation', 'drift', 'result', 'nothing', 'failure'] as const)(
  'the counts of a %s report are those of its cases',
  async (kind) => {
    const suite = await suiteOf(sampleOf(kind));
    const amount = (name: string): number => elementsOf(suite, name).length;
    expect(amount('testcase')).toBeGreaterThan(0);
    expect(counts(suite)).toBe(['testcase', 'failure', 'error', 'skipped'].map(amount).join(' '));
    for (const { attributes } of elementsOf(suite, 'testcase')) expect(Object.keys(attributes)).toContain('classname');
  },
);

test('a problem fails at its place', async () => {
  const place = { file: 'flags/a.yaml', line: 2, column: 3 };
  const diagnostics = [{ code: 'flag-key-invalid', severity: 'error', place, args: { key: 'a b' } }] as const;
  const suite = await suiteOf({ kind: 'validation', files: 1, flags: 1, cohorts: 0, tests: 0, diagnostics });
  const [only] = elementsOf(suite, 'testcase');
  expect(only?.attributes).toMatchObject({ classname: 'flags/a.yaml' });
  expect(textOf(elementsOf(suite, 'failure')[0] as XmlElement)).toMatch(/\nflags\/a\.yaml:2:3$/);
});

test('warnings alone, and a project in sync, pass', async () => {
  const diagnostics = [{ code: 'flag-key-invalid', severity: 'warning', args: { key: 'a b' } }] as const;
  expect(counts(await suiteOf({ kind: 'validation', files: 1, flags: 1, cohorts: 0, tests: 0, diagnostics }))).toBe(
    '2 0 0 1',
  );
  expect(counts(await suiteOf({ kind: 'drift', plan: EMPTY_PLAN }))).toMatch(/^1 0 0 0$/);
});

test('a result has a case for each change', async () => {
  const suite = await suiteOf({ kind: 'result', result: RESULT, durationMs: 1_234 });
  expect(counts(suite)).toBe(`${RESULT.changes.length + RESULT.remainder.length} 8 0 0`);
  expect(suite.attributes['time']).toBe('1.234');
});

test('a plan fails by what refuses it; its changes pass, and its warnings are skipped', async () => {
  const suite = await suiteOf(FULL_PLAN);
  const names = (element: string): string[] =>
    elementsOf(suite, 'testcase')
      .filter((one) => elementsOf(one, element).length > 0)
      .map(({ attributes }) => attributes['name'] ?? '');
  expect(names('failure').map((name) => name.split(':')[0])).toEqual([
    'hazard/deletes',
    'hazard/deletes_percent',
    'hazard/updates_percent',
    'hazard/protected',
    'policy/max-widen',
    'policy/naming',
  ]);
  const { judgement: { findings } = { findings: [] }, excepted = [] } = FULL_PLAN;
  const idle = excepted.filter(({ code }) => code !== 'exception_used');
  // Without the two findings that fail, and with the lifted rule, the source of the policies, the checkout and the snapshot.
  const others = findings.length - 2 + idle.length + 5;
  expect(names('skipped')).toHaveLength(others + FULL_PLAN.plan.warnings.length);
  const changes = elementsOf(suite, 'testcase').filter(({ attributes }) => attributes['name']?.startsWith('effect/'));
  expect(changes.length).toBeGreaterThanOrEqual(FULL_PLAN.plan.changes.length);
  for (const change of changes)
    for (const verdict of ['failure', 'error', 'skipped']) expect(elementsOf(change, verdict)).toEqual([]);
});

test('a plan without a change passes', async () => {
  expect(counts(await suiteOf({ kind: 'plan', plan: EMPTY_PLAN }))).toBe('1 0 0 0');
});

test('a refused run is an error', async () => {
  const suite = await suiteOf(sampleOf('failure'));
  expect(Number(suite.attributes['failures']) + Number(suite.attributes['errors'])).toBeGreaterThan(0);
});

test('strings of an attacker stay inside of their attributes', () => {
  const one: JunitCase = {
    name: HOSTILE,
    group: `"/><x a="${HOSTILE}`,
    verdict: { is: 'failed', message: `]]>&amp;${HOSTILE}`, detail: `a\n</failure>${HOSTILE}` },
  };
  const root = parseXml(junitText([{ name: HOSTILE, cases: [one] }]));
  expect(elementsOf(root, 'x')).toEqual([]);
  expect(elementsOf(root, 'failure')[0]?.attributes['message']).toContain(']]>&amp;');
});

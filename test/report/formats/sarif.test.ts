/** SARIF logs, against the schema of the standard and what code scanning services ask for beyond it. */

import { expect, test } from 'vitest';
import { render, RENDERERS } from '../../../src/report/formats/render.ts';
import type { Report, ReportOf } from '../../../src/report/report.ts';
import type { View } from '../../../src/report/view.ts';
import { sarifErrors } from '../../helpers/readers.ts';
import { sampleOf } from '../samples-of-kinds.ts';
import { CHANGES, PLAN, VIEW } from '../samples.ts';

interface Log {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly automationDetails: { readonly id: string };
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly message: { readonly text: string };
        readonly locations: readonly unknown[];
        readonly partialFingerprints: Readonly<Record<string, string>>;
      }[];
    },
  ];
}

async function logOf(report: Report, view: View = VIEW): Promise<Log['runs'][0]> {
  const text = RENDERERS.sarif.seal((await render(report, 'sarif', view)) as string);
  expect(sarifErrors(text)).toEqual([]);
  const [run] = (JSON.parse(text) as Log).runs;
  for (const { message, locations } of run.results) {
    expect(message.text).not.toBe('');
    expect(locations).toHaveLength(1);
  }
  return run;
}

test.each(['plan', 'drift', 'result', 'nothing', 'undo', 'validation', 'test', 'failure'] as const)(
  'a log of a %s report keeps the rules of the format, and each result names its rule',
  async (kind) => {
    const { tool, results } = await logOf(sampleOf(kind));
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    expect(new Set(tool.driver.rules.map(({ id }) => id)).size).toBe(tool.driver.rules.length);
    expect(new Set(results.flatMap((result) => Object.values(result.partialFingerprints))).size).toBe(results.length);
  },
);

test('the logs of two projects and of two commands do not replace each other', async () => {
  const inStaging = { ...PLAN, project: { ...PLAN.project, name: 'staging/eu' } };
  const ids = await Promise.all(
    [
      { kind: 'plan', plan: PLAN } as const,
      { kind: 'plan', plan: inStaging } as const,
      { kind: 'drift', plan: PLAN } as const,
      sampleOf('validation'),
    ].map(async (report) => (await logOf(report)).automationDetails.id),
  );
  expect(ids).toEqual([
    'flagwright/plan/production/',
    'flagwright/plan/staging%2Feu/',
    'flagwright/drift/production/',
    'flagwright/validate/',
  ]);
});

function problem(file: string, line: number, key: string): ReportOf<'validation'> {
  const place = { file, line, column: 3 };
  const diagnostics = [{ code: 'flag-key-invalid', severity: 'error', place, args: { key } }] as const;
  return { kind: 'validation', files: 1, flags: 1, cohorts: 0, tests: 0, diagnostics };
}

test('a file is named from the root of the repository, as a URI', async () => {
  const view = { ...VIEW, repositoryFile: (file: string) => `ops/${file}` };
  const { results } = await logOf(problem('flags/a b#ü.yaml', 2, 'x'), view);
  expect(results[0]?.locations).toMatchObject([
    {
      physicalLocation: {
        artifactLocation: { uri: 'ops/flags/a%20b%23%C3%BC.yaml' },
        region: { startLine: 2, startColumn: 3 },
      },
    },
  ]);
});

test('a fingerprint stays the same when the line moves', async () => {
  const [before, after] = await Promise.all([logOf(problem('a.yaml', 2, 'x')), logOf(problem('a.yaml', 12, 'x'))]);
  expect(after.results[0]?.partialFingerprints).toEqual(before.results[0]?.partialFingerprints);
});

test('a string of others makes no link', async () => {
  const { results } = await logOf(problem('a.yaml', 2, '[x](http://evil)'));
  expect(results[0]?.message.text).toContain('[x] (http://evil)');
  expect(JSON.stringify(results)).not.toContain('](');
});

test('a plan of 5,000 changes has a result for each, within what code scanning accepts', async () => {
  const create = CHANGES[0] as (typeof CHANGES)[number];
  const changes = Array.from({ length: 5_000 }, (_, index) => ({ ...create, key: `f${index}`, ref: `flag:f${index}` }));
  const { results } = await logOf({ kind: 'plan', plan: { ...PLAN, changes } as typeof PLAN });
  expect(results.length).toBeGreaterThanOrEqual(5_000);
  expect(results.length).toBeLessThan(25_000);
  expect(JSON.stringify(results).length).toBeLessThan(10_000_000);
});

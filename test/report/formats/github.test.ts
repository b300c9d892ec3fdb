/** Workflow commands of GitHub Actions, which show remarks in the diff of a pull request. */

import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { render, RENDERERS } from '../../../src/report/formats/render.ts';
import { declared, desiredState, liveState, planFor } from '../../helpers/states.ts';
import { EMPTY_PLAN, VIEW } from '../samples.ts';

test('an annotation encodes what GitHub would decode, in properties and in data', async () => {
  const diagnostic: Diagnostic = {
    code: 'flag-key-invalid',
    severity: 'warning',
    place: { file: 'a,b:100%.yaml', line: 2, column: 3 },
    args: { key: '50%0A::error::x' },
  };
  const text = await render(
    { kind: 'validation', files: 1, flags: 2, cohorts: 0, tests: 0, diagnostics: [diagnostic] },
    'github',
    VIEW,
  );
  const [command, summary, end] = RENDERERS.github.seal(text as string).split('\n');
  expect(command).toMatch(/^::warning file=a%2Cb%3A100%25\.yaml,line=2,col=3,title=flag-key-invalid::/);
  expect(command).toContain('50%250A::error::x');
  expect([summary, end]).toEqual(['2 flags in 1 file: 1 warning', '']);
});

describe('of each level', () => {
  const problems = (severity: Diagnostic['severity'], count: number): Diagnostic[] =>
    Array.from({ length: count }, (_, index) => ({
      code: 'flag-key-invalid',
      severity,
      place: { file: 'a.yaml', line: index + 1, column: 1 },
      args: { key: `k ${index}` },
    }));
  const annotationsOf = async (diagnostics: readonly Diagnostic[]): Promise<string[]> => {
    const report = { kind: 'validation', files: 1, flags: 0, cohorts: 0, tests: 0, diagnostics } as const;
    return ((await render(report, 'github', VIEW)) as string).split('\n').filter((line) => line.startsWith('::'));
  };

  test.each([
    [50, 50, undefined],
    [51, 3, '1 error more'],
    [50, 52, '2 warnings more'],
    [51, 52, '1 error, 2 warnings more'],
  ])('the first 50 are printed, of %i errors and %i warnings', async (errors, warnings, more) => {
    const lines = await annotationsOf([...problems('warning', warnings), ...problems('error', errors)]);
    const expected = [
      ...Array.from({ length: Math.min(errors, 50) }, (_, index) => `::error file=a.yaml,line=${index + 1},`),
      ...Array.from({ length: Math.min(warnings, 50) }, (_, index) => `::warning file=a.yaml,line=${index + 1},`),
      ...(more === undefined
        ? []
        : [`::notice title=report/shortened::Not listed: ${more}. The page (--report html=FILE) shows all`]),
    ];
    expect(lines.map((line, index) => line.slice(0, expected[index]?.length))).toEqual(expected);
  });

  test('the notice about the others comes before the notices, of which GitHub shows ten', async () => {
    const plan = planFor(
      desiredState(...Array.from({ length: 60 }, (_, index) => declared(`f${index}`))),
      liveState([]),
    );
    const lines = ((await render({ kind: 'plan', plan }, 'github', VIEW)) as string).split('\n');
    const notices = lines.filter((line) => line.startsWith('::notice'));
    expect(notices).toHaveLength(51);
    expect(notices[0]).toMatch(/^::notice title=report\/shortened::Not listed: 10 notes more\. /);
  });
});

test('what a warning says of many flags of a project in sync is one annotation, with their number and names', async () => {
  const keys = Array.from({ length: 31 }, (_, index) => `f${index}`);
  const warnings = keys.map((key, index) =>
    index < 20
      ? ({ code: 'holdout_undeclared', key, part: 'holdout', percent: 10 } as const)
      : ({ code: 'early_access_undeclared', key, part: 'feature_enrollment' } as const),
  );
  const lines = ((await render({ kind: 'plan', plan: { ...EMPTY_PLAN, warnings } }, 'github', VIEW)) as string).split(
    '\n',
  );
  expect(lines.filter((line) => line.startsWith('::'))).toEqual([
    expect.stringMatching(
      /^::warning title=warning\/holdout_undeclared::Each of these 20 flags: filters\.holdout excludes 10%25 .* They are: f0, f1, .*f19\.$/,
    ),
    expect.stringMatching(
      /^::warning title=warning\/early_access_undeclared::Each of these 11 flags: filters\.feature_enrollment .* They are: f20, .*f30\.$/,
    ),
  ]);
  const few = { ...EMPTY_PLAN, warnings: warnings.slice(0, 10) };
  expect(await render({ kind: 'plan', plan: few }, 'github', VIEW)).toMatch(
    /^(?:::warning [^\n]*::f\d+: [^\n]*\n){10}/,
  );
});

test.each([
  ['::set-env name=X::y', ':\\u003a'],
  ['  ::error title=x::y', ':\\u003a'],
  ['::add-mask::x', ':\\u003a'],
  ['::error file=a\r::set-env name=X::y', ':\\u003a'],
  ['::error title=a::##[add-path]x', '#\\u0023['],
])('%j is disarmed', (line, escape) => {
  expect(RENDERERS.github.seal(line)).toContain(escape);
});

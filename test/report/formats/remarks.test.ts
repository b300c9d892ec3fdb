/** What the formats that show remarks say of each report, and at which line. */

import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { remarkList } from '../../../src/report/formats/remarks/lists.ts';
import { nameOfRule, type Remark } from '../../../src/report/model/remark.ts';
import { stage } from '../../helpers/stage.ts';
import { KINDS, sampleOf } from '../samples-of-kinds.ts';
import { EMPTY_PLAN, PLAN, RESULT, VIEW } from '../samples.ts';

const inShort = (remark: Remark): string =>
  `${remark.level} ${nameOfRule(remark)} ${remark.place?.line ?? '-'}: ${remark.text}`;

const BEFORE = `flags:
  checkout:
    active: true
    filters:
      groups:
        - rollout_percentage: 10
        - properties: [{ key: country, value: US }]
          rollout_percentage: 20
  search: { active: true }
  banner: { active: true }
`;
const AFTER = `flags:
  checkout:
    active: true
    filters:
      groups:
        - rollout_percentage: 10
        - properties: [{ key: country, value: US }]
          rollout_percentage: 35
  search:
    active: false
  banner:
    deleted: true
`;

describe('a change that a manifest asks for', () => {
  test('is annotated with its class, at the line of the value, what takes something away before the rest', async () => {
    const { run, workspace } = await stage(BEFORE);
    expect((await run('apply', '-y')).code).toBe(0);
    workspace.write('flags/main.yaml', AFTER);
    expect((await run('plan', '-f', 'github', '--base', 'none')).stdout.split('\n')).toEqual([
      '::warning file=flags/main.yaml,line=10,col=5,title=effect/kill::search: kill: the flag is disabled, and off for everybody.',
      '::warning file=flags/main.yaml,line=12,col=5,title=effect/delete::banner: delete: nobody gets a value from it.',
      '::notice file=flags/main.yaml,line=8,col=11,title=effect/widen::checkout: widen: condition 2 (country is US): 20%25 → 35%25.',
      'Plan: 2 to update, 1 to delete · 0 unchanged',
      '',
    ]);
  });

  test('and that is not live is a warning of a drift report, at the line that declares it', async () => {
    const { run, world } = await stage(BEFORE);
    expect((await run('apply', '-y')).code).toBe(0);
    const [checkout] = (await world.client.listFlags()).filter(({ key }) => key === 'checkout');
    await world.client.updateFlag(checkout?.id ?? 0, { active: false });
    const { code, stdout } = await run('drift', '-f', 'github');
    expect([code, stdout.split('\n')]).toEqual([
      2,
      [
        '::warning file=flags/main.yaml,line=3,col=5,title=drift/update::checkout: active: declared true, live false.',
        'Drift: 1 different · 2 in sync',
        '',
      ],
    ]);
  });
});

test('each hazard, effect and warning of a plan is one remark', async () => {
  const { remarks } = await remarkList({ kind: 'plan', plan: PLAN }, VIEW);
  const of = (family: Remark['family']): readonly Remark[] => remarks.filter((remark) => remark.family === family);
  expect(of('hazard')).toHaveLength(PLAN.hazards.length);
  expect(of('warning')).toHaveLength(PLAN.warnings.length);
  expect(new Set(of('effect').map(({ name }) => name))).toEqual(new Set(PLAN.changes.map(({ key }) => key)));
});

test('what the policies find is an error at its line, and a note once it is lifted', async () => {
  const place = { file: 'flags/a.yaml', line: 7, column: 3 };
  const finding = {
    rule: 'naming',
    level: 'error',
    resource: 'flag',
    key: 'a',
    ref: 'flag:a',
    facts: { what: 'naming', patterns: ['shop-*'] },
    place,
    policy: place,
  } as const;
  const lifted = { ...finding, key: 'b', lifted: { by: 'approval', approver: 'ann' } } as const;
  const judgement = { source: { from: 'checkout', why: 'no_base' }, findings: [finding, lifted], idle: [] } as const;
  const { remarks } = await remarkList({ kind: 'plan', plan: EMPTY_PLAN, judgement }, VIEW);
  expect(remarks.filter(({ family }) => family === 'policy').map(inShort)).toEqual([
    'error policy/naming 7: a is a new key that matches none of shop-* (naming).',
    'note policy/naming 7: b is a new key that matches none of shop-* (naming).',
  ]);
  const checked = { kind: 'validation', files: 1, flags: 2, cohorts: 0, tests: 0, diagnostics: [] } as const;
  const judged = await remarkList({ ...checked, policies: [{ project: 'production', judgement }] }, VIEW);
  expect(judged.remarks.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('a result reports each change that was not applied, and what still differs', async () => {
  const { remarks, summary } = await remarkList({ kind: 'result', result: RESULT, durationMs: 12 }, VIEW);
  const missed = RESULT.changes.filter(({ result }) => result.outcome !== 'applied');
  expect(remarks).toHaveLength(missed.length + RESULT.remainder.length);
  expect(remarks.map(inShort).join('\n')).toContain('warning outcome/pending 40: delete of old-banner: pending: ');
  expect(summary).toContain('Applied 2 of 7 changes');
});

test('a failure has the remarks of its diagnostics, and else its own', async () => {
  const failure = sampleOf('failure');
  expect((await remarkList(failure, VIEW)).remarks.map(({ family }) => family)).toContain('problem');
  const bare = new FlagwrightError('network', 'No answer.', { remedy: 'Wait.' });
  expect((await remarkList({ kind: 'failure', error: bare }, VIEW)).remarks).toEqual([
    { family: 'failure', rule: 'network', level: 'error', text: 'No answer.', remedy: 'Wait.' },
  ]);
});

test('every sentence of a remark ends, and contains no character that a terminal obeys', async () => {
  const told = await Promise.all(
    (['plan', 'drift', 'result', 'undo', 'validation', 'failure'] as const).map((kind) =>
      remarkList(sampleOf(kind), VIEW),
    ),
  );
  expect(told.length).toBeLessThan(KINDS.length);
  for (const { text, remedy } of told.flatMap(({ remarks }) => remarks)) {
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(remedy ?? '').not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});

test('a change that waits for approval names its change request and its page', async () => {
  const { remarks } = await remarkList({ kind: 'result', result: RESULT, durationMs: 12 }, VIEW);
  const waiting = remarks.find(({ rule }) => rule === 'pending');
  expect(waiting?.text).toMatch(
    /approval_required: It waits\. change request 9 waits for approval\. https:\/\/us\.posthog\.com\/project\/1\/approvals\/9$/,
  );
  expect(waiting?.remedy).toContain('the service makes the change by itself');
});

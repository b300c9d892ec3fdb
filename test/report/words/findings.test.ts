/** The sentences about findings of policies. */

import { describe, expect, it, test } from 'vitest';
import type { Facts, Finding } from '../../../src/review/policy/finding.ts';
import { POLICIES } from '../../../src/review/policy/built-in.ts';
import { brokenRules } from '../../../src/review/policy/broken-rules.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { render, RENDERERS } from '../../../src/report/formats/render.ts';
import {
  findingText,
  brokenRulesSummary,
  liftedText,
  remedyText,
  sourceText,
} from '../../../src/report/words/rules.ts';
import { desiredState, liveFlag, liveState, planOptions, retired } from '../../helpers/states.ts';
import { EMPTY_PLAN, VIEW } from '../samples.ts';
import { planMarkdown, planText } from '../texts.ts';

const PLACE = { file: 'flags/main.yaml', line: 3, column: 5 };
const HOLIDAYS = { kind: 'dates', from: '2026-12-20', to: '2027-01-03', zone: 'Europe/Berlin' } as const;
const OFFICE = { kind: 'weekly', days: ['mon', 'tue'], from: '08:00', to: '16:00', zone: 'UTC' } as const;

function finding(facts: Facts, more: Partial<Finding> = {}): Finding {
  return {
    rule: facts.what,
    level: 'error',
    resource: 'flag',
    key: 'shop',
    ref: 'flag:shop',
    facts,
    policy: PLACE,
    ...more,
  };
}

it.each<[string, Partial<Finding>, string]>([
  ['an error', {}, 'Change the manifests, or get an exception.'],
  [
    'an error that three may except',
    { approvers: ['ann', 'b\u001Bb', 'cyd'] },
    'Change the manifests, or get an exception from ann, b\\u001bb or cyd.',
  ],
  ['whoever may approve', { level: 'approve' }, 'Needs an approval: --approved-by NAME.'],
  ['one approver', { level: 'approve', approvers: ['ann'] }, 'Needs an approval of ann: --approved-by NAME.'],
  [
    'several approvers',
    { level: 'approve', approvers: ['ann', 'b\u001Bb'] },
    'Needs an approval of one of ann, b\\u001bb: --approved-by NAME.',
  ],
])('what a finding needs is told: %s', (_, more, text) => {
  expect(remedyText(finding({ what: 'naming', patterns: [] }, more))).toBe(text);
});

const SENTENCES: readonly (readonly [Facts, string])[] = [
  [
    { what: 'max-widen', points: 50, limit: 25, exact: true },
    "turns on for 50% of a condition's people in one step; the limit is 25%",
  ],
  [
    { what: 'max-widen', points: 100, limit: 25, exact: false },
    "turns on for up to 100% of a condition's people in one step; the limit is 25%",
  ],
  [
    { what: 'freeze', denied: true, window: HOLIDAYS, local: 'thu 2026-12-24 11:00' },
    'changes at a forbidden time: on thu 2026-12-24 11:00, changes are frozen from 2026-12-20 to 2027-01-03 (Europe/Berlin)',
  ],
  [
    { what: 'freeze', denied: false, window: OFFICE, local: 'fri 2026-06-19 11:00' },
    'changes at a forbidden time: on fri 2026-06-19 11:00, changes are allowed at other times only, such as mon, tue 08:00 to 16:00 (UTC)',
  ],
  [{ what: 'require', missing: 'description' }, 'has no description'],
  [{ what: 'require', missing: 'tag', pattern: 'owner:*' }, 'has no tag that matches owner:*'],
  [
    { what: 'require', missing: 'owner', prefixes: ['owner:', 'team:'] },
    'has no known owner: no tag begins with owner:, team:, and CODEOWNERS names nobody for its file',
  ],
  [
    { what: 'require', missing: 'owner', prefixes: ['team:'], unread: true },
    'has no known owner: no tag begins with team:, and CODEOWNERS cannot be read',
  ],
  [{ what: 'naming', patterns: ['a-*', 'b-*'] }, 'is a new key that matches none of a-*, b-*'],
  [
    { what: 'no-personal-data', data: 'email', amount: 2, condition: 1 },
    'names people in condition 1: 2 e-mail addresses',
  ],
  [{ what: 'no-personal-data', data: 'phone', amount: 1 }, 'names people in its early access: 1 phone number'],
  [
    { what: 'expires', problem: 'passed', date: '2026-01-01' },
    'turns on or changes variants after its last day, 2026-01-01',
  ],
  [{ what: 'expires', problem: 'invalid', date: 'soon' }, 'has a last day that is not a date, soon'],
  [
    { what: 'expires', problem: 'too_far', date: '2030-01-01', max_days: 90 },
    'has a last day, 2030-01-01, that is more than 90 days ahead',
  ],
  [
    { what: 'no-direct-production', first: 'staging', problem: 'flag', paths: [] },
    'is not declared in the project staging, which must have it first',
  ],
  [
    { what: 'no-direct-production', first: 'staging', problem: 'values', paths: ['/active'] },
    'gets values that the project staging must have first: active',
  ],
  [
    { what: 'no-direct-production', first: 'staging', problem: 'unknown', paths: [] },
    'must be declared in the project staging first, and no commit shows what it declares',
  ],
  [
    { what: 'soaked', in: 'staging', for: '3d', problem: 'values', paths: ['/active'] },
    'gets values that the project staging must have had for 3d, and that were not applied there last: active',
  ],
  [
    { what: 'soaked', in: 'staging', for: '3d', problem: 'unknown', paths: ['/active'], why: 'log' },
    'gets values that the project staging must have had for 3d, and its activity log could not be read: active',
  ],
  [
    { what: 'soaked', in: 'staging', for: '3d', problem: 'drifted', paths: ['/active'] },
    'gets values that the project staging must have had for 3d, and that differ there from what was applied: active',
  ],
  [
    {
      what: 'soaked',
      in: 'staging',
      for: '3d',
      problem: 'young',
      paths: ['/active'],
      until: '2026-12-03T08:00:00.000Z',
    },
    'gets values that the project staging must have had for 3d, which will be so after 2026-12-03 08:00 UTC: active',
  ],
  [
    { what: 'experiment-running', experiments: [{ id: 7, name: 'Checkout' }, { id: 8 }] },
    'changes what the people of a running experiment get (Checkout, 8)',
  ],
  [{ what: 'own', message: 'Ask the shop team.' }, 'is found: Ask the shop team.'],
  [{ what: 'own_failed', detail: 'no such member' }, 'cannot be judged: no such member'],
  [
    { what: 'own_exhausted', judged: 7, changes: 10 },
    'and 2 other changes are not judged: the own rules of one run may take no more steps',
  ],
  [{ what: 'own_exhausted', judged: 9, changes: 10 }, 'is not judged: the own rules of one run may take no more steps'],
];

describe('findingText', () => {
  it('is tested for every policy', () => {
    const rules = SENTENCES.map(([{ what }]) => what).filter((what) => !what.startsWith('own'));
    expect(new Set(rules)).toEqual(new Set(Object.keys(POLICIES)));
  });

  it.each(SENTENCES)('%j', (facts, text) => {
    expect(findingText(finding(facts))).toBe(`shop ${text} (${facts.what}).`);
  });

  it('names a cohort as options do', () => {
    const facts = { what: 'max-widen', points: 100, limit: 25, exact: false } as const;
    expect(findingText(finding(facts, { resource: 'cohort' }))).toMatch(/^cohort:shop turns on/);
  });

  it('names the place of personal data that no numbered condition has, by the kind', () => {
    const facts = { what: 'no-personal-data', data: 'email', amount: 1 } as const;
    const textOf = (resource: string): string => findingText(finding(facts, { resource }));
    expect(textOf('cohort')).toContain('in its definition: 1 e-mail address');
    expect(textOf('flag')).toContain('in its early access: 1 e-mail address');
  });
});

test.each([
  ['approval', 'Exception by ann until 2026-12-31: an old name.'],
  [
    'none',
    'Exception by ann until 2026-12-31: an old name. Unproved: the file names ann, and this run knows no approval of ann. To prove it: --approved-by ann.',
  ],
] as const)('an exception says what proves it, in every format that shows findings: %s', async (proof, text) => {
  const facts = { what: 'naming', patterns: ['pay-*'] } as const;
  const lifted = {
    by: 'exception',
    granted_by: 'ann',
    proof,
    reason: 'an old name',
    until: '2026-12-31',
    source: PLACE,
  } as const;
  const one = finding(facts, { lifted });
  expect(liftedText(lifted)).toBe(text);
  const judgement = { source: { from: 'checkout', why: 'no_base' }, findings: [one] } as const;
  for (const format of ['text', 'markdown', 'html', 'json', 'github', 'gitlab', 'sarif'] as const) {
    const report = { kind: 'plan', plan: buildPlan(desiredState(), liveState([])), judgement } as const;
    const rendered = RENDERERS[format].seal((await render(report, format, VIEW)) as string);
    const plain = rendered.replaceAll(/`|<[^>]*>/g, '');
    const said = /Unproved: the file names .{0,8}ann|"proof": "none"/;
    expect([format, said.test(plain)]).toEqual([format, proof === 'none']);
  }
});

test('what people wrote is escaped, in the terminal and in Markdown', () => {
  const evil = '<img src=x>\u001b[31m\n::error::x @everyone';
  const lifted = {
    by: 'exception',
    granted_by: evil,
    proof: 'approval',
    reason: evil,
    until: evil,
    source: PLACE,
  } as const;
  const found = finding({ what: 'own', message: evil }, { rule: evil, key: evil });
  const judgement = {
    source: { from: 'checkout', why: 'no_file' },
    findings: [found, { ...found, lifted }, { ...found, level: 'warning' as const }],
  } as const;
  const facts = { rules: [evil], keys: [evil], reason: evil, until: evil, granted_by: evil, source: PLACE };
  const excepted = [{ code: 'exception_unused', ...facts }] as const;
  const report = { kind: 'plan', plan: EMPTY_PLAN, judgement, excepted } as const;
  const text = planText(report, VIEW);
  expect(text).not.toContain('\u001b');
  expect(text.split('\n').filter((line) => line.includes('img src'))).toHaveLength(4);
  expect(text).not.toMatch(/^::/m);
  const sentences = planMarkdown(report, VIEW)
    .split('\n')
    .filter((line) => line.startsWith('- '));
  expect(sentences).toHaveLength(5);
  for (const sentence of sentences) expect(sentence.replaceAll(/`[^`]*`/g, '')).not.toMatch(/[<@\n]/);
});

test('the summary counts what refuses, warns and is lifted, each rule once as the list shows it', () => {
  const facts = { what: 'naming', patterns: [] } as const;
  const lifted = { by: 'approval', approver: 'ann' } as const;
  const findings = [
    finding(facts),
    finding(facts, { key: 'other' }),
    finding(facts, { rule: 'two', level: 'approve' }),
    finding(facts, { level: 'approve', lifted }),
    finding(facts, { rule: 'three', level: 'warning' }),
  ];
  const { hazards } = buildPlan(desiredState(retired('a')), liveState([liveFlag(1, 'a')]), {
    ...planOptions(),
    protected: ['a'],
  });
  expect(brokenRulesSummary(brokenRules({ findings }))).toBe('1 error, 1 to approve, 1 warning, 1 lifted');
  expect(brokenRulesSummary(brokenRules({ hazards, findings }))).toBe('2 errors, 1 to approve, 1 warning, 1 lifted');
  expect(brokenRulesSummary([])).toBeUndefined();
});

test('the source is said where a reader would not expect it', () => {
  expect(sourceText({ from: 'base', commit: '0123456789abcdef', differs: true })).toContain('commit 0123456789ab;');
  expect(sourceText({ from: 'base', commit: '0123456789abcdef', differs: false })).toBeUndefined();
  expect(sourceText({ from: 'checkout', why: 'no_base' })).toBeUndefined();
  expect(sourceText({ from: 'checkout', why: 'invalid' })).toContain('cannot be read');
});

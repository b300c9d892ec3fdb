import { describe, expect, it } from 'vitest';
import { brokenRuleDocument, brokenRules, liftsOf, refuses, SAFETY } from '../../../src/review/policy/broken-rules.ts';
import type { Finding } from '../../../src/review/policy/finding.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { readSchema } from '../../helpers/published-schema.ts';
import { desiredState, liveFlag, liveState, planOptions, retired } from '../../helpers/states.ts';

const SOURCE = { file: 'flagwright.yaml', line: 9, column: 7 };
const COMMIT = '0123456789abcdef0123456789abcdef01234567';

function finding(more: Partial<Finding> = {}): Finding {
  const facts = { what: 'naming', patterns: [] } as const;
  return { rule: 'naming', level: 'error', resource: 'flag', key: 'a', ref: 'flag:a', facts, policy: SOURCE, ...more };
}

const plan = buildPlan(desiredState(retired('a')), liveState([liveFlag(1, 'a')]), {
  ...planOptions(),
  protected: ['a'],
  limits: { deletes: 0, deletes_percent: 100, updates_percent: 100 },
  origins: { limits: {}, protected: new Map([['a', { from: 'configuration', place: SOURCE }]]) },
});

const LIFTED = plan.hazards
  .slice(0, 1)
  .map((hazard) => ({ hazard, by: { by: 'option', option: '--allow-deletes' } as const }));

describe('the rules that a plan breaks', () => {
  it('are safety rules and policies in one list, with the same facts', () => {
    const documents = brokenRules({ ...plan, findings: [finding({ commit: COMMIT })] }).map((one) =>
      brokenRuleDocument(one),
    );
    expect(documents).toEqual([
      {
        rule: 'deletes',
        sort: 'safety',
        level: 'error',
        refuses: true,
        set_by: 'limits.deletes',
        origin: { from: 'default' },
        lifted_by: [
          { by: 'exception', rule: 'deletes' },
          { by: 'option', permit: { kind: 'deletes', value: 1 } },
        ],
      },
      {
        rule: 'protected',
        sort: 'safety',
        level: 'error',
        refuses: true,
        resource: 'flag',
        key: 'a',
        ref: 'flag:a',
        place: { file: 'flags/test.yaml', line: 1, column: 1 },
        set_by: 'protected',
        origin: { from: 'configuration', place: SOURCE },
        lifted_by: [
          { by: 'exception', rule: 'protected' },
          { by: 'option', permit: { kind: 'protected', value: 'a' } },
        ],
      },
      {
        rule: 'naming',
        sort: 'policy',
        level: 'error',
        refuses: true,
        resource: 'flag',
        key: 'a',
        ref: 'flag:a',
        set_by: 'policies.rules',
        origin: { from: 'configuration', place: SOURCE, commit: COMMIT },
        lifted_by: [{ by: 'exception', rule: 'naming' }],
      },
    ]);
  });

  it('are lifted by one permission each, if by any', () => {
    const rulesOf = (wanted: string | undefined): string[] =>
      Object.entries(SAFETY).flatMap(([rule, { permit }]) => (permit === wanted ? rule : []));
    const permits = ['deletes', 'updates', 'disables', 'protected', 'risky', 'override', undefined];
    expect(permits.map(rulesOf)).toEqual([
      ['deletes', 'deletes_percent', 'manifests_shrunk'],
      ['updates', 'updates_percent'],
      ['disables'],
      ['protected'],
      [
        ...['experiments', 'dependents', 'cohort_used', 'early_access_unmanaged', 'read_by_code', 'lockout'],
        ...['own_access', 'schedule_conflict'],
      ],
      ['conflict', 'switched_off', 'dependency_left'],
      [
        ...['experiment_variants', 'replay_linked', 'dependencies_disabled', 'early_access_refused'],
        'early_access_linked',
      ],
    ]);
  });

  it('are each set by a member of the configuration if by any', () => {
    const settingAt = (path: string): unknown =>
      path.split('.').reduce((schema, name) => schema?.properties?.[name], readSchema('config'));
    for (const [rule, { setBy }] of Object.entries(SAFETY)) {
      if (setBy !== undefined) expect([rule, settingAt(setBy)]).toEqual([rule, expect.anything()]);
    }
  });

  it('name no change that the report does not have', () => {
    const [, hazard] = brokenRules({ hazards: plan.hazards }).map((one) => brokenRuleDocument(one));
    expect(hazard).toMatchObject({ rule: 'protected', key: 'a', ref: 'flag:a' });
    expect(hazard).not.toHaveProperty('place');
  });

  it.each<[string, ReturnType<typeof brokenRules>, boolean, readonly string[]]>([
    ['a hazard', brokenRules({ hazards: plan.hazards.slice(0, 1) }), true, ['exception', 'option']],
    ['a hazard that is lifted', brokenRules({ lifted: LIFTED }), false, ['exception', 'option']],
    ['an error', brokenRules({ findings: [finding()] }), true, ['exception']],
    [
      'one that asks for approval',
      brokenRules({ findings: [finding({ level: 'approve' })] }),
      true,
      ['approval', 'exception'],
    ],
    [
      'one that is approved',
      brokenRules({ findings: [finding({ level: 'approve', lifted: { by: 'approval', approver: 'ann' } })] }),
      false,
      ['approval', 'exception'],
    ],
    ['a warning', brokenRules({ findings: [finding({ level: 'warning' })] }), false, []],
    [
      'a rule that ended early',
      brokenRules({ findings: [finding({ facts: { what: 'own_exhausted', judged: 0, changes: 1 } })] }),
      true,
      [],
    ],
  ])('refuse the plan, and name what lifts them: %s', (_, [broken], refused, lifts) => {
    if (broken === undefined) throw new Error('no rule');
    expect([refuses(broken), liftsOf(broken).map(({ by }) => by)]).toEqual([refused, lifts]);
  });
});

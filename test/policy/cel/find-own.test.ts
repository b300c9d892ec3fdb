import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/policy/finding.ts';
import { judge } from '../../../src/policy/judging/judge.ts';
import type { OwnPolicy } from '../../../src/policy/policy.ts';
import { buildPlan } from '../../../src/posthog/build-plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions, retired } from '../../helpers/states.ts';

const SOURCE = { file: 'flagwright.yaml', line: 9, column: 7 };

function own(when: string): OwnPolicy {
  return {
    rule: 'own',
    name: 'small-steps',
    level: 'warning',
    source: SOURCE,
    when,
    whenSource: SOURCE,
    message: 'Too big a step',
  };
}

const at = (percentage: number): { filters: { groups: { rollout_percentage: number }[] } } => ({
  filters: { groups: [{ rollout_percentage: percentage }] },
});

function found(when: string): Pick<Finding, 'key' | 'level' | 'facts' | 'rule'>[] {
  const desired = desiredState(declared('wide', at(90)), declared('new', { active: true }), retired('gone'));
  const live = liveState([liveFlag(1, 'wide', at(10)), liveFlag(2, 'gone', at(10))]);
  const findings = judge([own(when)], buildPlan(desired, live, planOptions()), { project: 'production', now: 0 });
  return findings.map(({ key, level, facts, rule }) => ({ key, level, facts, rule }));
}

const keys = (when: string): string[] =>
  found(when)
    .map(({ key }) => key)
    .toSorted();

describe('an own rule', () => {
  it('finds the changes of which its expression is true', () => {
    expect(found('change.widens > 50.0 && before.present')).toEqual([
      {
        key: 'wide',
        level: 'warning',
        rule: 'small-steps',
        facts: { what: 'own', message: 'Too big a step' },
      },
    ]);
  });

  it.each<[string, string[]]>([
    ['change.actions == ["delete"]', ['gone']],
    ['"create" in change.classes', ['new']],
    ['!after.present', ['gone']],
    ['!before.present && after.active', ['new']],
    ['change.effects.exists(e, e.what == "rollout" && e.condition == 1 && e.points == 80.0)', ['wide']],
    ['after.conditions.exists(c, c.rollout > 50.0) && !before.conditions.exists(c, c.rollout > 50.0)', ['wide']],
    ['project == "staging"', []],
  ])('sees the change and both sides: %s', (when, expected) => {
    expect(keys(when)).toEqual(expected);
  });

  it.each([
    ['an expression that fails', 'before.conditions[0].rollout > 50.0 && change.key == "new"', 'No such key'],
    ['an expression with a mistake', 'chnge.key == "new"', 'There is no variable chnge'],
  ])('finds the change as an error with %s', (_, when, detail) => {
    const { level, facts } = found(when).find(({ key }) => key === 'new') ?? {};
    expect(level).toBe('error');
    expect(facts).toMatchObject({ what: 'own_failed', detail: expect.stringContaining(detail) });
  });
});

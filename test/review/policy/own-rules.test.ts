import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/review/policy/finding.ts';
import { judge } from '../../../src/review/policy/judge.ts';
import type { OwnPolicy } from '../../../src/review/policy/built-in.ts';
import { declared, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

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
  const findings = judge([own(when)], planFor(desired, live), { project: 'production', now: 0 });
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

describe('the own rules of a run', () => {
  const CHANGES = 40;
  const TEN = '[1,2,3,4,5,6,7,8,9,10]';
  /** Needs more than one evaluation may take. */
  const ENDLESS = `${TEN}.all(a, ${TEN}.all(b, ${TEN}.all(c, ${TEN}.all(d, ${TEN}.all(e, true)))))`;
  const numbered = Array.from({ length: CHANGES }, (_, index) => declared(`flag-${index}`, { active: true }));
  const plan = planFor(desiredState(...numbered), liveState([]));

  const judged = (rules: readonly OwnPolicy[], steps?: number): Finding[] =>
    judge(rules, plan, { project: 'production', now: 0, ...(steps === undefined ? {} : { steps }) });
  const named = (name: string, when: string): OwnPolicy => ({ ...own(when), name });
  const summary = (findings: readonly Finding[]): Record<string, string[]> =>
    Object.fromEntries(
      [...new Set(findings.map(({ rule }) => rule))].map((rule) => [
        rule,
        findings.filter((one) => one.rule === rule).map(({ facts }) => facts.what),
      ]),
    );

  it('end once their steps are used up, each with an error that names it', () => {
    const rules = Array.from({ length: 50 }, (_, index) => named(`rule-${index}`, ENDLESS));
    const findings = judged(rules, 1_000_000);
    // Every share is too small for one evaluation, so no rule judges anything.
    expect(findings).toHaveLength(50);
    expect(new Set(findings.map(({ rule }) => rule)).size).toBe(50);
    for (const { level, facts } of findings) {
      expect([level, facts]).toEqual(['error', { what: 'own_exhausted', judged: 0, changes: CHANGES }]);
    }
  });

  it('have a share each, of which a cheap rule leaves the rest to the others', () => {
    const cheap = named('cheap', 'change.key == "flag-3"');
    const found = summary(judged([cheap, named('endless', ENDLESS), named('late', 'after.active')], 700_000));
    expect(found['cheap']).toEqual(['own']);
    expect(found['endless']).toEqual([...Array<string>(3).fill('own_failed'), 'own_exhausted']);
    expect(found['late']).toEqual(Array<string>(CHANGES).fill('own'));
  });

  it('have enough steps for what a change usually is', () => {
    const rule = named('usual', 'after.conditions.exists(c, c.rollout > 100.0)');
    const rules = Array.from({ length: 50 }, () => rule);
    // Of one rule and one change: 100 million for 50 rules and 5,000 changes.
    expect(judged(rules, 400 * rules.length * CHANGES)).toEqual([]);
  });

  it('count only the changes that they are about', () => {
    const rule = { ...named('endless', ENDLESS), keys: ['flag-1?'] };
    const found = judged([rule], 150_000);
    expect(found.map(({ facts }) => facts)).toEqual([
      { what: 'own_failed', detail: 'The expression takes more than 100000 steps' },
      { what: 'own_exhausted', judged: 1, changes: 10 },
    ]);
  });
});

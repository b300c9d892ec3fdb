/** How the policies of the base and of the checkout judge a plan together, and what a saved plan keeps of its judgement. */

import { describe, expect, test } from 'vitest';
import { judgePlan, type JudgingContext, type PlanToJudge } from '../../../src/cli/plan/judge-plan.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { Finding, Judgement } from '../../../src/review/policy/finding.ts';
import type { Policy } from '../../../src/review/policy/built-in.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';

const NOW = Date.parse('2026-06-15T10:00:00Z');
const session = { context: { now: () => NOW } } as unknown as Session;
const policy = (rule: string, more: object = {}): Policy =>
  ({ rule, level: 'error', source: { file: 'flagwright.yaml', line: 1, column: 1 }, ...more }) as unknown as Policy;

const naming = policy('naming', { patterns: ['^b$'] });
const experiment = policy('experiment-running');
const experiments = { experiment_set: [30], experiment_set_metadata: [{ id: 30, name: 'Pay', is_running: true }] };
const live = [liveFlag(1, 'a', { active: true, ...experiments })];
const planOf = (active: boolean, flags: readonly Flag[] = live): PlanToJudge['plan'] =>
  planFor(desiredState(declared('a', { active })), liveState(flags));
const changed = planOf(false);

function context(rules: readonly Policy[], more: Partial<JudgingContext> = {}): JudgingContext {
  const whole = {
    set: { rules },
    source: { from: 'checkout', why: 'no_base' },
    project: 'main',
    exceptions: [],
    declared: new Map(),
  };
  return { ...whole, ...more } as unknown as JudgingContext;
}

async function judged(
  judging: JudgingContext | undefined,
  given: Partial<PlanToJudge> = {},
): Promise<Judgement | undefined> {
  return judgePlan(session, judging, { plan: changed, state: { from: 'live', flags: live }, approvedBy: [], ...given });
}
const told = (judgement: Judgement | undefined): string[] | undefined =>
  judgement?.findings.map(({ rule, key, commit, lifted }) =>
    [rule, key, ...(commit === undefined ? [] : [commit]), ...(lifted === undefined ? [] : [lifted.by])].join(' '),
  );
const created = planFor(desiredState(declared('new')), liveState([]));

describe('a plan', () => {
  test('is not judged without policies', async () => {
    expect(await judged(undefined)).toBeUndefined();
    expect(await judged(context([]))).toMatchObject({ findings: [], source: { from: 'checkout' } });
  });

  test('is judged by the rules of its project, and findings say the commit that has the rule', async () => {
    const rules = [experiment, policy('naming', { patterns: ['^b$'], projects: ['other'] })];
    expect(told(await judged(context(rules)))).toEqual(['experiment-running a']);
    const source = { from: 'base', commit: 'c1', differs: false } as const;
    expect(told(await judged(context([naming], { source }), { plan: created }))).toEqual(['naming new c1']);
  });

  test('is judged by the checkout too where it has other rules, and each finding is told once', async () => {
    const source = { from: 'base', commit: 'c1', differs: true } as const;
    const checkout = context([naming, policy('require', { description: false, tags: ['owner:*'] })]);
    const both = await judged(context([naming], { source, checkout }), { plan: created });
    expect(told(both)).toEqual(['naming new c1', 'require new']);
    expect(both?.source).toBe(source);
  });

  test('is judged as of its time', async () => {
    const frozen = { kind: 'dates', from: '2026-07-01', to: '2026-07-02', zone: 'UTC' };
    const freeze = context([policy('freeze', { deny: [frozen], except: [] })]);
    expect(told(await judged(freeze))).toEqual([]);
    expect(told(await judged(freeze, { now: Date.parse('2026-07-01T12:00:00Z') }))).toEqual(['freeze a']);
  });

  test('is approved by those whom the run names, if the policies know them', async () => {
    const level = { level: 'approve' as const };
    const one = context([{ ...experiment, ...level } as Policy]);
    expect(told(await judged(one, { approvedBy: ['eve'] }))).toEqual(['experiment-running a approval']);
    expect(told(await judged(one))).toEqual(['experiment-running a']);
    const known = context([], { set: { rules: [{ ...experiment, ...level } as Policy], approvers: ['bob'] } });
    expect(told(await judged(known, { approvedBy: ['eve'] }))).toEqual(['experiment-running a']);
    expect(told(await judged(known, { approvedBy: ['bob'] }))).toEqual(['experiment-running a approval']);
  });
});

test.each<[string, object, boolean]>([
  ['that runs', experiments, true],
  ['that ended', { ...experiments, experiment_set_metadata: [{ id: 30, is_running: false }] }, false],
  ['of which the service does not say whether it runs', { experiment_set: [30] }, true],
  ['that is unknown', { experiment_set: [], experiment_set_metadata: [] }, false],
])('an experiment %s counts: %s', async (_, fields, counts) => {
  const flags = [liveFlag(1, 'a', { active: true, ...fields })];
  const found = await judged(context([experiment]), { plan: planOf(false, flags), state: { from: 'live', flags } });
  expect(told(found)).toEqual(counts ? ['experiment-running a'] : []);
  // Manifests do not say which experiments run.
  expect(told(await judged(context([experiment]), { state: { from: 'manifests', flags } }))).toEqual([]);
});

describe('a saved plan', () => {
  const finding = (rule: string, more: object = {}): Finding =>
    ({
      ...{ rule, level: 'error', resource: 'flag', key: 'a', ref: 'flag:a', policy: { file: 'f', line: 1, column: 1 } },
      facts: { what: rule, experiments: [] },
      ...more,
    }) as unknown as Finding;
  const saved = (findings?: readonly Finding[]): PlanToJudge['state'] => ({
    from: 'saved',
    ...(findings === undefined ? {} : { recorded: { findings, idle: [] } as unknown as Judgement }),
  });

  test('keeps what only live state told, unlifted, whatever the rules are now', async () => {
    const lifted = { lifted: { by: 'approval', approver: 'eve' }, approvers: ['eve'] };
    const recorded = [finding('experiment-running', lifted), finding('naming')];
    const kept = await judged(context([experiment]), { state: saved(recorded) });
    expect(kept?.findings).toEqual([expect.objectContaining({ rule: 'experiment-running', key: 'a' })]);
    expect(kept?.findings[0]).not.toHaveProperty('lifted');
    expect(told(await judged(context([naming]), { state: saved(recorded) }))).toEqual(['experiment-running a']);
  });

  test('keeps nothing of a rule of its own, which is judged again', async () => {
    const own = finding('experiment-running', { facts: { what: 'own', message: 'x' } });
    expect(told(await judged(context([experiment]), { state: saved([own]) }))).toEqual([]);
  });

  test('keeps of a larger step what the policies of its project still forbid', async () => {
    const facts = { what: 'max-widen', points: 25, limit: 10, exact: true, flags: ['b'] };
    const recorded = saved([finding('max-widen', { facts })]);
    const kept = async (...rules: readonly Policy[]): Promise<unknown> =>
      told(await judged(context(rules), { state: recorded }));
    expect(await kept(policy('max-widen', { points: 20 }))).toEqual(['max-widen a']);
    expect(await kept(policy('max-widen', { points: 30 }))).toEqual([]);
    expect(await kept(policy('max-widen', { points: 20, projects: ['other'] }))).toEqual([]);
    expect(await kept(experiment)).toEqual([]);
  });

  test('keeps what was found of its steps, whatever the rules are now', async () => {
    const step = finding('naming', { step: '2026-07-01T00:00:00Z' });
    expect(told(await judged(context([]), { state: saved([step, finding('naming')]) }))).toEqual(['naming a']);
  });

  test('that nobody judged is refused where a rule needs live state, unless another one refuses it or it changes nothing', async () => {
    const refused = { code: 'plan_invalid', message: 'The saved plan was not judged by the policies of the project.' };
    await expect(judged(context([experiment]), { state: saved() })).rejects.toMatchObject(refused);
    expect(told(await judged(context([naming]), { state: saved() }))).toEqual([]);
    expect(told(await judged(context([experiment]), { state: saved(), plan: planOf(true) }))).toEqual([]);
    expect(told(await judged(context([experiment, naming]), { state: saved(), plan: created }))).toEqual([
      'naming new',
    ]);
    const warning = context([experiment, { ...naming, level: 'warning' } as Policy]);
    await expect(judged(warning, { state: saved(), plan: created })).rejects.toMatchObject(refused);
  });
});

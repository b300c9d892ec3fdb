/**
 * The differences between posthog-node and our evaluation, one case for each item of docs/evaluation/posthog-node.md.
 * Each case asserts a difference: a case that agrees must be removed from both lists.
 */

import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KnownCohort, EvaluationContext, Subject } from '../../../src/evaluation/input.ts';
import { evaluateFlag } from '../../../src/evaluation/evaluate.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import type { Condition, Filters, Flag, Property } from '../../../src/posthog/flag/model/flag.ts';
import { contextWith, flagWith, person, subjectWith } from '../support.ts';
import { startLocalClient } from './local-client.ts';

interface Case {
  readonly filters: Filters;
  /** The value here and in the library; `undefined` means undecided. */
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly flag?: Partial<Flag>;
  readonly subject?: Partial<Subject>;
  readonly context?: Partial<EvaluationContext>;
}

const enrolled = { personProperties: { '$feature_enrollment/checkout-v2': true, beta: 'yes' } };
const acme = { groups: { company: 'acme-co' }, groupProperties: { company: { plan: 'pro' } } };
const someTree: KnownCohort = { kind: 'dynamic', properties: {} };

function when(properties: readonly Property[], rest: Condition = {}): Filters {
  return { groups: [{ properties, ...rest }] };
}

/** A case of one filter on a property `field` with this value. */
function field(
  value: JsonValue,
  operator: string,
  wanted: JsonValue,
  [ours, theirs]: readonly [unknown, unknown],
): Case {
  return {
    filters: when([person('field', operator, wanted)]),
    subject: { personProperties: { field: value } },
    ours,
    theirs,
  };
}

function cohortFilter(operator: string): Property {
  return { key: 'id', type: 'cohort', operator, value: 1 };
}

const CASES: Readonly<Record<string, Case>> = {
  'missing property': { filters: when([person('field', 'is_not_set')]), ours: true, theirs: undefined },
  'missing property, then a match': {
    filters: {
      groups: [{ properties: [person('field', 'is_not', 'x')], variant: 'a' }, { variant: 'b' }],
      multivariate: { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) },
    },
    ours: 'a',
    theirs: 'b',
  },
  'missing initial property': {
    filters: when([person('$initial_browser', 'exact', 'Firefox')]),
    subject: { personProperties: { $browser: 'Firefox' } },
    ours: true,
    theirs: undefined,
  },
  'static cohort': {
    filters: when([cohortFilter('in')]),
    context: { cohorts: { '1': { kind: 'static' } } },
    subject: { cohortIds: [1] },
    ours: true,
    theirs: undefined,
  },
  'unknown cohort': { filters: when([cohortFilter('in')]), ours: false, theirs: undefined },
  'cohort without a tree': {
    filters: when([cohortFilter('in')]),
    context: { cohorts: { '1': someTree } },
    ours: false,
    theirs: true,
  },
  'experience continuity': {
    filters: { groups: [{}] },
    flag: { ensure_experience_continuity: true },
    ours: true,
    theirs: undefined,
  },
  'missing device': {
    filters: { groups: [{}] },
    flag: { bucketing_identifier: 'device_id' },
    ours: false,
    theirs: undefined,
  },
  'early access': { filters: { groups: [], feature_enrollment: true }, subject: enrolled, ours: true, theirs: false },
  'early access, older': {
    filters: { groups: [], super_groups: [{ properties: [person('beta', 'exact', 'yes')] }] },
    subject: enrolled,
    ours: true,
    theirs: false,
  },
  'missing dependency': {
    filters: when([{ key: 'unknown', type: 'flag', operator: 'flag_evaluates_to', value: false }]),
    ours: false,
    theirs: undefined,
  },
  'dependency on itself': {
    filters: when([{ key: 'checkout-v2', type: 'flag', operator: 'flag_evaluates_to', value: false }]),
    ours: false,
    theirs: undefined,
  },
  'dependency with another operator': {
    filters: when([{ key: 'other', type: 'flag', operator: 'exact', value: false }]),
    ours: false,
    theirs: true,
  },
  'person filter in a group condition': {
    filters: { ...when([person('plan', 'exact', 'pro')]), aggregation_group_type_index: 0 },
    subject: acme,
    ours: false,
    theirs: true,
  },
  'group filter in a person condition': {
    filters: when([{ key: 'plan', type: 'group', group_type_index: 0, operator: 'exact', value: 'pro' }]),
    subject: { ...acme, personProperties: { plan: 'free' } },
    ours: true,
    theirs: false,
  },
  'person condition in a group flag': {
    filters: {
      groups: [{ aggregation_group_type_index: null, rollout_percentage: 50 }],
      aggregation_group_type_index: 0,
    },
    subject: acme,
    ours: false,
    theirs: true,
  },
  'holdout without the group': {
    filters: { groups: [], aggregation_group_type_index: 0, holdout: { id: 3, exclusion_percentage: 100 } },
    ours: 'holdout-3',
    theirs: false,
  },
  'newer operators': field('b', 'icontains_multi', ['a', 'b'], [true, undefined]),
  between: field(3, 'between', [1, 5], [true, undefined]),
  'exact date': field('2024-06-01', 'is_date_exact', '2024-06-01', [true, undefined]),
  'whole number in a string': field(42, 'exact', '42', [true, undefined]),
  'filter for null': field(null, 'exact', null, [false, true]),
  'number with a unit': field('25 years', 'gt', '10', [false, true]),
  'strings in order': field('b', 'gt', 'a', [false, true]),
  'number as a date': field(1_717_200_000, 'is_date_after', '2024-01-01', [true, false]),
  "project's time zone": {
    ...field('2024-05-31T23:00:00Z', 'is_date_before', '2024-06-01', [false, true]),
    context: { timeZone: 'Europe/Berlin' },
  },
  'regular expression beyond ASCII': field('Köln', 'regex', 'K.ln', [true, undefined]),
  'regular expression in another dialect': field('ACME', 'regex', '(?i)acme', [true, undefined]),
  'pre-release': field('1.2.3-rc.1', 'semver_eq', '1.2.3', [false, true]),
  'four parts of a version': field('1.2.3.4', 'semver_eq', '1.2.3', [false, true]),
  'leading zeros of a version': field('1.08.0', 'semver_eq', '1.8.0', [true, undefined]),
  'caret of a wildcard': field('1.9.0', 'semver_wildcard', '1.2', [true, false]),
  'bare wildcard': field('1.9.0', 'semver_wildcard', '*', [true, undefined]),
};

const other = flagWith({ groups: [] }, { key: 'other' });

async function bothValues(test: Case): Promise<readonly [unknown, unknown]> {
  const flags = [flagWith(test.filters, test.flag), other];
  const context = contextWith({ now: new Date(), ...test.context });
  const subject = subjectWith(test.subject);
  const client = await startLocalClient({ flags, context });
  const { values } = await client.evaluate(subject);
  await client.close();
  return [evaluateFlag('checkout-v2', { flags, context, subject })?.value, values['checkout-v2']];
}

describe('posthog-node differs', () => {
  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(Object.entries(CASES))('%s', async (_, test) => {
    expect(test.ours).not.toBe(test.theirs);
    expect(await bothValues(test)).toEqual([test.ours, test.theirs]);
  });

  it('in payloads that are false, 0, null or empty', async () => {
    const flags = [flagWith({ groups: [{}], payloads: { true: 0 } })];
    const [context, subject] = [contextWith(), subjectWith()];
    const client = await startLocalClient({ flags, context });
    const { payloads } = await client.evaluate(subject);
    await client.close();
    expect(payloads).not.toHaveProperty('checkout-v2');
    expect(evaluateFlag('checkout-v2', { flags, context, subject })?.payload).toBe(0);
  });

  it('only in the documented cases', () => {
    const page = readFileSync(new URL('../../../docs/evaluation/posthog-node.md', import.meta.url), 'utf8');
    const cases = [...page.matchAll(/^- ([^(]+?) \(/gm)].map(([, name]) => name);
    expect(new Set(cases)).toEqual(new Set([...Object.keys(CASES), 'empty payload']));
  });
});

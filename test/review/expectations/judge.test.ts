import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { evaluateFlag } from '../../../src/evaluation/evaluate.ts';
import { defined } from '../../../src/base/optional.ts';
import type { Expectation, ExpectationCase } from '../../../src/review/expectations/expectation.ts';
import { judge } from '../../../src/review/expectations/judge.ts';
import { declaredWorld } from '../../../src/review/expectations/world.ts';
import { contextWith, subjectWith } from '../../evaluation/support.ts';
import { flagFields } from '../../helpers/arbitraries.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, desiredState, liveFlag } from '../../helpers/states.ts';
import { judged, PROJECT } from './support.ts';

const CHECKOUT = `
flags:
  checkout:
    active: true
    filters:
      groups:
        - properties: [{ key: email, operator: icontains, value: '@acme.com' }]
          variant: test
        - properties: [{ key: country, operator: exact, value: US }]
          rollout_percentage: 0
      multivariate:
        variants: [{ key: control, rollout_percentage: 50 }, { key: test, rollout_percentage: 50 }]
      payloads: { test: { color: red }, control: '"plain"' }
`;

const PEOPLE = `
people:
  ada: { properties: { email: ada@acme.com } }
  bob: { properties: { country: US } }
  eve:
`;

function outcomes(cases: readonly ExpectationCase[]): string[] {
  return cases.map(({ person, verdict }) => `${person} ${verdict.outcome}`);
}

describe('an expected value', () => {
  it.each([
    ['true', ['ada passed', 'bob failed', 'eve failed']],
    ['false', ['ada failed', 'bob passed', 'eve passed']],
    ['test', ['ada passed', 'bob failed', 'eve failed']],
    ['control', ['ada failed', 'bob failed', 'eve failed']],
    ['{ payload: { color: red } }', ['ada passed', 'bob failed', 'eve failed']],
    ['{ payload: null }', ['ada failed', 'bob failed', 'eve failed']],
    ['{ value: test, payload: { color: blue } }', ['ada failed', 'bob failed', 'eve failed']],
    ['{ value: false, payload: null }', ['ada failed', 'bob passed', 'eve passed']],
  ])('%s', (answer, expected) => {
    const expectations = `expect: [{ person: [ada, bob, eve], flags: { checkout: ${answer} } }]`;
    expect(outcomes(judged(CHECKOUT, PEOPLE + expectations))).toEqual(expected);
  });

  it.each(['plain', '"\\"plain\\""'])(
    'compares payloads as JSON values, so a string needs no quotes in it: %s',
    (text) => {
      const manifest = CHECKOUT.replace('variant: test', 'variant: control');
      const tests = `${PEOPLE}expect: [{ person: ada, flags: { checkout: { payload: ${text} } } }]`;
      expect(outcomes(judged(manifest, tests))).toEqual(['ada passed']);
    },
  );
});

describe('the answer', () => {
  const all = `${PEOPLE}expect: [{ person: [ada, bob, eve], flags: { checkout: control } }]`;

  it('has the condition that decided, with its place in the manifest', () => {
    const answers = judged(CHECKOUT, all).map(({ verdict }) => ('answer' in verdict ? verdict.answer : undefined));
    expect(answers).toMatchObject([
      {
        value: 'test',
        payload: { color: 'red' },
        reason: 'condition_match',
        condition: { number: 1, place: { file: 'flags/a.yaml', line: 7, column: 11 } },
      },
      { value: false, reason: 'out_of_rollout_bound', condition: { number: 2, condition: { rollout_percentage: 0 } } },
      { value: false, reason: 'no_condition_match', conditions: 2 },
    ]);
    expect(answers[2]).not.toHaveProperty('condition');
  });

  it('names the only condition that did not match, and cohorts by their alias', () => {
    const manifest =
      'flags: { a: { filters: { groups: [{ properties: [{ type: cohort, key: id, value: staff }] }] } } }';
    const [found] = judged(manifest, 'expect: [{ person: { id: x }, flags: { a: true } }]');
    expect(found).toMatchObject({
      person: 'x',
      verdict: {
        outcome: 'failed',
        answer: { condition: { number: 1, condition: { properties: [{ value: 'staff' }] } } },
      },
    });
  });

  it.each([
    ['a disabled flag', 'a: { active: false, rollout_percentage: 100 }', 'flag_disabled'],
    ['a disabled flag without conditions', 'a: { active: false }', 'flag_disabled'],
    ['a deleted flag', 'a: { deleted: true }', 'flag_deleted'],
  ])('is off for %s', (_, flag, reason) => {
    const [found] = judged(`flags: { ${flag} }`, 'expect: [{ person: { id: x }, flags: { a: false } }]');
    expect(found?.verdict).toMatchObject({ outcome: 'passed', answer: { value: false, reason } });
  });

  it.each([
    ['anonymous_id', 'ensure_experience_continuity: true'],
    ['device_id', 'fields: { bucketing_identifier: device_id }'],
  ])('assigns people by their %s where the flag says so, and else by their id', (member, field) => {
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    const valuesOf = (flag: string, person: (name: string) => string): unknown[] =>
      judged(
        `flags: { a: { ${flag} } }`,
        `expect: [${names.map((name) => `{ person: ${person(name)}, flags: { a: true } }`).join(', ')}]`,
      ).map(({ verdict }) => ('answer' in verdict ? verdict.answer.value : undefined));
    const half = 'rollout_percentage: 50';
    const byId = valuesOf(half, (name) => `{ id: ${name} }`);
    expect(new Set(byId).size).toBe(2);
    expect(valuesOf(`${half}, ${field}`, (name) => `{ id: someone, ${member}: ${name} }`)).toEqual(byId);
    expect(valuesOf(half, (name) => `{ id: ${name}, ${member}: something }`)).toEqual(byId);
  });

  it('knows cohorts that the manifests declare, beside those that they delete', () => {
    const manifest = `
flags: { a: { filters: { groups: [{ properties: [{ type: cohort, key: id, value: pros }] }] } } }
cohorts:
  pros: { filters: { properties: { type: AND, values: [{ key: plan, type: person, operator: exact, value: pro }] } } }
  gone: { deleted: true }
`;
    const tests =
      'expect: [{ person: { id: x, properties: { plan: pro } }, flags: { a: true } }, { person: { id: y }, flags: { a: false } }]';
    expect(outcomes(judged(manifest, tests))).toEqual(['x passed', 'y passed']);
  });

  it('follows dependencies', () => {
    const depends = '{ properties: [{ key: a, type: flag, operator: flag_evaluates_to, value: true }] }';
    const manifest = `flags: { a: { rollout_percentage: 100 }, b: { filters: { groups: [${depends}] } } }`;
    expect(outcomes(judged(manifest, 'expect: [{ person: { id: x }, flags: { b: true } }]'))).toEqual(['x passed']);
  });

  it('is that of the time that the expectation names', () => {
    const filter = '{ key: joined, operator: is_date_after, value: "-7d" }';
    const manifest = `flags: { a: { filters: { groups: [{ properties: [${filter}] }] } } }`;
    const person = '{ id: x, properties: { joined: "2026-01-10T00:00:00Z" } }';
    const tests = `
expect:
  - { person: ${person}, flags: { a: true }, at: '2026-01-12T00:00:00Z' }
  - { person: ${person}, flags: { a: false } }
`;
    expect(outcomes(judged(manifest, tests))).toEqual(['x passed', 'x passed']);
  });

  it('is that of the groups of the person', () => {
    const manifest = `
flags:
  a:
    filters:
      aggregation_group_type_index: 0
      groups: [{ properties: [{ key: plan, type: group, group_type_index: 0, value: pro }] }]
`;
    const group = (plan: string): string => `{ id: x, groups: { 0: { key: acme, properties: { plan: ${plan} } } } }`;
    const tests = `
expect:
  - { person: ${group('pro')}, flags: { a: true } }
  - { person: ${group('free')}, flags: { a: false } }
  - { person: { id: x, groups: { 1: acme } }, flags: { a: false } }
`;
    expect(outcomes(judged(manifest, tests))).toEqual(['x passed', 'x passed', 'x passed']);
  });
});

describe('cohorts', () => {
  const flag = (alias: string): string =>
    `a: { filters: { groups: [{ properties: [{ type: cohort, key: id, operator: in, value: ${alias} }] }] } }`;
  const values = (filter: string): string => `{ filters: { properties: { type: AND, values: [${filter}] } } }`;
  const manifest = (alias: string): string => `
flags: { ${flag(alias)} }
cohorts:
  pros: ${values('{ key: plan, value: pro, type: person, operator: exact }')}
  nested: ${values('{ key: id, value: pros, type: cohort }')}
`;
  it.each([
    ['a declared one, by the properties', 'pros', 'properties: { plan: pro }', 'true'],
    ['a declared one, without the properties', 'pros', 'properties: { plan: free }', 'false'],
    ['a declared one that the person names', 'pros', 'cohorts: [pros]', 'true'],
    ['one that names another', 'nested', 'properties: { plan: pro }', 'true'],
    ['one that is not declared', 'staff', 'properties: { plan: pro }', 'false'],
    ['one that is not declared, named by its alias', 'staff', 'cohorts: [staff]', 'true'],
    ['one that is not declared, named by its id', 'staff', 'cohorts: [12]', 'true'],
    ['another id', 'staff', 'cohorts: [13]', 'false'],
  ])('%s', (_, alias, person, answer) => {
    const tests = `expect: [{ person: { id: x, ${person} }, flags: { a: ${answer} } }]`;
    const cases = judged(manifest(alias), tests.replace('[pros]', '["pros"]'));
    expect(outcomes(cases)).toEqual(['x passed']);
  });
});

describe('an unknown answer', () => {
  const depends = '{ properties: [{ key: b, type: flag, operator: flag_evaluates_to, value: true }] }';
  it.each([
    ['without declared conditions', 'a: { description: x }', { code: 'conditions_undeclared' }],
    [
      'that depends on one without declared conditions',
      `a: { filters: { groups: [${depends}] } }, b: { active: true }`,
      { code: 'dependency_unknown', flags: ['b'] },
    ],
    [
      'with a filter of an unknown operator',
      'a: { fields: { filters: { groups: [{ rollout_percentage: 0 }, { properties: [{ key: x, operator: sounds_like }] }] } } }',
      { code: 'filter_unknown', filter: { operator: 'sounds_like' }, condition: { number: 2, place: { line: 1 } } },
    ],
    [
      'that depends on one with a filter of an unknown type',
      `a: { filters: { groups: [${depends}] } }, b: { fields: { filters: { groups: [{ properties: [{ key: x, type: moon, value: full }] }] } } }`,
      { code: 'filter_unknown', dependency: 'b', filter: { type: 'moon' }, condition: { number: 1 } },
    ],
    ['of an unknown format', 'a: { filters: { version: 2, rules: [] } }', { code: 'unknown_format' }],
  ])('of a flag %s is undecided, whatever is expected', (_, flags, why) => {
    for (const value of [true, false]) {
      const cases = judged(`flags: { ${flags} }`, `expect: [{ person: { id: x }, flags: { a: ${value} } }]`);
      expect(cases.map(({ verdict }) => verdict)).toMatchObject([{ outcome: 'undecided', why }]);
    }
  });

  it('is known where the unknown filter decides nothing', () => {
    const unknown = '{ properties: [{ key: name, operator: sounds_like, value: x }] }';
    const cases = judged(
      `flags: { a: { fields: { filters: { groups: [${unknown}, {}] } } }, b: { active: false, fields: { filters: { groups: [${unknown}] } } } }`,
      'expect: [{ person: { id: x }, flags: { a: true, b: false } }]',
    );
    expect(outcomes(cases)).toEqual(['x passed', 'x passed']);
    expect(cases[0]?.verdict).not.toHaveProperty('answer.condition');
  });

  it('is only the payload where payloads are encrypted', () => {
    const manifest = `
flags:
  a: { rollout_percentage: 100, fields: { has_encrypted_payloads: true }, filters: { groups: [{}], payloads: { 'true': 1 } } }
`.replace('rollout_percentage: 100, ', '');
    const verdicts = judged(manifest, 'expect: [{ person: { id: x }, flags: { a: { payload: 1 } } }]');
    expect(verdicts[0]?.verdict).toEqual({ outcome: 'undecided', why: { code: 'payload_encrypted' } });
    const [value] = judged(manifest, 'expect: [{ person: { id: x }, flags: { a: true } }]');
    expect(value?.verdict).toMatchObject({ outcome: 'passed' });
    expect(JSON.stringify(value)).not.toContain('payload":');
  });
});

it('answers as an evaluation of the same flag does, for all flags and both generations', () => {
  const wanted = { name: 'p', id: 'user-7', properties: { email: '@acme.com', plan: 'pro' }, groups: {}, cohorts: [] };
  holds(300, [flagFields(), fc.constantFrom('python-2023' as const, 'rust-2026' as const)], (fields, generation) => {
    const given: JsonObject = { filters: { groups: [{}] }, ...fields };
    const subject = subjectWith({ distinctId: wanted.id, personProperties: wanted.properties });
    const desired = desiredState(declared('a', given));
    const context = contextWith({ generation, cohorts: declaredWorld(desired, PROJECT).cohorts });
    const { value } = evaluateFlag('a', { flags: [liveFlag(1, 'a', given)], context, subject }) ?? {};
    const place = { file: 'tests/a.yaml', line: 1, column: 1 };
    const expectation = { people: [wanted], flag: 'a', expected: { value: value ?? false }, place };
    const [found] = judge([expectation], {
      project: PROJECT,
      desired,
      surroundings: { generation, now: context.now.getTime() },
    });
    const verdict = found?.verdict;
    if (verdict?.outcome === 'undecided') expect(verdict.why.code).not.toBe('conditions_undeclared');
    else expect(verdict).toMatchObject({ outcome: 'passed', answer: { value } });
  });
});

describe('what manifests declare at a time', () => {
  it('decides the expectations of that time, and is evaluated once', () => {
    const rolledOut = (share: number) =>
      desiredState(declared('a', { filters: { groups: [{ rollout_percentage: share }] } }));
    const [before, after] = [rolledOut(0), rolledOut(100)];
    const step = Date.parse('2026-05-01T00:00:00Z');
    const asked: number[] = [];
    const person = { name: 'p', id: 'p', properties: {}, groups: {}, cohorts: [] };
    const place = { file: 'tests/a.yaml', line: 1, column: 1 };
    const expectation = (at: number | undefined, value: boolean): Expectation => ({
      people: [person],
      flag: 'a',
      expected: { value },
      place,
      ...defined({ at }),
    });
    const cases = judge(
      [
        expectation(undefined, false),
        expectation(step - 1, false),
        expectation(step, true),
        expectation(step + 1, true),
      ],
      {
        project: PROJECT,
        desired: before,
        surroundings: { generation: 'rust-2026', now: step - 2 },
        desiredAt: (at) => {
          asked.push(at);
          return at < step ? before : after;
        },
      },
    );
    expect(outcomes(cases)).toEqual(['p passed', 'p passed', 'p passed', 'p passed']);
    expect(asked).toEqual([step - 2, step - 1, step, step + 1]);
  });
});

it('judges what is about the project, and what the project declares', () => {
  const manifest = 'flags: { a: { rollout_percentage: 100 } }';
  const cases = (projects: string): unknown =>
    judged(manifest, `expect: [{ person: { id: x }, name: all, ${projects} flags: { a: true, b: true } }]`);
  expect(cases('')).toMatchObject([{ project: 'production', flag: 'a', name: 'all' }]);
  expect(cases('projects: [staging, production],')).toHaveLength(1);
  expect(cases('projects: [staging],')).toEqual([]);
});

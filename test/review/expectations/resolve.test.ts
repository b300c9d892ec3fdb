import { describe, expect, it, test } from 'vitest';
import { defined } from '../../../src/base/optional.ts';
import { createSuggest } from '../../../src/base/text.ts';
import { parseTests } from '../../../src/review/expectations/read.ts';
import { resolveSuite } from '../../../src/review/expectations/resolve.ts';
import { flagProblems, suiteOf } from './support.ts';

describe('people', () => {
  it('have their name as id, and no more than is written', () => {
    const { people } = suiteOf('people: { eve: , ada: { id: ada-7, groups: { 0: acme }, device_id: d } }');
    expect(people.get('eve')).toEqual({ name: 'eve', id: 'eve', properties: {}, groups: {}, cohorts: [] });
    expect(people.get('ada')).toMatchObject({ id: 'ada-7', groups: { 0: { key: 'acme' } }, deviceId: 'd' });
  });

  it('are shared by all files and documents', () => {
    const { expectations, diagnostics } = suiteOf(
      'expect: [{ person: [ada, bob], flags: { a: true, b: false } }]',
      'people: { ada: }\n---\npeople: { bob: }',
    );
    expect(diagnostics).toEqual([]);
    expect(expectations.map(({ flag, people }) => [flag, people.map(({ name }) => name)])).toEqual([
      ['a', ['ada', 'bob']],
      ['b', ['ada', 'bob']],
    ]);
  });
});

test('an expectation has the place of the flag that it names', () => {
  const { expectations } = suiteOf('people: { ada: }\nexpect:\n  - person: ada\n    flags: { a: true, b: false }\n');
  expect(expectations.map(({ flag, place }) => [flag, place.line, place.column])).toEqual([
    ['a', 4, 14],
    ['b', 4, 23],
  ]);
});

describe('a mistake', () => {
  it.each([
    ['a person without a name', 'expect: [{ person: { properties: {} }, flags: {} }]', 'property-missing 1:12'],
    ['an unknown member', 'people: { a: { propertys: {} } }', 'property-unknown 1:16'],
    ['a group type by name', 'people: { a: { groups: { company: x } } }', 'value-pattern 1:26'],
    [
      'an unknown person',
      'people: { ada: }\nexpect: [{ person: [ada, adda], flags: { a: true } }]',
      'person-unknown 2:26',
    ],
    ['a second person of a name', 'people: { ada: }\n---\npeople: { ada: }', 'person-duplicate 3:11'],
    ['an unknown cohort', 'people: { ada: { cohorts: [12, "13", staf] } }', 'person-cohort-unknown 1:38'],
    [
      'an unknown cohort of a person without a name',
      'expect: [{ person: { id: x, cohorts: [beta] }, flags: {} }]',
      'person-cohort-unknown 1:39',
    ],
    ['an unknown project', 'expect: [{ person: { id: x }, projects: [prod], flags: {} }]', 'project-unknown 1:42'],
    [
      'a time that does not exist',
      "expect: [{ person: { id: x }, at: '2026-13-01T00:00Z', flags: {} }]",
      'expected-time-invalid 1:31',
    ],
    [
      'a time without an offset',
      "expect: [{ person: { id: x }, at: '2026-12-01T00:00', flags: {} }]",
      'value-pattern 1:31',
    ],
    [
      'a payload of nothing',
      'expect: [{ person: { id: x }, flags: { a: { value: false, payload: 1 } } }]',
      'expected-payload-of-off 1:59',
    ],
    ['a number for an answer', 'expect: [{ person: { id: x }, flags: { a: 1 } }]', 'type-wrong 1:40'],
  ])('is reported with its place: %s', (_, text, expected) => {
    const found = suiteOf(text).diagnostics;
    expect(found.map(({ code, place }) => `${code} ${place?.line}:${place?.column}`)).toEqual([expected]);
  });

  it('suggests the name that is meant', () => {
    const found = suiteOf(
      'people: { ada: }\nexpect: [{ person: adda, projects: [stagin], flags: { a: true } }]',
    ).diagnostics;
    expect(found.map(({ args }) => args)).toEqual([
      { person: 'adda', suggestion: 'ada' },
      { project: 'stagin', suggestion: 'staging' },
    ]);
  });

  it('of a name that two people have is an error, with the place of the first', () => {
    const [found, ...others] = suiteOf('people: { ada: }\n---\npeople: { ada: }').diagnostics;
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      severity: 'error',
      args: { person: 'ada', other: { file: 'tests/1.yaml', line: 1, column: 11 } },
    });
  });

  it('is none where every name is known', () => {
    const text =
      'people: { ada: { cohorts: [staff, 12] } }\nexpect: [{ person: [ada], projects: [staging, production], flags: { a: true } }]';
    expect(suiteOf(text)).toMatchObject({ diagnostics: [], expectations: [{ flag: 'a', people: [{ name: 'ada' }] }] });
  });

  it('names no person where a file with people could not be read, and no cohort where no alias is known', () => {
    const { documents } = parseTests(
      'tests/a.yaml',
      'expect: [{ person: adda, flags: { a: true } }, { person: { id: x, cohorts: [pro] }, flags: {} }]',
    );
    const known = { allProjects: [], suggest: createSuggest() };
    const codes = (arePeopleComplete: boolean, aliases?: ReadonlySet<string>): unknown =>
      resolveSuite(documents, { ...known, arePeopleComplete, ...defined({ aliases }) }).diagnostics.map(
        ({ code }) => code,
      );
    expect(codes(true)).toEqual(['person-unknown']);
    expect(codes(false)).toEqual([]);
    expect(codes(false, new Set(['pros']))).toEqual(['person-cohort-unknown']);
  });

  it('suggests the nearest name', () => {
    const { diagnostics } = suiteOf('people: { ada: }\nexpect: [{ person: adda, flags: { a: true } }]');
    expect(diagnostics).toMatchObject([{ args: { person: 'adda', suggestion: 'ada' } }]);
  });

  it('keeps the sound expectations', () => {
    const { expectations } = suiteOf(
      'expect: [{ person: adda, flags: { a: true } }, { person: { id: x }, flags: { b: true } }]',
    );
    expect(expectations.map(({ flag }) => flag)).toEqual(['b']);
  });
});

describe('flags', () => {
  const manifest = `
flags:
  checkout: { filters: { groups: [{}], multivariate: { variants: [{ key: control, rollout_percentage: 100 }] } } }
  plain: { rollout_percentage: 10 }
  elsewhere: { only_in: [staging], rollout_percentage: 10 }
  gone: { deleted: true }
`;
  it.each([
    ['{ checkout: control, plain: true, gone: false }', '', []],
    ['{ chekout: true }', '', [{ code: 'expected-flag-unknown', args: { flag: 'chekout', suggestion: 'checkout' } }]],
    ['{ elsewhere: true }', '', []],
    [
      '{ elsewhere: true }',
      'projects: [production], ',
      [{ code: 'expected-flag-unknown', args: { flag: 'elsewhere', project: 'production' } }],
    ],
    ['{ elsewhere: true }', 'projects: [staging], ', []],
    [
      '{ checkout: contrl }',
      '',
      [{ code: 'expected-variant-unknown', args: { flag: 'checkout', variant: 'contrl', variants: ['control'] } }],
    ],
    ['{ plain: off }', '', [{ code: 'expected-variant-unknown', args: { variant: 'off', variants: [] } }]],
    ['{ checkout: holdout-7 }', '', []],
  ])('are checked: %s %s', (flags, projects, expected) => {
    const found = flagProblems(manifest, `expect: [{ person: { id: x }, ${projects}flags: ${flags} }]`);
    expect(found).toMatchObject(expected);
    expect(found).toHaveLength(expected.length);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextsOf, type CelContext } from '../../../../src/review/policy/cel/context.ts';
import { compile, FUNCTIONS, make, type CelResult, type Mistake } from '../../../../src/review/policy/cel/language.ts';
import type { JudgedResource } from '../../../../src/review/policy/basis/policy-kind.ts';
import { holds } from '../../../helpers/runs.ts';

const RESOURCE: JudgedResource = {
  resource: 'flag',
  key: 'shop-x',
  names: ['shop-x'],
  refs: ['1'],
  classes: ['widen'],
  effects: [],
  changes: [],
  after: {
    key: 'shop-x',
    name: 'x'.repeat(10_000),
    tags: ['owner:web'],
    filters: {
      groups: [
        { rollout_percentage: 35, properties: [{ key: 'email', type: 'person', value: Array(2000).fill('ann') }] },
      ],
    },
  },
};
const CONTEXT = contextsOf(RESOURCE, { project: 'production', now: 0 }, make)[0] as CelContext;

function answer(text: string): CelResult {
  const compiled = compile(text);
  if ('mistake' in compiled) throw new Error(compiled.mistake.message);
  return compiled.evaluate(CONTEXT, { left: Infinity });
}

function mistake(text: string): Mistake | undefined {
  const compiled = compile(text);
  return 'mistake' in compiled ? compiled.mistake : undefined;
}

describe('an expression', () => {
  it.each<[string, boolean]>([
    ['true', true],
    ['change.key == "shop-x" && project == "production"', true],
    ['"widen" in change.classes', true],
    ['change.classes.all(class, class in ["metadata", "payload"])', false],
    ['!before.present && after.present', true],
    ['after.conditions[0].rollout > 30', true],
    ['after.conditions[0].rollout == 35.0', true],
    ['after.conditions.exists(c, c.properties.exists(p, p.key == "email" && "ann" in p.values))', true],
    ['after.tags.exists_one(tag, tag.startsWith("owner:"))', true],
    ['after.tags.filter(tag, tag.endsWith("web")).size() == 1', true],
    ['after.tags.map(tag, tag.upperAscii()) == ["OWNER:WEB"]', true],
    ['string(int("12") + 1) == "13" && double(1) < 1.5', true],
    ['after.key.contains("X".lowerAscii())', true],
    ['project == "staging" ? false : size(after.tags) == 1', true],
    ['1 / 0 == 1 || true', true],
  ])('answers %s', (text, expected) => {
    expect(answer(text)).toBe(expected);
  });

  it.each<[string, string]>([
    ['after.conditions[7].rollout > 1.0', 'No such key: index out of bounds, index 7 >= size 1'],
    ['1 / 0 == 1', 'division by zero'],
    ['int(after.key) == 1', 'int() type error: cannot convert to int'],
  ])('fails in %s', (text, failure) => {
    expect(answer(text)).toEqual({ failure });
  });
});

describe('a mistake', () => {
  const matches =
    'The function matches is not available: a regular expression can run for minutes. Use startsWith, endsWith or contains.';

  it.each<[string, number, string]>([
    ['', 0, 'Unexpected token: EOF'],
    ['true &&', 7, 'Unexpected token: EOF'],
    ['$', 0, 'Unexpected character: $'],
    ['"abc', 0, 'Unterminated string'],
    ['true && chnge.key == ""', 8, 'There is no variable chnge. Did you mean change?'],
    ['flags == 1', 0, 'There is no variable flags. There are change, before, after, project'],
    ['true && after.tag == []', 14, 'Flag has no field tag. Did you mean tags?'],
    ['after.conditions.exists(c, c.rolout > 1.0)', 29, 'Condition has no field rolout. Did you mean rollout?'],
    ['change.key', 0, 'The expression is not a bool, but of type string'],
    ['after[project]', 0, 'The expression is not a bool, but of type dyn'],
    ['"a" + 1 == "b"', 0, 'no such overload: string + int'],
    ['change.widens == 25', 0, 'no such overload: double == int. Write a double with a decimal point, such as 25.0'],
    ['before == after', 0, 'no such overload: Flag == Flag'],
    ['change.key.matches("^(a+)+$")', 11, matches],
    ['after.tags.exists(t, dyn(t).matches("^(a+)+$"))', 28, matches],
    ['dyn(1) == 1', 0, 'There is no function dyn'],
    ['true || change.key.\n  matches("a")', 22, matches],
    ['matches(change.key, "a")', 0, matches],
    [
      'has(after.tgs)',
      0,
      'The function has is not available: no field is ever missing. Compare the value, such as with "".',
    ],
    ['cel.bind(x, 1, x == 1)', 4, 'There is no function bind. There are all, exists,'],
    ['change.key.startWith("a")', 11, 'There is no function startWith. Did you mean startsWith?'],
    ['change.key.split("").size() == 1', 11, 'There is no function split'],
    ['toString(1) == ""', 0, 'There is no function toString'],
  ])('of %s is found', (text, offset, message) => {
    const found = mistake(text);
    expect(found?.offset).toBe(offset);
    expect([found?.message, found?.remedy].join('. ')).toContain(message);
  });

  it.each([
    ['(', ')'],
    ['[', ']'],
    ['!', ''],
    ['-', ''],
    ['a.', ''],
  ])('of deep nesting (%s) is found', (left, right) => {
    expect(mistake(`${left.repeat(3000)}1${right.repeat(3000)} == 1`)?.message).toMatch(/^Exceeded max/);
  });

  it('of long expressions is found before they are read', () => {
    expect(mistake(`"${'x'.repeat(10_000)}" == ""`)?.message).toBe('The expression is longer than 10000 characters');
  });
});

describe('the steps of an expression', () => {
  const TEN = '[1,2,3,4,5,6,7,8,9,10]';
  const nested = (loop: string, inner: string): string =>
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].reduce(
      (text, name) => `${TEN}.${loop}(${name}, ${text})`,
      inner,
    );

  it.each([
    ['lists in lists', nested('all', '1 < 2')],
    ['lists in lists, in which each element fails', nested('exists', '1 / 0 == 1')],
    ['errors that an operator hides', nested('all', '1 / 0 == 1 || true')],
    ['texts that double', `["${'x'.repeat(100)}"]${'.map(a, a + a)'.repeat(40)}.size() == 1`],
    ['lists that double', `[[1, 2, 3]]${'.map(a, a + a)'.repeat(40)}.size() == 1`],
    [
      'comparisons of long texts',
      `${TEN}.all(a, ${TEN}.all(b, ${TEN}.all(c, after.description == after.description)))`,
    ],
    ['searches in long texts', `${TEN}.all(a, ${TEN}.all(b, ${TEN}.all(c, !after.description.contains("y"))))`],
    [
      'searches in long lists',
      `${TEN}.all(a, ${TEN}.all(b, after.conditions.all(c, c.properties.all(p, !("bob" in p.values)))))`,
    ],
  ])('are limited for %s', (_, text) => {
    expect(answer(text)).toEqual({ failure: 'The expression takes more than 100000 steps' });
  });

  it('are counted for each evaluation alone', () => {
    const compiled = compile(`${TEN}.all(a, ${TEN}.all(b, ${TEN}.all(c, a + b + c > 0)))`);
    if ('mistake' in compiled) throw new Error(compiled.mistake.message);
    for (let time = 0; time < 30; time++) expect(compiled.evaluate(CONTEXT, { left: Infinity })).toBe(true);
  });

  it('are taken off a budget, which is exhausted where fewer are left than one evaluation may take', () => {
    const compiled = compile(`${TEN}.all(a, ${TEN}.all(b, a + b > 0))`);
    if ('mistake' in compiled) throw new Error(compiled.mistake.message);
    const used = { left: 1_000_000 };
    expect(compiled.evaluate(CONTEXT, used)).toBe(true);
    const steps = 1_000_000 - used.left;
    expect(steps).toBeGreaterThan(100);
    const twice = { left: 2 * steps + 1 };
    const answers = [1, 2, 3].map(() => compiled.evaluate(CONTEXT, twice));
    expect([...answers, twice.left]).toEqual([true, true, { exhausted: true }, 0]);
  });

  it('are as many as what is read whole has members and characters, at any depth', () => {
    const stepsFor = (text: string): number => {
      const compiled = compile(text);
      if ('mistake' in compiled) throw new Error(compiled.mistake.message);
      const used = { left: 1_000_000 };
      expect(compiled.evaluate(CONTEXT, used)).toBe(false);
      return 1_000_000 - used.left;
    };
    const [text, short] = ['x'.repeat(640), 'x'];
    const of = (one: string): string => `[[["${one}"]], [["a"]]] == [[["y"]]]`;
    // Ten times 64 characters are ten more steps, in a list of lists too.
    expect(stepsFor(`"${text}" == "y"`) - stepsFor(`"${short}" == "y"`)).toBe(10);
    expect(stepsFor(of(text)) - stepsFor(of(short))).toBe(10);
    // Two further members.
    expect(stepsFor('[[1, 2, 3], [4]] == [[5]]') - stepsFor('[[1], [4]] == [[5]]')).toBeGreaterThanOrEqual(2);
  });

  it('suffice for a flag with thousands of values', () => {
    expect(answer('after.conditions.exists(c, c.properties.exists(p, p.values.exists(v, v == "bob")))')).toBe(false);
  });
});

describe('any text', () => {
  const WORDS = [
    'change',
    'after',
    '.',
    '(',
    ')',
    '[',
    ']',
    ',',
    '==',
    '&&',
    '"a"',
    '1',
    '1.0',
    ' ',
    '!',
    '?',
    ':',
    '{',
    '}',
  ];
  const expressions = fc
    .array(
      fc.constantFrom(...WORDS, ...FUNCTIONS, 'tags', 'conditions', 'matches', 'x', '\n', '__proto__', 'constructor'),
    )
    .map((parts) => parts.join(''));

  it('gives a bool, a failure or a mistake within the text', () => {
    holds(300, [fc.oneof(expressions, fc.string())], (text) => {
      const compiled = compile(text);
      if ('mistake' in compiled) {
        expect(compiled.mistake.offset).toBeGreaterThanOrEqual(0);
        expect(compiled.mistake.offset).toBeLessThanOrEqual(text.length);
      } else expect(['boolean', 'object']).toContain(typeof compiled.evaluate(CONTEXT, { left: Infinity }));
    });
  });
});

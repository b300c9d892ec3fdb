import { describe, expect, it } from 'vitest';
import { FLAG_WORDS } from '../../../../src/posthog/flag/checks/words.ts';
import { check, problems } from '../../../core/manifest/check.ts';

/** A flag that depends on others, on one line. */
function flag(key: string, dependencies: readonly string[], rest = ''): string {
  const properties = dependencies.map(
    (other) => `{ key: ${other}, type: flag, operator: flag_evaluates_to, value: true }`,
  );
  return `  ${key}: { filters: { groups: [{ properties: [${properties.join(', ')}] }] }${rest} }\n`;
}

const at = (key: string, index = 0): string => `/flags/${key}/filters/groups/0/properties/${index}/key`;

describe('a condition on another flag', () => {
  it.each([
    ['declared', flag('a', ['b']) + flag('b', []), []],
    ['an id', flag('a', ['17']), []],
    ['undeclared', flag('a', ['bb']) + flag('b', []), [`warning flag-unknown ${at('a')}`]],
    ['itself', flag('a', ['a']), [`error flag-depends-on-itself ${at('a')}`]],
    ['deleted', `${flag('a', ['b'])}  b: { deleted: true }\n`, [`error flag-depends-on-deleted ${at('a')}`]],
    ['disabled', flag('a', ['b']) + flag('b', [], ', active: false'), [`warning flag-depends-on-disabled ${at('a')}`]],
    ['both disabled', flag('a', ['b'], ', active: false') + flag('b', [], ', active: false'), []],
    ['a cycle of two', flag('b', ['a']) + flag('a', ['b']), [`error flag-depends-on-itself ${at('a')}`]],
    [
      'two cycles and a flag that leads to one',
      flag('a', ['b']) + flag('b', ['a']) + flag('c', ['d', 'a']) + flag('d', ['c']) + flag('e', ['a']),
      [`error flag-depends-on-itself ${at('a')}`, `error flag-depends-on-itself ${at('c')}`],
    ],
    ['a flag with mistakes', `${flag('a', ['b'])}  b: { activ: true }\n`, ['error property-unknown /flags/b/activ']],
  ])('%s', (_, text, expected) => {
    expect(problems(`flags:\n${text}`)).toEqual(expected);
  });

  it('reports the whole cycle, starting at its smallest key', () => {
    const { diagnostics } = check(`flags:\n${flag('c', ['a'])}${flag('a', ['b'])}${flag('b', ['c'])}`);
    expect(diagnostics.map(({ args }) => args)).toEqual([{ cycle: ['a', 'b', 'c', 'a'] }]);
  });

  it('reports a variant that the other flag does not have', () => {
    const variants = '{ key: control, rollout_percentage: 100 }';
    const text = `flags:
  a: { filters: { groups: [{ properties: [{ key: b, type: flag, operator: flag_evaluates_to, value: contrl }] }] } }
  b: { filters: { groups: [{}], multivariate: { variants: [${variants}] } } }\n`;
    expect(check(text).diagnostics).toMatchObject([
      { code: 'variant-unknown', severity: 'warning', args: { variant: 'contrl', suggestion: 'control' } },
    ]);
  });

  it.each([
    ['true', 'Flag "b" is not active, so this condition never matches.'],
    ['false', 'Flag "b" is not active, so everybody meets this condition.'],
  ])('says what %s of a disabled flag selects', (value, expected) => {
    const { diagnostics } = check(`flags:
  a: { filters: { groups: [{ properties: [{ key: b, type: flag, operator: flag_evaluates_to, value: ${value} }] }] } }
  b: { active: false }\n`);
    const { message } = FLAG_WORDS['flag-depends-on-disabled'];
    expect(diagnostics.map(({ args }) => message(args as Parameters<typeof message>[0]))).toEqual([expected]);
  });

  describe('asks for a value', () => {
    const VARIANTS = 'multivariate: { variants: [{ key: control, rollout_percentage: 100 }] }';
    const asking = (value: string, other: string): string => `flags:
  a: { filters: { groups: [{ properties: [{ key: b, type: flag, operator: flag_evaluates_to, value: ${value} }] }] } }
  b: ${other}\n`;
    const UNKNOWN = 'warning variant-unknown /flags/a/filters/groups/0/properties/0/value';

    it.each<[value: string, other: string, expected: readonly string[]]>([
      ['true', '{ active: true }', []],
      ['"true"', '{ active: true }', []],
      ['"false"', '{ active: true }', []],
      ['"true"', `{ filters: { groups: [{}], ${VARIANTS} } }`, []],
      ['control', `{ filters: { groups: [{}], ${VARIANTS} } }`, []],
      ['test', `{ filters: { groups: [{}], ${VARIANTS} } }`, [UNKNOWN]],
      ['test', '{ filters: { groups: [{}] } }', [UNKNOWN]],
      ['test', '{ rollout_percentage: 10 }', [UNKNOWN]],
      // Without filters, the flag keeps those that it has.
      ['test', '{ active: true }', []],
      ['test', `{ fields: { filters: { groups: [{}], ${VARIANTS} } } }`, []],
    ])('%s of %s', (value, other, expected) => {
      expect(problems(asking(value, other))).toEqual(expected);
    });

    it('that a mistake may hide', () => {
      const broken =
        '{ filters: { groups: [{}], multivariate: { variants: [{ kee: test, rollout_percentage: 100 }] } } }';
      expect(problems(asking('test', broken)).filter((line) => line.startsWith('warning'))).toEqual([]);
    });
  });

  it('does not report flags that may be in a file that could not be read', () => {
    expect(problems({ 'a.yaml': `flags:\n${flag('a', ['b'])}`, 'b.yaml': 'flags: {' })).toEqual(['error yaml-syntax ']);
  });
});

import { Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameFlags } from '../../../src/code/generate/identifiers.ts';

function nameOf(key: string): string | undefined {
  return nameFlags([key], ['flag']).byKey.get(key);
}

describe('the name of a flag', () => {
  it.each([
    ['new-checkout', 'newCheckout'],
    ['new_checkout', 'newCheckout'],
    ['NewCheckout', 'newCheckout'],
    ['newCheckout', 'newCheckout'],
    ['HTTP_CACHE', 'httpCache'],
    ['delete', 'deleteFlag'],
    ['DELETE', 'deleteFlag'],
    ['flag', 'flagFlag'],
    ['undefined', 'undefinedFlag'],
    ['2024-sale', 'flag2024Sale'],
    ['-', 'flagFlag'],
    ['constructor', 'constructor'],
  ])('of %s is %s', (key, name) => {
    expect(nameOf(key)).toBe(name);
  });

  it.each([
    [
      ['new-checkout', 'new_checkout', 'newCheckout'],
      ['new$checkout', 'new_checkout', 'newCheckout'],
    ],
    [
      ['delete', 'delete-flag'],
      ['delete$2', 'delete$flag'],
    ],
    [
      ['2-a', '2_a'],
      ['$2$a', '$2_a'],
    ],
    [
      ['-', '--', '_'],
      ['$', '$$', '_'],
    ],
  ])('of %j is made from the key as it is written', (keys, names) => {
    const { byKey, collisions } = nameFlags(keys, ['flag']);
    expect(keys.map((key) => byKey.get(key))).toEqual(names);
    expect(collisions).toHaveLength(1);
    expect(collisions[0]?.keys).toEqual(keys.toSorted());
  });

  it('has a number where several keys are written alike', () => {
    const { byKey } = nameFlags(['a/b', 'a-b', 'a.b', 'a b'], []);
    expect(Object.fromEntries(byKey)).toEqual({ 'a b': 'a$b', 'a-b': 'a$b$2', 'a.b': 'a$b$3', 'a/b': 'a$b$4' });
  });

  const RESERVED =
    'arguments await break case catch class const continue debugger default delete do else enum eval export exports extends ' +
    'false finally for function if implements import in instanceof interface let module new null package private protected ' +
    'public require return static super switch this throw true try typeof var void while with yield';
  it.each(RESERVED.split(' '))('of %s can be that of a constant, in any module', (word) => {
    const declare = (name: string) => (): unknown =>
      new Script(`(async function* (exports, require, module) { 'use strict'; const ${name} = 1; })`);
    expect(declare(word)).toThrow(SyntaxError);
    expect(declare(nameOf(word) ?? '')).not.toThrow();
  });

  it('is unique, and depends on the set of keys only', () => {
    const key = fc.stringMatching(/^[-_aAbB12]{1,5}$/);
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 30 }), fc.infiniteStream(fc.nat()), (keys, order) => {
        const { byKey } = nameFlags(keys, ['flag']);
        expect(new Set(byKey.values()).size).toBe(keys.length);
        const shuffled = keys.map((one) => ({ one, at: order.next().value as number })).toSorted((a, b) => a.at - b.at);
        expect(
          nameFlags(
            shuffled.map(({ one }) => one),
            ['flag'],
          ).byKey,
        ).toEqual(byKey);
      }),
    );
  });
});

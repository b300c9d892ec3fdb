import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameFlags } from '../../src/generate/identifiers.ts';

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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_LIMITS,
  type SafetyLimits,
  type WrittenOrigin,
  stricterOf,
  type SafetySettings,
} from '../../../src/core/engine/safety.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** What a file says whose limits are on line 1 and whose patterns are on line 2. */
function settings(limits: Partial<SafetyLimits>, patterns: readonly string[] = []): SafetySettings {
  const origin = (line: number): WrittenOrigin => ({
    from: 'configuration',
    place: { file: 'flagwright.yaml', line, column: 1 },
  });
  return {
    limits: { ...DEFAULT_LIMITS, ...limits },
    protected: patterns,
    origins: {
      limits: Object.fromEntries(Object.keys(limits).map((name) => [name, origin(1)])),
      protected: new Map(patterns.map((pattern) => [pattern, origin(2)])),
    },
  };
}

describe('the safety settings of a base and of a checkout', () => {
  it.each<[string, Partial<SafetyLimits>, Partial<SafetyLimits>, Partial<SafetyLimits>, readonly string[]]>([
    ['a raised limit does not count', { deletes: 1 }, { deletes: 90 }, { deletes: 1 }, ['limits.deletes']],
    ['a lowered limit counts at once', { deletes: 3 }, { deletes: 1 }, { deletes: 1 }, []],
    ['a removed limit is its default', { deletes: 3 }, {}, { deletes: 3 }, ['limits.deletes']],
    ['a removed limit above its default lowers it', { deletes: 9 }, {}, { deletes: 5 }, []],
    ['a removed limit without a default limits nothing', { updates: 3 }, {}, { updates: 3 }, ['limits.updates']],
    ['a new limit counts at once', {}, { updates: 3 }, { updates: 3 }, []],
    ['no limit on both sides is none', {}, {}, {}, []],
    [
      'each limit is judged by itself',
      { updates_percent: 10, deletes_percent: 10, disables: 2 },
      { updates_percent: 20, deletes_percent: 5, disables: 9 },
      { updates_percent: 10, deletes_percent: 5, disables: 2 },
      ['limits.updates_percent', 'limits.disables'],
    ],
  ])('%s', (_, base, checkout, limits, looser) => {
    const found = stricterOf(settings(base), settings(checkout), COMMIT);
    expect([found.limits, found.looser]).toEqual([{ ...DEFAULT_LIMITS, ...limits }, looser]);
  });

  it('protect the flags of both', () => {
    const found = stricterOf(settings({}, ['a', 'b']), settings({}, ['b', 'c']), COMMIT);
    expect([found.protected, found.looser]).toEqual([['a', 'b', 'c'], ['protected']]);
    const commits = [...found.origins.protected].map(([pattern, { commit }]) => [pattern, commit]);
    expect(Object.fromEntries(commits)).toEqual({ a: COMMIT, b: COMMIT, c: undefined });
  });

  it.each<[string, Partial<SafetyLimits>, Partial<SafetyLimits>, Partial<WrittenOrigin> | undefined]>([
    ['the base, which is stricter', { deletes: 1 }, { deletes: 2 }, { commit: COMMIT }],
    ['the base, which is equal', { deletes: 1 }, { deletes: 1 }, { commit: COMMIT }],
    ['the checkout, which is stricter', { deletes: 2 }, { deletes: 1 }, {}],
    ['neither, where the default of the checkout is stricter', { deletes: 9 }, {}, undefined],
    ['neither, where the checkout raises the default of the base', {}, { deletes: 9 }, undefined],
  ])('name as the place of a limit that of %s', (_, base, checkout, expected) => {
    const { origins } = stricterOf(settings(base), settings(checkout), COMMIT);
    const place = { file: 'flagwright.yaml', line: 1, column: 1 };
    expect(origins.limits.deletes).toEqual(
      expected === undefined ? undefined : { from: 'configuration', place, ...expected },
    );
  });

  const anySettings = fc
    .record(
      {
        limits: fc.record(
          { deletes: fc.nat(9), updates: fc.nat(9), updates_percent: fc.nat(9), disables: fc.nat(9) },
          { requiredKeys: [] },
        ),
        patterns: fc.uniqueArray(fc.constantFrom('a', 'b', 'c*')),
      },
      { requiredKeys: ['limits', 'patterns'] },
    )
    .map(({ limits, patterns }) => settings(limits, patterns));

  it('are never looser than one of them, and name as looser exactly what the checkout allows beyond the base', () => {
    const atMost = (one: number | undefined, other: number | undefined): boolean =>
      (one ?? Infinity) <= (other ?? Infinity);
    fc.assert(
      fc.property(anySettings, anySettings, (base, checkout) => {
        const found = stricterOf(base, checkout, COMMIT);
        const names = ['deletes', 'deletes_percent', 'updates', 'updates_percent', 'disables'] as const;
        for (const side of [base, checkout]) {
          for (const name of names) expect(atMost(found.limits[name], side.limits[name])).toBe(true);
          expect(found.protected).toEqual(expect.arrayContaining([...side.protected]));
        }
        const changed = names.filter((name) => !atMost(checkout.limits[name], base.limits[name]));
        const isBare = base.protected.some((pattern) => !checkout.protected.includes(pattern));
        expect(found.looser).toEqual([...changed.map((name) => `limits.${name}`), ...(isBare ? ['protected'] : [])]);
        expect(stricterOf(base, base, COMMIT).looser).toEqual([]);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DesiredFlag } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/flag.ts';
import { indexResources, renameSome } from '../../src/engine/snapshot.ts';
import { matchResources, type Matches } from '../../src/engine/match.ts';
import { runs } from '../helpers/runs.ts';
import { declared, liveFlag, retired } from '../helpers/states.ts';

const DELETED = { deleted: true };
type FlagMatches = Matches<DesiredFlag, Flag>;
const match = (flags: readonly Flag[], ...desired: DesiredFlag[]): FlagMatches =>
  matchResources(desired, indexResources(flags));
const idOf = ({ pairs }: FlagMatches): number | undefined => pairs[0]?.live?.id;

describe('a desired flag matches', () => {
  it.each<readonly [string, readonly Flag[], number | undefined]>([
    ['the live flag with its key', [liveFlag(1, 'b'), liveFlag(2, 'a')], 2],
    ['no flag if none has its key', [liveFlag(1, 'b')], undefined],
    [
      'a flag that is not deleted, in preference to an older deleted one',
      [liveFlag(1, 'a', DELETED), liveFlag(2, 'a')],
      2,
    ],
    [
      'a flag that is not deleted, in preference to a newer deleted one',
      [liveFlag(2, 'a'), liveFlag(3, 'a', DELETED)],
      2,
    ],
    [
      'the newest of several deleted flags',
      [liveFlag(4, 'a', DELETED), liveFlag(6, 'a', DELETED), liveFlag(5, 'a', DELETED)],
      6,
    ],
    ['the oldest of several flags', [liveFlag(5, 'a'), liveFlag(4, 'a'), liveFlag(6, 'a')], 4],
    ['an archived flag', [liveFlag(1, 'a', { archived: true })], 1],
  ])('%s', (_name, flags, id) => {
    expect(idOf(match(flags, declared('a')))).toBe(id);
    expect(idOf(match(flags, retired('a')))).toBe(id);
  });

  it.each<readonly [string, readonly Flag[], number | undefined, readonly number[]]>([
    ['a flag under a previous key', [liveFlag(1, 'old')], 1, []],
    ['the flag under its first previous key that is live', [liveFlag(1, 'older'), liveFlag(2, 'old')], 2, [1]],
    [
      'a flag under a previous key, in preference to a deleted one with its key',
      [liveFlag(1, 'a', DELETED), liveFlag(2, 'old')],
      2,
      [],
    ],
    [
      'a deleted flag with its key, in preference to a deleted one under a previous key',
      [liveFlag(1, 'a', DELETED), liveFlag(2, 'old', DELETED)],
      1,
      [],
    ],
    ['no flag if only a deleted one has a previous key', [liveFlag(2, 'old', DELETED)], undefined, []],
    [
      'the flag with its key, in preference to flags under previous keys',
      [liveFlag(1, 'old'), liveFlag(2, 'older'), liveFlag(3, 'a')],
      3,
      [1, 2],
    ],
  ])('%s', (_name, flags, id, spared) => {
    const matches = match(flags, declared('a', {}, { previousKeys: ['never', 'old', 'older'] }));
    expect(idOf(matches)).toBe(id);
    expect(matches.warnings).toEqual(
      spared.map((one) => ({
        code: 'previous_key_live',
        key: 'a',
        previous: flags.find((flag) => flag.id === one)?.key,
        id: one,
      })),
    );
    expect(matches.unmanaged).toEqual([]);
  });
});

it('a key that several undeleted flags share causes a warning with their ids', () => {
  const flags = [
    liveFlag(3, 'a'),
    liveFlag(1, 'a'),
    liveFlag(2, 'a', DELETED),
    liveFlag(4, 'b'),
    liveFlag(5, 'b', DELETED),
  ];
  expect(match(flags).warnings).toEqual([{ code: 'key_shared', key: 'a', ids: [3, 1] }]);
});

it('undeclared flags are sorted by key, without deleted and archived ones', () => {
  const flags = ['d', 'b', 'a', 'c', 'e', 'f'].map((key, index) => liveFlag(index + 1, key));
  const all = [...flags, liveFlag(7, 'x', DELETED), liveFlag(8, 'y', { archived: true })];
  const matches = matchResources([declared('e')], indexResources(all), ['f', 'b']);
  expect(matches.unmanaged.map(({ key }) => key)).toEqual(['a', 'c', 'd']);
  expect(matches.namedElsewhere.map(({ key }) => key)).toEqual(['b', 'f']);
});

it('a renamed flag is named by its new key, a retired flag by its current key', () => {
  const flags = [liveFlag(1, 'old'), liveFlag(2, 'gone'), liveFlag(3, 'other')];
  const { renamed } = match(flags, declared('new', {}, { previousKeys: ['old'] }), retired('gone'));
  expect([1, 2, 3, 4].map(renameSome(indexResources(flags), renamed))).toEqual(['new', 'gone', 'other', undefined]);
});

it('matching does not depend on the order of live flags', () => {
  const flag = fc
    .record({ key: fc.constantFrom('a', 'b', 'old'), deleted: fc.boolean(), archived: fc.boolean() })
    .map((fields) => liveFlag(0, fields.key, fields));
  fc.assert(
    fc.property(
      fc.array(flag, { maxLength: 6 }).chain((flags) => {
        const numbered = flags.map((one, index) => ({ ...one, id: index + 1 }));
        return fc.tuple(fc.constant(numbered), fc.shuffledSubarray(numbered, { minLength: flags.length }));
      }),
      ([flags, shuffled]) => {
        const desired = [declared('a', {}, { previousKeys: ['old'] }), retired('b')];
        const ids = (matches: FlagMatches): unknown => [
          matches.pairs.map(({ live }) => live?.id),
          matches.unmanaged.map(({ id }) => id),
        ];
        expect(ids(match(shuffled, ...desired))).toEqual(ids(match(flags, ...desired)));
      },
    ),
    { numRuns: runs(200) },
  );
});

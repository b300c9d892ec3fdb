import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { indexResources, renameSome } from '../../../src/core/engine/snapshot.ts';
import { matchResources, type Matches } from '../../../src/core/engine/match.ts';
import { findMissingKeys, type Trace } from '../../../src/core/engine/trace.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, liveFlag, retired } from '../../helpers/states.ts';

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
    expect(matches.warnings.filter(({ code }) => code !== 'destroys_deleted')).toEqual(
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

it('a base means the flag that had the key which it declared, not one that had an earlier key', () => {
  const base = [declared('a', {}, { previousKeys: ['old'] })];
  const basesOf = (live: Flag): unknown =>
    matchResources([declared('old')], indexResources([live]), { base }).pairs.map((one) => one.base);
  expect(basesOf(liveFlag(1, 'old'))).toEqual([null]);
});

it('a rename to the key of a deleted flag causes a warning', () => {
  const flags = [liveFlag(1, 'a', DELETED), liveFlag(2, 'old')];
  const matches = match(flags, declared('a', {}, { previousKeys: ['old'] }));
  expect(matches.warnings).toEqual([{ code: 'destroys_deleted', key: 'a', id: 1 }]);
});

describe('a declared flag that no live flag has the key of', () => {
  const former = (key: string, id: number, evidence: 'recorded' | 'logged' = 'recorded'): Trace => ({
    kind: 'former',
    key,
    id,
    evidence,
  });
  const traced = (flags: readonly Flag[], traces: readonly Trace[], options: Partial<typeof ALIKE> = {}): FlagMatches =>
    matchResources([declared('a', {}, { previousKeys: ['old'] }), declared('b')], indexResources(flags), {
      traces,
      ...options,
    });
  const ALIKE = { resembles: () => true };

  it.each<readonly [string, readonly Flag[], readonly Trace[], number | undefined, readonly string[]]>([
    ['matches the deleted flag of its trace', [liveFlag(1, 'x', DELETED)], [former('a', 1)], 1, []],
    ['matches the renamed flag of its trace', [liveFlag(1, 'x')], [former('a', 1)], 1, ['renamed_back']],
    ['matches by the trace of a previous key', [liveFlag(1, 'x')], [former('old', 1)], 1, ['renamed_back']],
    [
      'prefers the trace of its key',
      [liveFlag(1, 'x'), liveFlag(2, 'y')],
      [former('old', 2), former('a', 1)],
      1,
      ['renamed_back'],
    ],
    ['matches nothing where the flag is gone', [], [former('a', 1)], undefined, []],
    ['matches no flag that another key names', [liveFlag(1, 'b')], [former('a', 1)], undefined, ['renamed_away']],
    [
      'matches no flag that only the log names',
      [liveFlag(1, 'x')],
      [former('a', 1, 'logged')],
      undefined,
      ['renamed_away'],
    ],
    [
      'matches nothing where nothing is known',
      [],
      [{ kind: 'unknown', key: 'a', why: 'failed' }],
      undefined,
      ['deleted_unknown'],
    ],
  ])('%s', (_name, flags, traces, id, warnings) => {
    const matches = traced(flags, traces);
    expect(idOf(matches)).toBe(id);
    expect(matches.warnings.map(({ code }) => code)).toEqual(warnings);
  });

  it.each<readonly [string, readonly Flag[], readonly Trace[], number | undefined, readonly string[]]>([
    ['the renamed flag', [liveFlag(1, 'x')], [former('a', 1)], 1, ['renamed_deleted']],
    ['no flag that another key names', [liveFlag(1, 'b')], [former('a', 1)], undefined, []],
    ['no flag that is deleted already', [liveFlag(1, 'x', DELETED)], [former('a', 1)], undefined, []],
    [
      'nothing where nothing is known',
      [],
      [{ kind: 'unknown', key: 'a', why: 'failed' }],
      undefined,
      ['retired_unknown'],
    ],
  ])('that is deleted by git and that the base declared matches %s', (_name, flags, traces, id, warnings) => {
    const matches = matchResources([retired('a'), declared('b')], indexResources(flags), {
      traces,
      base: [declared('a'), declared('b')],
    });
    expect(idOf(matches)).toBe(id);
    expect(matches.warnings.map(({ code }) => code)).toEqual(warnings);
  });

  it('leaves the flag that has another key now to that key, which is no rename of it', () => {
    const matchOther = (...base: DesiredFlag[]): FlagMatches['pairs'] =>
      matchResources([declared('a'), declared('b')], indexResources([liveFlag(1, 'b')]), {
        traces: [former('a', 1)],
        base,
      }).pairs;
    const [a, b] = matchOther(declared('a'));
    expect([a?.live, b?.live?.id, b?.base, b?.isOther]).toEqual([undefined, 1, null, true]);
    const [, known] = matchOther(declared('a'), declared('b'));
    expect([known?.base?.key, known?.isOther]).toEqual(['b', undefined]);
  });

  it('that is deleted by git matches no renamed flag without a base that declared it', () => {
    const matches = matchResources([retired('a')], indexResources([liveFlag(1, 'x')]), { traces: [former('a', 1)] });
    expect([idOf(matches), matches.warnings]).toEqual([undefined, []]);
  });

  it('does not say that a flag had a key which it never had', () => {
    const byPrevious = traced([liveFlag(1, 'x')], [former('old', 1)]).warnings;
    expect(byPrevious).toMatchObject([{ code: 'renamed_back', key: 'a', previous: 'old', current: 'x' }]);
    expect(traced([liveFlag(1, 'x')], [former('a', 1)]).warnings[0]).not.toHaveProperty('previous');
    const away = traced([liveFlag(1, 'x')], [former('old', 1, 'logged')]).warnings;
    expect(away).toMatchObject([{ code: 'renamed_away', key: 'a', previous: 'old' }]);
  });

  it('matches a renamed flag that only the log names, if it is as declared', () => {
    expect(idOf(traced([liveFlag(1, 'x')], [former('a', 1, 'logged')], ALIKE))).toBe(1);
  });

  it('shares no flag with one that a key matches, which may be deleted', () => {
    const flags = [liveFlag(1, 'a', DELETED)];
    const matches = traced(flags, [former('b', 1)]);
    expect(matches.pairs.map(({ live }) => live?.id)).toEqual([1, undefined]);
  });

  it('shares no flag with another one, and its flag is not unmanaged', () => {
    const matches = traced([liveFlag(1, 'x')], [former('a', 1), former('b', 1)]);
    expect(matches.pairs.map(({ live }) => live?.id)).toEqual([1, undefined]);
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
  const matches = matchResources([declared('e')], indexResources(all), { namedElsewhere: ['f', 'b'] });
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
  holds(
    200,
    [
      fc.array(flag, { maxLength: 6 }).chain((flags) => {
        const numbered = flags.map((one, index) => ({ ...one, id: index + 1 }));
        return fc.tuple(fc.constant(numbered), fc.shuffledSubarray(numbered, { minLength: flags.length }));
      }),
    ],
    ([flags, shuffled]) => {
      const desired = [declared('a', {}, { previousKeys: ['old'] }), retired('b')];
      const ids = (matches: FlagMatches): unknown => [
        matches.pairs.map(({ live }) => live?.id),
        matches.unmanaged.map(({ id }) => id),
      ];
      expect(ids(match(shuffled, ...desired))).toEqual(ids(match(flags, ...desired)));
    },
  );
});

describe('the keys whose former holders a plan must know', () => {
  it.each<[name: string, desired: DesiredFlag, live: readonly string[], keys: readonly string[]]>([
    ['none where the key is live', declared('a', {}, { previousKeys: ['old'] }), ['a'], []],
    ['that of a flag that is not live', declared('a'), ['b'], ['a']],
    ['also those that it had before', declared('a', {}, { previousKeys: ['old'] }), [], ['a', 'old']],
    ['its own where a former key is live', declared('a', {}, { previousKeys: ['old'] }), ['old'], ['a']],
    ['none of a flag that git deletes', retired('a'), [], []],
  ])('%s', (_name, desired, live, keys) => {
    expect(findMissingKeys([desired], new Set(live))).toEqual(keys);
  });
});

describe('with the id that was recorded for it, a flag', () => {
  const recorded = { ...declared('a'), recordedId: 1 };
  const found = (flags: readonly Flag[], ...desired: DesiredFlag[]): readonly unknown[] => {
    const { pairs, warnings } = matchResources(desired, indexResources(flags), { base: [recorded] });
    return [...pairs.map(({ live, isOther }) => [live?.id, isOther]), ...warnings.map(({ code }) => code)];
  };

  it.each<readonly [string, readonly Flag[], readonly DesiredFlag[], readonly unknown[]]>([
    ['is itself', [liveFlag(1, 'a')], [declared('a')], [[1, undefined]]],
    [
      'is another one than the one with its key, whose values are conflicts',
      [liveFlag(1, 'b'), liveFlag(2, 'a')],
      [declared('a')],
      [[2, true], 'previous_key_live'],
    ],
    ['is another one also if it is gone', [liveFlag(2, 'a')], [declared('a')], [[2, true]]],
    [
      'is not deleted in the place of another one',
      [liveFlag(1, 'b'), liveFlag(2, 'a')],
      [retired('a')],
      [[2, true], 'previous_key_live'],
    ],
    [
      'gets its key back if no flag has it',
      [liveFlag(1, 'b', { filters: {} })],
      [declared('a')],
      [[1, undefined], 'renamed_back'],
    ],
    [
      'keeps a key that another declaration names',
      [liveFlag(1, 'b')],
      [declared('a'), declared('b')],
      [[undefined, undefined], [1, true], 'renamed_away'],
    ],
  ])('%s', (_name, flags, desired, expected) => expect(found(flags, ...desired)).toEqual(expected));
});

import { describe, expect, it } from 'vitest';
import { needsArchive, neededOfArchive } from '../../../src/posthog/flag/archive.ts';
import { dependsOn, liveFlag } from '../../helpers/states.ts';

const { archived: _archived, ...older } = liveFlag(1, 'a');

describe('the archive is read', () => {
  it.each([
    ['not where all that is wanted is listed', [liveFlag(1, 'a')], ['a'], false],
    ['where a key is not listed', [liveFlag(1, 'a')], ['a', 'b'], true],
    ['where nothing is listed, and so nothing shows whether there is an archive', [], ['a'], true],
    ['not where nothing is wanted', [], [], false],
    ['not where flags have no such field', [older as ReturnType<typeof liveFlag>], ['b'], false],
    ['where a listed flag depends on one that is not', [liveFlag(1, 'a', { filters: dependsOn('2') })], ['a'], true],
    ['not where that one is listed', [liveFlag(1, 'a', { filters: dependsOn('2') }), liveFlag(2, 'b')], [], false],
    ['not for a dependency that is no id', [liveFlag(1, 'a', { filters: dependsOn('b') })], ['a'], false],
  ])('%s', (_name, listed, keys, expected) => {
    expect(needsArchive(listed, keys)).toBe(expected);
  });
});

describe('of the archive', () => {
  const archive = [
    liveFlag(2, 'base', { filters: dependsOn('3') }),
    liveFlag(3, 'deeper', { filters: dependsOn('2') }),
    liveFlag(4, 'other'),
    liveFlag(5, 'wanted', { filters: dependsOn('9') }),
  ].map((flag) => ({ ...flag, archived: true, active: false }));
  const needed = (...parameters: Parameters<typeof neededOfArchive>): string[] =>
    neededOfArchive(...parameters).map(({ key }) => key);

  it('those are kept that are wanted, and that others depend on, wherever these are', () => {
    const listed = [liveFlag(1, 'a', { filters: dependsOn('2') })];
    expect(needed(listed, archive, ['a', 'wanted'])).toEqual(['base', 'deeper', 'wanted']);
    expect(needed([liveFlag(1, 'a')], archive, ['other'])).toEqual(['other']);
    expect(needed([liveFlag(1, 'a')], archive, [])).toEqual([]);
  });

  it('a key is not looked for that is listed', () => {
    expect(needed([liveFlag(1, 'wanted')], archive, ['wanted'])).toEqual([]);
  });
});

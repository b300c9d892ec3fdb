/** When a run reads archived flags, and which of them it takes. */

import { describe, expect, it } from 'vitest';
import { needsArchive, neededOfArchive } from '../../src/posthog/live-selection.ts';
import { dependsOn, liveFlag } from '../helpers/states.ts';

const { archived: _archived, ...older } = liveFlag(1, 'a');

describe('the archive', () => {
  it.each([
    ['is not read if all wanted keys are listed', [liveFlag(1, 'a')], ['a'], false],
    ['is read if a wanted key is not listed', [liveFlag(1, 'a')], ['a', 'b'], true],
    ['is read if no flag is listed, because archive support is then unknown', [], ['a'], true],
    ['is not read if no key is wanted', [], [], false],
    ['is not read if flags have no archived field', [older as ReturnType<typeof liveFlag>], ['b'], false],
    [
      'is read if a listed flag depends on an unlisted one',
      [liveFlag(1, 'a', { filters: dependsOn('2') })],
      ['a'],
      true,
    ],
    [
      'is not read if the dependency is listed',
      [liveFlag(1, 'a', { filters: dependsOn('2') }), liveFlag(2, 'b')],
      [],
      false,
    ],
    ['is not read for a dependency that is not an id', [liveFlag(1, 'a', { filters: dependsOn('b') })], ['a'], false],
  ])('%s', (_name, listed, keys, expected) => {
    expect(needsArchive(listed, keys)).toBe(expected);
  });
});

describe('in the archive', () => {
  const archive = [
    liveFlag(2, 'base', { filters: dependsOn('3') }),
    liveFlag(3, 'deeper', { filters: dependsOn('2') }),
    liveFlag(4, 'other'),
    liveFlag(5, 'wanted', { filters: dependsOn('9') }),
  ].map((flag) => ({ ...flag, archived: true, active: false }));
  const needed = (...parameters: Parameters<typeof neededOfArchive>): string[] =>
    neededOfArchive(...parameters).map(({ key }) => key);

  it('a flag is needed if it is wanted or a listed or needed flag depends on it', () => {
    const listed = [liveFlag(1, 'a', { filters: dependsOn('2') })];
    expect(needed(listed, archive, ['a', 'wanted'])).toEqual(['base', 'deeper', 'wanted']);
    expect(needed([liveFlag(1, 'a')], archive, ['other'])).toEqual(['other']);
    expect(needed([liveFlag(1, 'a')], archive, [])).toEqual([]);
  });

  it('a flag is not needed if its wanted key is listed', () => {
    expect(needed([liveFlag(1, 'wanted')], archive, ['wanted'])).toEqual([]);
  });
});

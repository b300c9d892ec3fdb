/** The versions in each of the three kinds of range. */

import { describe, expect, it } from 'vitest';
import { isInCaret, isInTilde, isInWildcard, parseVersion } from '../../../src/evaluation/values/semver.ts';

const TEST = { tilde: isInTilde, caret: isInCaret, wildcard: isInWildcard };

const CASES: readonly (readonly [keyof typeof TEST, string, string, string])[] = [
  // range, versions inside, versions outside
  ['tilde', '1.2', '1.2.0 1.2.9', '1.1.9 1.3.0'],
  ['tilde', '1', '1.0.0 1.0.9', '1.1.0'],
  ['tilde', '1.2.3-beta', '1.2.3-beta 1.2.3-rc 1.2.3 1.2.4', '1.2.3-alpha 1.2.4-beta'],
  ['caret', '1.2.3', '1.2.3 1.9.0', '1.2.2 2.0.0'],
  ['caret', '0.2.3', '0.2.3 0.2.9', '0.3.0 0.2.2'],
  ['caret', '0.0.3', '0.0.3', '0.0.4 0.0.2'],
  ['caret', '0', '0.0.0', '0.0.1 0.1.0'],
  ['caret', '1.2.3-beta', '1.2.3-rc 1.9.0', '1.3.0-rc'],
  ['wildcard', '*', '0.0.0 9.9.9', '1.0.0-rc'],
  ['wildcard', '1.*', '1.0.0 1.9.9', '2.0.0 0.9.0'],
  ['wildcard', '1.*.*', '1.0.0 1.9.9', '2.0.0'],
  ['wildcard', 'v3.08.x', '3.8.0', '3.9.0'],
  ['wildcard', '1.2', '1.2.0 1.9.0', '1.1.0 2.0.0'],
  ['wildcard', '0', '0.0.0 0.9.9', '1.0.0'],
];

describe('a range', () => {
  it.each(CASES)('%s %s contains %s, not %s', (kind, range, inside, outside) => {
    const taken = (text: string): boolean | undefined => TEST[kind](parseVersion(text) ?? raise(text), range);
    expect(inside.split(' ').filter((version) => taken(version) !== true)).toEqual([]);
    expect(outside.split(' ').filter((version) => taken(version) !== false)).toEqual([]);
  });

  it.each(['1.*.3', '*.1', '*.*', '1.2.3.*', 'a.*', '1.*.*.*'])('%s is not a wildcard', (range) => {
    expect(isInWildcard(parseVersion('1.2.3') ?? raise(range), range)).toBeUndefined();
  });
});

function raise(text: string): never {
  throw new Error(`${text} is no version.`);
}

/** The order of versions by semver.org. */

import { describe, expect, it } from 'vitest';
import { compareVersions, parseVersion, type Version } from '../../../src/evaluation/values/semver.ts';

/** Each before the next. */
const ASCENDING = [
  '0.0.0',
  '0.9',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1',
  '1.0.0+build',
  '1.0.1',
  'v1.2',
  '1.10',
  '2.0.0',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551615.0.0-9007199254740992',
  '18446744073709551615.0.0-9007199254740993',
  '18446744073709551615',
];

const INVALID = [
  '',
  'one',
  '1.x',
  '1..2',
  '1.2.3.4',
  '1.2.3-',
  '1.2.3-01',
  '1.2.3-a..b',
  '1.2.3+',
  ' v1',
  'V1',
  '-1',
  '1.2.3 beta',
  '18446744073709551616',
];

function parsed(text: string): Version {
  const version = parseVersion(text);
  if (version === undefined) throw new Error(`${text} is no version.`);
  return version;
}

describe('versions', () => {
  it('are in order', () => {
    const versions = ASCENDING.map(parsed);
    for (const [i, a] of versions.entries()) {
      for (const [j, b] of versions.entries()) expect(Math.sign(compareVersions(a, b))).toBe(Math.sign(i - j));
    }
  });

  it.each(INVALID)('%j is not a version', (text) => expect(parseVersion(text)).toBeUndefined());

  it.each([
    ['v1.2.3', '1.2.3'],
    [' 1.2.3 ', '1.2.3'],
    ['3.08', '3.8.0'],
    ['000', '0.0.0'],
  ])('%j is %s', (written, meant) => expect(compareVersions(parsed(written), parsed(meant))).toBe(0));
});

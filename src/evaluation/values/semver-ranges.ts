/** `~1.2.3`, `^1.2.3` and `1.2.*`: which versions a range takes in. */

import type { JsonValue } from '../../base/json.ts';
import { comparePreReleases, parseVersion, versionText, type Version } from './semver.ts';

/** From the version up to the next minor one. */
export function isInTilde(version: Version, wanted: JsonValue): boolean | undefined {
  const base = parseVersion(wanted);
  return base === undefined ? undefined : isFrom(version, base, 2);
}

/** From the version up to the next change of its first part that is not 0. */
export function isInCaret(version: Version, wanted: JsonValue): boolean | undefined {
  const base = parseVersion(wanted);
  return base === undefined ? undefined : isFrom(version, base, keptByCaret(base, 3));
}

/** `*` takes in every release, `1.*` those of one major version. Without a star: as `^`, of the parts that are there. */
export function isInWildcard(version: Version, wanted: JsonValue): boolean | undefined {
  const parts = versionText(wanted).split('.');
  const stars = parts.findIndex(isStar);
  const base = parseVersion(parts.slice(0, stars === -1 ? undefined : stars).join('.') || '0');
  if (base === undefined || parts.length > 3) return undefined;
  if (stars === -1) return isFrom(version, base, keptByCaret(base, parts.length));
  if (!parts.slice(stars).every(isStar) || (stars === 0 && parts.length > 1)) return undefined;
  return version.pre.length === 0 && sameParts(version, base, stars);
}

function keptByCaret({ major, minor }: Version, written: number): number {
  if (major > 0) return 1;
  return minor > 0 ? Math.min(written, 2) : written;
}

// A pre-release is in a range only where the range itself starts at a pre-release of that version.
function isFrom(version: Version, base: Version, kept: number): boolean {
  if (version.pre.length > 0 && !(base.pre.length > 0 && sameParts(version, base, 3))) return false;
  const order = version.major - base.major || version.minor - base.minor || version.patch - base.patch;
  const isAtLeast = order > 0 || (order === 0 && comparePreReleases(version.pre, base.pre) >= 0);
  return isAtLeast && sameParts(version, base, kept);
}

function sameParts(a: Version, b: Version, count: number): boolean {
  return [a.major === b.major, a.minor === b.minor, a.patch === b.patch].slice(0, count).every(Boolean);
}

function isStar(part: string): boolean {
  return /^[*xX]$/.test(part);
}

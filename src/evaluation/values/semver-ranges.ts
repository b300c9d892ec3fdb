/** Decides whether a version is in `~1.2.3`, `^1.2.3` or `1.2.*`. */

import type { JsonValue } from '../../base/json.ts';
import { comparePreReleases, parseVersion, versionText, type Version } from './semver.ts';

/** True from the version up to the next minor version, which is excluded. */
export function isInTilde(version: Version, wanted: JsonValue): boolean | undefined {
  const base = parseVersion(wanted);
  return base === undefined ? undefined : isFrom(version, base, 2);
}

/** True from the version up to the next change of its first non-zero part, which is excluded. */
export function isInCaret(version: Version, wanted: JsonValue): boolean | undefined {
  const base = parseVersion(wanted);
  return base === undefined ? undefined : isFrom(version, base, keptByCaret(base, 3));
}

/**
 * `*` matches every release, `1.*` the releases of one major version. Without a star it means `^` with the given parts.
 */
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

// A pre-release is in a range only if the range starts at a pre-release of the same version.
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

/** Reads and orders versions as the service does: semver, tolerant of what mobile apps write. */

import { compareStrings } from '../../base/compare-strings.ts';
import type { JsonValue } from '../../base/json.ts';
import { jsonText } from './scalars.ts';

export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Parts of the pre-release, `['beta', '2']`; a pre-release precedes its version. */
  readonly pre: readonly string[];
  readonly build: readonly string[];
}

/** The largest part of a version, as in the service. */
const LARGEST_PART = 2n ** 64n - 1n;

const SUFFIXES = /^(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

/** A leading `v` and leading zeros are ignored, missing parts are 0. `undefined` for anything that is not a version. */
export function parseVersion(value: JsonValue): Version | undefined {
  const text = versionText(value);
  const at = text.search(/[-+]/);
  const [core, suffix] = at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)];
  const parts = core.split('.');
  const suffixes = SUFFIXES.exec(suffix);
  if (parts.length > 3 || !parts.every(isDigits) || suffixes === null) return undefined;
  const [major = 0n, minor = 0n, patch = 0n] = parts.map(BigInt);
  if ([major, minor, patch].some((part) => part > LARGEST_PART)) return undefined;
  const [pre, build] = [identifiers(suffixes[1]), identifiers(suffixes[2])];
  if (pre.includes('') || build.includes('') || pre.some((part) => /^0\d+$/.test(part))) return undefined;
  return { major, minor, patch, pre, build };
}

/** The version or range without the surrounding parts that the service ignores. */
export function versionText(value: JsonValue): string {
  return jsonText(value).replace(/^v/, '').trim();
}

export function compareVersions(a: Version, b: Version): number {
  return (
    compareParts(a.major, b.major) ||
    compareParts(a.minor, b.minor) ||
    compareParts(a.patch, b.patch) ||
    comparePreReleases(a.pre, b.pre) ||
    compareIdentifiers(a.build, b.build)
  );
}

function compareParts(a: bigint, b: bigint): number {
  return Number(a > b) - Number(a < b);
}

function comparePreReleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  return compareIdentifiers(a, b);
}

function compareIdentifiers(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index];
    const order = other === undefined ? 1 : compareIdentifier(part, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

// Numbers precede words; numbers compare by value, words by character.
function compareIdentifier(a: string, b: string): number {
  if (isDigits(a) && isDigits(b)) return compareParts(BigInt(a), BigInt(b)) || a.length - b.length;
  if (isDigits(a) !== isDigits(b)) return isDigits(a) ? -1 : 1;
  return compareStrings(a, b);
}

function identifiers(text: string | undefined): string[] {
  return text === undefined ? [] : text.split('.');
}

function isDigits(text: string): boolean {
  return /^\d+$/.test(text);
}

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
  if (major > 0n) return 1;
  return minor > 0n ? Math.min(written, 2) : written;
}

// A pre-release is in a range only if the range starts at a pre-release of the same version.
function isFrom(version: Version, base: Version, kept: number): boolean {
  if (version.pre.length > 0 && !(base.pre.length > 0 && sameParts(version, base, 3))) return false;
  return compareVersions({ ...version, build: [] }, { ...base, build: [] }) >= 0 && sameParts(version, base, kept);
}

function sameParts(a: Version, b: Version, count: number): boolean {
  return [a.major === b.major, a.minor === b.minor, a.patch === b.patch].slice(0, count).every(Boolean);
}

function isStar(part: string): boolean {
  return /^[*xX]$/.test(part);
}

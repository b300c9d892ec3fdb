/** The declared flags as a flag manifest of the OpenFeature CLI, from which that generates code in its languages. */

import { setMember, type JsonObject } from '../../base/json.ts';
import { nameFlags } from './identifiers.ts';
import type { TypedFlag } from './typed-flag.ts';

export interface FlagManifest {
  readonly manifest: JsonObject;
  readonly notes: readonly ManifestNote[];
}

/** What the format has no place for, and keys of which its programs cannot make names. */
export interface ManifestNote {
  readonly code: 'variants_unsaid' | 'payloads_unsaid' | 'answers_as_boolean' | 'names_with_digit' | 'names_alike';
  /** The flags that lose it. */
  readonly keys: readonly string[];
}

const SCHEMA = 'https://raw.githubusercontent.com/open-feature/cli/main/schema/v0/flag-manifest.json';

/** OpenFeature has one type for a flag: a string for a variant, or else a boolean, which every flag of PostHog answers. */
export function writeFlagManifest(flags: readonly TypedFlag[]): FlagManifest {
  const entries: Record<string, JsonObject> = {};
  for (const flag of flags) setMember(entries, flag.key, writeFlag(flag));
  return { manifest: { $schema: SCHEMA, flags: entries }, notes: findNotes(flags) };
}

function writeFlag(flag: TypedFlag): JsonObject {
  const { description } = flag;
  return {
    ...(hasOnlyVariants(flag)
      ? { flagType: 'string', defaultValue: '' }
      : { flagType: 'boolean', defaultValue: false }),
    ...(description === undefined ? {} : { description: commentText(description) }),
  };
}

/**
 * The OpenFeature CLI writes descriptions as they are into comments, docstrings and templates of its languages: nothing in one may end
 * them, or what follows would be code. Java reads escapes in comments too.
 */
function commentText(description: string): string {
  return description
    .replaceAll(/[\p{White_Space}\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll('\\', '/')
    .replaceAll('*/', '* /')
    .replaceAll(/["`]/g, "'")
    .trim();
}

function hasOnlyVariants({ answers = [] }: TypedFlag): boolean {
  return answers.length > 0 && !answers.includes(true);
}

function findNotes(flags: readonly TypedFlag[]): readonly ManifestNote[] {
  const isUnclear = (flag: TypedFlag): boolean =>
    flag.answers === undefined || (flag.answers.length > 1 && flag.answers.includes(true));
  const names = nameFlags(
    flags.map(({ key }) => key),
    [],
  );
  const alike = new Set(names.collisions.flatMap(({ keys }) => keys));
  const rows: readonly [code: ManifestNote['code'], concerns: (flag: TypedFlag) => boolean][] = [
    ['variants_unsaid', hasOnlyVariants],
    ['answers_as_boolean', isUnclear],
    ['names_with_digit', ({ key }) => /^\d/.test(key)],
    ['names_alike', ({ key }) => alike.has(key)],
    ['payloads_unsaid', ({ payload }) => payload !== undefined],
  ];
  return rows
    .map(([code, concerns]) => ({ code, keys: flags.filter(concerns).map(({ key }) => key) }))
    .filter(({ keys }) => keys.length > 0);
}

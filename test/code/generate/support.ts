/** Declared flags for tests of generated code. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { TypedProject } from '../../../src/code/generate/typed-flag.ts';
import type { DeclaredFlag } from '../../../src/posthog/desired.ts';

const PLACES = { place: { file: 'flags.yaml', line: 1, column: 1 } };

export function declaredFlag(key: string, fields: JsonObject = {}): DeclaredFlag {
  return { kind: 'declared', key, previousKeys: [], fields, places: PLACES };
}

/** The fields of a flag with these payloads by variant; without a variant: of a flag that is on or off. */
export function withPayloads(payloads: JsonObject, variants: readonly string[] = []): JsonObject {
  const multivariate = { variants: variants.map((key) => ({ key, rollout_percentage: 100 / variants.length })) };
  return { filters: { groups: [], ...(variants.length === 0 ? {} : { multivariate }), payloads } };
}

export function project(flags: readonly TypedProject['desired']['flags'][number][], name = 'main'): TypedProject {
  return { name, desired: { flags } };
}

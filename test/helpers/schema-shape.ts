/** A published schema without its rules for editors, as the command compiles it. */

import type { JsonObject } from '../../src/base/json.ts';
import { readSchema } from './published-schema.ts';

const { withoutRules } = (await import(new URL('../../scripts/compile-schemas.mjs', import.meta.url).href)) as {
  withoutRules: (schema: unknown) => JsonObject;
};

/** `name`: `manifest`, `config` … */
export function readShape(name: string): JsonObject {
  return withoutRules(readSchema(name));
}

/** Matches the segments of a path with a pattern, in which `:name` is any segment. */

import { setMember } from '../../../src/base/json.ts';

/** The parameters by name; `undefined` for another path. */
export function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] as string;
    if (part.startsWith(':')) setMember(params, part.slice(1), segment);
    else if (part !== segment) return undefined;
  }
  return params;
}

/** What a generated file cannot say, as facts. */

import { compareStrings } from '../base/compare-strings.ts';
import type { Collision } from './identifiers.ts';
import type { TypedFlag, UntypedReason } from './typed-flag.ts';

export type GenerationNote =
  | ({ readonly code: 'names_collide'; readonly names: readonly string[] } & Collision)
  | { readonly code: 'answers_undecided'; readonly keys: readonly string[] }
  | { readonly code: 'payloads_untyped'; readonly reason: UntypedReason; readonly keys: readonly string[] }
  /** `keywords`: those of the schemas, of which the types say less. */
  | { readonly code: 'payloads_wider'; readonly keywords: readonly string[]; readonly keys: readonly string[] };

/** `names`: of the keys, in the file. */
export function findNotes(
  flags: readonly TypedFlag[],
  collisions: readonly Collision[],
  names: ReadonlyMap<string, string>,
): readonly GenerationNote[] {
  const undecided = flags.filter(({ answers }) => answers === undefined).map(({ key }) => key);
  const reasons: readonly UntypedReason[] = ['encrypted', 'large', 'of-others'];
  const untyped = reasons.map((reason) => ({
    code: 'payloads_untyped' as const,
    reason,
    keys: flags.filter((flag) => flag.untyped === reason).map(({ key }) => key),
  }));
  const wider = flags.filter((flag) => flag.wider !== undefined);
  const keywords = [...new Set(wider.flatMap((flag) => flag.wider ?? []))].toSorted(compareStrings);
  return [
    ...collisions.map((collision) => ({
      code: 'names_collide' as const,
      ...collision,
      names: collision.keys.map((key) => names.get(key) as string),
    })),
    ...(undecided.length === 0 ? [] : [{ code: 'answers_undecided' as const, keys: undecided }]),
    ...untyped.filter(({ keys }) => keys.length > 0),
    ...(wider.length === 0 ? [] : [{ code: 'payloads_wider' as const, keywords, keys: wider.map(({ key }) => key) }]),
  ];
}

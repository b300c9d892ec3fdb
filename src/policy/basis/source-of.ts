/** Finds where the manifests declare a fact that a rule found. */

import type { Place } from '../../base/place.ts';
import type { RuleBreach, JudgedResource } from './judged.ts';

/** The place of the first changed value at or inside the pointer, or around it; empty if no manifest declares it. */
export function sourceOf(
  { changes }: Pick<JudgedResource, 'changes'>,
  pointer: string,
): Pick<RuleBreach<unknown>, 'place'> {
  const fields = changes.flatMap((change) => ('fields' in change ? change.fields : []));
  const place =
    firstSource(fields.filter(({ path }) => isWithin(path, pointer))) ??
    firstSource(fields.filter(({ path }) => isWithin(pointer, path)));
  return place === undefined ? {} : { place };
}

function firstSource(fields: readonly { readonly source?: Place }[]): Place | undefined {
  return fields.find(({ source }) => source !== undefined)?.source;
}

function isWithin(pointer: string, other: string): boolean {
  return pointer === other || pointer.startsWith(`${other}/`);
}

/** Finds which parts of a declaration have the right shape, so that checks cover exactly those. */

import { fromPointer, toPointer } from '../base/json-pointer.ts';

/** Pointers are in the API's names, `/filters/groups/0`. */
export interface Soundness {
  /** No mistake was reported at the pointer or around it; there may be some below it. */
  readonly at: (pointer: string) => boolean;
  /** No mistake was reported at the pointer, around it or below. */
  readonly whole: (pointer: string) => boolean;
}

export const ALL_SOUND: Soundness = { at: () => true, whole: () => true };

/** `mistakes` are pointers from the top of the file; `locate` converts a pointer to one of those. */
export function soundness(mistakes: ReadonlySet<string>, locate: (pointer: string) => string): Soundness {
  if (mistakes.size === 0) return ALL_SOUND;
  const around = new Set([...mistakes].flatMap((mistake) => upTo(mistake).slice(0, -1)));
  const at = (pointer: string): boolean => !upTo(pointer).some((part) => mistakes.has(locate(part)));
  return { at, whole: (pointer) => at(pointer) && !around.has(locate(pointer)) };
}

function upTo(pointer: string): string[] {
  const segments = fromPointer(pointer);
  return [...segments.keys(), segments.length].map((length) => toPointer(segments.slice(0, length)));
}

/** Diagnostics carry the arguments that their words need. */

import { expect, it } from 'vitest';
import { WITH_ARGUMENTS } from '../../../core/manifest/bad-manifests.ts';
import { check } from '../../../core/manifest/check.ts';

/** The codes and arguments of a manifest's diagnostics. */
function found(text: string): unknown[] {
  return check(text).diagnostics.map(({ code, args }) => [code, args]);
}

it.each(WITH_ARGUMENTS)('%s', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

/** Finds the flags that `off` names: nothing is written until all of them are known. */

import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { findFlagsByKey } from '../../posthog/client/find-flags-by-key.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import { quoteShort } from '../../report/escape.ts';
import { keysText } from '../../report/words/amounts.ts';
import type { OpenProject } from './open-project.ts';

export interface FlagsToTurnOff {
  /** In the order in which they were named, each once. */
  readonly flags: readonly Flag[];
  /** Every flag that the service lists, where all were read. */
  readonly all?: readonly Flag[];
}

/** @throws {FlagwrightError} `usage` for keys that the project does not have, with the nearest that it has. */
export async function findFlagsToTurnOff(
  { client, identity }: OpenProject,
  keys: readonly string[],
): Promise<FlagsToTurnOff> {
  const wanted = [...new Set(keys)];
  const { found, all, similar } = await findFlagsByKey(client, wanted);
  const missing = wanted.filter((key) => !found.has(key));
  const [first] = missing;
  if (first === undefined) {
    return { flags: wanted.flatMap((key) => found.get(key) ?? []), ...(all === undefined ? {} : { all }) };
  }
  const near =
    nearest(
      first,
      similar.map(({ key }) => key),
    ) ??
    nearest(
      first,
      (all ?? (await client.listFlags())).map(({ key }) => key),
    );
  const subject = missing.length === 1 ? `no flag ${quoteShort(first)}` : `none of these flags: ${keysText(missing)}`;
  throw new FlagwrightError('usage', `${identity.name} has ${subject}; nothing was turned off.`, {
    remedy:
      near === undefined
        ? '`flagwright flags list` shows the keys. A soft-deleted flag is off.'
        : `Did you mean ${quoteShort(near)}?`,
  });
}

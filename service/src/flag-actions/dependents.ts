/** Lists the active flags that depend on a flag. */

import { activeDependents } from '../flags/dependencies.ts';
import { findFlag } from '../flags/find.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';

/** A flag without a name shows its key. */
export function dependentFlags(service: ServiceContext, call: Call): Answer {
  const flags = activeDependents(service, findFlag(service, call));
  return { status: 200, body: flags.map(({ id, key, name }) => ({ id, key, name: name || key })) };
}

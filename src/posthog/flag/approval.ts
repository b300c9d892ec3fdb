/** Compares an open change request of the service with a change of a flag. (docs/service.md, "Approval gate") */

import { isJsonObject, objectOrEmpty, type JsonObject } from '../../base/json.ts';
import type { RequestMatch, ChangeRequest } from '../../engine/change-request.ts';
import type { FlagChange } from '../plan.ts';
import type { FlagRun } from './run.ts';
import { comparableFlag } from './comparison.ts';
import { missingEffect } from './body.ts';
import type { Flag } from './flag.ts';

/** `undefined` if the request does not say enough. */
export function compareRequest(change: FlagChange, request: ChangeRequest, state: FlagRun): RequestMatch | undefined {
  const { key, version, asked } = request;
  // The service names the oldest open creation, whichever flag it is of.
  if (change.action === 'create' && key !== undefined && key !== change.key) return 'other_resource';
  const live = change.action === 'create' ? undefined : state.find(change.id);
  if (version !== undefined && typeof live?.version === 'number' && live.version !== version) return 'outdated_version';
  if (asked === undefined) return undefined;
  const approved = withFields(live, asked());
  return missingEffect(change, comparableFlag(approved, state), state).length === 0 ? 'this_change' : 'other_values';
}

/** The flag as it is once the request is approved. */
function withFields(live: Flag | undefined, asked: JsonObject): Flag {
  const before = live ?? { id: 0, key: '', active: true, deleted: false };
  const filters = isJsonObject(asked['filters'])
    ? { filters: { ...objectOrEmpty(live?.filters), ...asked['filters'] } }
    : {};
  return { ...before, ...asked, ...filters } as Flag;
}

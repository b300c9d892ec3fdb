/** `my_flags`: the value of each flag for the owner of the key. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { serialise } from '../flags/serialise.ts';
import type { StoredFlag } from '../store/flag.ts';
import { EMBEDDED_DISTINCT_ID } from '../handler/user.ts';
import { evaluateAll, projectFlags } from '../evaluation/flags.ts';
import { readGroups, readWantedKeys } from './query.ts';
import { minimalFlag } from './minimal-flag.ts';

export function myFlags(service: ServiceContext, call: Call): Answer {
  const { projectId, query } = call;
  const isMinimal = service.rules.evaluatedFlags === 'minimal';
  const isWanted = (isMinimal ? readWantedKeys(call) : undefined) ?? ((): boolean => true);
  const flags = projectFlags(service, projectId);
  const evaluations = evaluateAll(service, projectId, { distinctId: EMBEDDED_DISTINCT_ID, groups: readGroups(query) });
  const show = (flag: StoredFlag): JsonObject => (isMinimal ? minimalFlag(flag) : serialise(service, flag));
  const shown = flags.filter(({ active, key }) => (isMinimal || active) && isWanted(key));
  const body = shown.map((flag) => ({ feature_flag: show(flag), value: evaluations.get(flag.key)?.value }));
  return { status: 200, body };
}

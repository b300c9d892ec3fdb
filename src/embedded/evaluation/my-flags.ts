/** `my_flags`: each flag's value for the owner of the key. */

import type { JsonObject } from '../../base/json.ts';
import type { Answer, Call, ServiceContext } from '../call.ts';
import { serialise } from '../flags/serialise.ts';
import type { StoredFlag } from '../store/flag.ts';
import { EMBEDDED_DISTINCT_ID } from '../user.ts';
import { evaluateAll, groupsFrom, projectFlags, wantedKeys } from './flags.ts';
import { minimalFlag } from './minimal-flag.ts';

export function myFlags(service: ServiceContext, call: Call): Answer {
  const { projectId, query } = call;
  const isMinimal = service.rules.evaluatedFlags === 'minimal';
  const isWanted = (isMinimal ? wantedKeys(call) : undefined) ?? ((): boolean => true);
  const flags = projectFlags(service, projectId);
  const evaluations = evaluateAll(
    service,
    { projectId, flags },
    {
      distinctId: EMBEDDED_DISTINCT_ID,
      groups: groupsFrom(query),
    },
  );
  const show = (flag: StoredFlag): JsonObject => (isMinimal ? minimalFlag(flag) : serialise(service, flag));
  const shown = flags.filter(({ active, key }) => (isMinimal || active) && isWanted(key));
  const body = shown.map((flag) => ({ feature_flag: show(flag), value: evaluations.get(flag.key)?.value ?? false }));
  return { status: 200, body };
}

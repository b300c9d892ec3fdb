/** Answers the access rules of a flag, and the level of a flag without any. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { findFlag } from '../flags/find.ts';
import { canEdit } from '../flags/serialise.ts';
import { DEFAULT_LEVEL, LEVELS, RESOURCE } from './levels.ts';
import { serialiseRule } from './serialise.ts';

export function readAccess(service: ServiceContext, call: Call): Answer {
  const flag = findFlag(service, call, 'flagId');
  return {
    status: 200,
    body: {
      access_controls: service.store.accessRules.list(flag.id).map(serialiseRule),
      available_access_levels: [...LEVELS],
      default_access_level: DEFAULT_LEVEL,
      minimum_access_level: LEVELS[0],
      maximum_access_level: LEVELS.at(-1),
      // The only user owns the organization, unless the seed says that the user may not edit the flag.
      user_access_level: canEdit(flag) ? 'manager' : 'viewer',
      user_can_edit_access_levels: canEdit(flag),
      inherited_access: {
        access_level: DEFAULT_LEVEL,
        source: 'system_default',
        source_subject: null,
        source_resource: RESOURCE,
        source_resource_id: null,
        source_display_name: null,
      },
    },
  };
}

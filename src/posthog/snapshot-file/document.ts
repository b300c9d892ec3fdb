/** A snapshot as a document: what `flagwright snapshot` writes (schemas/snapshot.schema.json). */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { fingerprintOf } from '../../engine/fingerprint.ts';
import { SNAPSHOT_FORMAT_VERSION, type Snapshot } from './snapshot-file.ts';

/** `live` has been disclosed. */
export function snapshotDocument({ project, takenAt, base, roles, live }: Snapshot): JsonObject {
  const { flags, roleAccess, organization, cohorts, schedules, traces, cohortTraces } = live;
  const content = {
    kind: 'snapshot',
    format_version: SNAPSHOT_FORMAT_VERSION,
    project: { ...project },
    taken_at: takenAt,
    ...defined({ base }),
    roles,
    flags,
    role_access: roleAccess,
    ...defined({ cohorts, schedules, organization: organization && toOrganization(organization) }),
    ...defined({ traces, cohort_traces: cohortTraces }),
  } as unknown as JsonObject;
  return { ...content, fingerprint: fingerprintOf(content) };
}

function toOrganization({ roleNames, lacksRoleAccess }: NonNullable<Snapshot['live']['organization']>): JsonObject {
  return { role_names: roleNames, lacks_role_access: lacksRoleAccess };
}

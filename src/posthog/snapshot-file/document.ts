/** A snapshot as a document: what `flagwright snapshot` writes (schemas/snapshot.schema.json). */

import { FlagwrightError } from '../../base/errors.ts';
import { validateSnapshot } from '../../base/generated/snapshot-validators.ts';
import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { fingerprintOf } from '../../engine/fingerprint.ts';
import { formatFamilies } from './families.ts';
import { SNAPSHOT_FORMAT_VERSION, type SavedSnapshot } from './snapshot-file.ts';

/**
 * `live` has been disclosed.
 * @throws {FlagwrightError} `snapshot_invalid` for an answer of the service that no snapshot can hold.
 */
export function snapshotDocument({ project, takenAt, base, earlier, roles, live }: SavedSnapshot): JsonObject {
  const { roleAccess, organization, schedules } = live;
  const content = {
    kind: 'snapshot',
    format_version: SNAPSHOT_FORMAT_VERSION,
    project: { ...project },
    taken_at: takenAt,
    ...defined({ base, earlier }),
    roles,
    ...formatFamilies(live),
    role_access: roleAccess,
    ...defined({ schedules, organization: organization && toOrganization(organization) }),
  } as unknown as JsonObject;
  const document = { ...content, fingerprint: fingerprintOf(content) };
  return checked(document);
}

/** Refuses to write a document that could not be read again: a service may answer anything in the fields that plans only compare. */
function checked(document: JsonObject): JsonObject {
  if (validateSnapshot(document)) return document;
  const place = validateSnapshot.errors?.[0]?.instancePath ?? '';
  throw new FlagwrightError('snapshot_invalid', `A snapshot cannot hold what the service answers at ${place}.`, {
    remedy: 'Correct the value in the service, or plan without a snapshot.',
  });
}

function toOrganization({
  roleNames,
  lacksRoleAccess,
}: NonNullable<SavedSnapshot['live']['organization']>): JsonObject {
  return { role_names: roleNames, lacks_role_access: lacksRoleAccess };
}

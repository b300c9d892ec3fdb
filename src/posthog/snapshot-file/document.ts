/** A snapshot as a document: what `flagwright snapshot` writes (schemas/snapshot.schema.json). */

import { comparing } from '../../base/compare-strings.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { validateSnapshot } from '../../base/generated/snapshot-validators.ts';
import { isJsonArray, isJsonObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { fingerprintOf } from '../../core/engine/plan-document.ts';
import { compareIds, type ResourceId } from '../../core/engine/snapshot.ts';
import type { DeclaredFlag, DesiredState } from '../desired.ts';
import { withDigestsOf } from '../flag/comparison.ts';
import { hasEncryptedPayloads, withDeclaredSecrecy } from '../flag/model/encrypted-payloads.ts';
import { FLAG_FIELDS } from '../flag/model/fields.ts';
import type { ExperimentSummary, Flag } from '../flag/model/flag.ts';
import { approvalOf, type ScheduledChange } from '../flag/schedules.ts';
import type { LiveState } from '../live.ts';
import { type FlagAccess, isEntries, isListed, isRefused, type AccessRule } from '../role-access/access.ts';
import { FURTHER_FAMILIES } from '../families.ts';
import { formatFamilies, type SavedSnapshot, SNAPSHOT_FORMAT_VERSION } from './snapshot-file.ts';

/**
 * `live` has been disclosed.
 * @throws {FlagwrightError} `snapshot_invalid` for an answer of the service that no snapshot can hold.
 */
export function snapshotDocument({
  project,
  takenAt,
  base,
  earlier,
  rollouts,
  roles,
  live,
}: SavedSnapshot): JsonObject {
  const { roleAccess, organization, schedules } = live;
  const content = {
    kind: 'snapshot',
    format_version: SNAPSHOT_FORMAT_VERSION,
    project: { ...project },
    taken_at: takenAt,
    ...defined({ base, earlier, rollouts }),
    roles,
    ...formatFamilies(live),
    role_access: roleAccess,
    ...defined({
      schedules,
      organization: organization && {
        role_names: organization.roleNames,
        lacks_role_access: organization.lacksRoleAccess,
      },
    }),
  } as unknown as JsonObject;
  const document = { ...content, fingerprint: fingerprintOf(content) };
  // Refuses to write a document that could not be read again: a service may answer anything in the fields that plans only compare.
  if (validateSnapshot(document)) return document;
  const place = validateSnapshot.errors?.[0]?.instancePath ?? '';
  throw new FlagwrightError('snapshot_invalid', `A snapshot cannot hold what the service returned at ${place}.`, {
    remedy: 'Correct the value in the service, or plan without a snapshot.',
  });
}

/**
 * Selects the live state that others may see: what plans compare and name. Omits who edited a flag and when it was called; encrypted
 * payloads become digests.
 *
 * `desired`: manifests may declare payloads secret that the service keeps in plain text, and fields that are otherwise unknown.
 */
export function disclose(live: LiveState, desired: DesiredState): LiveState {
  const declared = new Map(
    desired.flags.flatMap((flag) =>
      flag.kind === 'declared' ? [flag.key, ...flag.previousKeys].map((key) => [key, flag] as const) : [],
    ),
  );
  const { roleAccess, organization, traces, schedules } = live;
  return {
    flags: live.flags.map((flag) => discloseFlag(flag, declared.get(flag.key), live)).toSorted(byId),
    hasPayloadDigests: true,
    roleAccess: Object.fromEntries(Object.entries(roleAccess).map(([id, access]) => [id, discloseAccess(access)])),
    ...defined({
      organization,
      traces,
      schedules: schedules?.map(discloseSchedule).toSorted(byId),
    }),
    ...defined(
      Object.fromEntries(
        FURTHER_FAMILIES.map(({ section, exported: { disclosed } }) => [
          section,
          live[section]?.map((one) => pick(one, disclosed)).toSorted(byId),
        ]),
      ),
    ),
  };
}

function byId(one: { readonly id: ResourceId }, other: { readonly id: ResourceId }): number {
  return compareIds(one.id, other.id);
}

/** Members of fields that the service computes. */
const COMPUTED_MEMBERS = [
  'id',
  'version',
  'updated_at',
  'can_edit',
  'user_access_level',
  'experiment_set',
  'is_used_in_replay_settings',
] as const satisfies readonly (keyof Flag)[];

const FLAG_MEMBERS: ReadonlySet<string> = new Set([
  ...FLAG_FIELDS.flatMap(({ ownership, api }) => (ownership === 'managed' ? api : [])),
  ...COMPUTED_MEMBERS,
]);

function discloseFlag(flag: Flag, declared: DeclaredFlag | undefined, live: LiveState): Flag {
  const fields = declared?.fields ?? {};
  const names = Object.keys(flag).filter((name) => FLAG_MEMBERS.has(name) || Object.hasOwn(fields, name));
  const { experiment_set_metadata: experiments, surveys } = flag;
  const shown: Flag = {
    ...pick(flag, names),
    ...defined({
      experiment_set_metadata: experiments?.map((one): ExperimentSummary => pick(one, EXPERIMENT_MEMBERS)),
      surveys: isJsonArray(surveys) ? surveys.map((one) => pick(objectOrEmpty(one), SURVEY_MEMBERS)) : undefined,
    }),
  };
  return hasEncryptedPayloads(withDeclaredSecrecy<Flag>(flag, fields))
    ? { ...shown, ...withDigestsOf(shown, live) }
    : shown;
}

const SURVEY_MEMBERS = ['id', 'name'] as const;
const EXPERIMENT_MEMBERS = ['id', 'name', 'is_running'] as const;

function discloseAccess(access: FlagAccess): FlagAccess {
  if (isEntries(access)) {
    return access.map(({ id, role }) => ({ id, role: { id: role.id, name: role.name } })).toSorted(byId);
  }
  if (isListed(access)) return access;
  if (isRefused(access)) return { refused: null };
  const inherited = access['inherited_access'];
  return {
    ...pick(access, ['default_access_level', 'user_can_edit_access_levels']),
    ...(isJsonObject(inherited) ? { inherited_access: pick(inherited, ['access_level']) } : {}),
    access_controls: access.access_controls
      .map((rule): AccessRule => ({
        access_level: rule.access_level,
        role: rule.role,
        organization_member: rule.organization_member === null ? null : SOME_MEMBER,
      }))
      .toSorted(comparing(({ role, access_level: level }) => `${role ?? ''} ${level}`)),
  };
}

/** Plans count the levels of members and do not ask whose they are. */
const SOME_MEMBER = 'member';

/** Holds whether the flag is switched, and which conditions are added; not variants, which come with payloads. */
function discloseSchedule(schedule: ScheduledChange): ScheduledChange {
  const { operation, value } = objectOrEmpty(schedule['payload']);
  const approval = approvalOf(schedule);
  const { groups } = objectOrEmpty(value);
  const shown = typeof value === 'boolean' ? value : isJsonArray(groups) ? { groups } : undefined;
  return {
    ...pick(schedule, SCHEDULE_MEMBERS),
    ...(approval && { change_request: approval }),
    payload: defined({ operation, value: shown }),
  };
}

const SCHEDULE_MEMBERS = [
  'id',
  'record_id',
  'scheduled_at',
  'executed_at',
  'is_recurring',
  'recurrence_interval',
  'cron_expression',
  'end_date',
] as const;

/** The members with these names that the object has. */
function pick<Picked extends JsonObject>(object: Picked, names: readonly string[]): Picked {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(object, name) ? [[name, object[name]]] : [])),
  ) as Picked;
}

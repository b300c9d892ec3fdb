/** Loads a seed into a project without flags and persons, completely or not at all. */

import { FlagwrightError } from '../../../src/base/errors.ts';
import type { JsonValue, JsonObject } from '../../../src/base/json.ts';
import { type ServiceContext, EMBEDDED_USER } from '../handler/call.ts';
import { allProperties } from '../filters/conditions.ts';
import type { StoredFlag } from '../store/flag.ts';
import { EDITOR_LEVEL, type StoredRole, type StoredMember } from '../store/people.ts';
import { formatTimestamp, parseTimestamp, parseMicroseconds } from '../format/timestamp.ts';
import {
  readSeed,
  seedProblem,
  type SeedDocument,
  type SeedApprovalPolicy,
  type SeedExperiment,
  type SeedFlag,
  type SeedRoleAccess,
  type SeedPerson,
} from './document.ts';
import { readDuration, TWO_WEEKS } from '../approvals/duration.ts';
import { newPolicy } from '../change-requests/policies.ts';
import { Refusal } from '../handler/envelope.ts';
import { defined } from '../../../src/base/optional.ts';
import { NEW_FLAG } from '../flags/create.ts';
import type { NewFlag } from '../store/flags.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { nextOfCron } from '../scheduled-changes/next-time.ts';
import { afterCheck } from '../alerts/checks.ts';
import { NEW_ALERT } from '../alerts/write.ts';
import { NEW_SCHEDULE } from '../scheduled-changes/write.ts';

/**
 * Does nothing in a project with flags or persons, so that a restart with the same seed changes nothing. `hasFlags`: whether its flags,
 * their role access and their scheduled changes are loaded too.
 */
export function loadSeed(service: ServiceContext, seed: JsonValue, hasFlags: boolean): void {
  const { projectIds } = service;
  const { document, flagsPointer } = readSeed(seed);
  const projectId = String(document.project_id ?? projectIds[0] ?? '');
  if (!projectIds.includes(projectId)) {
    throw new FlagwrightError(
      'usage',
      `The seed is for project ${projectId}; the service has ${projectIds.join(', ')}`,
    );
  }
  const target: SeedTarget = { service, projectId, flagsPointer, time: formatTimestamp(service.now()) };
  service.store.transaction(() => {
    const { flags: storedFlags, persons } = service.store;
    if (!storedFlags.isEmpty(projectId) || !persons.isEmpty(projectId)) return;
    loadNames(target, document);
    loadMembers(target, document);
    loadApprovalPolicies(target, document);
    loadAlerts(target, document);
    if (document.accepts_flag_rules) storedFlags.openForRules(projectId);
    if (document.property_matching_version === 2) storedFlags.matchExplicitly(projectId);
    if (hasFlags) {
      const flags = loadFlags(target, document);
      loadRoleAccess(target, document, flags);
      loadScheduledChanges(target, document, flags);
    }
    loadPersons(target, document);
  });
}

/** Creates the cohorts that conditions name, since the service that exported them had them. */
function loadNames({ service, projectId, time }: SeedTarget, document: SeedDocument): void {
  const { cohorts, groups, roles } = service.store;
  for (const flag of document.flags) {
    for (const { type, value, cohort_name: name } of allProperties(flag.filters ?? {})) {
      const id = Number(value);
      if (type === 'cohort' && Number.isSafeInteger(id))
        cohorts.put(projectId, { id, name: typeof name === 'string' ? name : null, properties: null });
    }
  }
  for (const { id, name = null, filters, is_calculating: isCalculating } of document.cohorts) {
    cohorts.put(projectId, { id, name, properties: filters?.properties ?? null });
    const cohort = cohorts.find(projectId, id);
    if (isCalculating === true && cohort !== undefined) {
      cohorts.update(projectId, { ...cohort, fields: { is_calculating: true } });
    }
  }
  for (const { group_type_index: typeIndex, group_type: name } of document.group_types) {
    groups.putType(projectId, typeIndex, name);
  }
  for (const { group_type_index: typeIndex, key, name = key, properties = {} } of document.groups) {
    groups.put(projectId, { typeIndex, key, name, properties });
  }
  for (const { id, name, feature_flags_access_level: level = EDITOR_LEVEL } of document.roles) {
    roles.put({ id, name, accessLevel: level, createdAt: time });
  }
}

/** Flags with an id first, so that others do not take their ids. */
function loadFlags(target: SeedTarget, document: SeedDocument): Map<string, StoredFlag> {
  const { service } = target;
  const found = new Map<string, StoredFlag>();
  const flags = buildSeededFlags(document, target);
  for (const { flag, pointer } of flags.toSorted(
    (a, b) => Number(b.flag.id !== undefined) - Number(a.flag.id !== undefined),
  )) {
    if (found.has(flag.key)) throw seedProblem(`${pointer}/key`, `the key ${JSON.stringify(flag.key)} occurs twice`);
    const insert = (): StoredFlag => service.store.flags.insert(flag);
    found.set(flag.key, unlessTaken(insert, `${pointer}/id`, `the id ${String(flag.id)}`));
  }
  return found;
}

function loadApprovalPolicies(target: SeedTarget, { approval_policies: policies }: SeedDocument): void {
  const { approvals } = target.service.store;
  for (const [index, policy] of policies.entries()) {
    const pointer = `/approval_policies/${index}`;
    const projectId = policy.organization === true ? null : target.projectId;
    const isTaken = approvals
      .policies(target.projectId)
      .some((one) => one.action === policy.action_key && one.projectId === projectId);
    if (isTaken) throw seedProblem(pointer, 'there is a policy for this action already');
    const { action_key, allow_self_approve = false, conditions = {}, enabled = true } = policy;
    const values = {
      action_key,
      conditions,
      approver_config: approversOf(target, policy, pointer),
      allow_self_approve,
      bypass_roles: rolesOf(target, policy.exempt_roles, `${pointer}/exempt_roles`),
      expires_after: readExpiry(policy, pointer),
      enabled,
    };
    approvals.putPolicy(newPolicy(target.service, projectId, values));
  }
}

/** Checks until now are made, whatever the alert is now; later ones are made at their times. */
function loadAlerts({ service, projectId, time }: SeedTarget, { alerts }: SeedDocument): void {
  const { store, randomUuid } = service;
  for (const [index, alert] of alerts.entries()) {
    const pointer = `/alerts/${index}`;
    const { id: given = randomUuid(), insight, checks = [], snoozed_until: snoozed, ...written } = alert;
    const id = given.toLowerCase();
    const dated = checks.map(({ at, state, value = null }, place) => {
      const moment = parseMicroseconds(readTime(at, `${pointer}/checks/${place}/at`));
      return { time: moment, state, value, isPlanned: moment > parseMicroseconds(time) };
    });
    const until = snoozed ? readTime(snoozed, `${pointer}/snoozed_until`) : null;
    const last = dated.filter(({ isPlanned }) => !isPlanned).toSorted((a, b) => b.time - a.time)[0];
    const fields = { created_by: EMBEDDED_USER, created_at: time, ...NEW_ALERT, ...written };
    const isSnoozed = until !== null && !(last !== undefined && last.time >= parseMicroseconds(until));
    const current = {
      ...fields,
      insight: { id: index + 1, name: alert.name, ...insight },
      ...(last !== undefined && afterCheck(fields, last)),
      ...(isSnoozed && { state: 'Snoozed', snoozed_until: until }),
      ...(alert.enabled === false && { state: 'Not firing' }),
    };
    unlessTaken(() => store.alerts.insert({ id, projectId, fields: current }), `${pointer}/id`, `the id ${id}`);
    for (const check of dated) store.alerts.addCheck({ ...check, id: randomUuid(), alertId: id });
  }
}

/** The approvers: everybody if neither members nor roles are named. */
function approversOf(
  target: SeedTarget,
  { quorum = 1, approvers, approver_roles: roles }: SeedApprovalPolicy,
  pointer: string,
): { quorum: number; users: number[]; roles: string[] } {
  const { organization } = target.service.store;
  const named = approvers?.map((name, place) => findMember(target, name, `${pointer}/approvers/${place}`));
  const members = named ?? (roles === undefined ? organization.listMembers() : []);
  const users = members.map(({ user }) => Number(user['id']));
  return { quorum, users, roles: rolesOf(target, roles, `${pointer}/approver_roles`) };
}

function rolesOf(target: SeedTarget, names: readonly string[] = [], pointer = ''): string[] {
  return names.map((name, place) => findRole(target, name, `${pointer}/${place}`).id);
}

function readExpiry({ expires_after: after = TWO_WEEKS }: SeedApprovalPolicy, pointer: string): string {
  try {
    return readDuration(after, 'expires_after');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw seedProblem(`${pointer}/expires_after`, 'it is not a duration such as 14 00:00:00');
  }
}

interface SeededFlag {
  readonly flag: NewFlag;
  /** The pointer of the flag in the seed. */
  readonly pointer: string;
}

function buildSeededFlags(document: SeedDocument, target: SeedTarget): SeededFlag[] {
  const flags = document.flags.map((seeded, index): SeededFlag => {
    const pointer = `${target.flagsPointer}/${index}`;
    const linked = document.experiments.filter(({ flag }) => flag === seeded.key || flag === seeded.id);
    return { flag: buildFlag(withExperiments(seeded, linked), target, pointer), pointer };
  });
  for (const [index, { flag: name }] of document.experiments.entries()) {
    if (!flags.some(({ flag }) => flag.key === name || flag.id === name)) {
      throw seedProblem(`/experiments/${index}/flag`, `no flag is named ${JSON.stringify(name)}`);
    }
  }
  return flags;
}

function buildFlag(seeded: SeedFlag, { projectId, time }: SeedTarget, pointer: string): NewFlag {
  const { id, key, name, active, deleted, archived, version, created_at: createdAt, filters, ...fields } = seeded;
  if (createdAt !== undefined) readTime(createdAt, `${pointer}/created_at`);
  return {
    projectId,
    key,
    ...NEW_FLAG,
    ...defined({ id, name, active, deleted, archived, version, filters }),
    createdAt: createdAt ?? time,
    fields: { created_by: EMBEDDED_USER, last_modified_by: EMBEDDED_USER, updated_at: time, ...fields },
  };
}

/** The fields that experiments add to their flag. */
function withExperiments(seeded: SeedFlag, experiments: readonly SeedExperiment[]): SeedFlag {
  if (experiments.length === 0) return seeded;
  const metadata = experiments.map(({ id, name = '', is_running = false }): JsonObject => ({ id, name, is_running }));
  return { ...seeded, experiment_set: experiments.map(({ id }) => id), experiment_set_metadata: metadata };
}

const TIMES = ['scheduled_at', 'executed_at', 'last_executed_at', 'end_date'] as const;

/** Loads those with an id first, so that others do not take their ids. */
function loadScheduledChanges(
  { service, projectId, time }: SeedTarget,
  { scheduled_changes: schedules }: SeedDocument,
  flags: ReadonlyMap<string, StoredFlag>,
): void {
  const entries = schedules.map((entry, index) => ({ ...entry, pointer: `/scheduled_changes/${index}` }));
  for (const { id, flag: name, pointer, ...written } of entries.toSorted(
    (a, b) => Number(b.id !== undefined) - Number(a.id !== undefined),
  )) {
    const flag = [...flags.values()].find((stored) => stored.id === name || stored.key === name);
    if (flag === undefined) throw seedProblem(`${pointer}/flag`, `no flag is named ${stringifyJson(name)}`);
    for (const member of TIMES)
      if (typeof written[member] === 'string') readTime(written[member], `${pointer}/${member}`);
    const { cron_expression: cron } = written;
    if (cron && nextOfCron(cron, service.now()) === undefined) {
      throw seedProblem(`${pointer}/cron_expression`, `${stringifyJson(cron)} is not a cron expression of five fields`);
    }
    const fields = {
      ...NEW_SCHEDULE,
      change_request: null,
      created_at: time,
      created_by: EMBEDDED_USER,
      updated_at: time,
      ...written,
    };
    const insert = (): number =>
      service.store.scheduledChanges.insert(projectId, { ...defined({ id }), flagId: flag.id, fields });
    unlessTaken(insert, `${pointer}/id`, `the id ${String(id)}`);
  }
}

function loadMembers({ service, time }: SeedTarget, { members, missing_features: missing }: SeedDocument): void {
  const { store, randomUuid } = service;
  for (const name of missing) store.organization.loseFeature(name);
  for (const [index, member] of members.entries()) {
    const { id = randomUuid(), uuid = randomUuid(), email, first_name = '', api_key: apiKey, roles = [] } = member;
    const user = { id: index + 2, uuid, distinct_id: uuid, first_name, email };
    store.organization.addMember({ id, user, joinedAt: time }, apiKey);
    for (const [place, named] of roles.entries()) {
      const role = findRole({ service }, named, `/members/${index}/roles/${place}`);
      store.organization.addMembership({ id: randomUuid(), roleId: role.id, memberId: id, joinedAt: time });
    }
  }
}

function loadRoleAccess(target: SeedTarget, document: SeedDocument, flags: ReadonlyMap<string, StoredFlag>): void {
  const { accessRules } = target.service.store;
  if (document.lock_terraform_managed_rules) accessRules.setLock(target.projectId, true);
  for (const [index, entry] of document.role_access.entries()) {
    const pointer = `/role_access/${index}`;
    const flag = [...flags.values()].find(({ id, key }) => id === entry.flag || key === entry.flag);
    if (flag === undefined) throw seedProblem(`${pointer}/flag`, `no flag is named ${stringifyJson(entry.flag)}`);
    const subject = { flagId: flag.id, ...findSubject(target, entry, pointer) };
    const isKnown = accessRules
      .list(flag.id)
      .some(({ roleId, memberId }) => roleId === subject.roleId && memberId === subject.memberId);
    if (isKnown) throw seedProblem(pointer, 'the same entry occurs twice');
    accessRules.put(subject, entry.level ?? 'editor', target.time);
    if (entry.managed_by !== undefined) accessRules.claim(subject, entry.managed_by);
  }
}

function findSubject(
  target: SeedTarget,
  { role, member }: SeedRoleAccess,
  pointer: string,
): { readonly roleId: string | null; readonly memberId: string | null } {
  if (role !== undefined && member !== undefined)
    throw seedProblem(pointer, 'an entry has a role or a member, not both');
  return {
    roleId: role === undefined ? null : findRole(target, role, `${pointer}/role`).id,
    memberId: member === undefined ? null : findMember(target, member, `${pointer}/member`).id,
  };
}

function findRole({ service }: Pick<SeedTarget, 'service'>, name: string, pointer: string): StoredRole {
  const { roles } = service.store;
  const role = roles.find(name) ?? roles.findByName(name)[0];
  if (role === undefined) throw seedProblem(pointer, `no role is named ${stringifyJson(name)}`);
  return role;
}

function findMember({ service }: Pick<SeedTarget, 'service'>, name: string, pointer: string): StoredMember {
  const member = service.store.organization.listMembers().find(({ id, user }) => id === name || user['email'] === name);
  if (member === undefined) throw seedProblem(pointer, `no member is named ${stringifyJson(name)}`);
  return member;
}

/** The target of a seed. */
interface SeedTarget {
  readonly service: ServiceContext;
  readonly projectId: string;
  /** The pointer of the flags in the seed. */
  readonly flagsPointer: string;
  /** The creation time of entries without one. */
  readonly time: string;
}

function loadPersons(target: SeedTarget, document: SeedDocument): void {
  // Persons with an id first, so that others do not take their ids.
  const persons = document.persons.map((person, index) => ({ person, pointer: `/persons/${index}` }));
  for (const isGiven of [true, false]) {
    for (const { person, pointer } of persons) {
      if ((person.id !== undefined) === isGiven) loadPerson(target, person, pointer);
    }
  }
  loadEvents(target, document);
  loadCohortMembers(target, document);
}

function loadPerson({ service, projectId, time }: SeedTarget, person: SeedPerson, pointer: string): void {
  const { id, uuid = service.randomUuid(), distinct_ids: distinctIds, properties = {}, created_at: given } = person;
  const createdAt = given === undefined ? time : readTime(given, `${pointer}/created_at`);
  const taken = distinctIds.find((name) => service.store.persons.findByDistinctId(projectId, name) !== undefined);
  if (taken !== undefined) {
    throw seedProblem(`${pointer}/distinct_ids`, `${JSON.stringify(taken)} belongs to another person`);
  }
  const made = { ...defined({ id }), projectId, uuid: uuid.toLowerCase(), createdAt, properties };
  const insert = (): unknown => service.store.persons.insert({ ...made, distinctIds: [...new Set(distinctIds)] });
  unlessTaken(insert, pointer, 'its id or UUID');
}

function unlessTaken<Stored>(insert: () => Stored, pointer: string, what: string): Stored {
  try {
    return insert();
  } catch (error) {
    throw seedProblem(pointer, `${what} is already used (${String(error)})`);
  }
}

/** Creates persons for events whose person the seed does not list. */
function loadEvents({ service, projectId, time }: SeedTarget, document: SeedDocument): void {
  const { store, randomUuid } = service;
  for (const [index, event] of document.events.entries()) {
    const { event: name, distinct_id: distinctId, timestamp, uuid = randomUuid(), properties = {} } = event;
    const moment = Math.floor(parseMicroseconds(readTime(timestamp, `/events/${index}/timestamp`)) / 1000);
    if (store.persons.findByDistinctId(projectId, distinctId) === undefined) {
      const person = { projectId, uuid: randomUuid(), createdAt: time, properties: {} };
      store.persons.insert({ ...person, distinctIds: [distinctId] });
    }
    store.events.insert({ projectId, uuid, name, distinctId, time: moment, properties });
  }
}

function loadCohortMembers({ service, projectId }: SeedTarget, document: SeedDocument): void {
  for (const [index, { id, persons = [] }] of document.cohorts.entries()) {
    for (const [position, distinctId] of persons.entries()) {
      const person = service.store.persons.findByDistinctId(projectId, distinctId);
      if (person === undefined) {
        const pointer = `/cohorts/${index}/persons/${position}`;
        throw seedProblem(pointer, `no person has the distinct id ${JSON.stringify(distinctId)}`);
      }
      service.store.cohorts.addMember(projectId, id, person.id);
    }
  }
}

function readTime(text: string, pointer: string): string {
  const time = parseTimestamp(text);
  if (time === undefined) throw seedProblem(pointer, `${JSON.stringify(text)} is not a date and time`);
  return time;
}

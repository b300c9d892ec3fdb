/** Loads the members of a seed, and who has access to its flags. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { StoredMember } from '../store/organization.ts';
import type { StoredRole } from '../store/roles.ts';
import { seedProblem, type SeedDocument, type SeedRoleAccess } from './document.ts';
import type { SeedTarget } from './persons.ts';

export function loadMembers({ service, time }: SeedTarget, { members, missingFeatures }: SeedDocument): void {
  const { store, randomUuid } = service;
  for (const name of missingFeatures) store.organization.loseFeature(name);
  for (const [index, member] of members.entries()) {
    const {
      id = randomUuid(),
      uuid = randomUuid(),
      email,
      first_name: name = '',
      api_key: apiKey,
      roles = [],
    } = member;
    const user = { id: index + 2, uuid, distinct_id: uuid, first_name: name, email };
    store.organization.addMember({ id, user, joinedAt: time }, apiKey);
    for (const [place, named] of roles.entries()) {
      const role = findRole({ service }, named, `/members/${index}/roles/${place}`);
      store.organization.addMembership({ id: randomUuid(), roleId: role.id, memberId: id, joinedAt: time });
    }
  }
}

export function loadRoleAccess(
  target: SeedTarget,
  document: SeedDocument,
  flags: ReadonlyMap<string, StoredFlag>,
): void {
  const { accessRules } = target.service.store;
  if (document.lockTerraformManagedRules) accessRules.setLock(target.projectId, true);
  for (const [index, entry] of document.roleAccess.entries()) {
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

export function findRole({ service }: Pick<SeedTarget, 'service'>, name: string, pointer: string): StoredRole {
  const { roles } = service.store;
  const role = roles.find(name) ?? roles.findByName(name)[0];
  if (role === undefined) throw seedProblem(pointer, `no role is named ${stringifyJson(name)}`);
  return role;
}

export function findMember({ service }: Pick<SeedTarget, 'service'>, name: string, pointer: string): StoredMember {
  const member = service.store.organization.listMembers().find(({ id, user }) => id === name || user['email'] === name);
  if (member === undefined) throw seedProblem(pointer, `no member is named ${stringifyJson(name)}`);
  return member;
}

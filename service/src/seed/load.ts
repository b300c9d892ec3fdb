/** Loads a seed into a project without flags and persons, completely or not at all. */

import { FlagwrightError } from '../../../src/base/errors.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { allProperties } from '../filters/conditions.ts';
import type { StoredFlag } from '../store/flag.ts';
import { EDITOR_LEVEL } from '../store/roles.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { readSeed, seedProblem, type SeedDocument } from './document.ts';
import { buildSeededFlags } from './flags.ts';
import { loadMembers, loadRoleAccess } from './access.ts';
import { loadApprovalPolicies } from './approval-policies.ts';
import { loadScheduledChanges } from './scheduled-changes.ts';
import { loadPersons, type SeedTarget } from './persons.ts';

interface SeedOptions {
  readonly projectIds: readonly string[];
  /** Whether its flags, their role access and their scheduled changes are loaded too. */
  readonly hasFlags: boolean;
}

/** Does nothing in a project with flags or persons, so that a restart with the same seed changes nothing. */
export function loadSeed(service: ServiceContext, seed: JsonValue, { projectIds, hasFlags }: SeedOptions): void {
  const document = readSeed(seed);
  const projectId = document.projectId ?? projectIds[0] ?? '';
  if (!projectIds.includes(projectId)) {
    throw new FlagwrightError(
      'usage',
      `The seed is for project ${projectId}; the service has ${projectIds.join(', ')}`,
    );
  }
  const target: SeedTarget = { service, projectId, time: formatTimestamp(service.now()) };
  service.store.transaction(() => {
    const { flags: storedFlags, persons } = service.store;
    if (!storedFlags.isEmpty(projectId) || !persons.isEmpty(projectId)) return;
    loadNames(target, document);
    loadMembers(target, document);
    loadApprovalPolicies(target, document);
    if (document.acceptsFlagRules) storedFlags.openForRules(projectId);
    if (document.propertyMatchingVersion === 2) storedFlags.matchExplicitly(projectId);
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
  for (const { group_type_index: typeIndex, group_type: name } of document.groupTypes) {
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
function loadFlags({ service, projectId, time }: SeedTarget, document: SeedDocument): Map<string, StoredFlag> {
  const found = new Map<string, StoredFlag>();
  const flags = buildSeededFlags(document, { projectId, time });
  for (const { flag, pointer } of flags.toSorted(
    (a, b) => Number(b.flag.id !== undefined) - Number(a.flag.id !== undefined),
  )) {
    if (found.has(flag.key)) throw seedProblem(`${pointer}/key`, `the key ${JSON.stringify(flag.key)} occurs twice`);
    try {
      found.set(flag.key, service.store.flags.insert(flag));
    } catch (error) {
      throw seedProblem(`${pointer}/id`, `the id ${String(flag.id)} is already used (${String(error)})`);
    }
  }
  return found;
}

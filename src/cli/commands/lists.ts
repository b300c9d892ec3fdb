/** `flagwright roles …`, `role-access …`, `cohorts …` and `early-access …`: what a project has beside its flags and persons. */

import type { JsonObject } from '../../base/json.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { AccessRule } from '../../posthog/role-access/access.ts';
import { findOrganization, findRoleIds } from '../../posthog/role-access/read.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { required, requiredWhole } from '../line/options.ts';
import { command, type ResourceGroup, limited, PAGING, flagId, uuid } from '../resources/command.ts';

export const ROLE_COMMANDS: ResourceGroup = {
  scope: 'organization',
  elsewhere: {},
  commands: [
    command({
      name: 'list',
      summary: 'list the roles of the organization with their ids',
      description:
        'Give an id a name under `roles` of the project in flagwright.yaml; `export --role-access` does so by itself.',
      examples: ['flagwright roles list'],
      operations: ['getProject', 'listRoles'],
      columns: ['id', 'name'],
      parameters: { ...PAGING },
      run: async (client, paging) => limited(paging, await client.listRoles(await findOrganization(client))),
    }),
  ],
};

const FLAG = required('<flag>', 'key of the flag, or its id (digits only)');
const IN_MANIFEST = 'Write it to role_access or access in a manifest, then: flagwright plan, flagwright apply.';

export const ROLE_ACCESS_COMMANDS: ResourceGroup = {
  scope: 'feature_flag',
  elsewhere: { create: IN_MANIFEST, delete: IN_MANIFEST, grant: IN_MANIFEST, revoke: IN_MANIFEST, set: IN_MANIFEST },
  commands: [
    command({
      name: 'list',
      summary: 'list who has access to a flag',
      description:
        'On a service with levels, one line for each rule: of a role, of a member, or of everyone. On a service of 2023, the roles that may edit the flag.',
      examples: ['flagwright role-access list new-checkout'],
      operations: ['getAccess', 'listRoleAccess', 'getProject', 'listRoles'],
      columns: ['subject', 'access_level', 'role.name', 'role.id', 'id'],
      parameters: { flag: FLAG, ...PAGING },
      run: async (client, { flag, ...paging }) => limited(paging, await listAccess(client, await flagId(client, flag))),
    }),
    command({
      name: 'get',
      summary: 'show one entry of the list, on a service of 2023',
      examples: ['flagwright role-access get new-checkout 3'],
      operations: ['getRoleAccess'],
      parameters: { flag: FLAG, entry: requiredWhole('<entry>', 'id of the entry, from the list') },
      run: async (client, { flag, entry }) => ({
        kind: 'record',
        record: await client.getRoleAccess(await flagId(client, flag), entry),
      }),
    }),
  ],
};

/** A service of 2023 has no rules; the flag itself may be missing too, which the second request then reports. */
async function listAccess(client: ServiceClient, flagId: number): Promise<readonly JsonObject[]> {
  try {
    const { access_controls: rules } = await client.getAccess(flagId);
    const hasRoles = rules.some(({ role }) => role !== null);
    const names = new Map(
      Object.entries(hasRoles ? await findRoleIds(client) : {}).map(([name, id]): [string, string] => [id, name]),
    );
    return rules.map((rule) => nameRule(rule, names));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.failure.kind !== 'not_found') throw error;
    const entries = await client.listRoleAccess(flagId);
    return entries.map((entry) => ({ ...entry, subject: 'role', access_level: 'editor' }));
  }
}

function nameRule(rule: AccessRule, names: ReadonlyMap<string, string>): JsonObject {
  const { role: id, organization_member: member } = rule;
  const role = id === null ? null : { id, name: names.get(id) ?? id };
  const other = member === null ? 'everyone' : `member ${member}`;
  return { ...rule, subject: role === null ? other : 'role', role, organization_member: member };
}

export const COHORT_COMMANDS: ResourceGroup = {
  scope: 'cohort',
  elsewhere: {
    create: 'Declare the cohort under `cohorts:` in a manifest, then: flagwright plan, flagwright apply.',
    update: 'Change the cohort in its manifest, then: flagwright plan, flagwright apply.',
    delete: 'Set `deleted: true` on the cohort in its manifest, then: flagwright plan, flagwright apply.',
  },
  commands: [
    command({
      name: 'list',
      summary: 'list the cohorts of the project with their ids',
      description: 'Give an id a name under `cohorts` of the project in flagwright.yaml; `export` does so by itself.',
      examples: ['flagwright cohorts list', 'flagwright cohorts list --all -f csv'],
      operations: ['listCohorts'],
      columns: ['id', 'name', 'is_static', 'count'],
      parameters: { ...PAGING },
      run: async (client, paging) => limited(paging, await client.listCohorts()),
    }),
    command({
      name: 'get',
      summary: 'show one cohort with its definition',
      examples: ['flagwright cohorts get 42', 'flagwright cohorts get 42 -f json'],
      operations: ['getCohort'],
      parameters: { id: requiredWhole('<id>', 'id of the cohort; `cohorts list` shows it') },
      run: async (client, { id }) => ({ kind: 'record', record: await client.getCohort(id) }),
    }),
  ],
};

export const EARLY_ACCESS_COMMANDS: ResourceGroup = {
  scope: 'early_access_feature',
  elsewhere: {},
  commands: [
    command({
      name: 'list',
      summary: 'list the early access features of the project with their stages and flags',
      examples: ['flagwright early-access list', 'flagwright early-access list --all -f csv'],
      operations: ['listEarlyAccessFeatures'],
      columns: ['id', 'name', 'stage', 'feature_flag.key'],
      parameters: { ...PAGING },
      run: async (client, paging) => limited(paging, await client.listEarlyAccessFeatures()),
    }),
    command({
      name: 'get',
      summary: 'show one early access feature',
      examples: ['flagwright early-access get 0191a000-0000-7000-8000-000000000001'],
      operations: ['getEarlyAccessFeature'],
      parameters: { id: uuid('<id>', 'UUID of the feature; `early-access list` shows it') },
      run: async (client, { id }) => ({ kind: 'record', record: await client.getEarlyAccessFeature(id) }),
    }),
  ],
};

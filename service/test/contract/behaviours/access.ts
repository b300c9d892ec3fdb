/**
 * Access rules, roles and memberships as today's service has them. The names in brackets are tests of PostHog, or of its
 * Terraform provider, that hold the same.
 */

import type { JsonObject } from '../../../../src/base/json.ts';
import { type Behaviour, type Expectation, ok, refusal, today } from '../behaviour.ts';
import { MEMBER_ID, MEMBER_UUID, OTHER_ROLE_ID, ROLE_ID } from '../seed.ts';

const PATH = '/feature_flags/1/access_controls/';
const RESOURCES = '/resource_access_controls/';
const PROJECT = '/access_controls/';
const MEMBERS = '//api/organizations/@current/members/';
const ROLES = '//api/organizations/@current/roles/';
/** Of the user of the service. */
const OWNER_UUID = '018a0000-0000-7000-8000-0000000000e0';
const NOBODY = '00000000-0000-4000-8000-000000000000';

const UNTOUCHED: JsonObject = {
  access_controls: [],
  available_access_levels: ['none', 'viewer', 'editor', 'manager'],
  default_access_level: 'editor',
  minimum_access_level: 'none',
  maximum_access_level: 'manager',
  user_access_level: 'manager',
  user_can_edit_access_levels: true,
  inherited_access: { access_level: 'editor', source: 'system_default', source_subject: null },
};

const NOTHING: Expectation = { status: 204, text: '' };

function rule(level: string, subject: RuleSubject = {}): JsonObject {
  return {
    access_level: level,
    resource: 'feature_flag',
    resource_id: '1',
    role: subject.role ?? null,
    organization_member: subject.member ?? null,
    created_by: null,
  };
}

interface RuleSubject {
  readonly role?: string;
  readonly member?: string;
}

function kindRule(level: string, subject: RuleSubject = {}): JsonObject {
  return { ...rule(level, subject), resource_id: null };
}

function projectRule(level: string, subject: RuleSubject = {}): JsonObject {
  return { ...rule(level, subject), resource: 'project', resource_id: '1' };
}

function object(level: string): JsonObject {
  return { resource: 'feature_flag', resource_id: '1', short_id: null, access_level: level };
}

export const ACCESS: readonly Behaviour[] = [
  today('a flag without rules shows the levels and what applies (test_get_access_controls)', [
    { ask: `GET ${PATH}`, expect: ok(UNTOUCHED) },
    { ask: 'GET /feature_flags/999/access_controls/', expect: refusal(404, 'not_found') },
    { ask: `POST ${PATH}`, body: {}, expect: refusal(405, 'method_not_allowed') },
    { ask: `DELETE ${PATH}`, expect: refusal(405, 'method_not_allowed') },
  ]),
  today('a role gets a level (TestAccessControl_Basic) and is read again (TestAccessControl_Import)', [
    {
      ask: `PUT ${PATH}`,
      body: { role: ROLE_ID, access_level: 'editor' },
      expect: ok(rule('editor', { role: ROLE_ID })),
    },
    { ask: `GET ${PATH}`, expect: ok({ access_controls: [rule('editor', { role: ROLE_ID })] }) },
    { ask: `PUT ${PATH}`, body: { role: ROLE_ID, access_level: null }, expect: NOTHING },
    { ask: `GET ${PATH}`, expect: ok(UNTOUCHED) },
  ]),
  today('another level replaces the first (TestAccessControl_Update, TestAccessControl_None)', [
    ...['viewer', 'editor', 'none', 'manager'].map((level) => ({
      ask: `PUT ${PATH}`,
      body: { role: ROLE_ID, access_level: level },
      expect: ok(rule(level, { role: ROLE_ID })),
    })),
    { ask: `GET ${PATH}`, expect: ok({ access_controls: [rule('manager', { role: ROLE_ID })] }) },
    { ask: `PUT ${PATH}`, body: { role: ROLE_ID, access_level: null }, expect: NOTHING },
  ]),
  today('a rule without role and member is for everyone (TestAccessControl_ProjectDefaultResourceInstance)', [
    { ask: `PUT ${PATH}`, body: { access_level: 'none' }, expect: ok(rule('none')) },
    { ask: `PUT ${PATH}`, body: { access_level: 'viewer', role: null }, expect: ok(rule('viewer')) },
    { ask: `GET ${PATH}`, expect: ok({ ...UNTOUCHED, access_controls: [rule('viewer')] }) },
    { ask: `PUT ${PATH}`, body: { access_level: null }, expect: NOTHING },
  ]),
  today('a member gets a level (TestAccessControl_OrganizationMember)', [
    {
      ask: `PUT ${PATH}`,
      body: { organization_member: MEMBER_ID, access_level: 'editor' },
      expect: ok(rule('editor', { member: MEMBER_ID })),
    },
    { ask: `PUT ${PATH}`, body: { organization_member: MEMBER_ID, access_level: null }, expect: NOTHING },
  ]),
  today('a level that was not set is removed without complaint (test_project_removed_with_null)', [
    { ask: `PUT ${PATH}`, body: { role: ROLE_ID, access_level: null }, expect: NOTHING },
  ]),
  today('resource and resource_id of the body do not count: the path names the flag', [
    {
      ask: `PUT ${PATH}`,
      body: { resource: 'dashboard', resource_id: '77', role: ROLE_ID, access_level: 'viewer' },
      expect: ok(rule('viewer', { role: ROLE_ID })),
    },
    { ask: `PUT ${PATH}`, body: { role: ROLE_ID, access_level: null }, expect: NOTHING },
  ]),
  today('wrong rules are refused (test_project_change_rejected_if_bad_access_level)', [
    {
      ask: `PUT ${PATH}`,
      body: { role: ROLE_ID, access_level: 'bad' },
      expect: refusal(400, 'invalid_input', 'access_level'),
    },
    { ask: `PUT ${PATH}`, body: { role: ROLE_ID }, expect: refusal(400, 'required', 'access_level') },
    { ask: `PUT ${PATH}`, body: [], expect: refusal(400, 'invalid_input', null) },
    { ask: `PUT ${PATH}`, body: { role: 'x', access_level: 'viewer' }, expect: refusal(400, 'invalid_input', 'role') },
    {
      ask: `PUT ${PATH}`,
      body: { role: NOBODY, access_level: 'viewer' },
      expect: refusal(400, 'does_not_exist', 'role'),
    },
    {
      ask: `PUT ${PATH}`,
      body: { organization_member: NOBODY, access_level: 'viewer' },
      expect: refusal(400, 'does_not_exist', 'organization_member'),
    },
    {
      ask: `PUT ${PATH}`,
      body: { role: ROLE_ID, organization_member: MEMBER_ID, access_level: 'viewer' },
      expect: refusal(400, 'invalid_input', null),
    },
    { ask: `GET ${PATH}`, expect: ok(UNTOUCHED) },
  ]),
  today('a level for all objects of a kind (TestAccessControl_Basic, _Update, _OrganizationMember, _ProjectDefault)', [
    { ask: `GET ${RESOURCES}`, expect: ok({ access_controls: [], default_access_level: 'editor' }) },
    {
      ask: `PUT ${RESOURCES}`,
      body: { resource: 'feature_flag', role: ROLE_ID, access_level: 'viewer' },
      expect: ok(kindRule('viewer', { role: ROLE_ID })),
    },
    {
      ask: `PUT ${RESOURCES}`,
      body: { resource: 'feature_flag', role: ROLE_ID, access_level: 'editor' },
      expect: ok(kindRule('editor', { role: ROLE_ID })),
    },
    {
      ask: `PUT ${RESOURCES}`,
      body: { resource: 'feature_flag', organization_member: MEMBER_ID, access_level: 'none' },
      expect: ok(kindRule('none', { member: MEMBER_ID })),
    },
    {
      ask: `PUT ${RESOURCES}`,
      body: { resource: 'feature_flag', access_level: 'manager' },
      expect: ok(kindRule('manager')),
    },
    {
      ask: `GET ${RESOURCES}`,
      expect: ok({
        access_controls: [
          kindRule('editor', { role: ROLE_ID }),
          kindRule('none', { member: MEMBER_ID }),
          kindRule('manager'),
        ],
      }),
    },
    { ask: `GET ${PROJECT}`, expect: ok({ access_controls: [] }) },
    { ask: `PUT ${RESOURCES}`, body: { resource: 'feature_flag', role: ROLE_ID, access_level: null }, expect: NOTHING },
    {
      ask: `PUT ${RESOURCES}`,
      body: { resource: 'feature_flag', organization_member: MEMBER_ID, access_level: null },
      expect: NOTHING,
    },
    { ask: `PUT ${RESOURCES}`, body: { resource: 'feature_flag', access_level: null }, expect: NOTHING },
    { ask: `PUT ${RESOURCES}`, body: { resource: 'feature_flag', access_level: null }, expect: NOTHING },
    { ask: `GET ${RESOURCES}`, expect: ok({ access_controls: [] }) },
  ]),
  today('wrong levels for a kind are refused', [
    { ask: `PUT ${RESOURCES}`, body: { access_level: 'viewer' }, expect: refusal(400, 'required', 'resource') },
    {
      ask: `PUT ${RESOURCES}`,
      body: { resource: 'project', access_level: 'viewer' },
      expect: refusal(400, 'invalid_input', 'resource'),
    },
    {
      ask: `PUT ${RESOURCES}`,
      body: { resource: 'feature_flag', access_level: 'member' },
      expect: refusal(400, 'invalid_input', 'access_level'),
    },
    {
      ask: `PUT ${RESOURCES}`,
      body: { resource: 'feature_flag', role: NOBODY, access_level: 'viewer' },
      expect: refusal(400, 'does_not_exist', 'role'),
    },
    { ask: `DELETE ${RESOURCES}`, expect: refusal(405, 'method_not_allowed') },
  ]),
  today(
    'who may use a project (TestProjectDefaultAccess_Basic, TestProjectMember_BasicWithRole, _WithOrganizationMember)',
    [
      {
        ask: `GET ${PROJECT}`,
        expect: ok({ default_access_level: 'admin', available_access_levels: ['none', 'member', 'admin'] }),
      },
      { ask: `PUT ${PROJECT}`, body: { access_level: 'member' }, expect: ok(projectRule('member')) },
      { ask: `PUT ${PROJECT}`, body: { access_level: 'none' }, expect: ok(projectRule('none')) },
      {
        ask: `PUT ${PROJECT}`,
        body: { role: ROLE_ID, access_level: 'admin' },
        expect: ok(projectRule('admin', { role: ROLE_ID })),
      },
      {
        ask: `PUT ${PROJECT}`,
        body: { organization_member: MEMBER_ID, access_level: 'member' },
        expect: ok(projectRule('member', { member: MEMBER_ID })),
      },
      {
        ask: `GET ${PROJECT}`,
        expect: ok({
          access_controls: [
            projectRule('none'),
            projectRule('admin', { role: ROLE_ID }),
            projectRule('member', { member: MEMBER_ID }),
          ],
        }),
      },
      { ask: `GET ${RESOURCES}`, expect: ok({ access_controls: [] }) },
      {
        ask: `PUT ${PROJECT}`,
        body: { access_level: 'editor' },
        expect: refusal(400, 'invalid_input', 'access_level'),
      },
      { ask: `PUT ${PROJECT}`, body: { access_level: null }, expect: NOTHING },
      { ask: `PUT ${PROJECT}`, body: { role: ROLE_ID, access_level: null }, expect: NOTHING },
      { ask: `PUT ${PROJECT}`, body: { organization_member: MEMBER_ID, access_level: null }, expect: NOTHING },
      { ask: `GET ${PROJECT}`, expect: ok({ access_controls: [] }) },
    ],
  ),
  today('a member gets a level by the uuid of the user (TestOrganizationMember_UpdateLevel)', [
    { ask: `PATCH ${MEMBERS}${MEMBER_UUID}/`, body: { level: 8 }, expect: ok({ id: MEMBER_ID, level: 8 }) },
    { ask: `PATCH ${MEMBERS}${MEMBER_UUID}/`, body: {}, expect: ok({ level: 8 }) },
    { ask: `PATCH ${MEMBERS}${MEMBER_UUID}/`, body: { level: 5 }, expect: refusal(400, 'invalid_choice', 'level') },
    { ask: `PATCH ${MEMBERS}${NOBODY}/`, body: { level: 1 }, expect: refusal(404, 'not_found') },
    { ask: `PATCH ${MEMBERS}${OWNER_UUID}/`, body: { level: 8 }, expect: refusal(403, 'permission_denied') },
    { ask: `GET ${MEMBERS}${MEMBER_UUID}/`, expect: refusal(405, 'method_not_allowed') },
    { ask: `PATCH ${MEMBERS}${MEMBER_UUID}/`, body: { level: 1 }, expect: ok({ level: 1 }) },
  ]),
  today('nobody is named as who made a role (TestRole_Basic)', [
    {
      ask: `POST ${ROLES}`,
      body: { name: 'made' },
      expect: { status: 201, body: { created_by: null } },
      keep: { role: '/id' },
    },
    { ask: `GET ${ROLES}{role}/`, expect: ok({ created_by: null }) },
    { ask: `DELETE ${ROLES}{role}/`, expect: NOTHING },
  ]),
  today('the routes of 2023 are gone', [
    { ask: 'GET /feature_flags/1/role_access/', expect: refusal(404, 'not_found') },
    { ask: 'POST /feature_flags/1/role_access/', body: { role_id: ROLE_ID }, expect: refusal(404, 'not_found') },
  ]),
  today('the rules of all flags are listed for everyone, for a role and for a member', [
    { ask: `PUT ${PATH}`, body: { access_level: 'none' }, expect: ok(rule('none')) },
    {
      ask: `PUT ${PATH}`,
      body: { role: ROLE_ID, access_level: 'manager' },
      expect: ok(rule('manager', { role: ROLE_ID })),
    },
    {
      ask: `PUT ${PATH}`,
      body: { organization_member: MEMBER_ID, access_level: 'viewer' },
      expect: ok(rule('viewer', { member: MEMBER_ID })),
    },
    { ask: 'GET /access_control_default_objects/', expect: ok({ results: [object('none')] }) },
    { ask: `GET /access_control_role_objects/?role_id=${ROLE_ID}`, expect: ok({ results: [object('manager')] }) },
    { ask: `GET /access_control_role_objects/?role_id=${OTHER_ROLE_ID}`, expect: ok({ results: [] }) },
    { ask: `GET /access_control_member_objects/?member_id=${MEMBER_ID}`, expect: ok({ results: [object('viewer')] }) },
    { ask: `GET /access_control_role_objects/?role_id=${NOBODY}`, expect: refusal(404, 'not_found') },
    { ask: `GET /access_control_member_objects/?member_id=${NOBODY}`, expect: refusal(404, 'not_found') },
    { ask: 'GET /access_control_role_objects/', expect: refusal(400, 'required', 'role_id') },
    { ask: `PUT ${PATH}`, body: { access_level: null }, expect: NOTHING },
    { ask: `PUT ${PATH}`, body: { role: ROLE_ID, access_level: null }, expect: NOTHING },
    { ask: `PUT ${PATH}`, body: { organization_member: MEMBER_ID, access_level: null }, expect: NOTHING },
    { ask: 'GET /access_control_default_objects/', expect: ok({ results: [] }) },
  ]),
  {
    name: 'a service of 2023 has no access rules; its project has an organization, whose roles name the flags that they can edit',
    only: 'documented',
    steps: [
      { ask: `GET ${PATH}`, expect: refusal(404, 'not_found') },
      { ask: 'GET /access_control_default_objects/', expect: refusal(404, 'not_found') },
      { ask: 'GET //api/projects/{project}/', expect: ok({ id: 1 }), keep: { organization: '/organization' } },
      { ask: 'GET //api/organizations/{organization}/', expect: refusal(404, 'not_found') },
      { ask: 'POST /feature_flags/1/role_access/', body: { role_id: OTHER_ROLE_ID }, expect: { status: 201 } },
      {
        ask: 'GET //api/organizations/{organization}/roles/',
        expect: ok({ results: [{ associated_flags: [] }, { id: OTHER_ROLE_ID, associated_flags: [{ id: 1 }] }] }),
      },
      { ask: `POST ${ROLES}`, body: { name: 'ops' }, expect: refusal(405, 'method_not_allowed') },
    ],
  },
  today('a project names its organization, which names its paid features', [
    { ask: 'GET //api/projects/{project}/', expect: ok({ id: 1 }), keep: { organization: '/organization' } },
    {
      ask: 'GET //api/organizations/{organization}/',
      expect: ok({ available_product_features: [{ key: 'access_control' }, { key: 'role_based_access' }] }),
    },
    {
      ask: 'GET //api/organizations/@current/members/',
      expect: ok({ count: 2, results: [{ level: 15 }, { id: MEMBER_ID }] }),
    },
    { ask: 'GET //api/projects/9/', expect: refusal(404, 'not_found') },
    { ask: `GET //api/organizations/${NOBODY}/roles/`, expect: refusal(404, 'not_found') },
  ]),
  today('roles are listed, created, renamed and deleted; a name occurs once in any case', [
    { ask: `GET ${ROLES}?limit=1`, expect: ok({ count: 2, results: [{ name: 'engineering' }] }) },
    {
      ask: `POST ${ROLES}`,
      body: { name: ' ops ' },
      expect: { status: 201, body: { name: 'ops', is_default: false } },
      keep: { id: '/id' },
    },
    { ask: `POST ${ROLES}`, body: { name: 'OPS' }, expect: refusal(400, 'unique', 'name') },
    { ask: `POST ${ROLES}`, body: {}, expect: refusal(400, 'required', 'name') },
    { ask: `POST ${ROLES}`, body: { name: ' ' }, expect: refusal(400, 'blank', 'name') },
    { ask: `PATCH ${ROLES}{id}/`, body: { name: 'operations' }, expect: ok({ name: 'operations' }) },
    { ask: `PATCH ${ROLES}{id}/`, body: { name: 'Support' }, expect: refusal(400, 'unique', 'name') },
    { ask: `GET ${ROLES}{id}/`, expect: ok({ name: 'operations', members: [] }) },
    { ask: `DELETE ${ROLES}{id}/`, expect: NOTHING },
    { ask: `GET ${ROLES}{id}/`, expect: refusal(404, 'not_found') },
  ]),
  today('the rules of a role go with it', [
    { ask: `POST ${ROLES}`, body: { name: 'ops' }, expect: { status: 201 }, keep: { id: '/id' } },
    { ask: `PUT ${PATH}`, body: { role: '{id}', access_level: 'viewer' }, expect: ok({ access_level: 'viewer' }) },
    { ask: `DELETE ${ROLES}{id}/`, expect: NOTHING },
    { ask: `GET ${PATH}`, expect: ok(UNTOUCHED) },
  ]),
  today('members get and lose a role', [
    {
      ask: `POST ${ROLES}${OTHER_ROLE_ID}/role_memberships/`,
      body: { user_uuid: MEMBER_UUID },
      expect: { status: 201, body: { role_id: OTHER_ROLE_ID, organization_member: { id: MEMBER_ID } } },
      keep: { id: '/id' },
    },
    {
      ask: `POST ${ROLES}${OTHER_ROLE_ID}/role_memberships/`,
      body: { user_uuid: MEMBER_UUID },
      expect: refusal(400, 'invalid_input', null),
    },
    {
      ask: `POST ${ROLES}${OTHER_ROLE_ID}/role_memberships/`,
      body: { user_uuid: NOBODY },
      expect: refusal(400, 'invalid_input', null),
    },
    { ask: `GET ${ROLES}${OTHER_ROLE_ID}/role_memberships/`, expect: ok({ count: 1 }) },
    { ask: `GET ${ROLES}${OTHER_ROLE_ID}/role_memberships/{id}/`, expect: ok({ user: { uuid: MEMBER_UUID } }) },
    { ask: `GET ${ROLES}${OTHER_ROLE_ID}/`, expect: ok({ members: [{ user: { uuid: MEMBER_UUID } }] }) },
    { ask: `DELETE ${ROLES}${OTHER_ROLE_ID}/role_memberships/{id}/`, expect: NOTHING },
    { ask: `DELETE ${ROLES}${OTHER_ROLE_ID}/role_memberships/{id}/`, expect: refusal(404, 'not_found') },
  ]),
  today('a project may lock the rules that Terraform made, and says so', [
    {
      ask: 'GET /access_control_management_settings/',
      expect: ok({ lock_terraform_managed_rules: false }),
    },
    {
      ask: 'PATCH /access_control_management_settings/',
      body: { lock_terraform_managed_rules: 'yes' },
      expect: refusal(400, 'invalid_input', 'lock_terraform_managed_rules'),
    },
    {
      ask: 'PATCH /access_control_management_settings/',
      body: { lock_terraform_managed_rules: true },
      expect: ok({ lock_terraform_managed_rules: true }),
    },
    { ask: 'GET /access_control_management_settings/', expect: ok({ lock_terraform_managed_rules: true }) },
  ]),
  today('a key is told what it may do', [
    { ask: 'GET //api/personal_api_keys/@current/', expect: ok({ scopes: ['*'] }) },
    { ask: 'POST //api/personal_api_keys/@current/', body: {}, expect: refusal(405, 'method_not_allowed') },
  ]),
];

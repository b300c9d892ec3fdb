/** Who works with the flags of a seed: roles, members, access and approvals. */

import { among, array, boolean, define, integer, number, object, open, string } from '../../../src/base/schema.ts';
import { filled } from '../values.ts';

export const seedRole = define(
  'role',
  object(
    {
      id: filled({ title: 'Id', description: 'A UUID.' }),
      name: filled({ title: 'Name' }),
      'feature_flags_access_level?': among([21, 37], {
        title: 'Access level',
        description: '21: can only view. 37: can edit.',
        default: 37,
      }),
    },
    { title: 'Role' },
  ),
);

export const roleAccess = define(
  'roleAccess',
  object(
    {
      flag: { title: 'Flag', description: 'Key or id.', type: ['string', 'integer'] },
      'role?': string({ title: 'Role', description: 'Name or id.' }),
      'member?': string({ title: 'Member', description: 'Email or id of a member.' }),
      'level?': among(['none', 'viewer', 'editor', 'manager'], {
        title: 'Level',
        description: 'The profile `documented` shows only roles that can edit.',
        default: 'editor',
      }),
      'managed_by?': among(['terraform'], {
        title: 'Managed by',
        description: 'The program that manages the rule; only the profile `posthog` shows it.',
      }),
    },
    { title: 'Role access entry', description: 'Without role and member, the level of everyone.' },
  ),
);

export const member = define(
  'member',
  object(
    {
      'id?': string({ title: 'Id', description: 'Of the membership, a UUID. Default: a random one.' }),
      'uuid?': string({ title: 'UUID', description: 'Of the user. Default: a random one.' }),
      email: filled({ title: 'Email' }),
      'first_name?': string({ title: 'First name' }),
      'api_key?': filled({ title: 'API key', description: 'Requests with this key act as the member.' }),
      'roles?': array(string(), { title: 'Roles', description: 'The roles of the member, by name or id.' }),
    },
    { title: 'Member', description: "A member of the organization, beside the service's own user." },
  ),
);

export const approvalPolicy = define(
  'approvalPolicy',
  object(
    {
      action_key: among(['feature_flag.enable', 'feature_flag.disable', 'feature_flag.update'], {
        title: 'Action',
        description: 'What needs an approval: enabling a flag, disabling one, or a change of a percentage.',
      }),
      'organization?': boolean({
        title: 'Of the organization',
        description: 'Whether the policy is that of all projects. One of the project counts first.',
        default: false,
      }),
      'conditions?': open(
        {
          'type?': among(['before_after', 'change_amount', 'any_change'], { title: 'Type' }),
          'field?': string({ title: 'Field' }),
          'operator?': among(['>', '<', '>=', '<=', '==', '!='], { title: 'Operator' }),
          'value?': number({ title: 'Value' }),
        },
        {
          title: 'Conditions',
          description: 'Which changes of percentages need the approval. Default: all.',
          examples: [{ type: 'before_after', field: 'rollout_percentage', operator: '>', value: 50 }],
        },
      ),
      'quorum?': integer({ title: 'Quorum', description: 'How many approvals are needed.', minimum: 1, default: 1 }),
      'approvers?': array(string(), {
        title: 'Approvers',
        description: 'Who may approve: email or id of members. Default: everybody.',
      }),
      'approver_roles?': array(string(), {
        title: 'Roles of approvers',
        description: 'Names or ids of roles whose members may approve.',
      }),
      'allow_self_approve?': boolean({
        title: 'Own requests',
        description: 'Whether a requester may approve.',
        default: false,
      }),
      'exempt_roles?': array(string(), {
        title: 'Exempt roles',
        description: 'Names or ids of roles whose members need no approval.',
      }),
      'expires_after?': {
        title: 'Expiry',
        description: 'How long a request waits, as `DAYS HH:MM:SS` or in seconds.',
        type: ['string', 'integer'],
        default: '14 00:00:00',
      },
      'enabled?': boolean({ title: 'Enabled', default: true }),
    },
    { title: 'Approval policy' },
  ),
);

/** What the embedded service starts with. */

import { among, array, boolean, count, define, object, open, orNull, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { alert } from '../parts/seed/alert.ts';
import { approvalPolicy, member, roleAccess, seedRole } from '../parts/seed/access.ts';
import { flags, scheduledChange } from '../parts/seed/flag.ts';
import { event, person } from '../parts/seed/people.ts';
import { experiment, group, groupType, seedCohort } from '../parts/seed/targeting.ts';

const documentSchema = define(
  'document',
  object(
    {
      '$schema?': string({ title: 'Schema', description: 'For editors.' }),
      'project_id?': {
        title: 'Project',
        description: "The project to load the seed into. Default: the service's first project.",
        type: ['string', 'integer'],
        examples: ['1'],
      },
      'flags?': flags,
      'roles?': array(seedRole, { title: 'Roles' }),
      'role_access?': array(roleAccess, { title: 'Role access' }),
      'scheduled_changes?': array(scheduledChange, {
        title: 'Scheduled changes',
        description: 'Changes of flags that the service is to make later. The embedded service never makes them.',
      }),
      'members?': array(member, { title: 'Members' }),
      'missing_features?': array(among(['access_control', 'role_based_access', 'approvals', 'alerts']), {
        title: 'Missing features',
        description:
          'Paid features that the organization does not have; without role-based access, a level for a role is 403; without alerts, a project has at most five.',
      }),
      'lock_terraform_managed_rules?': boolean({
        title: 'Lock of rules that Terraform manages',
        description: 'Whether another caller is refused a change of such a rule.',
        default: false,
      }),
      'accepts_flag_rules?': boolean({
        title: 'Rules of flags',
        description:
          'Whether filters of format version 2 can be written, as in the few projects that PostHog has opened for it.',
        default: false,
      }),
      'property_matching_version?': among([1, 2], {
        title: 'Matching of properties',
        description: 'How `exact` and `is_not` compare with true and false: by truth, or as other values (posthog).',
        default: 1,
      }),
      'approval_policies?': array(approvalPolicy, {
        title: 'Approval policies',
        description: 'Which writes of flags need an approval, and of whom. The profile `documented` has none.',
      }),
      'alerts?': array(alert, {
        title: 'Alerts',
        description: 'Alerts with their checks, also those to come. The profile `documented` has none.',
      }),
      'cohorts?': array(seedCohort, {
        title: 'Cohorts',
        description:
          "Cohorts that conditions can name. Cohorts in the conditions of the seed's flags exist without being listed.",
      }),
      'experiments?': array(experiment, { title: 'Experiments' }),
      'groups?': array(group, {
        title: 'Groups',
        description: 'The names of groups, shown beside conditions on `$group_key`.',
      }),
      'group_types?': array(groupType, {
        title: 'Group types',
        description: 'The types of groups that flags can be about, such as companies.',
      }),
      'persons?': array(person, { title: 'Persons' }),
      'events?': array(event, {
        title: 'Events',
        description: 'The events that analyses read. An unknown distinct id creates a person.',
      }),
    },
    { title: 'Seed document' },
  ),
);

const listing = define(
  'listing',
  open(
    { 'count?': count(), 'next?': orNull(string()), 'previous?': orNull(string()), results: flags },
    { title: 'Listing of flags', description: 'The list of flags as the service answers it.' },
  ),
);

export const seedDocument = document('seed', {
  title: 'Seed of the embedded service',
  description:
    'The initial content of a project of the embedded service: a seed document, a list of flags as the service answers it, or an array of flags.',
  anyOf: [documentSchema, listing, flags],
  examples: [
    {
      project_id: '1',
      roles: [{ id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11', name: 'engineering' }],
      cohorts: [{ id: 42, name: 'Beta testers' }],
      flags: [
        {
          key: 'new-checkout',
          name: 'One-page checkout',
          filters: { groups: [{ properties: [], rollout_percentage: 25 }] },
        },
      ],
      role_access: [{ flag: 'new-checkout', role: 'engineering' }],
    },
  ],
});

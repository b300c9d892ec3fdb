/** flagwright.yaml. */

import {
  among,
  array,
  count,
  define,
  integer,
  mapOf,
  number,
  object,
  orNull,
  ref,
  string,
} from '../../src/base/schema.ts';
import { ONE_KEY } from '../../src/base/shape/problems.ts';
import { document } from '../join.ts';
import { fieldOwnership } from '../parts/ownership.ts';
import { globs, names } from '../../src/review/policy/basis/policy-kind.ts';
import { policy } from '../parts/policies.ts';
import { filled, percentage } from '../parts/values.ts';

const ownership = define(
  'ownership',
  object(
    {
      keys: ref(globs, 'Globs of flag keys.'),
      'projects?': array(filled(), 'The projects to which it applies. Default: all.'),
      fields: mapOf(fieldOwnership, 'The path of a field to who decides about it.'),
    },
    { title: 'Ownership of some flags' },
  ),
);

const project = define(
  'project',
  orNull(
    object(
      {
        'service?': among(['remote', 'embedded'], {
          description: '`embedded` serves the project from .flagwright/ beside this file.',
          default: 'remote',
        }),
        'host?': string({
          description: 'The address of the service. Default: POSTHOG_HOST.',
          examples: ['https://us.posthog.com', 'https://eu.posthog.com'],
        }),
        'project_id?': {
          description: "The project's id. Default: POSTHOG_PROJECT_ID.",
          type: ['string', 'integer'],
          pattern: '^([0-9]+|@current)$',
          minimum: 0,
          examples: ['5678'],
        },
        'api_key_env?': string({
          description: 'The environment variable with the personal API key. Keys must not be in files.',
          default: 'POSTHOG_API_KEY',
        }),
        'roles?': orNull(
          mapOf(string({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }), {
            description: 'Role name to role id.',
            propertyNames: { minLength: 1 },
            examples: [{ engineering: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11' }],
          }),
        ),
        'cohorts?': orNull(
          mapOf(integer({ minimum: 1 }), {
            description: 'Alias to cohort id.',
            propertyNames: { pattern: '^(?![0-9]+$).+$' },
            examples: [{ 'beta-testers': 42 }],
          }),
        ),
        'requests_per_minute?': number({
          description: 'The rate limit of the service; flagwright uses 80% of it.',
          minimum: 1,
          default: 480,
        }),
        'request_budget?': string({
          description:
            'Projects with the same name here share one limit of requests, whatever their keys. Default: those with the same host and key do.',
          minLength: 1,
          examples: ['posthog-eu'],
        }),
        'after?': array(
          filled(),
          'Projects that an apply over several projects brings in sync first: while one of them is not, this project is held.',
        ),
        'property_matching_version?': among([1, 2], {
          description:
            'How the project compares with true and false, a setting of PostHog. Default: what the definitions of the project say, else 1.',
        }),
        'profile?': among(['documented', 'posthog'], {
          description: 'How the embedded service behaves: as the interface is documented, or as PostHog does today.',
          default: 'documented',
        }),
      },
      {
        title: 'Project',
        description: 'A project of a remote service or, with `service: embedded`, of the embedded one.',
      },
    ),
  ),
);

const DURATION = '^([0-9]+(ms|s|m|h|d))+$';

const guard = define(
  'guard',
  object(
    {
      'alert?': filled({
        description: 'The name of an alert in PostHog, which holds a step while it fires. The key needs `alert:read`.',
        examples: ['Checkout errors'],
      }),
      'verdict?': filled({
        description: 'A name in the file of `--verdicts`, which says `pass` or `hold`.',
        examples: ['error-budget'],
      }),
      'max_age?': string({
        pattern: DURATION,
        description: 'A check or verdict that is older says nothing, so the step waits.',
        default: '1d',
        examples: ['2h'],
      }),
      'patience?': string({
        pattern: DURATION,
        description: 'A step that waits for longer is overdue, and `drift` exits with 2.',
        default: '1d',
        examples: ['3d'],
      }),
      'projects?': array(filled(), 'The projects whose rollouts it guards. Default: all.'),
    },
    'What a guard looks at: an alert or a verdict.',
  ),
);

export const configDocument = document(
  'config',
  orNull(
    object(
      {
        'manifests?': array(filled(), {
          title: 'Manifests',
          description: 'Globs of the manifest files, relative to this file.',
          minItems: 1,
          default: ['flags/**/*.{yaml,yml}'],
        }),
        'tests?': array(filled(), {
          title: 'Tests',
          description:
            'Globs of the test files, relative to this file. By default, YAML without `people` and `expect` is passed over.',
          minItems: 1,
          default: ['tests/**/*.{yaml,yml}'],
        }),
        'default_project?': string({
          title: 'Default project',
          description: 'The project to use without --project. Default: the only project, or `local`.',
          examples: ['local'],
        }),
        'projects?': orNull(
          mapOf(project, {
            title: 'Projects',
            description: 'The projects by name. Default: `local`, on the embedded service.',
            propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$', maxLength: 100 },
          }),
        ),
        'scope?': object(
          { 'include?': ref(globs, { default: ['*'] }), 'exclude?': ref(globs, { default: [] }) },
          {
            title: 'Scope',
            description: 'Which unmanaged flags `--prune` may touch and `drift` reports.',
            examples: [{ include: ['*'], exclude: ['survey-*'] }],
          },
        ),
        'promotions?': array(
          object({ from: filled('The project that has the values.'), to: filled('The project that gets them.') }),
          {
            title: 'Promotions',
            description: 'The directions in which `promote` copies between projects; it refuses others. Default: all.',
            examples: [[{ from: 'staging', to: 'production' }]],
          },
        ),
        'limits?': object(
          {
            'deletes?': count({ description: 'Number of deletes.', default: 5 }),
            'deletes_percent?': percentage({
              description: 'Share of the managed flags that are deleted.',

              default: 30,
            }),
            'updates?': count('Number of updates. Default: unlimited.'),
            'updates_percent?': percentage({
              description: 'Share of the managed flags that are updated.',

              default: 50,
            }),
            'disables?': count({ description: 'Number of active flags that are disabled.', default: 5 }),
            'all_projects?': count(
              'Number of changes that one apply over several projects makes in all. Default: unlimited. No option of a run lifts it.',
            ),
          },
          { title: 'Limits', description: 'How much one apply may change without an explicit option.' },
        ),
        'protected?': ref(globs, {
          title: 'Protected flags',
          description: 'Globs of flags that are not deleted, disabled or renamed without --allow-protected KEY.',
          examples: [['billing-*']],
        }),
        'drift?': among(['revert', 'keep'], {
          title: 'Drift',
          description:
            'What plan and apply do with values that only the service changed since the last apply: `revert` writes what the manifests declare, `keep` leaves them. Without a base, which tells them apart, everything is reverted.',
          default: 'revert',
        }),
        'rollouts?': object(
          {
            'every?': string({
              pattern: DURATION,
              description:
                'How often `apply --due` runs. Steps must not be closer, and a step that is late by twice as much is overdue.',
              default: '15m',
              examples: ['15m', '1h'],
            }),
          },
          'Values that change over time.',
        ),
        'guards?': mapOf(guard, {
          title: 'Guards',
          description:
            'What the steps of guarded rollouts wait for, by name: `guard: NAME` beside `steps` of a manifest.',
          propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' },
          examples: [{ 'checkout-errors': { alert: 'Checkout errors' } }],
        }),
        'base?': object(
          {
            'push?': string({
              description:
                'The remote of git that shares the record between clones. Default: none; each clone has its own.',
              pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
              examples: ['origin'],
            }),
          },
          {
            title: 'Base',
            description:
              'How `apply` records the commit that was applied last, which tells changes in git from changes in the service.',
            examples: [{ push: 'origin' }],
          },
        ),
        'refs?': object(
          {
            'patterns?': array(
              string({ pattern: ONE_KEY }),
              'How your own code names flags, with the key as {key}, {camelCase}, {PascalCase}, {snake_case}, {UPPER_CASE} or {kebab-case}.',
            ),
            'paths?': array(filled(), {
              description: 'Globs of the code, from the top of the repository. Default: all files.',
              minItems: 1,
            }),
            'ignore?': array(
              filled(),
              'Globs of files that are not searched, from the top of the repository. One that begins with ! adds files to the search, such as dependencies or documentation.',
            ),
            'wrappers?': array(
              filled(),
              'Globs of files whose functions pass on keys that their callers write, from the top of the repository.',
            ),
            'sources?': array(
              object({
                repository: filled('The name of the repository, as its document has it.'),
                file: filled('The document that `flagwright refs export` wrote there, relative to this file.'),
                'max_age_days?': integer({
                  description: 'An older document proves nothing: what depends on it is not known.',
                  minimum: 1,
                  default: 7,
                }),
              }),
              'The references of other repositories with code.',
            ),
          },
          {
            title: 'References',
            description: 'Where code reads flags, and how it names them.',
            examples: [{ patterns: ['isOn(Flag.{PascalCase})'], wrappers: ['src/flags/client.ts'] }],
          },
        ),
        'owners?': object(
          {
            'tag?': string({
              description: 'What a tag begins with that names the owner of a flag. Default: both `owner:` and `team:`.',
              pattern: '\\S',
              examples: ['team:'],
            }),
          },
          {
            title: 'Owners',
            description:
              'Who owns a flag: whom a tag names, else the owners of its manifest in CODEOWNERS of the repository.',
          },
        ),
        'exceptions?': string({
          description:
            'The file of exceptions from safety rules and policies, relative to this file. It may be missing.',
          minLength: 1,
          default: 'exceptions.yaml',
        }),
        'policies?': object(
          {
            'approvers?': ref(
              names,
              'Who may approve changes and grant exceptions, as `--approved-by` names them. Default: whomever it names.',
            ),
            rules: array(policy, 'The rules.'),
          },
          {
            title: 'Policies',
            description:
              'Rules about changes, judged by plan, apply and validate. Read from the base commit where there is one.',
            examples: [{ rules: [{ rule: 'max-widen', projects: ['production'], points: 25 }] }],
          },
        ),
        'ownership?': array(ownership, {
          title: 'Ownership',
          description:
            "Who decides about which fields of which flags. A flag's own `ownership` is stronger, and so is a later entry.",
          examples: [
            [
              {
                keys: ['ops-*'],
                projects: ['production'],
                fields: { active: 'observed', rollout_percentage: { between: [0, 25] } },
              },
            ],
          ],
        }),
      },
      {
        title: 'flagwright configuration',
        description: 'The manifests, the projects, and what a run may change.',
        patternProperties: { '^x-': { description: 'Reserved for your YAML anchors; flagwright does not read it.' } },
      },
    ),
  ),
);

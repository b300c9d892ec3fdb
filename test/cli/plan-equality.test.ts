/** A plan against a snapshot says what the plan with the key says, member by member: in a repository with a base, policies and named people. */

import { expect, test } from 'vitest';
import { CONFIG, gitStage, type GitStage } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';

const PROJECTS = CONFIG.replace('limits', '  staging: { service: embedded }\ndefault_project: main\nlimits');
const POLICIES = `policies:
  approvers: [ann]
  rules:
    - { rule: max-widen, points: 25, projects: [main] }
    - { rule: no-direct-production, projects: [main], first: staging }
    - { name: one-by-one, when: change.widens > 5.0, message: At most 5 points, level: warning }
`;
const EXCEPTIONS = `exceptions:
  - { rule: max-widen, keys: [checkout], reason: legal asked, until: 2026-06-15, granted_by: ann }
`;
const condition = (country: string, share: number): string =>
  `{ properties: [{ key: country, type: person, operator: exact, value: [${country}] }], rollout_percentage: ${share} }`;
const SECRET = 'the launch code';
const flags = (first: string, share: number, ...others: readonly string[]): string => `flags:
  checkout:
    filters:
      groups: [${first}]
      payloads: { "true": { color: blue } }
  secret:
    filters: { groups: [{ rollout_percentage: ${share} }], payloads: { true: '"${SECRET}"' } }
    fields: { is_remote_configuration: true, has_encrypted_payloads: true }
${others.join('')}`;
const COHORT = (country: string): string => `cohorts:
  locals:
    name: Locals
    filters:
      properties:
        type: OR
        values: [{ type: AND, values: [{ key: country, type: person, operator: exact, value: [${country}] }] }]
`;
const LOCAL = `  local: { filters: { groups: [{ properties: [{ key: id, type: cohort, value: locals }], rollout_percentage: 100 }] } }
`;
const BEFORE = flags(condition('US', 10), 50, LOCAL, '  old: { active: true }\n') + COHORT('US');
const AFTER =
  flags(condition('US', 60), 100, LOCAL, '  fresh: { rollout_percentage: 50 }\n', '  old: { active: false }\n') +
  COHORT('DE');
const PEOPLE = `people:
  ada: { properties: { country: US } }
  zoe: { properties: { country: DE } }
`;
const NOW = { now: Date.parse('2026-06-15T12:00:00Z') };

/** What is applied has no policies yet; they are of the commit that is the base. */
async function policed(): Promise<GitStage> {
  const here = await gitStage(PROJECTS);
  here.write('flags/main.yaml', BEFORE);
  expect(await here.runWith(NOW, 'apply', '--yes')).toMatchObject({ code: 0 });
  here.write('flagwright.yaml', `${PROJECTS}${POLICIES}`.replaceAll('$HOST', here.world.url));
  here.write('tests/people.yaml', PEOPLE);
  here.write('exceptions.yaml', EXCEPTIONS);
  here.commit();
  expect(await here.runWith(NOW, 'apply', '--yes')).toMatchObject({ code: 0 });
  return here;
}

test('both documents have the same members, but for those that only the service can know', async () => {
  const here = await policed();
  const [old] = (await here.world.client.listFlags()).filter(({ key }) => key === 'old');
  await here.world.client.updateFlag(old?.id ?? 0, { name: 'Edited by hand' });
  const taken = await here.runWith(NOW, 'snapshot', '--out', 'snapshot.json');
  expect(taken).toMatchObject({ code: 0 });
  here.write('flags/main.yaml', AFTER);

  const options = ['--format', 'json', '--impact', '--detailed-exitcode'];
  const live = await here.runWith(NOW, 'plan', ...options);
  const ran = await here.runWith(
    { ...NOW, env: { POSTHOG_API_KEY: '' } },
    'plan',
    '--against',
    'snapshot.json',
    ...options,
  );
  expect(ran).toMatchObject({ code: live.code, stderr: live.stderr });
  expect(schemaErrors('plan', ran.document())).toEqual([]);

  const { against, ...found } = comparable(ran.document());
  const { forecast, ...expected } = comparable(live.document());
  expect([against, forecast]).not.toContain(undefined);
  const shared = ['changes', 'effects', 'base', 'policy', 'broken_rules', 'named_people', 'impact'];
  expect(Object.keys(expected)).toEqual(expect.arrayContaining(shared));
  expect(Object.keys(found).toSorted()).toEqual(Object.keys(expected).toSorted());
  for (const [name, member] of Object.entries(expected)) expect(found[name], name).toEqual(member);
  expect(taken.stdout + ran.stdout).not.toContain(SECRET);
});

/** Without who edited a flag, which a snapshot does not say; so fingerprints differ. The base is the same commit, found elsewhere. */
function comparable(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(document, (name, value: unknown) => {
      if (name === 'edited' || name === 'fingerprint') return undefined;
      return name === 'from' && value === 'snapshot' ? 'ref' : value;
    }),
  ) as Record<string, unknown>;
}

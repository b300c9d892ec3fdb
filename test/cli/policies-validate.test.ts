/** `validate` judges cohorts and role access as well: what the manifests change since the base, without the service. */

import { expect, test } from 'vitest';
import { CONFIG, gitStage, type GitStage } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { ROLE_IDS } from '../helpers/world.ts';

const RULES = `policies:
  rules:
    - rule: no-personal-data
    - { rule: naming, keys: ['cohort:*'], patterns: ['team-*'] }
    - { rule: require, keys: ['cohort:*'], description: true }
    - { name: asks, when: 'change.resource == "role_access" && "revoke" in change.actions', message: A role loses its access }
    - { name: no-deletes, when: 'change.resource == "cohort" && "delete" in change.actions', message: A cohort goes }
`;

const cohort = (value: string, more = ''): string =>
  `{ name: Team, ${more}filters: { properties: { type: OR, values: [{ type: AND, values: [{ key: email, operator: exact, value: [${value}] }] }] } } }`;
const manifest = (cohorts: string, roles: string): string =>
  `cohorts: { ${cohorts} }\nflags:\n  checkout: { active: true, role_access: [${roles}] }\n`;
const [FIRST = '', SECOND = ''] = ROLE_IDS;
const DESCRIBED = 'description: Ours, ';
const BEFORE = manifest(`team-a: ${cohort('a@corp.test', DESCRIBED)}`, `${FIRST}, ${SECOND}, growth`);

async function judged(here: GitStage, text: string): Promise<unknown[]> {
  here.write('flags/main.yaml', text);
  const ran = await here.run('validate', '--base', 'HEAD', '-f', 'json');
  expect(schemaErrors('validation', ran.document())).toEqual([]);
  const [first] = ran.document()['policies'] as readonly { findings: readonly { rule: string; key: string }[] }[];
  return first?.findings.map(({ rule, key }) => `${rule} ${key}`) ?? [];
}

test('cohorts and role access are judged by validate', async () => {
  const here = await gitStage(CONFIG + RULES);
  here.write('flags/main.yaml', BEFORE);
  here.commit();
  expect(await judged(here, BEFORE)).toEqual([]);
  const found = async (cohorts: string, roles = `${FIRST}, ${SECOND}, growth`): Promise<unknown[]> =>
    judged(here, manifest(cohorts, roles));
  expect(await found(`team-a: ${cohort('b@corp.test', DESCRIBED)}`)).toEqual(['no-personal-data team-a']);
  expect(await found(`team-a: ${cohort('x', DESCRIBED)}`)).toEqual([]);
  expect(await found(`team-a: { deleted: true }`)).toEqual(['no-deletes team-a']);
  const old = `team-a: ${cohort('a@corp.test', DESCRIBED)}`;
  expect(await found(`${old}, mine: ${cohort('x').replace('Team', 'Mine')}`)).toEqual(['naming mine', 'require mine']);
  expect(await found(old, `${FIRST}, growth`)).toEqual(['asks checkout']);
  expect(await found(old, `${FIRST}, ${SECOND}, growth, support`)).toEqual([]);
});

/** What another project declared, as a policy of this one compares it. */

import { describe, expect, test } from 'vitest';
import { findDeclared } from '../../../src/cli/plan/judge-plan.ts';
import { withCheckout } from '../../../src/cli/applied/open-checkout.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { createKnownFiles } from '../../../src/cli/project/known-files.ts';
import { createRepository, GIT_ENV, type TestRepository } from '../../helpers/repository.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const flags = (percent: number): string => `flags:
  a:
    filters:
      groups:
        - properties: [{ key: id, type: cohort, operator: in, value: beta }]
          rollout_percentage: ${percent}
        - properties: [{ key: id, type: cohort, operator: in, value: only }]
          rollout_percentage: 1
  plain: { active: true }
  gone: { deleted: true }
  ours: { active: true, only_in: [main] }
`;
const REF = '.git/refs/flagwright/applied/staging';
const rule = (more: object = {}): object => ({ rule: 'no-direct-production', first: 'staging', ...more });

interface Given {
  readonly rules?: readonly object[];
  /** The commit of the base of the run. */
  readonly commit?: string;
  readonly snapshot?: object;
}

type Found = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

async function find(
  { root }: Pick<TestRepository, 'root'>,
  { rules = [rule()], commit, snapshot }: Given,
): Promise<Found> {
  const { session } = watchSession({ context: { cwd: root, env: { ...GIT_ENV, HOME: root } } });
  session.places.root = root;
  const projectOf = (name: string, projectId: string, cohorts: object): object => ({
    ...{ service: 'remote', name, host: 'https://x.example', projectId, roles: {}, cohorts },
  });
  const main = projectOf('main', '1', { beta: 42 });
  const projects = { main, staging: projectOf('staging', '2', { beta: 7, only: 8 }) };
  const config = { root, file: `${root}/flagwright.yaml`, manifests: ['flags/*.yaml'], projects, base: {} };
  const found = await withCheckout(session, config as never, async (checkout) => {
    const search = {
      loaded: { config, project: main },
      checkout,
      known: createKnownFiles(),
      ...(snapshot && { snapshot }),
    };
    return findDeclared(session, search as never, { set: { rules }, project: 'main', commit } as never);
  });
  return Object.fromEntries([...found].map(([name, declared]) => [name, Object.fromEntries(declared)]));
}

/** The percentage of a flag with a cohort, and the ids of its cohorts. */
function told(found: Found): unknown {
  const filters = found['staging']?.['a']?.['filters'] as
    | {
        readonly groups: readonly {
          readonly rollout_percentage: number;
          readonly properties: readonly { readonly value: unknown }[];
        }[];
      }
    | undefined;
  return filters?.groups.map((group) => [group.rollout_percentage, group.properties[0]?.value]);
}

const declaredAt = (percent: number): unknown => [
  [percent, 42],
  [1, 8],
];

describe('the flags of the other project', () => {
  test('are those of the commit that was applied to it, else of the base of the run, with the ids of this one', async () => {
    const repository = createRepository();
    const first = repository.commit({ 'flags/main.yaml': flags(10) });
    const second = repository.commit({ 'flags/main.yaml': flags(20) });
    expect(await find(repository, {})).toEqual({});
    const ofBase = await find(repository, { commit: second });
    expect(told(ofBase)).toEqual(declaredAt(20));
    expect(Object.keys(ofBase['staging'] ?? {})).toEqual(['a', 'plain']);
    repository.write(REF, `${first}\n`);
    expect(told(await find(repository, { commit: second }))).toEqual(declaredAt(10));
    expect(told(await find(repository, {}))).toEqual(declaredAt(10));
    // The commit of a snapshot was applied to the project of the snapshot.
    expect(told(await find(repository, { snapshot: { commit: second } }))).toEqual(declaredAt(10));
  });

  test('are those of the base of the run where what was applied cannot be read, and unknown where neither can', async () => {
    const repository = createRepository();
    const broken = repository.commit({ 'flags/main.yaml': 'flags: { a: { active: 7 } }\n' });
    const whole = repository.commit({ 'flags/main.yaml': flags(20) });
    repository.write(REF, `${broken}\n`);
    expect(told(await find(repository, { commit: whole }))).toEqual(declaredAt(20));
    expect(await find(repository, { commit: broken })).toEqual({});
  });
});

test.each<[string, readonly object[]]>([
  ['a rule of other projects', [rule({ projects: ['staging'] })]],
  ['a rule that compares nothing', [{ rule: 'naming' }]],
  ['a rule of the house', [{ rule: 'own', first: 'staging' }]],
  ['a project that is not configured', [rule({ first: 'nowhere' })]],
])('%s needs no other project', async (_, rules) => {
  const repository = createRepository();
  const commit = repository.commit({ 'flags/main.yaml': flags(10) });
  expect(await find(repository, { rules, commit })).toEqual({});
  expect(told(await find(repository, { rules: [...rules, rule({ projects: ['main'] }), rule()], commit }))).toEqual(
    declaredAt(10),
  );
});

test('nothing is known outside of a repository', async () => {
  expect(await find(createWorkspace({ 'flags/main.yaml': flags(10) }), { commit: 'c'.repeat(40) })).toEqual({});
});

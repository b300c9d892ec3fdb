/** Where code is searched for what a plan takes from it, and what is said where it cannot be. */

import { describe, expect, test } from 'vitest';
import type { FoundInPlan, Judge, PlanSearch } from '../../../src/cli/applied/find-judge.ts';
import { findNewHazards, inspectPlan } from '../../../src/cli/code/find-readers.ts';
import type { Config, RefsConfig } from '../../../src/config/config.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Hazard, Plan } from '../../../src/posthog/plan.ts';
import { createRepository } from '../../helpers/repository.ts';
import { declared, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

const split = (...keys: readonly string[]): object => ({
  multivariate: { variants: keys.map((key) => ({ key, rollout_percentage: 100 / keys.length })) },
});
const filters = (...keys: readonly string[]): never =>
  ({ groups: [{ properties: [], rollout_percentage: 100 }], ...split(...keys) }) as never;
const LIVE = [liveFlag(1, 'search'), liveFlag(2, 'colour', { filters: filters('red', 'blue') })];

const planOf = (...desired: readonly DesiredFlag[]): Plan => planFor(desiredState(...desired), liveState(LIVE));

const DELETING = planOf(retired('search'));
const CODE = `if (posthog.isFeatureEnabled('search')) go();\n`;
const CHECKOUT: Judge = { from: 'checkout', why: 'no_base' };

interface Given {
  readonly plan?: Plan;
  readonly judge?: Judge;
  readonly refs?: Partial<RefsConfig>;
  readonly files?: readonly string[];
  readonly checkpoint?: () => void;
}

function configOf({ root }: Workspace, refs: Partial<RefsConfig> = {}): Config {
  const whole = { patterns: [], ignore: [], wrappers: [], sources: [], ...refs };
  return {
    ...{ root, file: 'flagwright.yaml', manifests: ['flags/*.yaml'], projects: {}, refs: whole },
  } as unknown as Config;
}

function searchIn(
  workspace: Workspace,
  { plan = DELETING, judge = CHECKOUT, refs, files = [], checkpoint = () => undefined }: Given,
): readonly [ReturnType<typeof watchSession>['session'], PlanSearch & { readonly plan: Plan }] {
  const { session } = watchSession({ context: { cwd: workspace.root } });
  const interrupts = { ...session.interrupts, checkpoint };
  return [
    { ...session, interrupts },
    { plan, judge, config: configOf(workspace, refs), files },
  ];
}

async function find(workspace: Workspace, given: Given = {}): Promise<FoundInPlan | undefined> {
  return inspectPlan(...searchIn(workspace, given));
}

/** The places in which code certainly reads a flag. */
const placesOf = (found: FoundInPlan | undefined): readonly string[] =>
  [...(found?.facts?.readers.values() ?? [])].flatMap(({ places }) =>
    places.map(({ place: { file, line, column } }) => `${file}:${line}:${column}`),
  );
const gapsOf = (found: FoundInPlan | undefined): unknown => found?.sections.readers?.gaps;

const SOURCE = { repository: 'acme/app', file: 'app.json', maxAgeDays: 30 };
const MISSING = { code: 'source_missing', repository: 'acme/app', file: 'app.json' };

describe('code is not searched', () => {
  const nowhere = { root: '/nowhere' } as Workspace;

  test.each([
    ['without changes', planOf()],
    ['where flags are only made', planOf(declared('new'))],
    ['where an edit takes nothing', planOf(declared('search', { name: 'Search' }))],
  ])('%s', async (_, plan) => {
    expect(await find(nowhere, { plan })).toBeUndefined();
  });
});

describe('in a repository', () => {
  test('what code reads is told with its place, and what manifests, the configuration and files of the run name is not', async () => {
    const mentions = 'search: posthog.isFeatureEnabled("search")\n';
    const repository = createRepository({
      'src/app.ts': `\n${CODE}`,
      'flags/main.yaml': mentions,
      'flagwright.yaml': mentions,
      'permits.yaml': mentions,
    });
    const found = await find(repository, { files: ['permits.yaml'] });
    expect(placesOf(found)).toEqual(['src/app.ts:2:31']);
    expect(found).toMatchObject({
      sections: { readers: { flags: [{ key: 'search', loses: 'delete', verdict: 'read' }] } },
    });
    expect(gapsOf(found)).toEqual([]);
    const other = await find(repository, {});
    expect(other?.sections.readers?.flags[0]?.references.map(({ place }) => place.file)).toContain('permits.yaml');
  });

  test('a variant that goes is told with the lines that name it', async () => {
    const repository = createRepository({
      'a.ts': `const on = posthog.getFeatureFlag('colour') === 'blue';\nposthog.getFeatureFlag('colour');\n`,
    });
    const plan = planOf(declared('colour', { filters: filters('red', 'green') }));
    const found = await find(repository, { plan });
    expect(found?.sections.readers?.flags[0]?.references.map(({ place, variants }) => [place.line, variants])).toEqual([
      [1, ['blue']],
      [2, undefined],
    ]);
  });

  test('code that reads nothing of it leaves nothing but where else code may be', async () => {
    const repository = createRepository({ 'a.ts': 'go();\n' });
    const found = await find(repository, { refs: { sources: [SOURCE] } });
    expect([found?.facts !== undefined, found?.facts?.readers.size ?? 0, gapsOf(found)]).toEqual([false, 0, [MISSING]]);
  });

  test('the configuration of the base says where code is, and not that of the change', async () => {
    const repository = createRepository();
    const commit = repository.commit({ 'src/app.ts': CODE });
    const ignoring = { ignore: ['src/**'] };
    const by = (refs: Partial<RefsConfig>): Judge =>
      ({ from: 'base', commit, config: configOf(repository, refs) }) as unknown as Judge;
    expect(placesOf(await find(repository, { judge: by({}), refs: ignoring }))).toEqual(['src/app.ts:1:31']);
    expect(placesOf(await find(repository, { judge: by(ignoring), refs: {} }))).toEqual([]);
    expect(placesOf(await find(repository, { refs: ignoring }))).toEqual([]);
  });

  test('code that a change hides is told, and a configuration that it renamed is no code', async () => {
    const repository = createRepository();
    const commit = repository.commit({ 'src/app.ts': CODE });
    repository.git('rm', '--cached', '--quiet', 'src/app.ts');
    repository.write('.gitignore', 'src/\n');
    repository.write('flagwright.yaml', CODE);
    const judge = {
      from: 'base',
      commit,
      config: { ...configOf(repository), file: 'former.yaml' },
    } as unknown as Judge;
    const found = await find(repository, { judge });
    expect(found?.sections.readers?.flags).toMatchObject([{ key: 'search', hidden: ['src/app.ts'], references: [] }]);
  });
});

describe('without a repository', () => {
  test('nothing is known, and nothing is said', async () => {
    expect(await find(createWorkspace({ 'a.ts': CODE }))).toBeUndefined();
  });

  test('other repositories are known, and this one was not searched', async () => {
    const found = await find(createWorkspace({ 'a.ts': CODE }), { refs: { sources: [SOURCE] } });
    expect([found?.facts !== undefined, gapsOf(found)]).toEqual([
      false,
      [{ code: 'repository_not_searched', detail: 'this is not a git repository' }, MISSING],
    ]);
  });
});

describe('a repository that git cannot read', () => {
  const damaged = (): Workspace => {
    const repository = createRepository();
    repository.write('a.ts', CODE);
    repository.write('.git/index', 'no index');
    return repository;
  };

  test('was not searched, in the words of git', async () => {
    const found = await find(damaged());
    expect([found?.facts !== undefined, gapsOf(found)]).toEqual([
      false,
      [{ code: 'repository_not_searched', detail: expect.stringMatching(/index/) as string }],
    ]);
  });

  test('is no gap in a run that ends', async () => {
    const checkpoint = (): never => {
      throw new Error('interrupted');
    };
    await expect(find(damaged(), { checkpoint })).rejects.toThrow('interrupted');
  });
});

describe('what code reads since a plan was saved', () => {
  const REF = DELETING.changes[0]?.ref ?? '';
  const hazard = { code: 'read_by_code', ref: REF } as unknown as Hazard;
  const other = { code: 'risky', ref: REF } as unknown as Hazard;
  const BY_OPTION = { by: 'option', option: '--allow-risky' } as const;

  const newReads = async (workspace: Workspace, more: Partial<Plan> = {}): Promise<readonly Hazard[]> =>
    findNewHazards(...searchIn(workspace, { plan: { ...DELETING, ...more } }));

  test('is a hazard, unless the plan had it or it was permitted', async () => {
    const repository = createRepository({ 'a.ts': CODE });
    const found = [
      expect.objectContaining({ code: 'read_by_code', ref: REF, key: 'search', action: 'delete', count: 1 }),
    ];
    expect(await newReads(repository)).toEqual(found);
    expect(await newReads(repository, { hazards: [other], lifted: [{ hazard: other, by: BY_OPTION }] })).toEqual(found);
    expect(await newReads(repository, { hazards: [hazard] })).toEqual([]);
    expect(await newReads(repository, { lifted: [{ hazard, by: BY_OPTION }] })).toEqual([]);
  });

  test('is nothing where no code reads it', async () => {
    expect(await newReads(createRepository({ 'a.ts': 'go();\n' }))).toEqual([]);
    expect(await newReads(createWorkspace())).toEqual([]);
  });
});

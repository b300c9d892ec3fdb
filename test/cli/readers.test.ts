/** Code that reads flags is searched before a flag goes, over HTTP: what is still read is neither deleted nor renamed. */

// @module-tag untimely
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, type GitStage } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';

const CODE = `import { posthog } from './posthog';

export const isOn = () => posthog.isFeatureEnabled('search');
`;
const GONE = `export const isOn = () => true;\n`;

const DELETING = `flags:
  checkout: { description: One-page checkout, active: true, rollout_percentage: 10 }
  search: { deleted: true }
`;
const KEEPING = DELETING.replace('{ deleted: true }', '{ active: true, rollout_percentage: 50 }');

/** The configuration, the flags and code that reads one of them are applied. */
async function applied(config: string = CONFIG, code = CODE): Promise<GitStage> {
  const here = await gitStage(config);
  here.write('flags/main.yaml', KEEPING);
  here.commit({ 'src/app.ts': code });
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  return here;
}

const configure = (here: GitStage, further: string): void =>
  here.write('flagwright.yaml', `${CONFIG}${further}`.replaceAll('$HOST', here.world.url));

interface PlanDocument {
  readonly hazards: readonly Record<string, unknown>[];
  readonly lifted?: readonly Record<string, unknown>[];
  readonly warnings: readonly { readonly code: string }[];
  readonly readers?: {
    readonly flags: readonly Record<string, unknown>[];
    readonly gaps: readonly Record<string, unknown>[];
  };
}

async function planned(here: GitStage, ...argv: string[]): Promise<PlanDocument> {
  const ran = await here.run('plan', '-f', 'json', ...argv);
  expect(ran).toMatchObject({ code: 0 });
  expect(schemaErrors('plan', ran.document())).toEqual([]);
  return ran.document() as unknown as PlanDocument;
}

const codesOf = ({ hazards }: PlanDocument): unknown[] => hazards.map(({ code }) => code);

const READ = { place: { file: 'src/app.ts', line: 3, column: 53 } };

describe('a plan that deletes a flag', () => {
  test('is not refused because of what flagwright wrote, translations and other data', async () => {
    const here = await gitStage(CONFIG);
    const manifest = 'flags:\n  new-checkout: { active: true, rollout_percentage: 50 }\n  search: { active: true }\n';
    here.write('flags/main.yaml', manifest);
    here.write('out/.keep', '');
    const write = async (...argv: string[]): Promise<void> => {
      const { code, stderr } = await here.run(...argv);
      expect([argv, code, stderr]).toEqual([argv, 0, stderr]);
    };
    await write('plan', '-f', 'html', '-o', 'out/plan.html');
    await write('plan', '-f', 'junit', '-o', 'out/plan.xml');
    await write('plan', '-f', 'sarif', '-o', 'out/plan.json');
    await write('plan', '-f', 'gitlab', '-o', 'out/gitlab.json');
    await write('plan', '--out', 'out/saved.json');
    await write('apply', '--yes', '--journal', 'out/journal');
    await write('snapshot', '--out', 'out/snapshot.json');
    await write('generate', 'typescript', '--sdk', 'posthog-js', '--out', 'src/flags.ts');
    await write('export', '--dir', 'elsewhere');
    for (const format of ['html', 'markdown', 'json']) await write('refs', '-f', format, '-o', `out/refs.${format}`);
    for (const format of ['json', 'jsonl', 'csv', 'table'])
      await write('flags', 'list', '-f', format, '-o', `out/list.${format}`);
    here.commit({
      'seed.json.txt': 'new-checkout',
      'seeds/seed.json': '{ "flags": [{ "key": "new-checkout", "filters": {} }], "persons": [] }',
      'apps/web/flagwright.yaml': CONFIG,
      'apps/web/flags/checkout.yaml': manifest,
      'src/locales/de.json': '{ "new-checkout": "Neue Kasse" }',
      'src/pages.json': '{ "pages": ["new-checkout"] }',
    });
    here.git('add', '--force', 'out');
    const tracked = here.git('ls-files');
    for (const name of ['out/plan.html', 'out/saved.json', 'out/journal/', 'src/flags.ts', 'elsewhere/'])
      expect(tracked).toContain(name);
    here.write('flags/main.yaml', manifest.replace(/new-checkout: .*/, 'new-checkout: { deleted: true }'));
    const plan = await planned(here);
    expect(plan.hazards).toEqual([]);
    // What nobody can judge is said, as a mention.
    const mentions = plan.readers?.flags[0]?.['references'] as { readonly place: { readonly file: string } }[];
    expect([...new Set(mentions.map(({ place }) => place.file))].toSorted()).toEqual([
      'out/list.csv',
      'out/list.jsonl',
      'out/list.table',
      'seed.json.txt',
      'src/flags.ts',
      'src/locales/de.json',
      'src/pages.json',
    ]);
  });

  test('is refused while code reads it, and says where', async () => {
    const here = await applied();
    here.write('flags/main.yaml', DELETING);
    expect(await planned(here)).toMatchObject({
      hazards: [{ code: 'read_by_code', key: 'search', action: 'delete', count: 1, places: [READ] }],
      readers: {
        flags: [{ key: 'search', loses: 'delete', verdict: 'read', references: [{ ...READ, form: 'call' }] }],
      },
    });
    const shown = await here.run('plan');
    expect(shown.stdout).toContain(
      'search would be deleted, but code still reads it (src/app.ts:3:53) (read_by_code).',
    );
    expect(shown.stdout).toContain('--allow-risky search');
    const refused = await here.run('apply', '--yes');
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.stderr).toContain('src/app.ts:3:53');
    expect(await here.run('apply', '--yes', '--allow-risky', 'search')).toMatchObject({ code: 0 });
    expect(codesOf(await planned(here))).toEqual([]);
  });

  test('is allowed in the commit that removes the code', async () => {
    const here = await applied();
    here.write('flags/main.yaml', DELETING);
    here.commit({ 'src/app.ts': GONE });
    expect(await planned(here)).toMatchObject({ hazards: [], readers: { flags: [], gaps: [] } });
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  });

  test('is refused where --prune deletes it', async () => {
    const here = await applied();
    here.write('flags/main.yaml', DELETING.replace('  search: { deleted: true }\n', ''));
    expect(codesOf(await planned(here, '--prune'))).toContain('read_by_code');
  });

  test('is allowed by an exception of a file, which is no reader itself', async () => {
    const here = await applied();
    here.write('flags/main.yaml', DELETING);
    const entry = '{ rule: read_by_code, keys: [search], reason: gone, until: 2099-12-31, granted_by: ann }';
    here.write('exceptions.yaml', `exceptions:\n  - ${entry}\n`);
    const plan = await planned(here, '--approved-by', 'ann');
    expect(plan).toMatchObject({ hazards: [], lifted: [{ hazard: { code: 'read_by_code', count: 1 } }] });
    expect(await here.run('apply', '--yes', '--approved-by', 'ann')).toMatchObject({ code: 0 });
  });

  test('says only that a source is unknown', async () => {
    const here = await applied(`${CONFIG}refs: { sources: [{ repository: acme/app, file: app.json }] }\n`, GONE);
    here.write('flags/main.yaml', DELETING);
    expect(await planned(here)).toMatchObject({
      hazards: [],
      readers: {
        flags: [{ key: 'search', verdict: 'unknown' }],
        gaps: [{ code: 'source_missing', repository: 'acme/app', file: 'app.json' }],
      },
    });
    expect((await here.run('plan')).stdout).toContain('Not all code was searched, so more may read what changes');
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  });
});

describe('a change cannot hide the code that it breaks', () => {
  test.each([
    ['refs.ignore', 'refs: { ignore: ["src/**"] }\n'],
    ['refs.paths', 'refs: { paths: ["lib/**"] }\n'],
    ['manifests', 'manifests: ["flags/*.yaml", "src/**", "!src/**/*.ts"]\n'],
    ['tests', 'tests: ["src/**"]\n'],
  ])('by %s', async (_name, further) => {
    const here = await applied();
    here.write('flags/main.yaml', DELETING);
    configure(here, further);
    expect(codesOf(await planned(here))).toContain('read_by_code');
    here.commit();
    expect(codesOf(await planned(here))).toContain('read_by_code');
  });

  test('but what was applied before may leave code out', async () => {
    const here = await applied(`${CONFIG}refs: { ignore: ["src/**"] }\n`);
    here.write('flags/main.yaml', DELETING);
    expect(codesOf(await planned(here))).toEqual([]);
  });

  test('and manifests in another folder read no flag', async () => {
    const here = await applied(CONFIG, GONE);
    here.git('mv', 'flags', 'declared');
    here.write('declared/main.yaml', DELETING);
    configure(here, 'manifests: ["declared/*.yaml"]\n');
    expect(await planned(here)).toMatchObject({ hazards: [], readers: { flags: [] } });
  });
});

describe('a saved plan', () => {
  test('is refused where code reads the flag again', async () => {
    const here = await applied(CONFIG, GONE);
    here.write('flags/main.yaml', DELETING);
    expect(await here.run('plan', '--out', 'saved.json')).toMatchObject({ code: 0 });
    here.write('src/app.ts', CODE);
    const refused = await here.run('apply', 'saved.json');
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.stderr).toContain('src/app.ts:3:53');
    here.write('src/app.ts', GONE);
    expect(await here.run('apply', 'saved.json')).toMatchObject({ code: 0 });
  });

  test('keeps the permission that it was made with', async () => {
    const here = await applied();
    here.write('flags/main.yaml', DELETING);
    await here.run('plan', '--out', 'saved.json', '--allow-risky', 'search');
    expect(await here.run('apply', 'saved.json')).toMatchObject({ code: 0 });
  });
});

test('a rename is refused while code reads the former key', async () => {
  const here = await applied();
  const renaming = KEEPING.replace('search: {', 'find: { previous_keys: [search],');
  here.write('flags/main.yaml', renaming);
  expect(await planned(here)).toMatchObject({
    hazards: [{ code: 'read_by_code', key: 'find', read: 'search', action: 'rename' }],
  });
  expect((await here.run('plan')).stdout).toContain('find would be renamed, but code still reads search');
  here.write('src/app.ts', CODE.replace('search', 'find'));
  expect(codesOf(await planned(here))).toEqual([]);
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
});

test('a disable and a variant that goes are only shown, with the lines that name the variant', async () => {
  const code = `${CODE}export const color = posthog.getFeatureFlag('checkout') === 'red';\n`;
  const withVariants = (keys: readonly string[]): string =>
    KEEPING.replace(
      'rollout_percentage: 10',
      `filters: { groups: [{ rollout_percentage: 10 }], multivariate: { variants: [${keys
        .map((key) => `{ key: ${key}, rollout_percentage: ${100 / keys.length} }`)
        .join(', ')}] } }`,
    );
  const here = await gitStage(CONFIG);
  here.write('flags/main.yaml', withVariants(['blue', 'red']));
  here.commit({ 'src/app.ts': code });
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  here.write(
    'flags/main.yaml',
    withVariants(['blue']).replace('{ active: true, rollout_percentage: 50 }', '{ active: false }'),
  );
  const { hazards, readers } = await planned(here);
  expect(hazards).toEqual([]);
  expect(readers?.flags).toMatchObject([
    { key: 'checkout', loses: 'variants', variants: ['red'], references: [{ place: { line: 4 }, variants: ['red'] }] },
    { key: 'search', loses: 'disable', verdict: 'read' },
  ]);
  const { stdout } = await here.run('plan');
  expect(stdout).toContain('code reads it at src/app.ts:3:53');
  expect(stdout).toContain('this line names the variant that goes: src/app.ts:4:');
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
});

test('documents of flagwright read no flag', async () => {
  const here = await applied(CONFIG, GONE);
  here.write('.gitignore', '');
  await here.run('snapshot', '--out', 'snapshot.json');
  here.write('flags/main.yaml', DELETING);
  await here.run('plan', '-f', 'json', '--output', 'plan.json');
  expect(codesOf(await planned(here))).toEqual([]);
});

test('a plan without such changes searches no code', async () => {
  const here = await applied();
  here.write('flags/main.yaml', KEEPING.replace('50', '60'));
  expect(await planned(here)).not.toHaveProperty('readers');
});

test('a planted read refuses every delete', async () => {
  const here = await applied(CONFIG, GONE);
  here.write('flags/main.yaml', DELETING);
  const call = fc.constantFrom(
    `posthog.isFeatureEnabled('search')`,
    `useFeatureFlagEnabled("search")`,
    `client.get_feature_flag("search", user_id)`,
  );
  const file = fc.tuple(
    fc.constantFrom('src', 'apps/web', '.hidden', 'lib/deep/er'),
    fc.constantFrom('a.ts', 'b.py', 'c.js'),
  );
  const around = fc.array(fc.constantFrom('', 'const x = 1', '}', 'search', '// search'), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(call, file, around, async (read, [folder, name], lines) => {
      here.write(`${folder}/${name}`, [...lines, `if (${read}) {`, ...lines, '}'].join('\n'));
      expect(codesOf(await planned(here))).toContain('read_by_code');
      here.write(`${folder}/${name}`, '');
    }),
    { numRuns: 10 },
  );
  expect(codesOf(await planned(here))).toEqual([]);
});

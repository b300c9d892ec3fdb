// @module-tag untimely
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asOrdinaryUser } from '../../helpers/ordinary-user.ts';
import { gitStage } from '../../helpers/git-stage.ts';
import { createRepository, git, type TestRepository } from '../../helpers/repository.ts';
import { runCli, type Ran, type RunOptions } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { openWorld } from '../../helpers/world.ts';

const CONFIG = 'projects: { local: { service: embedded } }\n';
const MANIFEST = `flags:
  new-checkout: { active: true, rollout_percentage: 10 }
  search-v2: { active: true, rollout_percentage: 10, previous_keys: [search-v1] }
  old-banner: { deleted: true }
  all-in: { active: true, rollout_percentage: 100 }
  off-now: { active: false, rollout_percentage: 10 }
`;
const CODE = `posthog.isFeatureEnabled('new-checkout');
posthog.isFeatureEnabled('new-chekout');
posthog.getFeatureFlag('old-banner');
posthog.getFeatureFlag('all-in');
posthog.getFeatureFlag('off-now');
`;

function repository(files: Readonly<Record<string, string>> = {}): TestRepository {
  return createRepository({ 'flagwright.yaml': CONFIG, 'flags/a.yaml': MANIFEST, 'src/a.ts': CODE, ...files });
}

function refs(
  { root }: { readonly root: string },
  argv: readonly string[] = [],
  more: Partial<RunOptions> = {},
): Promise<Ran> {
  return runCli(['refs', ...argv], { cwd: root, ...more });
}

/** `key verdict`, sorted by key. */
function verdicts(ran: Ran): Readonly<Record<string, string>> {
  const { flags } = ran.document() as { flags: readonly { key: string; verdict: string }[] };
  return Object.fromEntries(flags.map(({ key, verdict }) => [key, verdict]));
}

describe('refs', () => {
  test('shows what is read and gone, read and not declared, and not read', async () => {
    expect(await refs(repository())).toMatchObject({
      code: 0,
      stdout: `Read:
  new-checkout  1 place
      src/a.ts:1:27  call of the SDK

Found nowhere in the code:
  search-v1  renamed to search-v2 in flags/a.yaml:3:3: reads of its former key answer false or nothing
  search-v2  active in flags/a.yaml:3:3
  Keys that are encoded, cut inside a word or joined from single words are not found, nor those from a database: https://flagwright.dev/references

Read but not declared:
  new-chekout  did you mean new-checkout?
      src/a.ts:2:27

Still read:
  all-in  rolled out to everyone in flags/a.yaml:5:3: every read has the same answer
      src/a.ts:4:25  call of the SDK
  off-now  disabled in flags/a.yaml:6:3: every read answers false
      src/a.ts:5:25  call of the SDK
  old-banner  deleted in flags/a.yaml:4:3: every read answers false or nothing
      src/a.ts:3:25  call of the SDK

Searched the files on disk: 1 file, 5 lines

References: 4 of 6 flags read · 2 not found · 1 key read but not declared · 3 still read
`,
    });
  });

  test('--check exits with 2 for what is not declared or deleted, and with 0 without it', async () => {
    expect((await refs(repository(), ['--check'])).code).toBe(2);
    expect((await refs(repository({ 'src/a.ts': `isFeatureEnabled('old-banner')` }), ['--check'])).code).toBe(2);
    expect((await refs(repository({ 'src/a.ts': `isFeatureEnabled('off-now')` }), ['--check'])).code).toBe(0);
  });

  test('a commit is searched as it is, whatever is on disk', async () => {
    const work = repository();
    work.write('src/a.ts', `on('search-v1');\n`);
    expect(verdicts(await refs(work, ['--format', 'json']))['new-checkout']).toBe('not_found');
    const ran = await refs(work, ['--commit', 'HEAD', '--format', 'json']);
    expect(verdicts(ran)['new-checkout']).toBe('read');
    expect(schemaErrors('refs', ran.document())).toEqual([]);
    expect((await refs(work, ['--commit', 'nowhere'])).stderr).toContain('is not a commit');
  });

  test('files that git ignores are not searched, and new ones are', async () => {
    const work = repository({ '.gitignore': 'dist/\n' });
    work.write('dist/a.js', `on('search-v2')`);
    expect(verdicts(await refs(work, ['--format', 'json']))['search-v2']).toBe('not_found');
    work.write('new.js', `on('search-v2')`);
    expect(verdicts(await refs(work, ['--format', 'json']))['search-v2']).toBe('read');
  });

  test.each(['helm/values.yaml', '.deploy/values.yaml'])('%s, which is no manifest, is searched', async (file) => {
    const config = `manifests: ['**/*.yaml', '!helm/**', '!flagwright.yaml']\n${CONFIG}`;
    const work = repository({ 'flagwright.yaml': config });
    expect(verdicts(await refs(work, ['--format', 'json']))['search-v2']).toBe('not_found');
    work.write(file, `enabled: "{{ flag 'search-v2' }}"\n`);
    expect(verdicts(await refs(work, ['--format', 'json']))['search-v2']).not.toBe('not_found');
  });

  test('places are from the top of the repository, for annotations as well', async () => {
    const work = createRepository({ 'ops/flagwright.yaml': CONFIG, 'ops/flags/a.yaml': MANIFEST, 'web/a.ts': CODE });
    const ran = await runCli(['refs', '--format', 'github'], { cwd: path.join(work.root, 'ops') });
    expect(ran.stdout).toContain('::warning file=web/a.ts,line=3,col=25,title=refs/deleted::');
    expect(ran.stdout).toContain('::notice file=ops/flags/a.yaml,line=3,col=3,title=refs/not-found::');
  });

  test('files beside the folder of the configuration are code, whatever they are called', async () => {
    const work = createRepository({ 'ops/flagwright.yaml': CONFIG, 'ops/flags/a.yaml': MANIFEST, 'web/a.ts': CODE });
    const cwd = path.join(work.root, 'ops');
    const verdict = async (): Promise<unknown> =>
      verdicts(await runCli(['refs', '--format', 'json'], { cwd }))['search-v2'];
    expect(await verdict()).toBe('not_found');
    work.write('web/flags/values.yaml', `on: "{{ flag 'search-v2' }}"\n`);
    expect(await verdict()).not.toBe('not_found');
  });

  test('--live adds the flags that no manifest declares', async () => {
    const world = await openWorld('posthog');
    const config = `projects: { production: { host: "${world.url}", project_id: "1" } }\n`;
    const work = repository({ 'flagwright.yaml': config, 'flags/a.yaml': 'flags: { web-only: {} }\n' });
    const env = { POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
    expect((await runCli(['apply', '--yes'], { cwd: work.root, env })).code).toBe(0);
    work.write('flags/a.yaml', MANIFEST);
    const ran = await refs(work, ['--live', '--format', 'json'], { env });
    expect(verdicts(ran)['web-only']).toBe('not_found');
  });

  test('the configuration names patterns, wrappers, and what is not code', async () => {
    const work = repository({
      'flagwright.yaml': `${CONFIG}refs: { patterns: ['is{PascalCase}('], ignore: [vendor/**], wrappers: [src/client.ts] }\n`,
      'src/client.ts': 'const on = (key) => isFeatureEnabled(key);',
      'src/a.ts': 'isNewCheckout(user);',
      'vendor/a.ts': `on('search-v2')`,
    });
    expect(verdicts(await refs(work, ['--format', 'json']))).toMatchObject({
      'new-checkout': 'read',
      'search-v2': 'not_found',
    });
    work.write('flagwright.yaml', `${CONFIG}refs: { patterns: ['is{Key}('] }\n`);
    expect((await refs(work)).stderr).toContain('{PascalCase}');
  });
});

describe('what nobody of the project wrote as code', () => {
  const work = (config = '', more: Readonly<Record<string, string>> = {}): TestRepository =>
    repository({
      'flagwright.yaml': `${CONFIG}${config}`,
      'README.md': 'Call isFeatureEnabled("search-v2"), or posthog.isFeatureEnabled(key).',
      'docs/CHANGELOG': 'search-v2',
      ...Object.fromEntries(
        [
          'node_modules/posthog-js/a.js',
          'web/node_modules/b.js',
          'vendor/c.js',
          'third_party/d.js',
          'ios/Pods/e.js',
        ].map((file) => [file, `posthog.isFeatureEnabled(key); on('search-v2')`]),
      ),
      'ios/Pods/Manifest.lock': '',
      ...more,
    });

  test('dependencies and documentation are not searched, and counted', async () => {
    const here = work();
    const ran = await refs(here, ['--format', 'json']);
    expect(verdicts(ran)).toMatchObject({ 'new-checkout': 'read', 'search-v2': 'not_found' });
    expect(ran.document()).toMatchObject({
      searched: [
        {
          files: 1,
          skipped: {
            documentation: ['README.md', 'docs/CHANGELOG'],
            dependencies: ['ios/Pods', 'node_modules', 'third_party', 'vendor', 'web/node_modules'],
          },
        },
      ],
    });
    expect((await refs(here)).stdout).toContain('skipped 2 pages of documentation, 5 folders of dependencies\n');
  });

  test('the configuration adds what is read all the same', async () => {
    const globs = ['vendor/**', '!vendor/ours/**', '!**/*.md'];
    const ours = { 'vendor/ours/a.js': `on('search-v2')` };
    const ran = await refs(work(`refs: { ignore: ${JSON.stringify(globs)} }\n`, ours), ['--format', 'json']);
    expect(ran.document()).toMatchObject({ searched: [{ files: 3, skipped: { documentation: ['docs/CHANGELOG'] } }] });
    const { flags } = ran.document() as unknown as { flags: { references: { place: { file: string } }[] }[] };
    const files = new Set(flags.flatMap(({ references }) => references.map(({ place: { file } }) => file)));
    expect([...files].toSorted()).toEqual(['README.md', 'src/a.ts', 'vendor/ours/a.js']);
  });

  test('a folder of your own with such a name is code, and so is a file that begins like a README', async () => {
    const own = ['src/vendor/a.ts', 'src/third_party/b.ts', 'src/Pods/c.ts', 'src/NoticeBanner.tsx', 'src/README.tsx'];
    const here = work('', Object.fromEntries(own.map((file) => [file, `on('search-v2')`])));
    const { flags } = (await refs(here, ['--format', 'json', '--target', 'search-v2'])).document() as unknown as {
      flags: readonly { references: readonly { place: { file: string }; certain: boolean }[] }[];
    };
    const certain = flags[0]?.references.filter((one) => one.certain).map(({ place: { file } }) => file);
    expect(certain?.toSorted()).toEqual(own.toSorted());
  });

  test('a change cannot make dependencies of code', async () => {
    const here = await gitStage(undefined, { manifest: 'flags: { search-v2: { active: true } }\n' });
    here.commit({ 'src/vendor/a.ts': `posthog.isFeatureEnabled('search-v2')` });
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
    here.commit({ 'flags/main.yaml': 'flags: { search-v2: { deleted: true } }\n', 'src/vendor/modules.txt': '' });
    expect((await here.run('plan')).stdout).toContain('code still reads it (src/vendor/a.ts:1:');
  });
});

describe('bad input', () => {
  test('without git, the folder is searched, and links in circles end nothing', async () => {
    const work = createWorkspace({ 'flagwright.yaml': CONFIG, 'flags/a.yaml': MANIFEST, 'src/a.ts': CODE });
    symlinkSync('..', path.join(work.root, 'src/up'));
    symlinkSync('a.ts', path.join(work.root, 'src/b.ts'));
    work.write('node_modules/a/a.js', `on('search-v2')`);
    const ran = await refs(work, ['--format', 'json']);
    expect(verdicts(ran)).toMatchObject({ 'new-checkout': 'read', 'search-v2': 'not_found' });
    expect(ran.document()).toMatchObject({ searched: [{ files: 1 }] });
    expect((await refs(work, ['--commit', 'HEAD'])).stderr).toContain('not a git repository');
  });

  test('a repository without code or commits reads nothing', async () => {
    const work = createWorkspace({ 'flagwright.yaml': CONFIG, 'flags/a.yaml': MANIFEST });
    git(work.root, 'init', '--quiet');
    expect((await refs(work)).stdout).toContain('References: 0 of 6 flags read · 6 not known\n');
  });

  test('a file of 1 GB is skipped, and large text keeps flags from being said to be found nowhere', async () => {
    const work = repository();
    work.write('disk.img', '');
    truncateSync(path.join(work.root, 'disk.img'), 1_000_000_000);
    const binary = await refs(work, ['--format', 'json']);
    expect(binary.document()).toMatchObject({ searched: [{ skipped: { binary: ['disk.img'] } }], gaps: [] });
    expect(verdicts(binary)['search-v2']).toBe('not_found');
    work.write('words.csv', 'word,\n'.repeat(2_000_000));
    const large = await refs(work, ['--format', 'json']);
    expect(large.document()).toMatchObject({ gaps: [{ why: 'large', files: ['words.csv'] }] });
    expect(verdicts(large)).toMatchObject({ 'search-v2': 'unknown', 'new-checkout': 'read' });
    expect((await refs(work)).stdout).toContain('file of more than 10 MB not searched: words.csv');
  });

  test('minified and generated files are skipped and counted', async () => {
    const work = repository({
      'app.js': `on('search-v2');${'x();'.repeat(3000)}`,
      'b.min.js': `on('search-v2')`,
      'flags.ts': `// @generated by flagwright\nflag('search-v2')`,
      'plan.json': '{\n  "format_version": "1.0", "key": "search-v2" }',
    });
    const ran = await refs(work, ['--format', 'json']);
    const generated = ['app.js', 'b.min.js', 'flags.ts', 'plan.json'];
    expect((ran.document() as { searched: readonly { skipped: object }[] }).searched[0]?.skipped).toMatchObject({
      generated: expect.arrayContaining(generated) as unknown,
    });
    expect(verdicts(ran)['search-v2']).toBe('not_found');
  });

  test('a submodule is other code, unless it is ignored', async () => {
    const other = createRepository({ 'a.ts': `on('search-v2')` });
    const work = repository();
    git(work.root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.root, 'lib');
    const ran = await refs(work, ['--format', 'json']);
    expect(ran.document()).toMatchObject({ gaps: [{ why: 'submodules', files: ['lib'] }] });
    expect(verdicts(ran)['search-v2']).toBe('unknown');
    work.write('flagwright.yaml', `${CONFIG}refs: { ignore: [lib] }\n`);
    expect(verdicts(await refs(work, ['--format', 'json']))['search-v2']).toBe('not_found');
  });

  test('what cannot be read keeps flags from being said to be found nowhere', async () => {
    const work = repository({ 'src/b.ts': `on('search-v2')` });
    mkdirSync(path.join(work.root, 'closed'));
    writeFileSync(path.join(work.root, 'closed/a.ts'), `on('search-v2')`);
    chmodSync(path.join(work.root, 'closed'), 0);
    chmodSync(path.join(work.root, 'src/b.ts'), 0);
    onTestFinished(() => chmodSync(path.join(work.root, 'closed'), 0o700));
    const ran = await asOrdinaryUser(work.root, () => refs(work, ['--format', 'json']));
    expect(ran.document()).toMatchObject({ gaps: [{ why: 'unreadable', files: ['closed', 'src/b.ts'] }] });
    expect(verdicts(ran)['search-v2']).toBe('unknown');
  });

  test('a key that is an ordinary word is counted outside quotes, and not said to be found nowhere', async () => {
    const work = repository({
      'flags/a.yaml':
        'flags: { new: { active: true, rollout_percentage: 10 }, test: { active: true, rollout_percentage: 10 } }\n',
      'src/a.ts': `new Map();\nisFeatureEnabled('test');\nit('new');\n`,
    });
    const ran = await refs(work);
    expect(verdicts(await refs(work, ['--format', 'json']))).toEqual({ new: 'possible', test: 'read' });
    expect(ran.stdout).toContain('new  named in 1 place, of which none reads it for certain');
  });
});

describe('several repositories', () => {
  const AT = Date.parse('2026-03-01T00:00:00Z');
  const DAY = 86_400_000;
  const SOURCES = `${CONFIG}refs: { sources: [{ repository: github.com/acme/web, file: web.json }] }\n`;

  async function exported(
    code = CODE,
    keys = 'new-checkout\nsearch-v2\nold-banner\nall-in\noff-now\nsearch-v1\n',
  ): Promise<string> {
    const work = createRepository({ 'src/a.ts': code });
    git(work.root, 'remote', 'add', 'origin', 'https://ana:secret@github.com/acme/web.git');
    work.write('keys.txt', keys);
    const ran = await refs(work, ['export', '--keys', 'keys.txt', '--out', 'web.json'], { now: AT });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('References written to web.json\n');
    const text = work.read('web.json');
    expect(schemaErrors('references', JSON.parse(text))).toEqual([]);
    expect(text).not.toContain('secret');
    return text;
  }

  async function joined(
    document: string,
    days = 1,
  ): Promise<{ readonly ran: Ran; readonly verdicts: ReturnType<typeof verdicts> }> {
    const work = repository({ 'flagwright.yaml': SOURCES, 'src/a.ts': '' });
    if (document !== '') work.write('web.json', document);
    const ran = await refs(work, ['--format', 'json'], { now: AT + days * DAY });
    expect(schemaErrors('refs', ran.document())).toEqual([]);
    return { ran, verdicts: verdicts(ran) };
  }

  test('the document of a repository is joined with its places and its age', async () => {
    const { ran, verdicts: found } = await joined(await exported());
    expect(found).toMatchObject({ 'new-checkout': 'read', 'search-v2': 'not_found', 'old-banner': 'read' });
    expect(ran.document()).toMatchObject({
      searched: [{}, { repository: 'github.com/acme/web', at: '2026-03-01T00:00:00.000Z', files: 1 }],
      not_declared: [{ key: 'new-chekout', repository: 'github.com/acme/web', meant: 'new-checkout' }],
      gaps: [],
    });
  });

  test.each<readonly [name: string, change: (text: string) => string, days: number, code: string]>([
    ['missing', () => '', 1, 'source_missing'],
    ['cut', (text) => text.slice(0, 300), 1, 'source_unreadable'],
    ['edited', (text) => text.replace('"line": 1', '"line": 2'), 1, 'source_unreadable'],
    ['of another form', () => '{}', 1, 'source_unreadable'],
    ['of the future', (text) => text, -3, 'source_unreadable'],
    ['old', (text) => text, 8, 'source_old'],
  ])('a document that is %s makes what depends on it unknown', async (_, change, days, code) => {
    const { ran, verdicts: found } = await joined(change(await exported()), days);
    expect(ran.document()).toMatchObject({ gaps: [{ code, repository: 'github.com/acme/web', file: 'web.json' }] });
    expect(new Set(Object.values(found))).toEqual(new Set(['unknown']));
  });

  test('the document of a renamed repository is that of another one', async () => {
    const work = createRepository({ 'src/a.ts': CODE });
    await refs(work, ['export', '--repository', 'github.com/acme/web2', '--keys', 'src/a.ts', '--out', 'r.json'], {
      now: AT,
    });
    const { ran, verdicts: found } = await joined(work.read('r.json'));
    expect(ran.document()).toMatchObject({ gaps: [{ code: 'source_renamed', found: 'github.com/acme/web2' }] });
    expect(new Set(Object.values(found))).toEqual(new Set(['unknown']));
  });

  test('a key that the repository did not search for is unknown, unless code asks an SDK for it', async () => {
    const { verdicts: found } = await joined(await exported(CODE, 'search-v2\n'));
    expect(found).toMatchObject({ 'search-v2': 'not_found', 'search-v1': 'unknown', 'new-checkout': 'read' });
  });

  test.each([
    [['export'], '--out FILE'],
    [['export', '--out', 'a.json', '--check'], 'refs export has no --check'],
    [['--out', 'a.json'], '--out needs: refs export'],
    [['export', '--out', 'a.json'], '--repository NAME'],
    [['--keys', 'flags/none'], 'cannot be read: ENOENT'],
  ])('%j names what is wrong', async (argv, words) => {
    const ran = await refs(repository(), argv);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(words);
  });
});

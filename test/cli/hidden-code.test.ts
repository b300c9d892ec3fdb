/** A change that hides its own code from the search does not make a flag that is read one that is found nowhere. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, type GitStage } from '../helpers/git-stage.ts';
import { createRepository } from '../helpers/repository.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { schemaErrors } from '../helpers/schemas.ts';

const KEEPING = `flags:
  checkout: { active: true, rollout_percentage: 10 }
  search-v2: { active: true, rollout_percentage: 50 }
`;
const DELETING = KEEPING.replace(/search-v2: .*/, 'search-v2: { deleted: true }');
const IGNORING = `${CONFIG}refs: { ignore: ["vendor/**"] }\n`;

/** The forms in which code reads the flag, with a name of a file for each. */
const READS: readonly (readonly [ending: string, code: string])[] = [
  ['ts', "export const isOn = () => posthog.isFeatureEnabled('search-v2');\n"],
  ['py', 'is_on = client.feature_enabled("search-v2", user_id)\n'],
  ['ts', "export const show = () => on('search-v2');\n"],
  ['yaml', 'banner:\n  flag: search-v2\n'],
  ['ts', 'export const isOn = (part: string) => posthog.isFeatureEnabled(`search-${part}`);\n'],
  ['conf', 'FLAG=search-v2\n'],
];

interface Hidden {
  readonly here: GitStage;
  readonly file: string;
  readonly code: string;
}

/** What a change can do with a file, with its code left in some place. */
const HIDINGS: Readonly<Record<string, (hidden: Hidden) => void>> = {
  'a NUL byte': ({ here, file, code }) => here.write(file, `${code}\0\n`),
  'NUL bytes between all letters': ({ here, file, code }) =>
    here.write(file, Buffer.from(code, 'utf16le').toString('latin1')),
  'UTF-32': ({ here, file, code }) =>
    write(here, file, Buffer.from([...Buffer.from(code)].flatMap((byte) => [byte, 0, 0, 0]))),
  'a mark of UTF-16 before UTF-8': ({ here, file, code }) =>
    write(here, file, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(code)])),
  'UTF-16': ({ here, file, code }) => write(here, file, Buffer.from(`\ufeff${code}`, 'utf16le')),
  '.gitignore, untracked': ({ here, file }) => {
    here.write('.gitignore', `/*.json\n${file}\n`);
    here.git('rm', '--quiet', '--cached', file);
  },
  '.gitattributes: binary': ({ here }) => here.write('.gitattributes', '* binary linguist-generated -diff -text\n'),
  '.gitattributes: another encoding': ({ here, file }) => {
    here.write('.gitattributes', `${file} working-tree-encoding=UTF-7\n`);
    rmSync(path.join(here.root, file));
    here.git('checkout', '--', file);
  },
  '.gitattributes: a filter': ({ here, file }) => {
    here.write('.gitattributes', `${file} filter=lfs\n`);
    here.write(file, 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 60\n');
  },
  'the beginning of a document': ({ here, file, code }) => here.write(file, `{"format_version": "1.0"}\n${code}`),
  'a document': ({ here, file, code }) => here.write(file, JSON.stringify({ format_version: '1.0', code })),
  'the beginning of exceptions': ({ here, file, code }) => here.write(file, `exceptions: []\n${code}`),
  'a mark of generated code': ({ here, file, code }) => here.write(file, `// @generated\n${code}`),
  'a long line': ({ here, file, code }) => here.write(file, `${code}${' '.repeat(10_000)}`),
  'refs.ignore': ({ here }) => configure(here, IGNORING.replace('vendor', '{vendor,src}')),
  'refs.paths': ({ here }) => configure(here, IGNORING.replace('refs: {', 'refs: { paths: ["lib/**"],')),
  'an ignored folder': ({ here, file, code }) => moved(here, file, `vendor/${file}`, code),
  'a minified name': ({ here, file, code }) => moved(here, file, 'src/app.min.js', code),
  'a lock file': ({ here, file, code }) => moved(here, file, 'src/yarn.lock', code),
  'a binary file': ({ here, file, code }) => moved(here, file, 'src/app.bin', `\0${code}`),
  'a new document': ({ here, file, code }) =>
    moved(here, file, 'src/new.json', JSON.stringify({ format_version: '1.0', code })),
  'a test file': ({ here, file, code }) => moved(here, file, 'src/app.test.yaml', code),
  'a link': ({ here, file, code }) => {
    moved(here, file, 'vendor/app', code);
    mkdirSync(path.dirname(path.join(here.root, file)), { recursive: true });
    symlinkSync(path.join(here.root, 'vendor/app'), path.join(here.root, file));
  },
  'a link in place of its folder': ({ here, file }) => {
    rmSync(path.join(here.root, 'src'), { recursive: true });
    symlinkSync('/nowhere', path.join(here.root, 'src'));
    expect(file).toContain('src/');
  },
  'a submodule': ({ here, file }) => submodule(here, file, file),
  'a submodule that is ignored': ({ here, file }) => submodule(here, file, 'vendor/app'),
  'a pipe': ({ here, file }) => {
    rmSync(path.join(here.root, file));
    execFileSync('mkfifo', [path.join(here.root, file)]);
  },
};

function write(here: GitStage, file: string, bytes: Uint8Array): void {
  writeFileSync(path.join(here.root, file), bytes);
}

function configure(here: GitStage, config: string): void {
  here.write('flagwright.yaml', config.replaceAll('$HOST', here.world.url));
}

function moved(here: GitStage, from: string, to: string, code: string): void {
  rmSync(path.join(here.root, from));
  here.write(to, code);
}

function submodule(here: GitStage, from: string, to: string): void {
  rmSync(path.join(here.root, from));
  mkdirSync(path.join(here.root, to), { recursive: true });
  here.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},${to}`);
}

interface ReadLossDocument {
  readonly key: string;
  readonly verdict: string;
  readonly hidden?: readonly string[];
}

/** What the plan says of the code that reads the flag that goes. */
async function readersOf(
  here: GitStage,
): Promise<{ readonly flags: readonly ReadLossDocument[]; readonly gaps: readonly unknown[] }> {
  const ran = await here.run('plan', '-f', 'json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const document = ran.document();
  expect(schemaErrors('plan', document)).toEqual([]);
  return document['readers'] as unknown as Awaited<ReturnType<typeof readersOf>>;
}

async function applied(files: Readonly<Record<string, string>>): Promise<GitStage> {
  const here = await gitStage(IGNORING, { manifest: KEEPING });
  here.commit(files);
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  return here;
}

const [[, CALL]] = READS as [(typeof READS)[number]];

describe('code that a change hides is not said to be gone', () => {
  test.each(Object.entries(HIDINGS))('%s', async (_name, hide) => {
    const here = await applied({ 'src/app.ts': CALL });
    here.write('flags/main.yaml', DELETING);
    hide({ here, file: 'src/app.ts', code: CALL });
    const { flags, gaps } = await readersOf(here);
    expect(flags.length + gaps.length).toBeGreaterThan(0);
    if (flags.length > 0) expect(flags).toMatchObject([{ key: 'search-v2' }]);
  });

  test('as a file of exceptions, which it is not', async () => {
    const here = await applied({ 'src/app.ts': CALL });
    here.write('flags/main.yaml', DELETING);
    configure(here, `${IGNORING}exceptions: src/app.ts\n`);
    expect(await here.run('apply', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('src/app.ts:1'),
    });
  });

  test('in any way, in any form, in several files', async () => {
    const here = await applied({});
    const base = here.git('rev-parse', 'HEAD');
    await holdsAsync(
      120,
      [
        fc.constantFrom(...Object.entries(HIDINGS)),
        fc.constantFrom(...READS),
        fc.constantFrom('src', 'src/deep/er', 'src/.hidden'),
        fc.boolean(),
      ],
      async ([name, hide], [ending, code], folder, isCommitted) => {
        const file = `${folder}/app.${ending}`;
        here.git('reset', '--quiet', '--hard', base);
        here.git('clean', '-fdxq');
        here.commit({ [file]: code, 'src/other.ts': 'export const other = 1;\n', 'flags/main.yaml': KEEPING });
        here.git('update-ref', 'refs/flagwright/applied/main', 'HEAD');
        here.write('flags/main.yaml', DELETING);
        hide({ here, file, code });
        // git has no pipes.
        if (isCommitted && name !== 'a pipe') here.commit();
        const { flags, gaps } = await readersOf(here);
        expect(flags.length + gaps.length).toBeGreaterThan(0);
      },
    );
  });
});

describe('code that a change takes away is gone', () => {
  test.each<[string, (hidden: Hidden) => void]>([
    ['with its file', ({ here, file }) => rmSync(path.join(here.root, file))],
    ['from its file', ({ here, file }) => here.write(file, 'export const isOn = () => true;\n')],
    ['with its folder', ({ here }) => rmSync(path.join(here.root, 'src'), { recursive: true })],
    [
      'with its file, of which a folder is made',
      ({ here, file }) => moved(here, file, `${file}/index.ts`, 'export const isOn = () => true;\n'),
    ],
    [
      'while another file is hidden',
      ({ here, file }) => {
        rmSync(path.join(here.root, file));
        here.write('src/other.ts', '\0');
        here.write('vendor/lib.js', 'module.exports = 1;\n');
      },
    ],
  ])('%s', async (_name, take) => {
    const here = await applied({ 'src/app.ts': CALL, 'src/other.ts': 'export const other = 1;\n' });
    here.write('flags/main.yaml', DELETING);
    take({ here, file: 'src/app.ts', code: CALL });
    expect(await readersOf(here)).toEqual({ flags: [], gaps: [] });
    here.commit();
    expect(await readersOf(here)).toEqual({ flags: [], gaps: [] });
  });

  test('and a page of a run that git does not have reads nothing', async () => {
    const here = await applied({ 'src/app.ts': CALL });
    rmSync(path.join(here.root, 'src/app.ts'));
    here.write('flags/main.yaml', DELETING);
    await here.run('plan', '--report', 'html=plan.html');
    expect(await readersOf(here)).toEqual({ flags: [], gaps: [] });
    // One that the change brings may be code of a form that nobody knows.
    here.commit();
    expect((await readersOf(here)).flags).not.toEqual([]);
  });

  test('and a snapshot that the change brings reads nothing', async () => {
    const here = await applied({ 'src/app.ts': CALL, 'vendor/app.ts': CALL });
    expect(await here.run('snapshot', '--out', 'src/snapshot.json')).toMatchObject({ code: 0 });
    here.write('flags/main.yaml', DELETING);
    rmSync(path.join(here.root, 'src/app.ts'));
    here.commit();
    expect(await readersOf(here)).toEqual({ flags: [], gaps: [] });
  });
});

test('a document of another repository that the change edits does not say that the flag is found nowhere', async () => {
  const source = 'refs: { sources: [{ repository: acme/web, file: web.json }] }\n';
  const here = await gitStage(CONFIG + source, { manifest: KEEPING });
  const web = createRepository({ 'src/app.ts': CALL });
  const argv = ['refs', 'export', '--keys', 'keys', '--out', 'web.json', '--repository', 'acme/web'];
  const exported = async (): Promise<string> => {
    expect(await here.runWith({ cwd: web.root }, ...argv)).toMatchObject({ code: 0 });
    return web.read('web.json');
  };
  web.write('keys', 'checkout\nsearch-v2\n');
  here.commit({ 'web.json': await exported(), '.gitignore': '', 'src/other.ts': "on(isFeatureEnabled('checkout'))" });
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  here.write('flags/main.yaml', DELETING);
  expect((await here.run('plan', '-f', 'json')).document()).toMatchObject({ hazards: [{ code: 'read_by_code' }] });
  rmSync(path.join(web.root, 'src/app.ts'));
  here.commit({ 'web.json': await exported() });
  expect((await readersOf(here)).flags).toMatchObject([{ key: 'search-v2', verdict: 'unknown', edited: ['web.json'] }]);
  expect((await here.run('plan')).stdout).toContain('web.json named it before, and this change edits that');
  here.git('update-ref', 'refs/flagwright/applied/main', 'HEAD');
  expect(await readersOf(here)).toEqual({ flags: [], gaps: [] });
});

test('names the files that were hidden, and refuses what other code reads', async () => {
  const here = await applied({ 'src/app.ts': CALL, 'src/data': 'flag = on("search-v2")\n' });
  here.write('flags/main.yaml', DELETING);
  rmSync(path.join(here.root, 'src/app.ts'));
  here.write('src/data', '\0flag = on("search-v2")\n');
  here.write('.gitignore', '/*.json\nsrc/data\n');
  here.git('rm', '--quiet', '--cached', 'src/data');
  expect((await readersOf(here)).flags).toMatchObject([{ key: 'search-v2', verdict: 'unknown', hidden: ['src/data'] }]);
  expect((await here.run('plan')).stdout).toContain(
    'src/data read it before, and this change takes it out of the search',
  );
  here.write('src/app.ts', CALL);
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 4 });
});

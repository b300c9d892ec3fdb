/**
 * Whatever of the base cannot be read, and whatever a change does to its own configuration: the run is refused, or judged by the
 * base, and never by the change.
 */

// @module-tag untimely
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CONFIG, gitStage, LATER, onRepository, REF, type GitStage } from '../helpers/git-stage.ts';
import { cloneOf, createBare, git, repositoryIn } from '../helpers/repository.ts';
import { runs } from '../helpers/runs.ts';
import { MANIFEST } from '../helpers/stage.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const RULES = `policies:
  rules: [{ rule: max-widen, points: 25 }]
`;
const BASE = 'base: { push: origin }\n';

/** What the change does to the configuration, beside removing the rules. */
const CONFIGS = {
  'keeps the remote': `${CONFIG}${BASE}`,
  'names another remote': `${CONFIG}base: { push: nowhere }\n`,
  'removes the remote': CONFIG,
} as const;

interface Broken {
  /** A clone with the history, in which the change is committed. */
  readonly clone: GitStage;
  /** The commit that was applied, and the folder of the remote. */
  readonly applied: string;
  readonly bare: string;
}

interface Part {
  /** The job fetches the ref before. */
  readonly fetched?: true;
  readonly breaks: (broken: Broken) => void;
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: readonly string[];
}

const cutOff = ({ clone }: Broken): void => void clone.git('remote', 'set-url', 'origin', 'file:///nowhere.git');

/** Deletes an object of the commit that was applied. */
const without =
  (name: string) =>
  ({ clone, applied }: Broken): void => {
    const id = clone.git('rev-parse', `${applied}${name}`);
    rmSync(path.join(clone.root, '.git/objects', id.slice(0, 2), id.slice(2)), { force: true });
    expect(() => clone.git('cat-file', '-e', id)).toThrow();
  };

/** Another commit was applied, whose files are these. */
function appliedWith(files: Readonly<Record<string, string>>) {
  return (broken: Broken): void => {
    const { clone, applied } = broken;
    const head = clone.git('rev-parse', 'HEAD');
    clone.git('checkout', '--quiet', applied);
    const then = clone.commit(files);
    clone.git('checkout', '--quiet', head);
    clone.git('update-ref', REF, then);
    cutOff(broken);
  };
}

const PARTS: Readonly<Record<string, Part>> = {
  nothing: { breaks: () => undefined },
  'nothing, and the job fetched the ref': { fetched: true, breaks: cutOff },
  'the remote': { breaks: cutOff },
  'the ref': { fetched: true, breaks: (it) => (it.clone.write(`.git/${REF}`, `${'a'.repeat(40)}\n`), cutOff(it)) },
  'the ref, which names no commit': {
    fetched: true,
    breaks: (it) => (it.clone.git('update-ref', REF, it.clone.git('rev-parse', 'HEAD:flags/main.yaml')), cutOff(it)),
  },
  'the record, of a later release': {
    fetched: true,
    breaks: (it) => {
      const { clone, applied } = it;
      const by = 'flagwright <flagwright@localhost> 0 +0000';
      const tree = clone.git('rev-parse', `${applied}^{tree}`);
      clone.write(
        'record',
        `tree ${tree}\nparent ${applied}\nauthor ${by}\ncommitter ${by}\n\nflagwright: applied, but for what was left\n\nApplied: ${applied}\nLeft: in another form\n`,
      );
      clone.git('update-ref', REF, clone.git('hash-object', '-t', 'commit', '-w', 'record'));
      cutOff(it);
    },
  },
  'the commit': { fetched: true, breaks: without('') },
  'its folder': { fetched: true, breaks: without('^{tree}') },
  'its configuration': { fetched: true, breaks: without(':flagwright.yaml') },
  'its manifests': { fetched: true, breaks: without(':flags/main.yaml') },
  'its exceptions': { fetched: true, breaks: without(':exceptions.yaml') },
  'its configuration, which is invalid': { fetched: true, breaks: appliedWith({ 'flagwright.yaml': 'limits: 5\n' }) },
  'its manifests, which are invalid': { fetched: true, breaks: appliedWith({ 'flags/main.yaml': 'flags: 5\n' }) },
  'its manifests, which a filter makes': {
    fetched: true,
    breaks: ({ clone }) => clone.write('.gitattributes', 'flags/** filter=x\n'),
  },
  git: { fetched: true, breaks: () => undefined, env: { PATH: '' } },
  'the repository': { fetched: true, breaks: ({ clone }) => rmSync(path.join(clone.root, '.git/HEAD')) },
  'the journal, without a ref': {
    breaks: (it) => {
      const folder = path.join(it.clone.root, '.flagwright/journal');
      const [newest = ''] = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
      const name = `.flagwright/journal/${newest}`;
      it.clone.write(name, it.clone.read(name).replace('rollout_percentage":10', 'rollout_percentage":11'));
      cutOff(it);
    },
  },
  'what the run compares with': { fetched: true, breaks: () => undefined, options: ['--base', 'none'] },
  'what the run compares with, and the ref': { breaks: () => undefined, options: ['--base', 'none'] },
};

/** The first state is applied with its rules, and shared. */
async function origin(): Promise<{ readonly here: GitStage; readonly bare: string; readonly applied: string }> {
  const here = await gitStage(`${CONFIG}${BASE}${RULES}`);
  here.write('exceptions.yaml', 'exceptions: []\n');
  here.write('.gitignore', '/*.json\n/.flagwright\nrecord\n');
  const applied = here.commit();
  const { root: bare } = createBare();
  here.git('remote', 'add', 'origin', `file://${bare}`);
  here.git('push', '--quiet', 'origin', 'main');
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
  return { here, bare, applied };
}

/** A clone, whose objects are files of their own, with the change committed. */
function cloneWith(here: GitStage, bare: string, config: keyof typeof CONFIGS): GitStage {
  const clone = onRepository(cloneOf({ root: bare }), here);
  const packs = path.join(clone.root, '.git/objects/pack');
  const aside = path.join(clone.root, 'packs');
  if (existsSync(packs)) cpSync(packs, aside, { recursive: true });
  rmSync(packs, { recursive: true, force: true });
  mkdirSync(packs);
  for (const name of existsSync(aside) ? readdirSync(aside) : []) {
    if (name.endsWith('.pack')) clone.git('-c', `alias.unpack=!git unpack-objects -q < packs/${name}`, 'unpack');
  }
  rmSync(aside, { recursive: true, force: true });
  clone.commit({
    'flags/main.yaml': LATER,
    'flagwright.yaml': CONFIGS[config].replaceAll('$HOST', here.world.url),
  });
  cpSync(path.join(here.root, '.flagwright'), path.join(clone.root, '.flagwright'), { recursive: true });
  return clone;
}

function copyOf({ root }: GitStage, here: GitStage): GitStage {
  const workspace = createWorkspace();
  cpSync(root, workspace.root, { recursive: true });
  return onRepository(repositoryIn(workspace), here);
}

const REFUSED = { code: 1, error: 'base_unreadable' };
const JUDGED = { code: 4, error: undefined };

async function endOf(clone: GitStage, { env = {} }: Part, ...argv: string[]): Promise<unknown> {
  const ran = await clone.runWith({ env }, ...argv, '-f', 'json');
  const document = ran.document() as { readonly error?: { readonly code?: string } };
  return { code: ran.code, error: ran.code === 4 ? undefined : document.error?.code };
}

test('the change is refused, or judged by the base', async () => {
  const { here, bare, applied } = await origin();
  const configs = Object.keys(CONFIGS) as (keyof typeof CONFIGS)[];
  const clones = configs.map((config) => ({ config, made: cloneWith(here, bare, config) }));
  const parts = Object.entries(PARTS);
  const cases = parts.flatMap(([name, part], index) =>
    clones
      .filter((_, at) => (at + index) % 3 < runs(4))
      .map(({ config, made }) => ({ name, part, config, made, isWhole: runs(4) > 1 || index % 3 === 0 })),
  );
  for (const { name, part, config, made, isWhole } of cases) {
    const clone = copyOf(made, here);
    const { options = [] } = part;
    if (!name.includes('journal')) rmSync(path.join(clone.root, '.flagwright'), { recursive: true });
    // A plan of before the harm is judged again.
    const isSaved = isWhole && (await clone.run('plan', '--out', 'plan.json', ...options)).code === 0;
    if (part.fetched) clone.git('fetch', '--quiet', 'origin', `+${REF}:${REF}`);
    else if (clone.git('for-each-ref', REF) !== '') clone.git('update-ref', '-d', REF);
    part.breaks({ clone, applied, bare });
    const closed = expect.toBeOneOf([REFUSED, JUDGED]) as unknown;
    const named = `${name}; the change ${config}`;
    const ends = {
      plan: isWhole ? await endOf(clone, part, 'plan', '--detailed-exitcode', ...options) : JUDGED,
      apply: await endOf(clone, part, 'apply', '--yes', ...options),
      saved: isSaved ? await endOf(clone, part, 'apply', 'plan.json') : JUDGED,
      validate: await endOf(clone, part, 'validate', '--base', 'auto'),
    };
    expect({ named, ...ends }).toEqual({ named, plan: closed, apply: closed, saved: closed, validate: closed });
  }
  const checkout = (await here.world.client.listFlags()).find((flag) => flag.key === 'checkout');
  expect(checkout?.filters?.groups?.[0]?.rollout_percentage).toBe(10);
});

test('a first apply is judged by its own configuration: the remote has no record', async () => {
  const here = await gitStage(`${CONFIG}${BASE}${RULES}`);
  const { root: bare } = createBare();
  here.git('remote', 'add', 'origin', `file://${bare}`);
  here.git('push', '--quiet', 'origin', 'main');
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(git(bare, 'rev-parse', `${REF}^1`)).toBe(here.git('rev-parse', 'HEAD'));
});

test('a first apply whose remote cannot be read is refused, and says how to read it', async () => {
  const here = await gitStage(`${CONFIG}${BASE}`);
  here.git('remote', 'add', 'origin', 'file:///nowhere.git');
  const refused = await here.run('apply', '--yes');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('The last apply cannot be read: git cannot read the remote origin');
  expect(refused.stderr).toContain(`git fetch origin +${REF}:${REF}`);
  expect(await here.world.client.listFlags()).toEqual([]);
});

test('the command that a refusal names makes the run work', async () => {
  const { here, bare } = await origin();
  const shallow = onRepository(cloneOf({ root: bare }, '--depth=1'), here);
  shallow.git('remote', 'rename', 'origin', 'other');
  shallow.write('flags/main.yaml', MANIFEST.replace('10', '20'));
  const refused = await shallow.run('plan');
  expect(refused).toMatchObject({ code: 1 });
  const [, command = ''] = /(git fetch \S+ \S+?)[;,]/.exec(refused.stderr) ?? [];
  shallow.git('remote', 'rename', 'other', 'origin');
  shallow.git(...command.replace('git ', '').split(' '));
  expect(await shallow.run('plan')).toMatchObject({ code: 0 });
});

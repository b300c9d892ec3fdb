/**
 * The workflows of `init` with the action and the scripts that they call, run by bash against a service: a change from the pull
 * request to the apply, and drift, on GitHub and on GitLab. The longest way of each is that of the built command, in processes.
 * Git is real; the forge is a server of the tests.
 */

// @module-tag untimely
import { chmodSync, cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { stringifyJson } from '../../src/base/json-text.ts';
import { actionStep, ROOT, type Workflow } from '../helpers/action.ts';
import { startGithub, startGitlab, TOKEN } from '../helpers/forge.ts';
import {
  appliedOf,
  branchOf,
  commit,
  DELETE,
  expectUndo,
  git,
  githubJob,
  gitlabJob,
  HALF,
  headOf,
  keysOf,
  EXCEPTIONS,
  push,
  startBuiltCi,
  startCi,
  templateOf,
  type Ci,
} from '../helpers/pipeline.ts';

const TESTS = 'people: { ada: { id: ada } }\nexpect: [{ person: ada, flags: { checkout: true } }]\n';

const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().replace(/\.\d+/, '');
const STEPPED = `flags:
  checkout: { active: true, rollout_percentage: { steps: [{ at: ${day(-2)}, to: 10 }, { at: ${day(2)}, to: 50 }] } }
`;

/** Records the first step as one that was not made yet, as before its time. */
async function beforeFirstStep(ci: Ci): Promise<void> {
  const ref = 'refs/flagwright/applied/production';
  git(ci, 'fetch', '-q', 'origin', `+${ref}:${ref}`);
  const text = git(ci, 'cat-file', 'commit', ref);
  const before = `"step":-1,"at":"${day(-3).replace('Z', '.000Z')}"`;
  ci.workspace.write('record', text.replace(/"step":0,"at":"[^"]+"/, before));
  const id = git(ci, 'hash-object', '-t', 'commit', '-w', 'record').trim();
  push(ci, ref, id);
  await ci.world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 0 }] } });
}

describe('on GitHub', () => {
  const start = (manifest: string): Promise<Ci> => startCi(manifest, startGithub);
  const startBuilt = (manifest: string): Promise<Ci> => startBuiltCi(manifest, startGithub);
  const job = githubJob;

  const review = (base: string, head = base): object => ({
    pull_request: {
      number: 7,
      base: { sha: base, ref: 'main' },
      head: { sha: head, repo: { full_name: 'acme/shop' } },
    },
  });
  const PUSH = { GITHUB_EVENT_NAME: 'push' };

  /** An exception that its grantor has merged and applied. */
  async function grant(ci: Ci): Promise<string> {
    const commitOfIt = commit(ci, { 'exceptions.yaml': EXCEPTIONS });
    push(ci);
    const env = { GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_TRIGGERING_ACTOR: 'ann' };
    expect(await job(ci, 'plan', { env })).toMatchObject({ code: 0, output: 'code=0\n' });
    expect(await job(ci, 'in-sync', { env })).toMatchObject({ code: 0 });
    return commitOfIt;
  }

  test('a delete needs an exception that was there before, is applied with it, and converges', async () => {
    const ci = await startBuilt('flags: {}\n');
    const begin = headOf(ci);
    // An exception in the same change does not count.
    const head = commit(ci, { 'flags/main.yaml': DELETE, 'exceptions.yaml': EXCEPTIONS });
    ci.forge.reviewed.push({ number: 7, head, author: 'author', reviews: [] });
    const refused = await job(ci, 'plan', { event: review(begin, head) });
    expect([refused.code, refused.output]).toEqual([4, 'code=4\n']);
    expect(refused.summary).toContain('Or allow it in this run with `--allow-deletes 1`');
    expect(refused.log).toMatch(/^::error title=hazard\/deletes::/m);
    expect(refused.log).toMatch(/^::warning file=flags\/main\.yaml,line=2,.*title=effect\/delete::/m);
    expect(ci.forge.comments.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^<!-- flagwright plan production -->\n\*\*Not applied: an exception .*\n### Plan for `production`\n/s,
      ) as string,
    ]);
    expect(ci.forge.comments[0]?.text).toContain(
      `Plan of commit \`${head.slice(0, 12)}\` · [job, with its log and the plan as a page](https://github.com/acme/shop/actions/runs/99)`,
    );

    git(ci, 'reset', '-q', '--hard', begin);
    const before = await grant(ci);
    commit(ci, { 'flags/main.yaml': DELETE });
    const permitted = await job(ci, 'plan', { event: review(before) });
    expect([permitted.code, permitted.output]).toEqual([0, 'code=2\n']);
    expect(ci.forge.comments.map(({ text }) => text)).toEqual([
      expect.stringContaining('the checkout was replaced') as string,
    ]);
    expect(permitted.log).toContain('- delete  checkout');

    push(ci);
    expect(await job(ci, 'plan', { event: { before }, env: PUSH })).toMatchObject({ code: 0, output: 'code=2\n' });
    const applied = await job(ci, 'apply', { env: PUSH });
    expect([applied.code, await keysOf(ci), appliedOf(ci)]).toEqual([0, [], headOf(ci)]);
    expect(applied.summary).toContain('**Applied 1 change · ');
    expect(await job(ci, 'plan', { event: { before }, env: PUSH })).toMatchObject({ code: 0, output: 'code=0\n' });
    await expectUndo(ci);
  });

  test.each([
    ['a merge queue', { GITHUB_EVENT_NAME: 'merge_group' }],
    ['an event that is not known', { GITHUB_EVENT_NAME: 'repository_dispatch' }],
  ])('no change excepts itself in %s', async (_, env) => {
    const ci = await startBuilt('flags: {}\n');
    const begin = headOf(ci);
    commit(ci, { 'flags/main.yaml': DELETE, 'exceptions.yaml': EXCEPTIONS });
    expect(await job(ci, 'plan', { env })).toMatchObject({ code: 4 });
    git(ci, 'reset', '-q', '--hard', begin);
    await grant(ci);
    commit(ci, { 'flags/main.yaml': DELETE });
    expect(await job(ci, 'plan', { env })).toMatchObject({ code: 0 });
  });

  test('an input of a run by hand permits it too, and several keys are several values', async () => {
    const ci = await start(DELETE);
    expect(await job(ci, 'plan')).toMatchObject({ code: 4 });
    const values = { 'inputs.allow-deletes': '1', 'inputs.allow-risky': 'checkout a-*' };
    expect(await job(ci, 'plan', { values })).toMatchObject({ code: 0, output: 'code=2\n' });
  });

  test('the diagnostics of a manifest reach the comment, and annotations the change', async () => {
    const ci = await start('flags:\n  checkout: { active: 7 }\n');
    expect(await job(ci, 'plan', { event: review(headOf(ci)) })).toMatchObject({ code: 1, output: 'code=1\n' });
    expect(ci.forge.comments[0]?.text).toContain('flags/main.yaml:2:');
    const validated = await job(ci, 'validate');
    expect([validated.code, validated.log]).toEqual([
      1,
      expect.stringContaining('::error file=flags/main.yaml,line=2') as string,
    ]);
  });

  test('validate fails where a flag answers a person otherwise than a test file says, with an annotation there', async () => {
    const ci = await start('flags:\n  checkout: { active: true, rollout_percentage: 0 }\n');
    ci.workspace.write('tests/people.yaml', TESTS);
    const { code, log } = await job(ci, 'validate');
    expect([code, log]).toEqual([2, expect.stringMatching(/^::error file=tests\/people\.yaml,line=2,/m) as string]);
    ci.workspace.write('tests/people.yaml', TESTS.replace('true', 'false'));
    expect(await job(ci, 'validate')).toMatchObject({ code: 0, log: expect.stringContaining('1 passed') as string });
  });

  test('a comment that cannot be written fails the job with what to do, and the plan is in the summary', async () => {
    const ci = await start('flags: {}\n');
    ci.forge.faults.push({ on: 'POST ', status: 403, body: { message: '::set-env\nResource not accessible' } });
    const ran = await job(ci, 'plan', { event: review(headOf(ci)) });
    expect([ran.code, ran.output]).toEqual([1, 'code=0\n']);
    expect(ran.summary).toContain('### Plan for `production`');
    expect(ran.log).toMatch(
      /^::error title=flagwright-ci::POST .*The job needs `permissions: \{ pull-requests: write \}`/m,
    );
    expect(ran.log).not.toMatch(/^::set-env/m);
  });

  test('no key is sent to a host that the workflow does not name', async () => {
    const ci = await start(DELETE);
    const { code, summary } = await job(ci, 'plan', { env: { FLAGWRIGHT_HOSTS: 'https://us.posthog.com' } });
    expect([code, summary]).toEqual([1, expect.stringContaining('not in FLAGWRIGHT_HOSTS') as string]);
  });

  test('a step of a rollout that is due is made by the schedule for them, and recorded', async () => {
    const ci = await start(STEPPED);
    expect(await job(ci, 'plan', { env: PUSH })).toMatchObject({ code: 0 });
    await job(ci, 'apply', { env: PUSH });
    await beforeFirstStep(ci);
    const ran = await job(ci, 'due', { env: { GITHUB_EVENT_NAME: 'schedule' } });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.summary).toContain('1 applied');
    expect((await ci.world.client.listFlags())[0]?.filters).toMatchObject({ groups: [{ rollout_percentage: 10 }] });
    git(ci, 'fetch', '-q', 'origin', '+refs/flagwright/applied/production:refs/heads/recorded');
    expect(git(ci, 'log', '-1', '--format=%B', 'recorded')).toContain('"step":0');
  });

  test('a guarded step waits until the file that FLAG_VERDICTS names lets it through', async () => {
    const ci = await start(STEPPED.replace('steps:', 'guard: errors, steps:'));
    const config = ci.workspace.read('flagwright.yaml');
    commit(ci, { 'flagwright.yaml': `${config}guards: { errors: { verdict: errors } }\n` });
    push(ci);
    expect(await job(ci, 'plan', { env: PUSH })).toMatchObject({ code: 0 });
    await job(ci, 'apply', { env: PUSH });
    await beforeFirstStep(ci);
    const schedule = { GITHUB_EVENT_NAME: 'schedule' };
    const held = await job(ci, 'due', { env: schedule });
    expect([held.code, held.summary]).toEqual([0, expect.stringContaining('Waiting for a guard (1 step)') as string]);
    const given = { ...schedule, FLAG_VERDICTS: 'verdicts.json' };
    const say = (verdict: string): void =>
      ci.workspace.write(
        'verdicts.json',
        stringifyJson({ verdicts: [{ name: 'errors', verdict, at: new Date().toISOString() }] }),
      );
    const catalog = async (): Promise<string> => {
      await job(ci, 'drift', { env: { ...given, FLAG_CATALOG: 'artifact' } });
      return ci.workspace.read('flag-catalog/index.html');
    };
    // A job that does not make the file.
    expect(await catalog()).toContain('errors is in no file, since the run has no');
    say('hold');
    expect(await catalog()).toContain('errors holds: ');
    say('pass');
    const ran = await job(ci, 'due', { env: given });
    expect([ran.code, ran.summary]).toEqual([0, expect.stringContaining('1 applied') as string]);
  });

  test('drift becomes one pull request, which stays while nothing moves, and its merge is recorded as applied', async () => {
    const ci = await start(HALF);
    const drift = async (): Promise<number> => {
      git(ci, 'switch', '-q', 'main');
      return (await job(ci, 'drift', { env: { GITHUB_EVENT_NAME: 'schedule' } })).code;
    };
    const record = async (): Promise<void> => {
      expect(await job(ci, 'plan', { env: PUSH })).toMatchObject({ code: 0, output: 'code=0\n' });
      expect(await job(ci, 'in-sync', { env: PUSH })).toMatchObject({ code: 0 });
      expect(appliedOf(ci)).toBe(headOf(ci));
    };
    await record();
    await ci.world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 80 }] } });
    expect(await drift()).toBe(0);
    const first = branchOf(ci);
    expect(git(ci, 'show', `${first}:flags/main.yaml`)).toContain('rollout_percentage: 80 } # half');
    // The next morning begins with the main branch.
    expect(await drift()).toBe(0);
    expect(branchOf(ci)).toBe(first);
    expect(ci.forge.requests).toEqual([
      {
        number: 1,
        branch: 'flagwright/drift-production',
        target: 'main',
        title: 'Flags in production have drifted',
        text: expect.stringMatching(/^People changed flags.*### Accept from.*### Drift of `production`/s) as string,
        isOpen: true,
      },
    ]);

    // A person merges the pull request.
    git(ci, 'switch', '-q', 'main');
    git(ci, 'reset', '-q', '--hard', first);
    push(ci);
    await record();
    expect(await drift()).toBe(0);
    expect([ci.forge.requests[0]?.isOpen, ci.forge.deletedBranches]).toEqual([false, ['flagwright/drift-production']]);
    expect((await ci.world.client.listFlags())[0]?.filters).toMatchObject({ groups: [{ rollout_percentage: 80 }] });
  });

  test.each([
    ['plan', {}, 'gh secret set POSTHOG_READ_KEY,'],
    ['apply', {}, 'POSTHOG_API_KEY is empty'],
    ['drift', {}, 'POSTHOG_READ_KEY is empty'],
    ['plan', { GITHUB_ACTOR: 'dependabot[bot]' }, 'gh secret set POSTHOG_READ_KEY --app dependabot'],
  ])('%s names an empty secret as the workflow does (%j)', async (name, env, words) => {
    const ci = await start(HALF);
    const empty = { 'secrets.POSTHOG_READ_KEY': '', 'secrets.POSTHOG_API_KEY': '' };
    const { code, log } = await job(ci, name, { env, values: empty });
    expect([code, log]).toEqual([1, expect.stringContaining(words) as string]);
  });

  test('a run that waited, or is repeated, leaves the apply to the run of newer flags', async () => {
    const ci = await start('flags:\n  checkout: { active: true, rollout_percentage: 60 }\n');
    const old = headOf(ci);
    expect((await job(ci, 'plan', { env: PUSH })).output).toBe('code=2\n');
    // What an earlier job left in the clone of a runner does not count.
    git(ci, 'update-ref', 'refs/flagwright/applied/production', old);
    commit(ci, { 'flags/main.yaml': 'flags:\n  checkout: { active: false }\n' });
    push(ci);
    git(ci, 'checkout', '-q', old);
    const overtaken = await job(ci, 'apply', { env: PUSH });
    expect([overtaken.code, overtaken.summary]).toEqual([
      0,
      'The branch main has newer flags. The run of that commit applies them.\n\n',
    ]);
    expect(appliedOf(ci)).toBe('');

    // A newer commit that is not about flags does not matter.
    git(ci, 'switch', '-q', 'main');
    git(ci, 'reset', '-q', '--hard', old);
    commit(ci, { 'notes.txt': 'not about flags\n' });
    push(ci);
    git(ci, 'checkout', '-q', old);
    expect((await job(ci, 'apply', { env: PUSH })).code).toBe(0);
    expect([appliedOf(ci), (await ci.world.client.listFlags())[0]?.filters]).toEqual([
      old,
      expect.objectContaining({ groups: [expect.objectContaining({ rollout_percentage: 60 })] }) as object,
    ]);
  });

  test('flags that changed since the plan are left as they are, and an override is an input', async () => {
    const ci = await start(HALF);
    expect((await job(ci, 'plan', { env: PUSH })).output).toBe('code=0\n');
    expect((await job(ci, 'in-sync', { env: PUSH })).code).toBe(0);
    commit(ci, { 'flags/main.yaml': HALF.replace('50', '70') });
    push(ci);
    expect((await job(ci, 'plan', { env: PUSH })).output).toBe('code=2\n');
    await ci.world.edit('checkout', { active: false });
    expect((await job(ci, 'apply', { env: PUSH })).code).toBe(5);
    expect((await job(ci, 'plan')).output).toBe('code=4\n');
    const values = { 'inputs.override': 'checkout check*' };
    expect((await job(ci, 'plan', { values })).output).toBe('code=2\n');
  });

  test('an edit that no manifest can take fails the job, and the summary has the drift', async () => {
    const ci = await start(
      'flags:\n  checkout: { active: true, rollout_percentage: &half 50 }\n  other: { active: true, rollout_percentage: *half }\n',
    );
    await ci.world.client.createFlag({ key: 'other', active: true, filters: { groups: [{ rollout_percentage: 80 }] } });
    const { code, summary } = await job(ci, 'drift');
    expect([code, summary]).toEqual([1, expect.stringContaining('### Drift of `production`') as string]);
    expect(ci.workspace.read('accept.md')).toContain('alias');
    expect(ci.forge.requests).toEqual([]);
  });

  test.each([
    ['of the package finds the programs beside it', ROOT],
    ['of the repository, which has no build, installs them', undefined],
  ])('the action %s', async (_, own) => {
    const ci = await startBuilt('flags: {}\n');
    const { root } = ci.workspace;
    const at = own ?? path.join(root, '.action');
    for (const file of ['package.json', 'ci'])
      if (own === undefined) cpSync(path.join(ROOT, file), path.join(at, file), { recursive: true });
    // As npm does it with `--global --prefix`.
    ci.workspace.write(
      '.npm/npm',
      `#!/bin/sh\nmkdir -p "$5/bin"\nln -s '${ROOT}/dist/cli/bin.js' "$5/bin/flagwright"\nln -s '${ROOT}/ci/main.mjs' "$5/bin/flagwright-ci"\n`,
    );
    chmodSync(path.join(root, '.npm/npm'), 0o755);
    const workflow = parse(templateOf('.github/workflows/flags.yml', ci.world.url)) as Workflow;
    const [find, run] = ['Find or install flagwright', 'Run'].map((name) =>
      actionStep({ workflow, job: 'validate', name }),
    );
    const env = {
      ...run?.env,
      GITHUB_ACTION_PATH: at,
      RUNNER_TEMP: path.join(root, '.temp'),
      GITHUB_PATH: path.join(root, '.path'),
    };
    const found = await ci.script(`PATH="$PWD/.npm:\${PATH#*:}"; ${find?.script}`, env);
    expect([found.code, found.log]).toEqual([0, '']);
    const ran = await ci.script(
      `PATH="$(cat .path):\${PATH#*:}"\nreadlink "$(command -v flagwright)"\n${run?.script}`,
      env,
    );
    expect([ran.code, ran.log]).toEqual([0, expect.stringMatching(/^\/.*dist\/cli\/bin\.js\n.*1 file/s) as string]);
  });
});

describe('on GitLab', () => {
  const start = (manifest: string): Promise<Ci> => startCi(manifest, startGitlab);
  const startBuilt = (manifest: string): Promise<Ci> => startBuiltCi(manifest, startGitlab);
  const job = gitlabJob;

  const codeOf = ({ workspace }: Ci): string => workspace.read('plan.env').trim();

  test.each(['', '$POSTHOG_READ_KEY'])('a key that is %j is named as the variable', async (key) => {
    const ran = await job(await start(HALF), 'flags:plan', { FLAG_KEY_NAME: 'POSTHOG_READ_KEY', POSTHOG_API_KEY: key });
    expect([ran.code, ran.log]).toEqual([1, expect.stringContaining('Set the variable POSTHOG_READ_KEY') as string]);
  });

  test.each([
    ['that a merge request started', { CI_PIPELINE_SOURCE: 'parent_pipeline', CI_MERGE_REQUEST_IID: '7' }],
    ['of a source that is not known', { CI_PIPELINE_SOURCE: 'trigger' }],
  ])('no change excepts itself in a pipeline %s', async (_, env) => {
    const ci = await startBuilt('flags: {}\n');
    commit(ci, { 'flags/main.yaml': DELETE, 'exceptions.yaml': EXCEPTIONS });
    const ran = await job(ci, 'flags:plan', { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main', ...env });
    expect([ran.code, codeOf(ci)]).toEqual([4, 'FLAG_PLAN_CODE=4']);
  });

  test('a merge request has one note, an exception counts once it is applied, and apply takes the plan', async () => {
    const ci = await startBuilt('flags: {}\n');
    const request = {
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_IID: '7',
      FLAG_NOTES_TOKEN: TOKEN,
    };
    ci.forge.reviewed.push({ number: 7, head: headOf(ci), author: 'author', reviews: [] });
    // The merge request deletes a flag and excepts itself.
    ci.workspace.write('flags/main.yaml', DELETE);
    ci.workspace.write('exceptions.yaml', EXCEPTIONS);
    expect([(await job(ci, 'flags:plan', request)).code, codeOf(ci)]).toEqual([4, 'FLAG_PLAN_CODE=4']);
    expect(ci.workspace.read('gl-code-quality-plan.json')).toContain('"effect/delete"');
    const notes = (): readonly string[] => ci.forge.comments.map(({ text }) => text);
    expect(notes()).toEqual([expect.stringContaining('Or allow it in this run with `--allow-deletes 1`')]);

    // The exception is merged and applied first.
    git(ci, 'checkout', '-q', '--', 'flags/main.yaml');
    commit(ci, { 'exceptions.yaml': EXCEPTIONS });
    push(ci);
    const byHand = { CI_PIPELINE_SOURCE: 'web', GITLAB_USER_LOGIN: 'ann' };
    expect([(await job(ci, 'flags:plan', byHand)).code, codeOf(ci)]).toEqual([0, 'FLAG_PLAN_CODE=0']);
    expect((await job(ci, 'flags:apply', byHand)).code).toBe(0);
    ci.workspace.write('flags/main.yaml', DELETE);
    const permitted = await job(ci, 'flags:plan', request);
    expect([permitted.code, codeOf(ci)]).toEqual([0, 'FLAG_PLAN_CODE=2']);
    expect(notes()).toEqual([expect.stringContaining('the checkout was replaced')]);
    expect(permitted.log).toContain('- delete  checkout');

    // The merge: a push to the default branch.
    const before = headOf(ci);
    commit(ci, {});
    push(ci);
    const merged = { CI_COMMIT_BEFORE_SHA: before };
    expect((await job(ci, 'flags:plan', merged)).code).toBe(0);
    expect((await job(ci, 'flags:apply')).code).toBe(0);
    // Without its token, nothing is pushed.
    expect([await keysOf(ci), appliedOf(ci)]).toEqual([[], '']);
    expect([(await job(ci, 'flags:plan', merged)).code, codeOf(ci)]).toEqual([0, 'FLAG_PLAN_CODE=0']);
    expect((await job(ci, 'flags:apply', { FLAG_DRIFT_TOKEN: TOKEN })).code).toBe(0);
    expect(appliedOf(ci)).toBe(headOf(ci));
    await expectUndo(ci);

    // A pipeline that is repeated after a newer merge.
    git(ci, 'checkout', '-q', before);
    expect(await job(ci, 'flags:apply')).toEqual({
      code: 0,
      log: 'The branch main has newer flags. The run of that commit applies them.\n',
    });
  });

  test('a step of a rollout that is due is made by the schedule for them', async () => {
    const ci = await start(STEPPED);
    expect(await job(ci, 'flags:plan')).toMatchObject({ code: 0 });
    expect(await job(ci, 'flags:apply', { FLAG_DRIFT_TOKEN: TOKEN })).toMatchObject({ code: 0 });
    await beforeFirstStep(ci);
    const schedule = { CI_PIPELINE_SOURCE: 'schedule', FLAG_ROLLOUTS: 'true', FLAG_DRIFT_TOKEN: TOKEN };
    expect(await job(ci, 'flags:due', schedule)).toMatchObject({ code: 0 });
    expect((await ci.world.client.listFlags())[0]?.filters).toMatchObject({ groups: [{ rollout_percentage: 10 }] });
  });

  test('drift becomes one merge request, which is updated, and closed when all is well', async () => {
    const ci = await start(HALF);
    const drift = async (): Promise<number> => {
      git(ci, 'switch', '-q', 'main');
      return (await job(ci, 'flags:drift', { CI_PIPELINE_SOURCE: 'schedule', FLAG_DRIFT_TOKEN: TOKEN })).code;
    };
    expect([await drift(), ci.forge.requests]).toEqual([0, []]);
    const edit = (percentage: number): Promise<unknown> =>
      ci.world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: percentage }] } });
    for (const percentage of [80, 90]) {
      await edit(percentage);
      expect(await drift()).toBe(0);
      expect(ci.forge.requests).toEqual([
        expect.objectContaining({ number: 1, isOpen: true, branch: 'flagwright/drift-production', target: 'main' }),
      ]);
      expect(ci.forge.requests[0]?.text).toMatch(/^People changed flags.*### Accept from.*### Drift of/s);
      expect(git(ci, 'show', `${branchOf(ci)}:flags/main.yaml`)).toContain(
        `rollout_percentage: ${percentage} } # half`,
      );
    }
    await edit(50);
    expect([await drift(), ci.forge.requests]).toEqual([0, [expect.objectContaining({ number: 1, isOpen: false })]]);
  });

  test('drift without its token says which one', async () => {
    const ci = await start(HALF);
    expect(await job(ci, 'flags:drift')).toEqual({
      code: 1,
      log: 'flagwright-ci: FLAG_DRIFT_TOKEN is not set. Add it to the variables of the project.\n',
    });
  });

  test('variables permit a delete in a pipeline that is run by hand, and in no other', async () => {
    const ci = await start(DELETE);
    const env = { ALLOW_DELETES: '1', CI_COMMIT_BEFORE_SHA: 'none' };
    expect((await job(ci, 'flags:plan', env)).code).toBe(4);
    expect((await job(ci, 'flags:plan', { ...env, CI_PIPELINE_SOURCE: 'web' })).code).toBe(0);
  });

  test('validate writes its report and prints the problems', async () => {
    const ci = await start('flags:\n  checkout: { active: 7 }\n');
    const { code, log } = await job(ci, 'flags:validate');
    expect([code, log]).toEqual([1, expect.stringContaining('flags/main.yaml:2:') as string]);
    const report = readFileSync(path.join(ci.workspace.root, 'gl-code-quality-report.json'), 'utf8');
    expect(JSON.parse(report)).toHaveLength(1);
  });

  test('validate tests what flags answer people, with a test report', async () => {
    const ci = await startBuilt('flags:\n  checkout: { active: true, rollout_percentage: 0 }\n');
    ci.workspace.write('tests/people.yaml', TESTS);
    const { code, log } = await job(ci, 'flags:validate');
    expect([code, log]).toEqual([2, expect.stringContaining('Tests: 0 passed, 1 failed') as string]);
    expect(ci.workspace.read('flag-tests.xml')).toContain('failures="1"');
  });
});

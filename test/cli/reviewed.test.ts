/** What was reviewed is what is applied: plans of merges, and reviews as approvals, on GitHub and on GitLab. */

// @module-tag untimely
import { describe, expect, test } from 'vitest';
import type { Push, ReviewedRequest, StoredPlan } from '../helpers/forge-reviews.ts';
import { startGithub, startGitlab, TOKEN } from '../helpers/forge.ts';
import { runCli } from '../helpers/run.ts';
import {
  appliedOf,
  commit,
  git,
  githubJob,
  gitlabJob,
  HALF,
  headOf,
  KEY,
  push,
  startCi,
  type Ci,
  type Env,
  type Ran,
} from '../helpers/pipeline.ts';

const MORE = HALF.replace('50', '60');
const LEVEL = (level: string, more = ''): string =>
  `policies: { ${more}rules: [{ rule: max-widen, points: 5, level: ${level} }] }\n`;

interface Side {
  readonly name: string;
  readonly start: (manifest: string) => Promise<Ci>;
  /** Plans an open request. */
  readonly review: (ci: Ci, base: string) => Promise<Ran>;
  /** Plans the main branch after a merge, or by hand. */
  readonly plan: (ci: Ci, how: 'merge' | 'hand', reviewed?: string) => Promise<Ran>;
  readonly apply: (ci: Ci) => Promise<Ran>;
  /** The code that the plan gives to later jobs. */
  readonly codeOf: (ci: Ci) => string;
}

const GITHUB: Side = {
  name: 'GitHub',
  start: (manifest) => startCi(manifest, startGithub),
  review: (ci, base) =>
    githubJob(ci, 'plan', {
      event: {
        pull_request: {
          number: 7,
          base: { sha: base, ref: 'main' },
          head: { sha: headOf(ci), repo: { full_name: 'acme/shop' } },
        },
      },
      env: { GITHUB_EVENT_NAME: 'pull_request' },
    }),
  plan: (ci, how, reviewed) =>
    githubJob(ci, 'plan', {
      values: { 'env.REQUIRE_REVIEWED': 'true', ...(reviewed && { 'inputs.reviewed': reviewed }) },
      env: { GITHUB_EVENT_NAME: how === 'merge' ? 'push' : 'workflow_dispatch' },
    }),
  apply: (ci) => {
    const job = ci.workspace.read('output') === 'code=0\n' ? 'in-sync' : 'apply';
    return githubJob(ci, job, { env: { GITHUB_EVENT_NAME: 'push' } });
  },
  codeOf: ({ workspace }) => workspace.read('output').trim(),
};

const ON: Env = { FLAG_REQUIRE_REVIEWED: 'true', FLAG_NOTES_TOKEN: TOKEN, FLAG_DRIFT_TOKEN: TOKEN };
const GITLAB: Side = {
  name: 'GitLab',
  start: (manifest) => startCi(manifest, startGitlab),
  review: (ci) =>
    gitlabJob(ci, 'flags:plan', {
      ...ON,
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_IID: '7',
    }),
  plan: (ci, how, reviewed) =>
    gitlabJob(ci, 'flags:plan', {
      ...ON,
      ...(how === 'hand' && { CI_PIPELINE_SOURCE: 'web' }),
      ...(reviewed && { REVIEWED_PLAN: reviewed }),
    }),
  apply: (ci) => gitlabJob(ci, 'flags:apply', ON),
  codeOf: ({ workspace }) => workspace.read('plan.env').trim().replace('FLAG_PLAN_CODE', 'code'),
};

/** What the job of a request stores. */
const storedIn = ({ workspace }: Ci): StoredPlan => ({
  text: workspace.read('plan.json'),
  review: workspace.read('flag-review.json'),
});

const conditionsOf = async ({ world }: Ci): Promise<unknown> =>
  (await world.client.listFlags()).find(({ key }) => key === 'checkout')?.filters?.['groups'];

describe.each([GITHUB, GITLAB])('on $name', ({ start, review, plan, apply, codeOf }) => {
  /** A request that changes the manifest, as its job planned it. */
  async function propose(ci: Ci, manifest: string, number = 7): Promise<ReviewedRequest> {
    const base = headOf(ci);
    const head = commit(ci, { 'flags/main.yaml': manifest });
    const request: ReviewedRequest = { number, head, author: 'author', reviews: [] };
    ci.forge.reviewed.push(request);
    const ran = await review(ci, base);
    if (ran.code === 0) request.plan = storedIn(ci);
    return request;
  }

  function merge(ci: Ci, request: ReviewedRequest): void {
    git(ci, 'commit', '-q', '--allow-empty', '-m', 'Merge');
    request.mergedAs = headOf(ci);
    push(ci);
  }

  test('a merge applies the plan that its request showed', async () => {
    const ci = await start(HALF);
    merge(ci, await propose(ci, MORE));
    const planned = await plan(ci, 'merge');
    expect([planned.code, codeOf(ci)]).toEqual([0, 'code=2']);
    expect((await apply(ci)).code).toBe(0);
    expect(appliedOf(ci)).toBe(headOf(ci));
    expect((await plan(ci, 'merge')).code).toBe(0);
    expect(codeOf(ci)).toBe('code=0');
  });

  test('a plan that is another one by now is refused, says why, and is applied once somebody names it', async () => {
    const ci = await start(`${HALF}  other: { active: true, rollout_percentage: 10 }\n`);
    await ci.world.client.createFlag({ key: 'other', active: true, filters: { groups: [{ rollout_percentage: 10 }] } });
    merge(ci, await propose(ci, `${MORE}  other: { active: true, rollout_percentage: 10 }\n`));
    // Somebody edits both flags after the review.
    await ci.world.edit('checkout', { filters: { groups: [{ rollout_percentage: 55 }] } });
    const id = (await ci.world.client.listFlags()).find(({ key }) => key === 'other')?.id ?? 0;
    await ci.world.client.updateFlag(id, { filters: { groups: [{ rollout_percentage: 20 }] } });
    const refused = await plan(ci, 'merge');
    expect([refused.code, codeOf(ci)]).toEqual([4, 'code=4']);
    expect(refused.log).toMatch(/nobody has reviewed exactly this plan.*The plan of 7 was different/);
    expect(refused.log).toMatch(
      /`flag:checkout` changes in another way than reviewed.*`flag:other` is not in the reviewed plan/,
    );
    const [digest = ''] = /sha256:[0-9a-f]{64}/.exec(refused.log) ?? [];

    // By hand: not without a name, not with a wrong one.
    expect((await plan(ci, 'hand')).log).toContain('A run by hand has no review');
    expect((await plan(ci, 'hand', `${digest.slice(0, -1)}x`)).log).toContain('names another plan');
    expect((await plan(ci, 'hand', ` ${digest}\n`)).code).toBe(0);
    expect((await apply(ci)).code).toBe(0);
    expect(await conditionsOf(ci)).toMatchObject([{ rollout_percentage: 60 }]);
  });

  test('a named plan is refused when it moves once more', async () => {
    const ci = await start(MORE);
    const [digest = ''] = /sha256:[0-9a-f]{64}/.exec((await plan(ci, 'hand')).log) ?? [];
    await ci.world.edit('checkout', { active: false });
    expect((await plan(ci, 'hand', digest)).code).toBe(4);
  });

  test('a commit that no request brought, and a request whose plan is not there, are refused', async () => {
    const ci = await start(MORE);
    push(ci);
    expect((await plan(ci, 'merge')).log).toContain('is not the merge of');
    const request = await propose(ci, HALF.replace('50', '70'));
    delete request.plan;
    merge(ci, request);
    expect((await plan(ci, 'merge')).log).toContain('The plan of 7 is not there');
  });

  test('a file of the repository does not pass as the reviewed plan', async () => {
    const ci = await start(HALF);
    const request = await propose(ci, MORE);
    ci.workspace.write('.temp/flagwright-reviewed/plan.json', ci.workspace.read('plan.json'));
    delete request.plan;
    merge(ci, request);
    expect((await plan(ci, 'merge')).code).toBe(4);
  });

  test('a review lifts what asks for an approval, before the merge and after it', async () => {
    const ci = await start(HALF);
    ci.workspace.write('flagwright.yaml', ci.workspace.read('flagwright.yaml') + LEVEL('approve'));
    const base = commit(ci, {});
    const request = await propose(ci, MORE);
    expect(codeOf(ci)).toBe('code=4');
    request.reviews.push({ by: 'ann', commit: request.head });
    const approved = await review(ci, base);
    expect([approved.code, codeOf(ci)]).toEqual([0, 'code=2']);
    expect(approved.log).toContain('Approved in the review of 7: ann.');
    request.plan = storedIn(ci);
    merge(ci, request);
    expect((await plan(ci, 'merge')).code).toBe(0);
    // The approval is withdrawn before the apply.
    const [approval] = request.reviews.splice(0);
    expect((await apply(ci)).code).toBe(4);
    request.reviews.push(...(approval === undefined ? [] : [approval]));
    expect((await apply(ci)).code).toBe(0);
    expect(await conditionsOf(ci)).toMatchObject([{ rollout_percentage: 60 }]);
  });

  test('who may approve is what the configuration says', async () => {
    const ci = await start(HALF);
    ci.workspace.write(
      'flagwright.yaml',
      ci.workspace.read('flagwright.yaml') + LEVEL('approve', 'approvers: [bob], '),
    );
    const base = commit(ci, {});
    const request = await propose(ci, MORE);
    request.reviews.push({ by: 'ann', commit: request.head });
    expect((await review(ci, base)).code).toBe(4);
    request.reviews.push({ by: 'bob', commit: request.head });
    expect((await review(ci, base)).code).toBe(0);
  });

  test('no approval lifts an error', async () => {
    const ci = await start(HALF);
    ci.workspace.write('flagwright.yaml', ci.workspace.read('flagwright.yaml') + LEVEL('error'));
    const base = commit(ci, {});
    const request = await propose(ci, MORE);
    request.reviews.push({ by: 'ann', commit: request.head });
    expect((await review(ci, base)).code).toBe(4);
  });
});

describe.each([GITHUB, GITLAB])('later steps alone, on $name', (side) => {
  const stepsTo = (to: number): string =>
    HALF.replace('50', `{ from: 50, steps: [{ at: 2099-01-01T09:00Z, to: ${to} }] }`);
  const pushed = async (manifest: string): Promise<Ran> => {
    const ci = await side.start(HALF);
    push(ci);
    push(ci, 'refs/flagwright/applied/production');
    commit(ci, { 'flags/main.yaml': manifest });
    push(ci);
    return side.plan(ci, 'merge');
  };
  async function propose(ci: Ci, manifest: string): Promise<ReviewedRequest> {
    const base = headOf(ci);
    const head = commit(ci, { 'flags/main.yaml': manifest });
    const request: ReviewedRequest = { number: 7, head, author: 'author', reviews: [{ by: 'ann', commit: head }] };
    ci.forge.reviewed.push(request);
    expect((await side.review(ci, base)).code).toBe(0);
    request.plan = storedIn(ci);
    return request;
  }

  test('that no request brought are refused', async () => {
    const planned = await pushed(stepsTo(100));
    expect([planned.code, planned.log]).toEqual([4, expect.stringContaining('is not the merge of')]);
    expect(planned.log).toContain('100% at 2099-01-01 09:00:00 UTC');
  });

  test('of a reviewed plan are applied, and those to another value are not', async () => {
    const ci = await side.start(HALF);
    push(ci);
    push(ci, 'refs/flagwright/applied/production');
    const request = await propose(ci, stepsTo(60));
    request.mergedAs = commit(ci, { 'flags/main.yaml': stepsTo(100) });
    push(ci);
    const other = await side.plan(ci, 'merge');
    expect([other.code, side.codeOf(ci)]).toEqual([4, 'code=4']);
    expect(other.log).toContain('`later steps of flag:checkout` changes in another way than reviewed');

    request.mergedAs = commit(ci, { 'flags/main.yaml': stepsTo(60) });
    push(ci);
    const planned = await side.plan(ci, 'merge');
    expect([planned.code, side.codeOf(ci)]).toEqual([0, 'code=2']);
    expect((await side.apply(ci)).code).toBe(0);
    expect(appliedOf(ci)).toBe(headOf(ci));
    expect(git(ci, 'log', '-1', '--format=%B', 'refs/flagwright/applied/production')).toContain('"to":60');
    // What is applied is decided no more; taking it back is another decision.
    expect([(await side.plan(ci, 'merge')).code, side.codeOf(ci)]).toEqual([0, 'code=0']);
    commit(ci, { 'flags/main.yaml': HALF });
    push(ci);
    const taken = await side.plan(ci, 'merge');
    expect([taken.code, side.codeOf(ci)]).toEqual([4, 'code=4']);
    expect(taken.log).toContain('no longer 60% at 2099-01-01 09:00:00 UTC');
  });

  test('are approved by a review where a policy asks for it, and the approval is recorded', async () => {
    const ci = await side.start(HALF);
    ci.workspace.write('flagwright.yaml', ci.workspace.read('flagwright.yaml') + LEVEL('approve'));
    commit(ci, {});
    push(ci);
    push(ci, 'refs/flagwright/applied/production');
    const request = await propose(ci, stepsTo(60));
    expect(side.codeOf(ci)).toBe('code=2');
    git(ci, 'commit', '-q', '--allow-empty', '-m', 'Merge');
    request.mergedAs = headOf(ci);
    push(ci);
    expect((await side.plan(ci, 'merge')).code).toBe(0);
    const [approval] = request.reviews.splice(0);
    expect((await side.apply(ci)).code).toBe(4);
    request.reviews.push(...(approval === undefined ? [] : [approval]));
    expect((await side.apply(ci)).code).toBe(0);
    const record = git(ci, 'log', '-1', '--format=%B', 'refs/flagwright/applied/production');
    expect(record).toContain('{"rule":"max-widen","by":"ann",');
  });
});

/** Three flags, of which requests change some; all are live at 50. */
const flagsAt = (checkout: number, search: number, banner = 50): string =>
  ['checkout', 'search', 'banner']
    .map((key, at) => `  ${key}: { active: true, rollout_percentage: ${[checkout, search, banner][at]} }\n`)
    .join('')
    .replace(/^/, 'flags:\n');

/** The first commit is applied. */
async function begin({ start }: Side, config = ''): Promise<Ci> {
  const ci = await start(flagsAt(50, 50));
  for (const key of ['search', 'banner'])
    await ci.world.client.createFlag({ key, active: true, filters: { groups: [{ rollout_percentage: 50 }] } });
  if (config !== '') commit(ci, { 'flagwright.yaml': ci.workspace.read('flagwright.yaml') + config });
  push(ci);
  push(ci, 'refs/flagwright/applied/production');
  return ci;
}

interface Brought {
  /** What its plan was made of. */
  readonly shown: string;
  /** What the main branch has after its merge. */
  readonly merged?: string;
  readonly isSeen?: boolean;
}

/** A request with its plan, merged. */
async function bring(
  ci: Ci,
  number: number,
  { shown, merged = shown, isSeen = true }: Brought,
): Promise<ReviewedRequest> {
  ci.workspace.write('flags/main.yaml', shown);
  const args = ['plan', '--project', 'production', '--out', 'plan.json'];
  await runCli(args, { cwd: ci.workspace.root, env: { POSTHOG_API_KEY: KEY } });
  const head = String(number).repeat(40);
  const request: ReviewedRequest = { number, head, author: 'author', reviews: [{ by: 'ann', commit: head }] };
  const review = JSON.stringify({ number: String(number), target: 'main', head, base: headOf(ci) });
  if (isSeen) request.plan = { text: ci.workspace.read('plan.json'), review };
  ci.forge.reviewed.push(request);
  request.mergedAs = commit(ci, { 'flags/main.yaml': merged });
  push(ci);
  return request;
}

describe.each([GITHUB, GITLAB])('a request behind the branch, on $name', (side) => {
  /** Somebody else's change of the banner is merged and applied. The checkout has the request of an older branch. */
  async function behind(theirs: string): Promise<{ readonly ci: Ci; readonly base: string }> {
    const ci = await begin(side);
    const base = headOf(ci);
    commit(ci, { 'flags/main.yaml': flagsAt(50, 50, 70) });
    push(ci);
    push(ci, 'refs/flagwright/applied/production');
    const id = (await ci.world.client.listFlags()).find(({ key }) => key === 'banner')?.id ?? 0;
    await ci.world.client.updateFlag(id, { filters: { groups: [{ rollout_percentage: 70 }] } });
    git(ci, 'switch', '-q', '--detach', base);
    commit(ci, { 'flags/main.yaml': theirs });
    push(ci, 'refs/heads/change');
    return { ci, base };
  }
  const changesIn = ({ workspace }: Ci): readonly string[] =>
    (JSON.parse(workspace.read('plan.json')) as { changes: { key: string }[] }).changes.map(({ key }) => key);

  test.each(['whole', 'shallow'])('has the plan of its merge, in a %s clone', async (depth) => {
    const { ci, base } = await behind(flagsAt(60, 50));
    if (depth === 'shallow') ci.workspace.write('.git/shallow', `${headOf(ci)}\n`);
    const head = headOf(ci);
    const planned = await side.review(ci, base);
    expect([planned.code, planned.log]).toEqual([0, expect.stringContaining('50% → 60%')]);
    expect(changesIn(ci)).toEqual(['checkout']);
    expect(planned.log).not.toMatch(/takes back|banner/);
    const tip = git(ci, 'ls-remote', 'origin', 'refs/heads/main').slice(0, 40);
    expect(JSON.parse(ci.workspace.read('flag-review.json'))).toEqual({ number: '7', target: 'main', head, base: tip });
    expect(git(ci, 'rev-parse', 'HEAD^1', 'HEAD^2').split('\n')).toEqual([head, tip]);
  });

  test('is refused where it conflicts with the branch', async () => {
    const { ci, base } = await behind(flagsAt(60, 50, 80));
    const planned = await side.review(ci, base);
    expect([planned.code, side.codeOf(ci)]).toEqual([1, 'code=1']);
    expect(planned.log).toContain('It conflicts with `main`: update it.');
    expect(ci.forge.comments.at(-1)?.text).toContain('It conflicts with `main`: update it.');
    expect(git(ci, 'status', '--porcelain', '--untracked-files=no')).toBe('');
  });

  test('is refused where the remote does not tell what the branch is', async () => {
    const { ci, base } = await behind(flagsAt(60, 50));
    git(ci, '--git-dir', 'origin.git', 'update-ref', '-d', 'refs/heads/main');
    expect(await side.review(ci, base)).toMatchObject({
      code: 1,
      log: expect.stringContaining('The branch main is not in the repository'),
    });
  });

  test('says so where what was applied is not on the branch', async () => {
    const { ci, base } = await behind(flagsAt(60, 50));
    const other = git(ci, 'commit-tree', `${base}^{tree}`, '-p', base, '-m', 'Other');
    push(ci, 'refs/flagwright/applied/production', other);
    ci.workspace.write('.git/shallow', `${headOf(ci)}\n`);
    expect((await side.review(ci, base)).log).toContain(
      `Commit ${other.slice(0, 12)}, which was applied last, is not in this checkout.`,
    );
  });
});

describe.each([GITHUB, GITLAB])('the plan of a request, on $name', (side) => {
  const facts = (text: string, more: object): string => JSON.stringify({ ...(JSON.parse(text) as object), ...more });

  test('counts only if it is of this request, its newest commit and the branch', async () => {
    const ci = await begin(side);
    const request = await bring(ci, 7, { shown: flagsAt(60, 50) });
    const stored = request.plan;
    expect((await side.plan(ci, 'merge')).code).toBe(0);
    for (const more of [
      { target: 'release' },
      { number: '8' },
      { head: 'a'.repeat(40) },
      // The branch was rewritten since, or the job did not say what it made the plan with.
      { base: 'a'.repeat(40) },
      { base: undefined },
    ]) {
      if (stored !== undefined) request.plan = { ...stored, review: facts(stored.review ?? '', more) };
      const planned = await side.plan(ci, 'merge');
      expect([more, planned.code, planned.log]).toEqual([
        more,
        4,
        expect.stringContaining('The plan of 7 is not there'),
      ]);
    }
  });

  test('is approved by nobody who pushed to it, and by nobody at all if the pushes are not known', async () => {
    const ci = await side.start(HALF);
    ci.workspace.write('flagwright.yaml', ci.workspace.read('flagwright.yaml') + LEVEL('approve'));
    const base = commit(ci, {});
    const head = commit(ci, { 'flags/main.yaml': MORE });
    const request = { number: 7, head, author: 'author', reviews: [{ by: 'ann', commit: head }] };
    const review = async (pushes: readonly Push[]): Promise<Ran> => {
      ci.forge.reviewed.splice(0, 1, { ...request, pushes });
      return side.review(ci, base);
    };
    const made: Push = { by: 'author', kind: 'made', commit: 'first' };
    expect((await review([{ by: 'author' }, made])).code).toBe(0);
    const own = await review([{ by: 'author' }, { by: 'ann', commit: 'second' }, made]);
    expect([own.code, own.log]).toEqual([4, expect.stringContaining('pushed to 7 themselves: ann')]);
    const unknown = await review([made]);
    expect([unknown.code, unknown.log]).toEqual([4, expect.stringContaining('Nobody knows who pushed to 7')]);
  });
});

describe('requests that are merged before one apply', () => {
  const { plan, codeOf } = GITHUB;

  test.each([GITHUB, GITLAB])('are applied as one plan on $name, if each showed its part', async (side) => {
    const ci = await begin(side);
    await bring(ci, 7, { shown: flagsAt(60, 50) });
    commit(ci, { 'notes.txt': 'not about flags' });
    await bring(ci, 8, { shown: flagsAt(50, 70), merged: flagsAt(60, 70) });
    const planned = await side.plan(ci, 'merge');
    expect([planned.code, side.codeOf(ci)]).toEqual([0, 'code=2']);
    expect(planned.log).toContain('Reviewed in 7, 8 together.');
    expect((await side.apply(ci)).code).toBe(0);
    expect(appliedOf(ci)).toBe(headOf(ci));
    expect((await side.plan(ci, 'merge')).code).toBe(0);
    expect(side.codeOf(ci)).toBe('code=0');
  });

  test('are applied where the newest of them showed the resource that several change', async () => {
    const ci = await begin(GITHUB);
    await bring(ci, 7, { shown: flagsAt(60, 60) });
    await bring(ci, 8, { shown: flagsAt(80, 50), merged: flagsAt(80, 60) });
    const planned = await plan(ci, 'merge');
    expect([planned.code, planned.log]).toEqual([0, expect.stringContaining('Reviewed in 7, 8 together.')]);
  });

  test.each<[string, (ci: Ci) => Promise<unknown>, RegExp]>([
    [
      'a change of one of them is gone by now',
      async (ci) => {
        await bring(ci, 7, { shown: flagsAt(60, 50) });
        await bring(ci, 8, { shown: flagsAt(50, 70), merged: flagsAt(50, 70) });
        await bring(ci, 9, { shown: flagsAt(50, 50, 90), merged: flagsAt(50, 70, 90) });
      },
      /plans of 7, 8, 9 together were different\..*`flag:checkout` has nothing to change now/,
    ],
    [
      'an older one showed the value, and a newer one another',
      async (ci) => {
        await bring(ci, 7, { shown: flagsAt(60, 50) });
        await bring(ci, 8, { shown: flagsAt(70, 50), merged: flagsAt(70, 50) });
        await bring(ci, 9, { shown: flagsAt(50, 60), merged: flagsAt(60, 60) });
      },
      /together were different\..*`flag:checkout` changes in another way than reviewed/,
    ],
    [
      'each changes a part of the same flag',
      async (ci) => {
        const described = (text: string): string => text.replace('{ active', '{ description: Pay, active');
        await bring(ci, 7, { shown: described(flagsAt(50, 50)) });
        await bring(ci, 8, { shown: flagsAt(60, 50), merged: described(flagsAt(60, 50)) });
      },
      /together were different\..*`flag:checkout` changes in another way than reviewed/,
    ],
    [
      'the merge brings something that nobody showed',
      async (ci) => {
        await bring(ci, 7, { shown: flagsAt(60, 50) });
        await bring(ci, 8, { shown: flagsAt(50, 70), merged: flagsAt(60, 70, 90) });
      },
      /together were different\..*`flag:banner` is not in the reviewed plan/,
    ],
    [
      'one has no plan',
      async (ci) => {
        await bring(ci, 7, { shown: flagsAt(60, 50), isSeen: false });
        await bring(ci, 8, { shown: flagsAt(50, 70), merged: flagsAt(60, 70) });
      },
      /Request 7 waits for its apply too and has no reviewed plan/,
    ],
    [
      'somebody pushed between them',
      async (ci) => {
        await bring(ci, 7, { shown: flagsAt(60, 50) });
        commit(ci, { 'flags/main.yaml': `${flagsAt(60, 50)}# by nobody\n` });
        await bring(ci, 8, { shown: flagsAt(50, 70), merged: flagsAt(60, 70) });
      },
      /Commit `[0-9a-f]{12}` waits for its apply too and has no reviewed plan/,
    ],
    [
      'nobody knows what was applied last',
      async (ci) => {
        await bring(ci, 7, { shown: flagsAt(60, 50) });
        await bring(ci, 8, { shown: flagsAt(50, 70), merged: flagsAt(60, 70) });
        git(ci, 'push', '-q', 'origin', '--delete', 'refs/flagwright/applied/production');
        git(ci, 'update-ref', '-d', 'refs/flagwright/applied/production');
      },
      /The plan of 8 was different\..*`flag:checkout` is not in the reviewed plan/,
    ],
    [
      'what was applied last is not on the branch',
      async (ci) => {
        await bring(ci, 7, { shown: flagsAt(60, 50) });
        await bring(ci, 8, { shown: flagsAt(50, 70), merged: flagsAt(60, 70) });
        const other = git(ci, 'commit-tree', 'HEAD^{tree}', '-m', 'Other');
        push(ci, 'refs/flagwright/applied/production', other);
      },
      /The plan of 8 was different\./,
    ],
  ])('are refused where %s', async (_, bringAll, words) => {
    const ci = await begin(GITHUB);
    await bringAll(ci);
    const planned = await plan(ci, 'merge');
    expect([planned.code, codeOf(ci)]).toEqual([4, 'code=4']);
    expect(planned.log).toMatch(words);
  });

  test('lift nothing that a policy wants approved: each review saw a part', async () => {
    const ci = await begin(GITHUB, LEVEL('approve'));
    await bring(ci, 7, { shown: flagsAt(54, 50) });
    await bring(ci, 8, { shown: flagsAt(50, 70), merged: flagsAt(54, 70) });
    const planned = await plan(ci, 'merge');
    expect([planned.code, planned.log]).toEqual([4, expect.stringContaining('Reviewed in 7, 8 together.')]);
    expect(planned.log).not.toContain('Approved in the review');
  });
});

describe.each([GITHUB, GITLAB])('a new exception, on $name', (side) => {
  const EXCEPTION = `exceptions:
  - { rule: max-widen, keys: [checkout], reason: asked for, until: 9999-12-31, granted_by: ann }
`;
  const REFUSED = '`max-widen` for `checkout`, granted by `ann`';

  /** A request that adds the exception and nothing else. `by`: who approves it. */
  async function grant(ci: Ci, by: readonly string[]): Promise<Ran> {
    const base = headOf(ci);
    const head = commit(ci, { 'exceptions.yaml': EXCEPTION });
    const reviews = by.map((name) => ({ by: name, commit: head }));
    ci.forge.reviewed.push({ number: 7, head, author: 'author', reviews });
    return side.review(ci, base);
  }

  test('that its person approved becomes one of what was applied, and counts later', async () => {
    const ci = await begin(side, LEVEL('error'));
    expect(await grant(ci, ['bob', 'ann'])).toMatchObject({ code: 0 });
    const [request] = ci.forge.reviewed;
    if (request !== undefined) request.mergedAs = headOf(ci);
    push(ci);
    expect([(await side.plan(ci, 'merge')).code, side.codeOf(ci)]).toEqual([0, 'code=0']);
    expect((await side.apply(ci)).code).toBe(0);
    expect(appliedOf(ci)).toBe(headOf(ci));
    await bring(ci, 8, { shown: flagsAt(60, 50) });
    expect([(await side.plan(ci, 'merge')).code, side.codeOf(ci)]).toEqual([0, 'code=2']);
  });

  test('that its person never saw is refused with its request, and as long as it is in the branch', async () => {
    const ci = await begin(side, LEVEL('error'));
    const refused = await grant(ci, ['bob']);
    expect([refused.code, side.codeOf(ci), refused.log]).toEqual([4, 'code=4', expect.stringContaining(REFUSED)]);
    expect(ci.forge.comments[0]?.text).toContain(REFUSED);
    const [request] = ci.forge.reviewed;
    if (request !== undefined) request.mergedAs = headOf(ci);
    push(ci);
    expect((await side.plan(ci, 'merge')).log).toContain(REFUSED);
    // Neither may a later one that she approves bring it, nor one that does not touch it.
    await bring(ci, 8, { shown: flagsAt(54, 50) });
    const later = await side.plan(ci, 'merge');
    expect([later.code, later.log]).toEqual([4, expect.stringContaining(REFUSED)]);
    commit(ci, { 'exceptions.yaml': 'exceptions: []\n' });
    push(ci);
    expect((await side.plan(ci, 'merge')).log).not.toContain(REFUSED);
  });
});

describe('reviews that are not required', () => {
  test('lift nothing in a plan that their request did not show', async () => {
    const ci = await GITHUB.start(HALF);
    ci.workspace.write('flagwright.yaml', ci.workspace.read('flagwright.yaml') + LEVEL('approve'));
    commit(ci, {});
    const head = commit(ci, { 'flags/main.yaml': MORE });
    push(ci);
    ci.forge.reviewed.push({
      number: 7,
      head,
      author: 'author',
      mergedAs: head,
      reviews: [{ by: 'ann', commit: head }],
    });
    const env = { GITHUB_EVENT_NAME: 'push' };
    expect((await githubJob(ci, 'plan', { env })).output).toBe('code=4\n');
  });

  test('are not asked for where nothing changes or no policy finds anything', async () => {
    const ci = await GITLAB.start(HALF);
    expect((await GITLAB.plan(ci, 'merge')).code).toBe(0);
    commit(ci, { 'flags/main.yaml': MORE });
    push(ci);
    expect((await gitlabJob(ci, 'flags:plan')).code).toBe(0);
    expect(ci.forge.log).toEqual([]);
  });

  test('are required of a GitLab job that has no token for them, with what to do', async () => {
    const ci = await GITLAB.start(MORE);
    push(ci);
    const { code, log } = await gitlabJob(ci, 'flags:plan', { FLAG_REQUIRE_REVIEWED: 'true' });
    expect([code, log]).toEqual([1, expect.stringContaining('FLAG_NOTES_TOKEN is not set')]);
  });
});

test('a review of a change that is not about flags makes no plan', async () => {
  const ci = await GITHUB.start(MORE);
  const base = headOf(ci);
  push(ci);
  const head = commit(ci, { 'notes.txt': 'no flags\n' });
  const event = {
    pull_request: {
      number: 7,
      base: { sha: base, ref: 'main' },
      head: { sha: head, repo: { full_name: 'acme/shop' } },
    },
  };
  const env = { GITHUB_EVENT_NAME: 'pull_request_review' };
  expect(await githubJob(ci, 'plan', { event, env })).toMatchObject({ code: 0, output: '', log: '' });
  commit(ci, { 'flags/main.yaml': HALF.replace('50', '70') });
  expect(await githubJob(ci, 'plan', { event, env })).toMatchObject({ code: 0, output: 'code=2\n' });
});

/** Who approved a change, and which plan its reviewers saw, against a server that answers as GitHub and GitLab do. */

import { describe, expect, test } from 'vitest';
import { createGithub } from '../../ci/forge/github.mjs';
import { createGitlab } from '../../ci/forge/gitlab.mjs';
import type { Review, ReviewedRequest, StoredPlan } from '../helpers/forge-reviews.ts';
import { zipOf } from '../helpers/zip.ts';
import { ME, startGithub, startGitlab, TOKEN, type Fault, type Forge } from '../helpers/forge.ts';

const HEAD = 'a'.repeat(40);
const MERGE = 'b'.repeat(40);
const WORKFLOW = 'acme/shop/.github/workflows/flags.yml';

const openGithub = ({ url }: Forge) =>
  createGithub({
    api: url,
    repository: 'acme/shop',
    token: TOKEN,
    author: ME,
    workflow: WORKFLOW,
    seconds: 5,
    pause: async () => undefined,
  });
const openGitlab = ({ url }: Forge) =>
  createGitlab({
    api: url,
    project: '9',
    notesToken: TOKEN,
    requestsToken: '',
    seconds: 5,
    pause: async () => undefined,
  });

const STORED = { project: 'production', names: ['plan.json', 'flag-review.json'] };

const SIDES = [
  { name: 'GitHub', start: startGithub, open: openGithub },
  { name: 'GitLab', start: startGitlab, open: openGitlab },
] as const;

const request = (reviews: readonly Review[] = [], more: Partial<ReviewedRequest> = {}): ReviewedRequest => ({
  number: 7,
  head: HEAD,
  author: 'author',
  reviews: [...reviews],
  ...more,
});
const by = (name: string, more: Partial<Review> = {}): Review => ({ by: name, commit: HEAD, ...more });

describe.each(SIDES)('on $name', ({ start, open }) => {
  const approvals = async (
    reviews: readonly Review[],
    permissions: Readonly<Record<string, string>> = {},
  ): Promise<unknown> => {
    const forge = await start();
    forge.reviewed.push(request(reviews));
    Object.assign(forge.permissions, permissions);
    return open(forge).listApprovals({ number: 7, head: HEAD });
  };

  test.each<[string, readonly Review[], Readonly<Record<string, string>>, readonly string[]]>([
    ['nobody approved', [], {}, []],
    ['two people approved', [by('ann'), by('bob')], {}, ['ann', 'bob']],
    ['the author approved', [by('author'), by('bob')], {}, ['bob']],
    ['somebody approved who may only read', [by('stranger')], { stranger: 'read' }, []],
    ['somebody approved who has no part in the project', [by('stranger')], { stranger: 'unknown' }, []],
  ])('%s', async (_, reviews, permissions, expected) => {
    expect(await approvals(reviews, permissions)).toEqual(expected);
  });

  const pushers = async (more: Partial<ReviewedRequest>): Promise<readonly string[] | undefined> => {
    const forge = await start();
    forge.reviewed.push(request([], more), request([], { number: 8, pushes: [{ by: 'other' }] }));
    return (await open(forge).listPushers({ number: 7, head: HEAD }))?.toSorted();
  };

  test.each<[string, Partial<ReviewedRequest>, readonly string[] | undefined]>([
    ['the author', {}, ['author']],
    [
      'everybody who pushed since the branch was made',
      {
        pushes: [
          { by: 'cleaner', kind: 'removed' },
          { by: 'ann' },
          { by: 'bob', commit: 'older' },
          { by: 'author', commit: 'first', kind: 'made' },
          { by: 'earlier' },
        ],
      },
      ['ann', 'author', 'bob'],
    ],
    [
      'also those before the branch was made anew',
      {
        pushes: [
          { by: 'ann', kind: 'made', at: '2026-01-02T00:00:00Z' },
          { by: 'ann', kind: 'removed' },
          { by: 'bob' },
          { by: 'author', kind: 'made' },
        ],
      },
      ['ann', 'author', 'bob'],
    ],
    [
      'many, on more pages than one',
      {
        pushes: [
          ...Array.from({ length: 120 }, (_, index) => ({ by: `p${index % 2}` })),
          { by: 'author', kind: 'made' },
        ],
      },
      ['author', 'p0', 'p1'],
    ],
    [
      'nobody knows: the push of the newest commit is not recorded',
      { pushes: [{ by: 'author', commit: 'x', kind: 'made' }] },
      undefined,
    ],
    ['nobody knows: the record does not reach back so far', { pushes: [{ by: 'author' }] }, undefined],
    ['nobody knows: the branch is that of another repository', { isFromFork: true }, undefined],
  ])('who pushed to a request: %s', async (_, more, expected) => {
    expect(await pushers(more)).toEqual(expected);
  });

  test('more reviews than fit a page are read', async () => {
    const crowd = Array.from({ length: 120 }, (_, index) => by(`r${index}`, { state: 'COMMENTED', when: 'before' }));
    expect(await approvals([...crowd, by('ann')])).toEqual(['ann']);
  });

  test.each<[string, Partial<ReviewedRequest>, boolean]>([
    ['merged as the commit', { mergedAs: MERGE }, true],
    ['merged into another branch', { mergedAs: MERGE, target: 'release' }, false],
    ['merged as another commit', { mergedAs: 'c'.repeat(40) }, false],
    ['open', {}, false],
  ])('a request that is %s is found: %s', async (_, more, isFound) => {
    const forge = await start();
    forge.reviewed.push(request([], more));
    expect((await open(forge).findMerged(MERGE, 'main'))?.number).toBe(isFound ? 7 : undefined);
  });

  test.each<[string, Fault, RegExp]>([
    ['403', { on: 'GET ', status: 403 }, /403.*(pull-requests: read|Reporter)/],
    ['404', { on: 'GET ', status: 404 }, /404/],
    ['422', { on: 'GET ', status: 422, body: { message: 'odd' } }, /422, "odd"/],
    ['429 for an hour', { on: 'GET ', status: 429, headers: { 'retry-after': '3600' } }, /run the job again later/],
    ['a list that is none', { on: 'GET ', status: 200, body: { message: 'x' } }, /is not a list/],
  ])('%s in place of reviews is a failure, never an approval', async (_, fault, words) => {
    const forge = await start();
    forge.reviewed.push(request([by('ann')], { mergedAs: MERGE }));
    forge.faults.push(fault);
    await expect(open(forge).findMerged(MERGE, 'main')).rejects.toThrow(words);
  });

  test.each<[string, Fault]>([
    ['500', { on: 'GET ', times: 2, status: 500 }],
    ['429 for a moment', { on: 'GET ', times: 2, status: 429, headers: { 'retry-after': '0' } }],
    ['an answer that breaks off', { on: 'GET ', isTruncated: true }],
  ])('%s is survived', async (_, fault) => {
    const forge = await start();
    forge.reviewed.push(request([by('ann')]));
    forge.faults.push(fault);
    expect(await open(forge).listApprovals({ number: 7, head: HEAD })).toEqual(['ann']);
  });
});

describe('GitHub', () => {
  test.each<[string, readonly Review[], readonly string[]]>([
    ['an approval of an older commit', [by('ann', { commit: 'older' })], []],
    ['an approval that was dismissed', [by('ann', { state: 'DISMISSED' })], []],
    ['changes that were requested after it', [by('ann'), by('ann', { state: 'CHANGES_REQUESTED' })], []],
    ['an approval after requested changes', [by('ann', { state: 'CHANGES_REQUESTED' }), by('ann')], ['ann']],
    ['a comment after it', [by('ann'), by('ann', { state: 'COMMENTED' })], ['ann']],
    ['an approval of an account that was deleted', [by('ghost')], []],
  ])('%s', async (_, reviews, expected) => {
    const forge = await startGithub();
    forge.reviewed.push(request(reviews));
    expect(await openGithub(forge).listApprovals({ number: 7, head: HEAD })).toEqual(expected);
  });

  test('who wrote a commit of the request counts as who pushed, whatever pushed it', async () => {
    const forge = await startGithub();
    forge.reviewed.push(request([], { writers: ['bob'] }));
    expect(await openGithub(forge).listPushers({ number: 7, head: HEAD })).toEqual(['author', 'bob']);
  });

  test('without a record of pushes nobody knows who pushed', async () => {
    const forge = await startGithub();
    forge.reviewed.push(request());
    forge.faults.push({ on: 'GET /activity', status: 404 });
    expect(await openGithub(forge).listPushers({ number: 7, head: HEAD })).toBeUndefined();
  });

  const readPlan = async (plan: Partial<StoredPlan> | undefined): Promise<unknown> => {
    const forge = await startGithub();
    forge.reviewed.push(request([], plan && { plan: { text: '{"a":1}', ...plan } }));
    return (await openGithub(forge).readReviewed({ number: 7, head: HEAD }, STORED))?.get('plan.json');
  };

  test.each<[string, Partial<StoredPlan> | undefined, boolean]>([
    ['stored by its workflow', {}, true],
    ['stored after a review', { event: 'pull_request_review' }, true],
    ['not stored', undefined, false],
    ['no longer kept', { expired: true }, false],
    ['stored by a job of a fork', { isOfFork: true }, false],
    ['stored for another commit', { head: 'older' }, false],
    ['stored for another project', { name: `flag-review-staging-7-${HEAD}` }, false],
    ['stored for another request of the commit', { name: `flag-review-production-8-${HEAD}` }, false],
    ['stored without its request', { archive: zipOf({ 'plan.json': '{"a":1}' }) }, false],
    ['stored by another workflow', { path: '.github/workflows/mine.yml' }, false],
    ['stored by a run by hand', { event: 'workflow_dispatch' }, false],
    ['stored by a job with the rights of the base', { event: 'pull_request_target' }, false],
    [
      'stored with another file',
      { archive: zipOf({ 'plan.json': '{"a":1}', 'flag-review.json': '{}', other: '' }) },
      false,
    ],
    ['stored under another name', { archive: zipOf({ '../plan.json': '{"a":1}', 'flag-review.json': '{}' }) }, false],
    ['stored as something else', { archive: Buffer.from('not a zip') }, false],
  ])('the plan of a request that was %s is read: %3$s', async (_, plan, expected) => {
    expect(await readPlan(plan)).toBe(expected ? '{"a":1}' : undefined);
  });

  test('a plan that cannot be downloaded is a failure without the signature of its address', async () => {
    const failure = await readPlan({ downloadStatus: 503 }).catch(String);
    expect(failure).toMatch(/The download of an artifact was answered with 503\. Run the job again\./);
    expect(failure).not.toContain('secret');
    const forge = await startGithub();
    forge.storage = 'http://127.0.0.1:1';
    forge.reviewed.push(request([], { plan: { text: '{}' } }));
    await expect(openGithub(forge).readReviewed({ number: 7, head: HEAD }, STORED)).rejects.toThrow('broke off');
  });
});

describe('GitLab', () => {
  test.each<[string, readonly Review[]]>([
    ['an approval that is older than the newest commit', [by('ann', { when: 'before' })]],
    ['an approval without a time', [by('ann', { when: 'unsaid' })]],
  ])('%s does not count', async (_, reviews) => {
    const forge = await startGitlab();
    forge.reviewed.push(request(reviews));
    expect(await openGitlab(forge).listApprovals({ number: 7 })).toEqual([]);
  });

  test.each<[string, Partial<StoredPlan> | undefined, string | undefined]>([
    ['made by its job', {}, '{"a":1}'],
    ['not made', undefined, undefined],
    ['made by a job that failed', { status: 'failed' }, undefined],
    ['made by another job', { name: 'other' }, undefined],
    ['no longer kept', { expired: true }, undefined],
    ['made in a fork', { isOfFork: true }, undefined],
  ])('the plan of a request that was %s', async (_, plan, expected) => {
    const forge = await startGitlab();
    forge.reviewed.push(request([], plan && { plan: { text: '{"a":1}', ...plan } }));
    const files = await openGitlab(forge).readReviewed({ number: 7 }, { ...STORED, job: 'flags:plan' });
    expect(files?.get('plan.json')).toBe(expected);
  });
});

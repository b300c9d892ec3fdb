/** The page of a plan says from which commit and branch, and when, the plan was made; a comment says what its pipeline adds. */

import { expect, test } from 'vitest';
import { gitStage } from '../../helpers/git-stage.ts';
import { parseXml, elementsOf, textOf } from '../../helpers/xml.ts';

const NOW = Date.UTC(2026, 1, 3, 4, 5, 6);
const MERGE = '9'.repeat(40);
const HEAD = 'a'.repeat(40);

/** What the page says of where its report comes from. */
function originsOf(html: string): string[] {
  const lines = elementsOf(parseXml(html), 'p').filter(({ attributes }) => attributes['class'] === 'where');
  return lines.slice(1).map(textOf);
}

test.each(['plan', 'drift'])('the page of %s names the commit, the branch and the time', async (command) => {
  const { runWith, git } = await gitStage();
  git('checkout', '-q', '-b', 'topic/<b>`x`');
  const { stdout } = await runWith({ now: NOW }, command, '-f', 'html');
  const commit = git('rev-parse', '--short=12', 'HEAD');
  expect(originsOf(stdout)).toEqual([`From commit ${commit} on branch topic/<b>\`x\`, 2026-02-03 04:05:06 UTC`]);
  expect(stdout).toContain('<code>topic/&lt;b&gt;&#96;x&#96;</code>');
});

test('of a job of CI, the commit and the branch are those under review, not those of their merge', async () => {
  const { runWith, git, write } = await gitStage();
  const [commit, short] = [git('rev-parse', 'HEAD'), git('rev-parse', '--short=12', 'HEAD')];
  git('checkout', '-q', '--detach');
  write('event.json', JSON.stringify({ pull_request: { head: { sha: HEAD } } }));
  const github = { GITHUB_ACTIONS: 'true', GITHUB_SHA: commit };
  const request = { ...github, GITHUB_HEAD_REF: 'topic', GITHUB_EVENT_PATH: 'event.json' };
  const gitlab = { GITLAB_CI: 'true', CI_COMMIT_SHA: commit };
  const cases: readonly (readonly [env: Readonly<Record<string, string>>, origin: string])[] = [
    [request, `From commit ${'a'.repeat(12)} on branch topic`],
    // The job checked out another commit than that of its event.
    [{ ...request, GITHUB_SHA: MERGE }, `From commit ${short} on branch topic`],
    [{ ...github, GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'main' }, `From commit ${short} on branch main`],
    [{ ...github, GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1' }, `From commit ${short}`],
    [{ ...request, GITHUB_EVENT_PATH: 'none.json' }, `From commit ${short} on branch topic`],
    [{ ...gitlab, CI_COMMIT_BRANCH: 'main' }, `From commit ${short} on branch main`],
    [
      { ...gitlab, CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'topic', CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: HEAD },
      `From commit ${'a'.repeat(12)} on branch topic`,
    ],
    [{}, `From commit ${short}`],
  ];
  for (const [env, origin] of cases) {
    const { stdout } = await runWith({ env, now: NOW }, 'plan', '-f', 'html');
    expect(originsOf(stdout)).toEqual([`${origin}, 2026-02-03 04:05:06 UTC`]);
  }
});

test('the time of a plan is on its page only, so that two runs of one plan are one document', async () => {
  const { runWith } = await gitStage();
  for (const format of ['text', 'markdown', 'json']) {
    const [first, second] = [
      await runWith({ now: NOW }, 'plan', '-f', format),
      await runWith({ now: NOW + 1_000 }, 'plan', '-f', format),
    ];
    expect(second.stdout).toBe(first.stdout);
  }
});

test('a saved plan names its own commit, not that which is checked out when it is shown', async () => {
  const { runWith, git, commit } = await gitStage();
  const planned = git('rev-parse', '--short=12', 'HEAD');
  await runWith({ now: NOW }, 'plan', '--out', 'plan.json');
  commit({ 'other.txt': 'other' });
  const { stdout } = await runWith({ now: NOW }, 'show', 'plan.json', '-f', 'html');
  expect(originsOf(stdout)).toEqual([`From commit ${planned}`]);
});

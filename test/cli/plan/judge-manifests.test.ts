/** What `validate` says where its policies have no base to judge by: no error at each save in an editor, and one where a base is asked for. */

import { expect, test } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const POLICIES = 'policies: { rules: [{ rule: naming, patterns: ["^b"] }] }\n';
const SHARED = 'base: { push: origin }\n';
const PROJECT = "projects: { main: { host: 'https://x.example', project_id: '1' } }\n";
const CHECKOUT = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/config': '[core]\n' };
const NO_CHECKOUT = `error  --base HEAD cannot be used: the configuration is not in a git checkout.
  → Leave out --base, or run the command in a checkout that git can read.
`;

const NOT_JUDGED = 'note  The policies judge nothing in main: git is not installed, or not on the PATH; install git.\n';
const UNREADABLE = `error  The last apply cannot be read: git is not installed, or not on the PATH. The rules of the last apply judge a change, so the run is refused.
  → Make it readable, or name the commit whose rules count: --base COMMIT.
`;

interface Given {
  readonly config: string;
  readonly base?: string;
  /** The folder has a repository, and this machine has no git. */
  readonly lacksGit?: true;
}

test.each<[string, Given, number, string]>([
  ['outside of git', { config: POLICIES }, 0, ''],
  ['outside of git, with a base that clones share', { config: POLICIES + SHARED }, 0, ''],
  ['outside of git, with a base that is asked for', { config: POLICIES, base: 'HEAD' }, 1, NO_CHECKOUT],
  ['without git', { config: POLICIES, lacksGit: true }, 0, NOT_JUDGED],
  ['without git and policies', { config: '', lacksGit: true }, 0, ''],
  ['without git, with the last base asked for', { config: POLICIES, lacksGit: true, base: 'auto' }, 0, ''],
  [
    'without git, with a shared base asked for',
    { config: POLICIES + SHARED, lacksGit: true, base: 'auto' },
    1,
    UNREADABLE,
  ],
])('%s', async (_, { config, base, lacksGit }, code, said) => {
  const { root } = createWorkspace({
    ...(lacksGit === true ? CHECKOUT : {}),
    'flagwright.yaml': `${PROJECT}${config}`,
    'flags/a.yaml': 'flags: { a: { active: true } }\n',
  });
  const argv = ['validate', ...(base === undefined ? [] : ['--base', base])];
  const ran = await runCli(argv, { cwd: root, env: lacksGit === true ? { PATH: '/nonexistent' } : {} });
  expect([ran.code, ran.stderr]).toEqual([code, said]);
});

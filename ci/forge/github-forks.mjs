// GitHub's interface: the pull request of a fork's commit, what its merge would make, and files of commits. Nothing is checked out.

import { Failure } from '../failure.mjs';
import { listPages } from './pages.mjs';

const PULLS_REMEDY = 'The job needs `permissions: { pull-requests: write }`.';
const FILES_REMEDY = 'The job needs `permissions: { contents: read }`.';
/** GitHub makes the merge in the background, once somebody asks for the pull request. */
const ASKS = 6;
const BETWEEN_ASKS_MS = 5000;

export function forksOf(call, { repo, pause }) {
  const pulls = { remedy: PULLS_REMEDY };
  const files = { remedy: FILES_REMEDY };
  return {
    /**
     * The number of the open pull request to the branch `target` whose newest commit is that of the fork. GitHub does not list the
     * pull requests of a commit that only a fork has.
     */
    async findOpen({ head, owner, branch, repository }, target) {
      const from = encodeURIComponent(`${owner}:${branch}`);
      const open = await listPages(call, `${repo}/pulls?state=open&head=${from}`, pulls);
      const found = open.find(
        (pull) => pull.head?.sha === head && pull.head.repo?.id === repository && pull.base?.ref === target,
      );
      return found?.number;
    },
    /** Whether the commit is still the newest one of the pull request. */
    async isNewest(number, head) {
      const { value } = await call('GET', `${repo}/pulls/${number}`, pulls);
      return value?.state === 'open' && value.head?.sha === head;
    },
    /** The commits `base` and `merge` of what a merge of the commit would make; undefined if the two conflict. */
    async readMerge(number, head) {
      for (let ask = 1; ask <= ASKS; ask += 1) {
        const { value: pull } = await call('GET', `${repo}/pulls/${number}`, pulls);
        if (pull?.mergeable === false) return undefined;
        const made =
          pull?.mergeable === true ? await readCommit(call, { repo, sha: pull.merge_commit_sha }) : undefined;
        // An older merge stays until the new one is made.
        if (made?.parents[1]?.sha === head) return { base: made.parents[0].sha, merge: pull.merge_commit_sha };
        if (ask < ASKS) await pause(BETWEEN_ASKS_MS);
      }
      throw new Failure(`GitHub has not made the merge of pull request ${number} yet. Run the job again.`);
    },
    /** What the commit has at the path, with all that is below: `{ path, mode, sha, size }`. */
    async listFiles(commit, path) {
      const { tree } = await readCommit(call, { repo, sha: commit });
      return listBelow(call, { repo, sha: tree.sha, path: '', rest: path.split('/').filter(Boolean) });
    },
    async readFile(sha) {
      const { value } = await call('GET', `${repo}/git/blobs/${sha}`, files);
      return Buffer.from(value.content, 'base64');
    },
  };
}

async function readCommit(call, { repo, sha }) {
  return (await call('GET', `${repo}/git/commits/${sha}`, { remedy: FILES_REMEDY })).value;
}

/** `sha`: of the folder at `path`. `rest`: names of the folders from there. */
async function listBelow(call, { repo, sha, path, rest: [name, ...rest] }) {
  const isWhole = name === undefined;
  const address = `${repo}/git/trees/${sha}${isWhole ? '?recursive=1' : ''}`;
  const { value } = await call('GET', address, { remedy: FILES_REMEDY });
  if (value.truncated)
    throw new Failure(`${path} has more files than GitHub lists. Name smaller folders in \`paths\`.`);
  const entries = value.tree.map((entry) => ({ ...entry, path: path === '' ? entry.path : `${path}/${entry.path}` }));
  if (isWhole) return entries.filter(({ type }) => type !== 'tree');
  const next = path === '' ? name : `${path}/${name}`;
  const entry = entries.find((one) => one.path === next);
  if (entry === undefined) return [];
  return entry.type === 'tree' ? listBelow(call, { repo, sha: entry.sha, path: next, rest }) : [entry];
}

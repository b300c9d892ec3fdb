// Comments the plan of a fork's pull request, in a job of the base that may comment. Of the fork it takes manifests only, as data.

import { commentText, keepComment, markerOf } from '../comment.mjs';
import { forget, isWritten, readOr, summarize } from '../documents.mjs';
import { Failure } from '../failure.mjs';
import { changedManifests, writeFiles } from '../fork-change.mjs';
import { runFlagwright } from '../shell.mjs';
import { fetchSnapshots } from '../snapshot.mjs';

/** All that flagwright gets of the environment: it reads what a stranger wrote. */
const VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'GITHUB_WORKSPACE', 'POSTHOG_HOST', 'POSTHOG_PROJECT_ID'];

export async function forkComment(job) {
  const { forkRun, forge, branch } = job;
  if (forge.findOpen === undefined)
    throw new Failure('This step is for GitHub: GitLab runs no job after those of a fork.');
  if (forkRun === undefined) return leave(job, 'This is not the run of a pull request from a fork.');
  const snapshots = await fetchSnapshots(job);
  if (snapshots.project === undefined) return leave(job, snapshots.missing.join('\n'));
  const number = await forge.findOpen(forkRun, branch);
  if (number === undefined) return leave(job, `No open pull request to ${branch} has this commit as its newest one.`);
  const { document, code } = await planOf(job, { number, snapshots });
  if (document === undefined) return leave(job, 'The pull request changes no manifest.');
  summarize(job, document);
  // The job of a newer commit has written its own comment by now, or will.
  if (!(await forge.isNewest(number, forkRun.head))) return leave(job, 'The pull request has a newer commit.');
  await comment(job, { number, document });
  return code;
}

function leave(job, text) {
  console.log(text);
  summarize(job, text);
  return 0;
}

/** The document to show, and the code of the job: that the fork's change is at fault is no fault of this job. */
async function planOf(job, { number, snapshots }) {
  const { forge, forkRun } = job;
  const merged = await forge.readMerge(number, forkRun.head);
  if (merged === undefined) return refusalOf(['It conflicts with the branch: update the pull request.']);
  const { files, refused } = await findChange(job, merged);
  if (refused !== undefined) return refusalOf(refused);
  if (files.length === 0) return { code: 0 };
  await writeFiles(files, forge.readFile);
  forget('plan.md', 'plan.html');
  const code = await makePlan(job, snapshots);
  const isMade = isWritten('plan.md');
  const made = readOr('plan.md', 'No plan was made. The log of this job shows why.');
  return { document: [...snapshots.missing, made.trimEnd(), ORIGIN(job.branch)].join('\n\n'), code: isMade ? 0 : code };
}

const ORIGIN = (branch) =>
  `From a fork: its manifests, with the configuration, policies and exceptions of \`${branch}\`.`;

function refusalOf(lines) {
  return {
    document: ['**This change from a fork has no plan**', '', ...lines.map((line) => `- ${line}`)].join('\n'),
    code: 0,
  };
}

async function findChange({ forge, commit, folder, paths, exceptions }, { base, merge }) {
  const listAll = async (of) => {
    const lists = [];
    for (const path of paths) lists.push(...(await forge.listFiles(of, `${folder}${path}`)));
    return lists.map((file) => ({ ...file, path: file.path.slice(folder.length) }));
  };
  const before = await listAll(base);
  const here = base === commit ? before : await listAll(commit);
  return changedManifests({ before, after: await listAll(merge), here, granting: exceptions });
}

async function makePlan({ impact, env }, { project, against }) {
  const args = ['plan', '--project', project, ...against, '--detailed-exitcode', ...impact];
  const ownEnv = Object.fromEntries(
    VARIABLES.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]),
  );
  const documents = ['--format', 'markdown', '--output', 'plan.md', '--report', 'html=plan.html'];
  return runFlagwright([...args, ...documents], ownEnv);
}

async function comment({ project, forkRun, url, forge }, { number, document }) {
  const marker = markerOf(project);
  const text = commentText({ marker, document, commit: forkRun.head, url, limit: forge.textLimit });
  await keepComment(forge, { request: number, marker, text });
}

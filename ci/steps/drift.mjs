// Compares live flags with the manifests, and keeps one pull request with what people changed. Writes nothing to the service.

import { forget, readOr, summarize, write } from '../documents.mjs';
import { Failure, ForgeFailure } from '../failure.mjs';
import { askForMessage, dropQuietMessage, placeOfCatalog, writeCatalog } from '../for-later-steps.mjs';
import { runFlagwright } from '../shell.mjs';
import { publishSnapshots } from '../snapshot.mjs';

export async function drift(job) {
  const { project, projects, repository, forge, env } = job;
  if (forge.findRequest === undefined)
    throw new Failure('FLAG_DRIFT_TOKEN is not set. Add it to the variables of the project.');
  const catalog = placeOfCatalog(env);
  forget('drift.md', 'drift.json', 'accept.md', 'request.md');
  for (const { ref } of projects) {
    const applied = await repository.fetchApplied(ref);
    // A history that is too short would hide that the checkout lacks what was applied.
    if (applied !== undefined) await repository.contains(applied);
  }
  const documents = ['--format', 'markdown', '--output', 'drift.md', ...askForMessage(env)];
  if (projects.length > 1) documents.push('--report', 'json=drift.json');
  const code = await runFlagwright(['drift', '--project', project, ...documents], repository.withApplied(env));
  dropQuietMessage();
  // Before the edits are accepted: it is about the main branch.
  await writeCatalog(job, catalog);
  const drifted = driftedOf(job, code);
  forget('drift.json');
  if (code !== 0 && drifted.length === 0) return code;
  summarize(job, readOr('drift.md', 'There is no report about drift.'));
  // Before the edits are accepted: the snapshot is of the main branch.
  await publishSnapshots(job);
  const branch = projects.length > 1 ? 'flagwright/drift' : `flagwright/drift-${project}`;
  if (drifted.length > 0) {
    const kept = await keepRequest(job, { branch, drifted });
    // A project whose drift is not known.
    return code === 2 ? kept : code;
  }
  const request = await forge.findRequest(branch);
  if (request !== undefined) await forge.closeRequest(request, branch);
  return 0;
}

/** The projects that people changed. Of several, the report has the exit code of each. */
function driftedOf({ projects }, code) {
  const names = projects.map(({ name }) => name);
  if (names.length === 1) return code === 2 ? names : [];
  const { projects: standings = {} } = JSON.parse(readOr('drift.json', '{}'));
  return names.filter((name) => standings[name]?.exit === 2);
}

async function keepRequest(job, { branch, drifted }) {
  const { repository, forge, email, env } = job;
  const project = drifted.join(', ');
  const accepted = [];
  for (const name of drifted) {
    // Writes the edits into the manifests. 3: some have to be copied by hand; the report names them.
    const code = await runFlagwright(
      ['accept', '--project', name, '--yes', '--format', 'markdown', '--output', 'accept.md'],
      repository.withApplied(env),
    );
    if (code !== 0 && code !== 3) return code;
    accepted.push(readOr('accept.md', 'There is no report about the edits. The log of this job shows why.'));
  }
  if (!(await repository.hasEdits())) {
    console.log(readOr('drift.md', ''));
    console.log('No edit could be written into the manifests. The summary of this job has the drift.');
    return 1;
  }
  const text = requestText({ project, accepted: accepted.join('\n'), documentLimit: job.documentLimit });
  write('request.md', text);
  const message = `Accept the flags that people changed in ${project}`;
  await repository.pushEdits({ branch, message, email });
  const title = `Flags in ${project} have drifted`;
  await putRequest(forge, { branch, target: job.branch, title, text });
  return 0;
}

/** The report of what was accepted, and the drift where both fit a description. */
function requestText({ project, accepted, documentLimit }) {
  const drifted = readOr('drift.md', '');
  const intro =
    `People changed flags of ${project} in the service. Merge this to keep their edits,\n` +
    'or close it and run the job by hand to revert them. The job replaces this branch.\n';
  const both = `${accepted}\n${drifted}`;
  return `${intro}\n${Buffer.byteLength(both) > documentLimit ? accepted : both}`;
}

/** Updates the open request of the branch, or opens one: also if the answer to that is lost. */
async function putRequest(forge, { branch, target, title, text }) {
  const found = await forge.findRequest(branch);
  if (found !== undefined) return forge.updateRequest(found, text);
  try {
    return await forge.createRequest({ branch, target, title, text });
  } catch (error) {
    const opened = error instanceof ForgeFailure && error.isUnknown ? await forge.findRequest(branch) : undefined;
    if (opened === undefined) throw error;
    return undefined;
  }
}

// Applies exactly the saved plan, and publishes which commit was applied and what is live then.

import { forget, readOr, summarize } from '../documents.mjs';
import { approvalsOf, findRequest, savedPlan } from '../review.mjs';
import { runFlagwright } from '../shell.mjs';
import { publishSnapshot } from '../snapshot.mjs';

export async function apply(job) {
  const { project, ref, branch, repository, env } = job;
  // A job that waited for its approval, or is repeated, would take back what was merged since. The newer run applies both.
  if (await repository.isDifferentFrom(branch, job.deciding)) {
    const text = `The branch ${branch} has newer flags. The run of that commit applies them.`;
    console.log(text);
    summarize(job, text);
    return 0;
  }
  forget('result.md');
  await repository.takeApplied(ref);
  // 3: some changes failed. 5: flags changed since the plan was made.
  const document = ['--format', 'markdown', '--output', 'result.md'];
  const approval = [...job.approval, ...(await approvalOfMerge(job))];
  const code = await runFlagwright(
    ['apply', 'plan.json', '--project', project, '--yes', '--journal', 'flag-journal', ...document, ...approval],
    env,
  );
  const result = readOr('result.md', 'There is no result. The log of this job shows why.');
  summarize(job, result);
  console.log(result);
  if (code === 0) await repository.publishApplied(ref);
  await publishSnapshot(job);
  return code;
}

/** The plan is judged again, by the reviews as they are now. Only of a plan with findings are they asked for. */
async function approvalOfMerge(job) {
  if (savedPlan()?.needsApproval !== true) return [];
  return approvalsOf(job, await findRequest(job));
}

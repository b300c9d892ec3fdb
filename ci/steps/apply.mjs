// Applies exactly the saved plan, and publishes which commit was applied and what is live then.

import { runApply } from '../applied.mjs';
import { placeOfCatalog, writeCatalog } from '../for-later-steps.mjs';
import { summarize } from '../documents.mjs';
import { approvalsOf, findRequest, savedPlan } from '../review.mjs';

export async function apply(job) {
  const { branch, repository, env } = job;
  const catalog = placeOfCatalog(env);
  // A job that waited for its approval, or is repeated, would revert what was merged since. The newer run applies both.
  if (await repository.isDifferentFrom(branch, job.deciding)) {
    const text = `The branch ${branch} has newer flags. The run of that commit applies them.`;
    console.log(text);
    summarize(job, text);
    return 0;
  }
  // 3: some changes failed. 5: flags changed since the plan was made.
  const code = await runApply(job, ['plan.json', '--yes', ...job.approval, ...(await approvalOfMerge(job))]);
  await writeCatalog(job, catalog);
  return code;
}

/** The plan is judged again, by the reviews as they are now. Only of a plan with findings are they asked for: no job in sync may read them. */
async function approvalOfMerge(job) {
  const plan = savedPlan();
  if (plan?.needsApproval !== true || plan.changes.size === 0) return [];
  return approvalsOf(job, await findRequest(job));
}

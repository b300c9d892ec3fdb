// Runs the step that the arguments name, with the environment of a job, and returns its exit code. A failure is said in the log.

import { readJob, readKeyedJob, readSystem } from './job.mjs';
import { sayError } from './say.mjs';
import { apply } from './steps/apply.mjs';
import { drift } from './steps/drift.mjs';
import { due } from './steps/due.mjs';
import { forkComment } from './steps/fork-comment.mjs';
import { plan } from './steps/plan.mjs';
import { validate } from './steps/validate.mjs';

const HELP = `Usage: flagwright-ci STEP

Runs one step of a CI job, in the job's environment. The GitHub action and the GitLab jobs call it.

Steps:
  validate      check the manifests, and annotate the pull or merge request
  plan          plan PROJECT (several: a,b), and post the plan as a comment
  fork-comment  post the plan of a change from a fork as a comment (GitHub), in a job that may comment
  apply         apply the plan that was reviewed, and record the commit
  due           make the due steps of rollouts
  drift         open a pull or merge request about what people changed in the service
`;

const STEPS = {
  validate: (env) => validate(readSystem(env)),
  plan: (env) => plan(readKeyedJob(env)),
  'fork-comment': (env) => forkComment(readJob(env)),
  apply: (env) => apply(readKeyedJob(env)),
  due: (env) => due(readKeyedJob(env)),
  drift: (env) => drift(readKeyedJob(env)),
};

export async function runStep([name = '', ...others], env) {
  if (['--help', '-h', 'help'].includes(name)) {
    process.stdout.write(HELP);
    return 0;
  }
  if (!Object.hasOwn(STEPS, name) || others.length > 0)
    return fail(
      env,
      `${JSON.stringify([name, ...others].join(' '))} is not a step. Use one of: ${Object.keys(STEPS).join(', ')}.`,
    );
  try {
    return await STEPS[name](env);
  } catch (error) {
    return fail(env, error instanceof Error ? error.message : String(error));
  }
}

function fail(env, message) {
  sayError(env, message);
  return 1;
}

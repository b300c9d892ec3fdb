// Runs the step that the arguments name, with the environment of a job, and returns its exit code. A failure is said in the log.

import { readJob, readKeyedJob, readSystem } from './job.mjs';
import { sayError } from './say.mjs';
import { apply } from './steps/apply.mjs';
import { drift } from './steps/drift.mjs';
import { due } from './steps/due.mjs';
import { forkComment } from './steps/fork-comment.mjs';
import { plan } from './steps/plan.mjs';
import { validate } from './steps/validate.mjs';

const STEPS = {
  validate: (env) => validate(readSystem(env)),
  plan: (env) => plan(readKeyedJob(env)),
  'fork-comment': (env) => forkComment(readJob(env)),
  apply: (env) => apply(readKeyedJob(env)),
  due: (env) => due(readKeyedJob(env)),
  drift: (env) => drift(readKeyedJob(env)),
};

export async function runStep([name = '', ...others], env) {
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

#!/usr/bin/env node
// flagwright-ci STEP: one step of a CI job. The action for GitHub and the jobs for GitLab call it; it calls flagwright, git and the forge.

import { readJob, readSystem } from './job.mjs';
import { sayError } from './say.mjs';
import { apply } from './steps/apply.mjs';
import { drift } from './steps/drift.mjs';
import { plan } from './steps/plan.mjs';
import { reviewed } from './steps/reviewed.mjs';
import { validate } from './steps/validate.mjs';

const STEPS = {
  validate: (env) => validate(readSystem(env)),
  reviewed: (env) => reviewed(readJob(env)),
  plan: (env) => plan(readJob(env)),
  apply: (env) => apply(readJob(env)),
  drift: (env) => drift(readJob(env)),
};

const [name = '', ...others] = process.argv.slice(2);
if (!Object.hasOwn(STEPS, name) || others.length > 0) {
  fail(`${JSON.stringify([name, ...others].join(' '))} is no step. Use one of: ${Object.keys(STEPS).join(', ')}.`);
} else {
  try {
    process.exitCode = await STEPS[name](process.env);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
}

function fail(message) {
  sayError(process.env, message);
  process.exitCode = 1;
}

#!/usr/bin/env node
// flagwright-ci STEP: one step of a CI job. The action for GitHub and the jobs for GitLab call it; it calls flagwright, git and the forge.

import { runStep } from './run-step.mjs';

// The folder of flagwright.yaml in the checkout; absent: its top.
if (process.env['FLAG_FOLDER']) process.chdir(process.env['FLAG_FOLDER']);
process.exitCode = await runStep(process.argv.slice(2), process.env);

#!/usr/bin/env node
// flagwright-ci STEP: one step of a CI job. The action for GitHub and the jobs for GitLab call it; it calls flagwright, git and the forge.

import { runStep } from './run-step.mjs';

process.exitCode = await runStep(process.argv.slice(2), process.env);

// Checks the manifests and what they answer the people of the test files, with annotations in the change. Needs no key.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readOr } from '../documents.mjs';
import { runFlagwright } from '../shell.mjs';

/** Only what the job hands on stays in the checkout. */
export async function validate({ system, env }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'flagwright-ci-'));
  try {
    const checked = path.join(folder, 'checks.json');
    const code = await CHECKS[system](checked, env);
    if (code !== 0 || !(JSON.parse(readOr(checked, '{}')).test_files > 0)) return code;
    return await TESTS[system](path.join(folder, 'annotations.txt'), env);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const CHECKS = {
  github: (checked, env) => runFlagwright(['validate', '--format', 'github', '--report', `json=${checked}`], env),
  gitlab: async (checked, env) => {
    const documents = ['--format', 'gitlab', '--output', 'gl-code-quality-report.json', '--report', `json=${checked}`];
    const code = await runFlagwright(['validate', ...documents], env);
    // The report tells the merge request; the log gets the same in words.
    return code === 0 ? 0 : runFlagwright(['validate'], env);
  },
  none: (checked, env) => runFlagwright(['validate', '--report', `json=${checked}`], env),
};

/** Code quality has the problems of manifests, and the test report those of people. */
const TESTS = {
  github: async (annotations, env) => {
    const code = await runFlagwright(['test', '--report', `github=${annotations}`], env);
    console.log(readOr(annotations, '').trimEnd());
    return code;
  },
  gitlab: (_, env) => runFlagwright(['test', '--report', 'junit=flag-tests.xml'], env),
  none: (_, env) => runFlagwright(['test'], env),
};

// Checks the manifests and what they answer the people of the test files, with annotations in the change. Needs no key.

import { forget, readOr } from '../documents.mjs';
import { runFlagwright } from '../shell.mjs';

const CHECKED = 'flag-checks.json';
const TEST_ANNOTATIONS = 'flag-test-annotations.txt';

/** Code quality has the problems of manifests, and the test report those of people. */
export async function validate({ system, env }) {
  forget(CHECKED, TEST_ANNOTATIONS);
  const code = await (system === 'github' ? checkOnGithub(env) : checkOnGitlab(env));
  return code === 0 && JSON.parse(readOr(CHECKED, '{}')).test_files > 0 ? test(system, env) : code;
}

function checkOnGithub(env) {
  return runFlagwright(['validate', '--format', 'github', '--report', `json=${CHECKED}`], env);
}

async function checkOnGitlab(env) {
  const documents = ['--format', 'gitlab', '--output', 'gl-code-quality-report.json', '--report', `json=${CHECKED}`];
  const code = await runFlagwright(['validate', ...documents], env);
  // The report tells the merge request; the log gets the same in words.
  return code === 0 ? 0 : runFlagwright(['validate'], env);
}

async function test(system, env) {
  if (system === 'gitlab') return runFlagwright(['test', '--report', 'junit=flag-tests.xml'], env);
  const code = await runFlagwright(['test', '--report', `github=${TEST_ANNOTATIONS}`], env);
  console.log(readOr(TEST_ANNOTATIONS, '').trimEnd());
  return code;
}

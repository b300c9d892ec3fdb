// Checks the manifests, with annotations in the change. Needs no key.

import { runFlagwright } from '../shell.mjs';

export async function validate({ system, env }) {
  if (system === 'github') return runFlagwright(['validate', '--format', 'github'], env);
  const code = await runFlagwright(['validate', '--format', 'gitlab', '--output', 'gl-code-quality-report.json'], env);
  // The report tells the merge request; the log gets the same in words.
  return code === 0 ? 0 : runFlagwright(['validate'], env);
}

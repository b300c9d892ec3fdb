// Fails on any advisory about a package whose code is part of what is published. For npm these packages are only tools of the build.

import { spawnSync } from 'node:child_process';
import { BUNDLED } from './bundled-packages.mjs';

const { stdout, stderr } = spawnSync('npm', ['audit', '--json'], {
  encoding: 'utf8',
  maxBuffer: 100_000_000,
  shell: process.platform === 'win32',
});
const found = adviceOn(BUNDLED, stdout);
if (found === undefined) console.error(`npm audit gave no answer: ${stderr || stdout}`);
for (const name of found ?? [])
  console.error(`There is an advisory about ${name}, which is bundled: npm audit tells more.`);
process.exitCode = found?.length === 0 ? 0 : 1;

/** `undefined` if the answer says nothing about packages. */
function adviceOn(names, answer) {
  try {
    const { vulnerabilities } = JSON.parse(answer);
    return names.filter((name) => Object.hasOwn(vulnerabilities, name));
  } catch {
    return undefined;
  }
}

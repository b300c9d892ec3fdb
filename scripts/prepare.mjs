// Builds when npm installs or packs a checkout. A global installation from git, as pre-commit makes it, has npm install nothing that
// the build needs, so that is installed here.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';

if (!existsSync('node_modules/esbuild')) run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
run(process.execPath, ['scripts/build.mjs', '--if-changed']);

function run(program, args) {
  const env = { ...process.env, npm_config_global: 'false' };
  const { status } = spawnSync(program, args, { stdio: 'inherit', env, shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

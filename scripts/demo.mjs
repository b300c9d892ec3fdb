// The tour: runs every command exactly as it prints it, and fails if one does not do what the tour says.
// `npm run demo -- --keep` keeps the folder, so that you can try the commands yourself.

import { spawn } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'cli', 'bin.js');
const ENGINEERING = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const FILES = {
  'seed.json': JSON.stringify({
    roles: [{ id: ENGINEERING, name: 'engineering' }],
    flags: [
      flag(1, 'new-checkout', 'One-page checkout', [{ properties: [], rollout_percentage: 10 }]),
      flag(2, 'legacy-banner', 'The banner of last year', [{ properties: [], rollout_percentage: 100 }]),
      flag(3, 'survey-welcome', 'Made by a survey', [{ properties: [], rollout_percentage: 100 }]),
    ],
  }),
  'flags/checkout.yaml': `flags:
  new-checkout:
    description: One-page checkout
    active: true
    filters:
      groups:
        - properties:
            - { key: email, type: person, operator: icontains, value: "@acme.com" }
          rollout_percentage: 100
        - rollout_percentage: 25
    role_access: [engineering]

  express-payment:
    description: Pay with one tap
    active: true
    rollout_percentage: 5

  legacy-banner:
    deleted: true
`,
};

/** The first condition of new-checkout in the manifest, as the service holds it. */
const STAFF = {
  properties: [{ key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' }],
  rollout_percentage: 100,
};

const folder = mkdtempSync(join(tmpdir(), 'flagwright-demo-'));
const env = {
  ...process.env,
  POSTHOG_API_KEY: 'any-key-will-do',
  ...(process.stdout.isTTY === true ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
};
for (const name of ['POSTHOG_HOST', 'POSTHOG_PROJECT_ID', 'FLAGWRIGHT_PROJECT']) delete env[name];
let server;

try {
  await tour();
  say(`That was the tour. What to do next:
#   npm run demo -- --keep    keeps the folder, so that you can try the commands yourself
#   "A first plan" in README.md: three flags to edit
#   docs/adopting.md          your own project: its flags as manifests, with nothing changed in the service
#   docs/daily-work.md        what to type when something happens
#   docs/clicks.md            how a team lives with people who change flags in the service`);
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await stopServer();
  if (process.argv.includes('--keep')) say(`The files are in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}

async function tour() {
  for (const [file, text] of Object.entries(FILES)) writeFile(file, text);
  say('Start a service with a few flags on this machine. It needs no account.');
  show(`alias flagwright="node ${BIN}"`);
  show(`cd ${folder}`);
  const host = await startServer();
  show('export POSTHOG_API_KEY=any-key-will-do');
  writeFile('flagwright.yaml', configFor(host));

  say('The configuration, and the desired flags:');
  await run('cat flagwright.yaml flags/checkout.yaml', { expect: 'deleted: true' });
  await run('flagwright validate', { expect: 'no problems' });

  say('Show what would change; plan writes nothing. The survey’s flag is in no manifest, so it stays as it is.');
  await run('flagwright plan --out plan.json', { expect: 'Plan: 1 to create, 1 to update, 1 to delete, 1 to grant' });

  say('Apply exactly this plan. It would skip a flag that another user changed in the meantime.');
  await run('flagwright apply plan.json', { expect: 'Applied 4 changes' });

  say('The next plan has no changes.');
  await run('flagwright plan --detailed-exitcode', { expect: 'In sync: 3 flags match the manifests' });

  say('Another user now rolls new-checkout out to 100% in the service, without a pull request.');
  const body = JSON.stringify({ filters: { groups: [{ properties: [], rollout_percentage: 100 }] } });
  await patch(`${host}/api/projects/1/feature_flags/1/`, body);

  say('drift shows the edit and exits with 2, so a nightly job notices it.');
  await run('flagwright drift', { code: 2, expect: 'Drift: 1 different' });

  say('apply restores the declared state. Without --yes it would show the plan and ask for confirmation.');
  await run('flagwright apply --yes --quiet', { expect: 'Applied 1 change' });
  await run('flagwright drift', { expect: 'In sync' });

  say(
    'The next edit is right: 60% instead of 25%. accept takes it over into the manifest and keeps the rest of the file.',
  );
  const wider = JSON.stringify({ filters: { groups: [STAFF, { properties: [], rollout_percentage: 60 }] } });
  await patch(`${host}/api/projects/1/feature_flags/1/`, wider);
  await run('flagwright accept new-checkout --yes', { expect: 'Accepted: 1 flag in 1 file' });
  await run('cat flags/checkout.yaml', { expect: 'rollout_percentage: 60' });
  await run('flagwright drift', { expect: 'In sync' });
}

function configFor(host) {
  return `projects:
  shop:
    host: ${host}
    project_id: "1"
    roles: { engineering: ${ENGINEERING} }
scope: { exclude: ["survey-*"] }
`;
}

function flag(id, key, name, groups) {
  return { id, key, name, active: true, filters: { groups } };
}

async function startServer() {
  const command = 'flagwright serve --port 0 --seed seed.json';
  show(`${command} &`);
  server = spawn(process.execPath, [BIN, ...command.split(' ').slice(1)], { cwd: folder, env });
  // The lines of the service come before the next command of the tour.
  const told = new Promise((resolve) => {
    let notes = '';
    server.stderr.on('data', (chunk) => {
      process.stderr.write(chunk);
      notes += chunk;
      if (notes.includes('OFREP')) resolve();
    });
    server.once('close', resolve);
  });
  let text = '';
  for await (const chunk of server.stdout) {
    text += chunk;
    const [, host] = /POSTHOG_HOST=(\S+)/.exec(text) ?? [];
    if (host === undefined) continue;
    await told;
    return host;
  }
  throw new Error('the service did not start');
}

async function stopServer() {
  if (server === undefined || server.exitCode !== null) return;
  const ended = new Promise((resolve) => {
    server.once('close', resolve);
  });
  server.kill('SIGTERM');
  await ended;
}

/** Runs what it prints; the exit code and a part of the output have to be as said. */
async function run(command, { code = 0, expect }) {
  show(command);
  const [name, ...words] = command.split(' ');
  const [file, args] = name === 'flagwright' ? [process.execPath, [BIN, ...words]] : [name, words];
  const child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    from.on('data', (chunk) => {
      text += chunk;
      to.write(chunk);
    });
  }
  const found = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (found !== 0) process.stdout.write(`(exit code ${found})\n`);
  if (found !== code) throw new Error(`\`${command}\` exited with ${found}, not ${code}`);
  if (!text.includes(expect)) throw new Error(`\`${command}\` did not say "${expect}"`);
}

async function patch(url, body) {
  show(
    `curl -X PATCH ${url} -H "Authorization: Bearer $POSTHOG_API_KEY" -H "Content-Type: application/json" -d '${body}'`,
  );
  const headers = { authorization: `Bearer ${env.POSTHOG_API_KEY}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'PATCH', headers, body });
  process.stdout.write(`(HTTP ${answer.status})\n`);
  if (answer.status !== 200) throw new Error(`the PATCH was answered ${answer.status}`);
}

function writeFile(file, text) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function say(text) {
  process.stdout.write(`\n# ${text}\n`);
}

function show(command) {
  process.stdout.write(`$ ${command}\n`);
}

// The rows of the table: what is measured, how, and its limit.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { makeProject } from './fixtures.mjs';
import { command, ratios, repeat, root, startService, time, timeAndMemory } from './measure.mjs';

const RUNS = 5;

/** Whether Node.js keeps what it compiles. */
const KEEPS_CODE = 'enableCompileCache' in module;
const ANEW = { NODE_DISABLE_COMPILE_CACHE: '1' };

export const rows = [
  { name: 'plan, 1,000 flags, 20 with role access, in sync', measure: requestsOfPlan },
  { name: 'plan, 1,000 flags, 50 ms latency', measure: planWithLatency },
  { name: 'plan, 1,000 flags in 20 files', measure: () => planOf({ flags: 1000, files: 20 }, { seconds: 0.9 }) },
  { name: 'plan, 2,000 flags in 40 files', measure: () => planOf({ flags: 2000, files: 40 }, { seconds: 1.5 }) },
  {
    name: 'plan, 10,000 flags in 200 files',
    measure: () => planOf({ flags: 10_000, files: 200 }, { seconds: 3.5, mb: 220 }),
  },
  { name: 'plan beside parsing alone, 10,000 flags', measure: planBesideParsing },
  {
    name: 'plan of six projects of 300 flags beside one of them, 50 ms latency',
    measure: () => planSeveral({ projects: 6, flags: 300, runs: RUNS }, { wall: { atMost: 1.6 }, mb: { atMost: 1.5 } }),
  },
  {
    name: 'plan of a hundred projects of 20 flags beside one of them',
    measure: () => planSeveral({ projects: 100, flags: 20, runs: 3 }, { wall: {}, mb: { atMost: 2 } }),
  },
  {
    name: 'plan with a base of 10,000 flags in 200 files, 5 of them differ, beside one without git',
    measure: planWithBase,
  },
  { name: 'drift --base of 10,000 flags in 200 files beside plan', measure: driftWithBase },
  { name: 'catalog of 2,000 flags in 100 files and one commit beside plan', measure: catalogBesidePlan },
  { name: 'accept --patch of 10 of 1,000 flags beside parsing alone', measure: acceptPatch },
  { name: 'export of 10,000 flags beside parsing alone', measure: exportLarge },
  {
    name: 'plan --impact of 1,000 changed flags with four conditions, a fifth of them with a dependency',
    measure: () => planImpact([], { atMost: 5 }),
  },
  {
    name: 'plan --impact of these flags for a file of 10,000 people, about 9,000,000 hashes',
    // Node's SHA-1 takes most of it. Four at once, in WebAssembly, took 5 s and 300 lines, for a count that few runs ask for.
    measure: () => planImpact(['--persons', 'people.csv'], { atMost: 15 }),
  },
  { name: 'apply of 1,000 creates, 50 ms latency, concurrency 10', measure: applyCreates },
  { name: 'apply of 1,000 creates at 480 requests a minute, in a sixth of the time', measure: applyAtRate },
  {
    name: 'the embedded service: a list of 1,000 flags',
    measure: () => answering('/api/projects/1/feature_flags/?limit=1000', { atMost: 6 }),
  },
  {
    name: 'the embedded service: the values of 1,000 flags',
    measure: () => answering('/flags', { atMost: 3 }, VALUES),
  },
  { name: '1,000 edits in a file of 10,000 flags beside parsing it', measure: editsBesideParsing },
  { name: '--version beside node -e 0', measure: startOfVersion },
  { name: '--help beside node -e 0', measure: startOfHelp },
  {
    name: 'validate of one file beside node -e 0',
    measure: () => startOfValidate({}, { atMost: 4.8 }),
  },
  {
    name: 'validate of one file, compiled anew, beside node -e 0',
    measure: () => startOfValidate(ANEW, { atMost: 4.8 }),
  },
  {
    name: 'plan of three flags on this machine beside node -e 0',
    measure: () => startOfPlan({}, { atMost: KEEPS_CODE ? 7.5 : 9.5 }),
  },
  {
    name: 'plan of three flags on this machine, compiled anew, beside node -e 0',
    measure: () => startOfPlan(ANEW, { atMost: 9.5 }),
  },
];

async function requestsOfPlan() {
  return withProject({ flags: 1000, files: 20, managedRoles: 20 }, {}, async (plan, service) => {
    await service.counts();
    await plan();
    const { requests, writes } = await service.counts();
    return [
      { figure: 'requests', values: [requests], unit: '', reach: { atMost: 4, atLeast: 4 } },
      { figure: 'writes', values: [writes], unit: '', reach: { atMost: 0, atLeast: 0 } },
    ];
  });
}

async function planWithLatency() {
  return withProject({ flags: 1000, files: 20 }, { latencyMs: 50 }, async (plan) =>
    wallAndCpu(await repeat(RUNS, plan), { atMost: 1 }),
  );
}

/** `seconds`: of CPU. */
async function planOf(size, { seconds, mb }) {
  const runs = await withProject(size, {}, (plan) => repeat(RUNS, plan));
  return [
    ...wallAndCpu(runs, {}, { atMost: seconds }),
    {
      figure: 'memory',
      values: runs.map((run) => run.mb),
      unit: 'MB',
      reach: mb === undefined ? {} : { atMost: mb },
    },
  ];
}

/** The requests are the sum of those of each project alone. */
async function planSeveral({ projects, flags, runs }, reach) {
  const { folder, seed } = makeProject({ flags, files: 6 });
  const names = Array.from({ length: projects }, (_, index) => `project-${index}`);
  const service = await startService({ seed, latencyMs: 50, copies: projects });
  const declared = names.map((name, index) => [
    name,
    { host: service.urls[index], project_id: '1', api_key_env: 'BENCH_KEY' },
  ]);
  writeFileSync(join(folder, 'flagwright.yaml'), JSON.stringify({ projects: Object.fromEntries(declared) }));
  const counted = async (...options) => {
    await service.counts();
    const ran = await timeAndMemory([command, 'plan', '--detailed-exitcode', ...options], {
      cwd: folder,
      env: { BENCH_KEY: 'phx_bench' },
    });
    return { ...ran, requests: (await service.counts()).requests };
  };
  try {
    const pairs = await repeat(runs, async () => [await counted('--all-projects'), await counted('-p', names[0])]);
    const ratioOf = (member) => pairs.map(([all, one]) => all[member] / one[member]);
    return [
      ...besides({ wall: ratioOf('ms'), cpu: ratioOf('cpuMs') }, { wall: reach.wall, cpu: {} }),
      { figure: 'memory', values: ratioOf('mb'), unit: 'x', reach: reach.mb },
      { figure: 'requests', values: ratioOf('requests'), unit: 'x', reach: { atMost: projects, atLeast: projects } },
    ];
  } finally {
    service.stop();
    rmSync(folder, { recursive: true });
  }
}

async function planBesideParsing() {
  return withProject({ flags: 10_000, files: 200 }, {}, async (plan, service, folder) => {
    return besides(await ratios(RUNS, plan, parsing(folder, service)), { wall: {}, cpu: { atMost: 0.75 } });
  });
}

/** The base is an earlier commit, in which one flag of each of five files has another description. */
async function planWithBase() {
  return withProject({ flags: 10_000, files: 200 }, {}, async (_, service, folder) => {
    const files = Array.from({ length: 5 }, (_, file) => join(folder, 'flags', `team${file}.yaml`));
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    commitAll(
      folder,
      files,
      texts.map((text) => text.replace('What flag', 'What the flag')),
    );
    commitAll(folder, files, texts);
    const plan = (...options) => time([command, 'plan', ...options], { cwd: folder, env: service.env });
    const outside = async () => {
      renameSync(join(folder, '.git'), join(folder, 'git'));
      return plan().finally(() => renameSync(join(folder, 'git'), join(folder, '.git')));
    };
    return besides(await ratios(RUNS, () => plan('--base', 'HEAD~1'), outside), { wall: { atMost: 1.25 }, cpu: {} });
  });
}

async function driftWithBase() {
  return withProject({ flags: 10_000, files: 200 }, {}, async (plan, service, folder) => {
    commitAll(folder, [], []);
    const drift = () => time([command, 'drift', '--base', 'HEAD'], { cwd: folder, env: service.env });
    return besides(await ratios(RUNS, drift, plan), { wall: {}, cpu: { atMost: 1.25 } });
  });
}

/** The page has what a plan finds, the audience of each flag by evaluation, and who wrote it. */
async function catalogBesidePlan() {
  return withProject({ flags: 2000, files: 100 }, {}, async (plan, service, folder) => {
    commitAll(folder, [], []);
    const page = join(folder, 'flags.html');
    const catalog = () => time([command, 'catalog', '-f', 'html', '-o', page], { cwd: folder, env: service.env });
    const values = await ratios(RUNS, catalog, plan);
    return [
      ...besides(values, { wall: {}, cpu: { atMost: 1.5 } }),
      { figure: 'page', values: [statSync(page).size / 1e6], unit: 'MB', reach: { atMost: 2 } },
    ];
  });
}

async function acceptPatch() {
  return withProject({ flags: 1000, files: 20, drifted: 10 }, {}, async (_, service, folder) => {
    const accept = () => time([command, 'accept', '--patch', '--base', 'none'], { cwd: folder, env: service.env });
    return besides(await ratios(15, accept, parsing(folder, service)), { wall: {}, cpu: { atMost: 1.5 } });
  });
}

async function exportLarge() {
  return withProject({ flags: 10_000, files: 200 }, {}, async (_, service, folder) => {
    const run = () => time([command, 'export', '--dir', 'exported', '--force'], { cwd: folder, env: service.env });
    return besides(await ratios(3, run, parsing(folder, service)), { wall: {}, cpu: { atMost: 1.2 } });
  });
}

function parsing(folder, service) {
  return () => time([join(root, 'bench/parse-only.mjs')], { cwd: folder, env: service.env });
}

function commitAll(folder, files, texts) {
  for (const [index, file] of files.entries()) writeFileSync(file, texts[index]);
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args], { cwd: folder });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message=bench');
}

async function planImpact(options, reach) {
  const { folder, seed } = makeProject({ flags: 1000, files: 20 });
  const flags = seed.flags.map((flag, index) => withAudiences(flag, index === 0 || index % 5 > 0 ? [] : [index]));
  writeFileSync(join(folder, 'flags', 'rolled-out.yaml'), JSON.stringify({ flags: declareWider(flags) }));
  for (let file = 0; file < 20; file += 1) rmSync(join(folder, 'flags', `team${file}.yaml`));
  writeFileSync(join(folder, 'people.csv'), peopleAsCsv(10_000));
  const service = await startService({ seed: { flags } });
  const run = () =>
    time([command, 'plan', '--impact', ...options, '--format', 'json', '--quiet'], { cwd: folder, env: service.env });
  try {
    const [{ out }, ...runs] = [await run(), ...(await repeat(RUNS, run))];
    return [
      {
        figure: 'flags',
        values: [JSON.parse(out).impact.flags.length],
        unit: '',
        reach: { atMost: 1000, atLeast: 1000 },
      },
      ...wallAndCpu(runs, reach),
    ];
  } finally {
    service.stop();
    rmSync(folder, { recursive: true });
  }
}

function peopleAsCsv(amount) {
  const people = Array.from({ length: amount }, (_, index) => {
    const company = index % 10 === 0 ? 'acme' : 'other';
    return [
      `user-${index}`,
      `${index}@${company}.example`,
      ['US', 'DE', 'FR', 'GB', 'NL'][index % 5],
      10 + (index % 60),
    ];
  });
  return [['distinct_id', 'email', 'country', 'age'], ...people].map((cells) => `${cells.join()}\n`).join('');
}

/** `dependencies`: ids of flags. */
function withAudiences({ filters, ...flag }, dependencies) {
  const property = (key, operator, value, type = 'person') => ({ key, type, operator, value });
  const groups = [
    { properties: [property('email', 'icontains', '@acme.example')], rollout_percentage: 100 },
    { properties: [property('country', 'exact', ['US']), property('age', 'gt', '18')], rollout_percentage: 10 },
    { properties: [property('country', 'exact', ['DE'])], rollout_percentage: 5 },
    {
      properties: dependencies.map((id) => property(String(id), 'flag_evaluates_to', true, 'flag')),
      rollout_percentage: 2,
    },
  ];
  return { ...flag, active: true, filters: { ...filters, groups } };
}

function declareWider(flags) {
  const keys = new Map(flags.map(({ id, key }) => [String(id), key]));
  const wider = ({ properties, rollout_percentage: share }) => ({
    properties: properties.map((property) => ({ ...property, key: keys.get(property.key) ?? property.key })),
    rollout_percentage: Math.min(100, share * 3),
  });
  return Object.fromEntries(
    flags.map(({ key, filters }) => [key, { filters: { ...filters, groups: filters.groups.map(wider) } }]),
  );
}

/** The time of `plan` for the same project is subtracted: it is what comes before the first write. */
async function applyCreates() {
  const { folder } = makeProject({ flags: 1000, files: 20 });
  const values = await repeat(3, async () => {
    const service = await startService({ latencyMs: 50 });
    const plan = await time([command, 'plan', '--quiet'], { cwd: folder, env: service.env });
    const run = await time([command, 'apply', '--yes', '--quiet', '--concurrency', '10'], {
      cwd: folder,
      env: service.env,
    });
    service.stop();
    return (run.ms - plan.ms) / ((1000 * 50) / 10);
  });
  rmSync(folder, { recursive: true });
  return [
    { figure: 'time / (1,000 x 50 ms / 10), without the time of plan', values, unit: 'x', reach: { atMost: 1.15 } },
  ];
}

async function applyAtRate() {
  const pace = await bundleParts(['posthog/client/pace.ts']);
  const values = await repeat(2, async () => {
    const service = await startService({ rateLimit: { requests: 480, windowMs: 10_000 } });
    const { out } = await time([join(root, 'bench/apply-at-rate.mjs'), '480', '6', pace.file], { env: service.env });
    service.stop();
    return JSON.parse(out);
  });
  rmSync(pace.folder, { recursive: true });
  return [
    {
      figure: 'least time / time',
      values: values.map(({ leastMs, ms }) => (100 * leastMs) / ms),
      unit: '%',
      reach: { atLeast: 95 },
    },
    { figure: 'failed', values: values.map(({ failed }) => failed), unit: '', reach: { atMost: 0, atLeast: 0 } },
    {
      figure: 'ms paused by 429',
      values: values.map(({ pausedMs }) => pausedMs),
      unit: '',
      reach: { atMost: 0, atLeast: 0 },
    },
  ];
}

const REQUESTS = 50;
const VALUES = { method: 'POST', body: JSON.stringify({ token: 'phx_bench', distinct_id: 'ada' }) };

/** The CPU time of the service for one request. */
async function answering(path, reach, request = {}) {
  const { folder, seed } = makeProject({ flags: 1000, files: 1 });
  rmSync(folder, { recursive: true });
  const service = await startService({ seed });
  const headers = { authorization: 'Bearer phx_bench', 'content-type': 'application/json' };
  const values = await repeat(RUNS, async () => {
    const { cpuMs: before } = await service.counts();
    for (let index = 0; index < REQUESTS; index += 1) {
      const response = await fetch(`${service.url}${path}`, { headers, ...request });
      if (!response.ok) throw new Error(`${path} answered ${response.status}`);
      await response.text();
    }
    return ((await service.counts()).cpuMs - before) / REQUESTS;
  });
  service.stop();
  return [{ figure: 'CPU', values, unit: 'ms', reach }];
}

/** An edit reads the text before and after, the first time with the tokens of its syntax. */
async function editsBesideParsing() {
  const { folder } = makeProject({ flags: 10_000, files: 1 });
  const editor = await bundleParts(['base/yaml/editing/edit.ts']);
  const run = (...task) =>
    time([join(root, 'bench/edit-file.mjs'), join(folder, 'flags/team0.yaml'), editor.file, ...task]);
  const values = await ratios(
    RUNS,
    () => run('edit'),
    () => run(),
  );
  for (const made of [folder, editor.folder]) rmSync(made, { recursive: true });
  return besides(values, { wall: { atMost: 2.8 }, cpu: { atMost: 2.8 } });
}

/** Modules of `src` that the library does not export, as one module in a folder of its own. */
async function bundleParts(parts) {
  const folder = mkdtempSync(join(tmpdir(), 'flagwright-parts-'));
  const file = join(folder, 'parts.mjs');
  await build({
    stdin: { contents: parts.map((part) => `export * from './${part}';`).join('\n'), resolveDir: join(root, 'src') },
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return { folder, file };
}

const bareNode = () => time(['-e', '0']);

async function startOfVersion() {
  const values = await ratios(15, () => time([command, '--version']), bareNode);
  return besides(values, { wall: { atMost: 1.4 }, cpu: { atMost: 1.3 } });
}

async function startOfHelp() {
  return besides(await ratios(15, () => time([command, '--help']), bareNode), { wall: {}, cpu: { atMost: 1.5 } });
}

async function startOfValidate(env, cpu) {
  const { folder } = makeProject({ flags: 1, files: 1 });
  writeFileSync(
    join(folder, 'flagwright.yaml'),
    'projects: { local: { service: embedded } }\ndefault_project: local\n',
  );
  const values = await ratios(15, () => time([command, 'validate'], { cwd: folder, env }), bareNode);
  rmSync(folder, { recursive: true });
  return besides(values, { wall: {}, cpu });
}

async function startOfPlan(env, cpu) {
  return withProject({ flags: 3, files: 1 }, {}, async (_, service, folder) => {
    const plan = () => time([command, 'plan'], { cwd: folder, env: { ...service.env, ...env } });
    return besides(await ratios(15, plan, bareNode), { wall: {}, cpu });
  });
}

/** Runs `measure` with a function that plans a project against a service that is in sync with it. */
async function withProject(size, serviceOptions, measure) {
  const { folder, seed } = makeProject(size);
  const service = await startService({ seed, ...serviceOptions });
  const plan = () => timeAndMemory([command, 'plan', '--detailed-exitcode'], { cwd: folder, env: service.env });
  try {
    return await measure(plan, service, folder);
  } finally {
    service.stop();
    rmSync(folder, { recursive: true });
  }
}

function wallAndCpu(runs, reach, reachOfCpu = {}) {
  return [
    { figure: 'time', values: runs.map(({ ms }) => ms / 1000), unit: 's', reach },
    { figure: 'CPU', values: runs.map(({ cpuMs }) => cpuMs / 1000), unit: 's', reach: reachOfCpu },
  ];
}

function besides({ wall, cpu }, reach) {
  return [
    { figure: 'time', values: wall, unit: 'x', reach: reach.wall },
    { figure: 'CPU', values: cpu, unit: 'x', reach: reach.cpu },
  ];
}

/**
 * Random histories over up to six projects: manifests change, people edit, services fail, and runs are interrupted or killed. After each run,
 * what the report says of a project is true, nothing was written before what it comes after was in sync, and the exit code is true.
 */

import { createServer } from 'node:http';
import { stdout as output } from 'node:process';
import type { AddressInfo } from 'node:net';
import { text as bodyOf } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { startCli } from '../helpers/cli.ts';
import { forward } from '../helpers/gate.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { runs } from '../helpers/runs.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { turns } from '../helpers/timers.ts';
import { startWorld, type World } from '../helpers/world.ts';

const FLAGS = ['a', 'b', 'c'];

type Mode =
  /** Passes everything on. */
  | 'fine'
  /** The service does not take the key. */
  | 'key'
  /** It refuses every write. */
  | 'forbids'
  /** It refuses the second write of the run. */
  | 'forbids_second'
  /** It makes the first write, and the answer is lost. */
  | 'loses'
  /** It limits the first requests of the run. */
  | 'limits';

interface RunStep {
  readonly kind: 'run';
  readonly does: 'apply' | 'saved' | 'plan';
  /** What people edit between a saved plan and its apply. */
  readonly edited: readonly Extract<Step, { readonly kind: 'people' }>[];
  readonly modes: readonly Mode[];
  /** At which request of the run it is interrupted or killed. */
  readonly cut: { readonly by: 'nothing' | 'interrupt' | 'kill'; readonly at: number };
}

type Step =
  | { readonly kind: 'git'; readonly flag: number; readonly share: number; readonly only?: number }
  | { readonly kind: 'people'; readonly flag: number; readonly share: number; readonly project: number }
  | RunStep;

const project = fc.nat({ max: 5 });
const share = fc.nat({ max: 100 });
const flag = fc.nat({ max: FLAGS.length - 1 });
const mode = fc.constantFrom<Mode>(
  'fine',
  'fine',
  'fine',
  'fine',
  'key',
  'forbids',
  'forbids_second',
  'loses',
  'limits',
);
const people = fc.record({ kind: fc.constant('people' as const), flag, share, project });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('git' as const), flag, share }),
  fc.record({ kind: fc.constant('git' as const), flag, share, only: project }),
  people,
  ...[1, 2].map(() =>
    fc.record({
      kind: fc.constant('run' as const),
      does: fc.constantFrom('apply' as const, 'apply' as const, 'saved' as const, 'plan' as const),
      edited: fc.array(people, { maxLength: 2 }),
      modes: fc.array(mode, { minLength: 6, maxLength: 6 }),
      cut: fc.record({
        by: fc.constantFrom('nothing', 'nothing', 'nothing', 'interrupt', 'interrupt', 'kill'),
        at: fc.integer({ min: 1, max: 30 }),
      }),
    }),
  ),
);
/** Of each project, those before it that it comes after. */
const order = fc.array(fc.array(project, { maxLength: 2 }), { minLength: 1, maxLength: 6 });

/** How often runs ended in each way, so that a law that tries nothing is seen. */
const tally = new Map<string, number>();
const tell = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);
afterAll(() => void output.write(`several projects: ${JSON.stringify(Object.fromEntries(tally))}\n`));

test('what runs over several projects say and do is true', { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(order, fc.array(step, { minLength: 2, maxLength: 8 }), async (after, steps) => {
      tell('histories');
      const history = await begin(after);
      try {
        for (const one of steps) await take(history, one);
        await heal(history);
      } finally {
        await Promise.all(history.projects.map(async (own) => own.close()));
      }
    }),
    { numRuns: runs(30) },
  );
});

interface Project {
  readonly name: string;
  readonly after: readonly string[];
  readonly world: World;
  readonly front: Front;
  readonly close: () => Promise<void>;
}

interface History {
  readonly workspace: Workspace;
  readonly projects: readonly Project[];
  readonly env: Readonly<Record<string, string>>;
  /** The shares that the manifests declare, by flag; `only`: those of one project. */
  readonly declared: Map<string, { share: number; readonly only: Map<string, number> }>;
}

async function begin(after: readonly (readonly number[])[]): Promise<History> {
  const projects = await Promise.all(
    after.map(async (earlier, index): Promise<Project> => {
      const world = await startWorld('posthog');
      const front = await startFront(world);
      const names = [...new Set(earlier.filter((one) => one < index))].map((one) => `p${one}`);
      const close = async (): Promise<void> => {
        await front.close();
        await world.close();
      };
      return { name: `p${index}`, after: names, world, front, close };
    }),
  );
  const lines = projects.map(({ name, after: names, front }) => {
    const order = names.length === 0 ? '' : `, after: [${names.join(', ')}]`;
    return `  ${name}: { host: "${front.url}", project_id: "1", api_key_env: KEY_${name.toUpperCase()}${order} }\n`;
  });
  const workspace = createWorkspace({
    'flagwright.yaml': `projects:\n${lines.join('')}limits: { updates_percent: 100 }\n`,
  });
  const env = Object.fromEntries(
    projects.map(({ name }) => [`KEY_${name.toUpperCase()}`, `phx_planted_key_of_${name}_0123`]),
  );
  const declared: History['declared'] = new Map(FLAGS.map((key) => [key, { share: 10, only: new Map() }]));
  const history = { workspace, projects, env, declared };
  write(history);
  return history;
}

function write({ workspace, declared }: History): void {
  const lines = [...declared].map(([key, { share: all, only }]) => {
    const overlays = [...only].map(([name, own]) => `${name}: { rollout_percentage: ${own} }`);
    const members = overlays.length === 0 ? '' : `, projects: { ${overlays.join(', ')} }`;
    return `  ${key}: { active: true, rollout_percentage: ${all}${members} }\n`;
  });
  workspace.write('flags/main.yaml', `flags:\n${lines.join('')}`);
}

async function take(history: History, one: Step): Promise<void> {
  const { projects, declared } = history;
  if (one.kind === 'run') return run(history, one);
  const key = FLAGS[one.flag] as string;
  if (one.kind === 'people') {
    const { world } = projects[one.project % projects.length] as Project;
    const isThere = (await world.client.listFlags()).some((found) => found.key === key);
    const filters = { groups: [{ properties: [], rollout_percentage: one.share }] };
    if (isThere) await world.edit(key, { filters });
    return;
  }
  const known = declared.get(key) as { share: number; readonly only: Map<string, number> };
  if (one.only === undefined) known.share = one.share;
  else known.only.set((projects[one.only % projects.length] as Project).name, one.share);
  write(history);
}

async function isInSync({ declared }: Pick<History, 'declared'>, { name, world }: Project): Promise<boolean> {
  const live = new Map((await world.client.listFlags()).map((one) => [one.key, one]));
  return [...declared].every(([key, { share: all, only }]) => {
    const groups = live.get(key)?.filters?.groups ?? [];
    return groups.length === 1 && groups[0]?.rollout_percentage === (only.get(name) ?? all);
  });
}

interface Document {
  readonly error?: object;
  readonly projects?: Readonly<Record<string, { readonly state: string; readonly exit?: number }>>;
}

const DONE = ['applied', 'in_sync'];

async function run(history: History, { does, edited, modes, cut }: RunStep): Promise<void> {
  const { projects } = history;
  if (does === 'saved' && (await command(history, ['plan', '--all-projects', '--out', 'plans.json'])).code !== 0)
    return;
  if (does === 'saved') for (const one of edited) await take(history, one);
  const disorder: string[] = [];
  let requests = 0;
  let onCut = (): void => undefined;
  for (const [index, own] of projects.entries()) {
    const earlier = projects.filter(({ name }) => own.after.includes(name));
    own.front.start({
      mode: modes[index] ?? 'fine',
      onRequest: () => {
        requests += 1;
        if (requests === cut.at) onCut();
      },
      beforeWrite: async () => {
        for (const one of earlier)
          if (!(await isInSync(history, one))) disorder.push(`${own.name} was written before ${one.name} was in sync`);
      },
    });
  }
  const what =
    does === 'saved' ? ['apply', 'plans.json'] : [does, '--all-projects', ...(does === 'apply' ? ['--yes'] : [])];
  const argv = [...what, '-f', 'json', '--concurrency', '2'];
  const listen = (cutOff: () => void): void => void (onCut = cutOff);
  const ran =
    cut.by === 'kill'
      ? await killed(history, argv, listen)
      : await command(history, argv, cut.by === 'interrupt' ? listen : undefined);
  // What a killed run sent may still be on its way, and is none of the next run's.
  if (ran === undefined) await turns(50);
  for (const { front } of projects) await front.idle();
  const wrote = projects.map(({ front }) => front.stop());
  expect(disorder).toEqual([]);
  tell(`${does} ${ran?.code ?? 'killed'}`);
  if (ran === undefined) return;
  await expectTruth(history, { does, isEdited: does === 'saved' && edited.length > 0, ran, wrote });
}

async function expectTruth(
  history: History,
  {
    does,
    isEdited,
    ran,
    wrote,
  }: {
    readonly does: RunStep['does'];
    readonly isEdited: boolean;
    readonly ran: Ran;
    readonly wrote: readonly number[];
  },
): Promise<void> {
  const { projects } = history;
  const document = ran.document() as Document;
  const synced = await Promise.all(projects.map(async (own) => isInSync(history, own)));
  const context = `${does}, exit code ${ran.code}, wrote ${wrote.join()}, in sync ${synced.join()}, ${ran.stdout.slice(0, 3000)} ${ran.stderr}`;
  const anyWritten = wrote.some((amount) => amount > 0);
  if (does === 'plan') expect(anyWritten, context).toBe(false);
  if (document.projects === undefined) {
    expect([anyWritten, ran.code !== 0], context).toEqual([false, true]);
    return;
  }
  for (const [index, { name }] of projects.entries()) {
    const member = document.projects[name];
    if (member === undefined) continue;
    const { state } = member;
    tell(`state ${state}`);
    // An apply of a saved plan tells what it wrote: of what people edited elsewhere since, only the projects after it hear.
    const isWhole = state === 'in_sync' || (state === 'applied' && !isEdited);
    if (isWhole) expect(synced[index], `${name} is ${state}: ${context}`).toBe(true);
    if (state === 'to_apply') expect(synced[index], `${name} is ${state}: ${context}`).toBe(false);
    if (['held', 'refused', 'failed', 'in_sync'].includes(state))
      expect([name, state === 'failed' && member.exit === 3 ? 0 : wrote[index]], context).toEqual([name, 0]);
  }
  const states = Object.values(document.projects).map(({ state }) => state);
  if (does === 'plan') return;
  const isDone = states.every((state) => DONE.includes(state));
  expect(ran.code === 0, context).toBe(isDone);
  if (ran.code !== 0 && ran.code !== 3) expect(anyWritten, context).toBe(false);
  if (anyWritten && !isDone) expect(ran.code, context).toBe(3);
}

async function command(
  { workspace, env }: History,
  argv: readonly string[],
  listen?: (cutOff: () => void) => void,
): Promise<Ran> {
  return runCli(argv, { cwd: workspace.root, env, onStart: (interrupt) => listen?.(interrupt) });
}

/** `undefined` if the run was killed before its end. */
async function killed(
  { workspace, env }: History,
  argv: readonly string[],
  listen: (cutOff: () => void) => void,
): Promise<Ran | undefined> {
  const { child, ended } = startCli(argv, { cwd: workspace.root, env });
  listen(() => void child.kill('SIGKILL'));
  const { code, stdout, stderr } = await ended;
  return code === null
    ? undefined
    : { code, stdout, stderr, document: () => JSON.parse(stdout) as Record<string, unknown> };
}

/** Without faults, one run makes all that is left, and every run that was begun can be read. */
async function heal(history: History): Promise<void> {
  const { projects } = history;
  for (const { front } of projects) await front.idle();
  const ran = await command(history, ['apply', '--all-projects', '--yes', '-f', 'json']);
  expect([ran.code, ran.stderr, await Promise.all(projects.map(async (own) => isInSync(history, own)))]).toEqual([
    ...[0, expect.any(String)],
    projects.map(() => true),
  ]);
  expect((await command(history, ['history', '-f', 'json'])).code).toBe(0);
  const again = await command(history, ['plan', '--all-projects', '--detailed-exitcode']);
  expect([again.code, again.stderr]).toEqual([0, expect.any(String)]);
}

interface Front {
  readonly url: string;
  readonly start: (behaviour: Behaviour) => void;
  /** Ends the behaviour. Returns how many writes the service made. */
  readonly stop: () => number;
  readonly idle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Behaviour {
  readonly mode: Mode;
  readonly onRequest: () => void;
  readonly beforeWrite: () => Promise<void>;
}

/** A server in front of a service, which fails as told. */
async function startFront({ url }: World): Promise<Front> {
  let current: Behaviour | undefined;
  let [seen, writes, made] = [0, 0, 0];
  const passing = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { method = '', url: path = '', headers } = request;
      const body = await bodyOf(request);
      const mode = current?.mode ?? 'fine';
      current?.onRequest();
      seen += 1;
      const isWrite = method !== 'GET';
      if (isWrite) writes += 1;
      const refuse = (status: number, code: string): void => {
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
        response.end(JSON.stringify({ type: 'x', code, detail: 'x', attr: null }));
      };
      if (mode === 'key') return refuse(401, 'not_authenticated');
      if (mode === 'limits' && seen <= 2) return refuse(429, 'throttled');
      if (isWrite && (mode === 'forbids' || (mode === 'forbids_second' && writes === 2)))
        return refuse(403, 'permission_denied');
      if (isWrite) await current?.beforeWrite();
      const reply = await forward(url, { method, url: path, headers, body });
      if (isWrite && (reply.status ?? 200) < 300) made += 1;
      if (mode === 'loses' && isWrite && writes === 1) return void response.destroy();
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' });
      response.end(reply.body);
    };
    const passage = answer().catch(() => void response.destroy());
    passing.add(passage);
    void passage.finally(() => passing.delete(passage));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    start: (behaviour) => {
      current = behaviour;
      [seen, writes, made] = [0, 0, 0];
    },
    stop: () => {
      current = undefined;
      return made;
    },
    idle: async () => void (await Promise.all(passing)),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A service whose page of cohorts never comes whole: every command ends after its attempts, says so, and keeps what it has. */

import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { CatalogView } from '../../src/report/model/catalog.ts';
import { committing } from '../helpers/several-projects.ts';
import { forward } from '../helpers/gate.ts';
import { runCli, type Ran, type RunOptions } from '../helpers/run.ts';
import { holdTimers, turns } from '../helpers/timers.ts';
import { until } from '../helpers/until.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { openWorld, type World } from '../helpers/world.ts';
import { serve } from '../posthog/client/support/server.ts';

const cohort = (id: number, name: string): JsonObject => ({
  id,
  name,
  filters: {
    properties: { type: 'AND', values: [{ type: 'person', key: 'email', operator: 'icontains', value: name }] },
  },
});
const SEED: JsonValue = {
  // Two pages.
  cohorts: [cohort(7, 'beta'), ...Array.from({ length: 120 }, (_, index) => cohort(100 + index, `c${index}`))],
  flags: [
    {
      id: 1,
      key: 'checkout',
      active: true,
      filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 7 }], rollout_percentage: 25 }] },
    },
  ],
};
const MANIFEST = `flags:
  checkout:
    active: true
    filters: { groups: [{ properties: [{ type: cohort, key: id, value: beta }], rollout_percentage: 30 }] }
cohorts:
  beta:
    name: beta
    filters: { properties: { type: AND, values: [{ type: person, key: email, operator: icontains, value: beta }] } }
`;

const filesOf = (root: string): string[] => readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();

type Hang = (response: ServerResponse) => void;
const HANGS: Readonly<Record<string, Hang>> = {
  'no answer': () => undefined,
  'a body that never ends': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"count": 121, "results": [');
  },
};

interface Hung extends Workspace {
  readonly world: World;
  /** Lets the time of each attempt pass as soon as it hangs, until the run ends. */
  readonly run: (options: Partial<RunOptions>, ...argv: string[]) => Promise<Ran & { readonly attempts: number }>;
}

const ENV = { POSTHOG_API_KEY: 'phx_planted_key_0123456789' };

/** `calm`: another project, of another service. */
async function hungStage(hang: Hang, { page, calm = '' }: { page: RegExp; calm?: string }): Promise<Hung> {
  const world = await openWorld('posthog', SEED);
  let hanging = 0;
  const { host } = await serve(async (request, response) => {
    if (!page.test(request.url)) return forward(world.url, request);
    hanging += 1;
    hang(response);
    return undefined;
  });
  const workspace = createWorkspace({
    'flagwright.yaml': `projects:\n  main: { host: "${host}", project_id: "1" }\n${calm}`,
    'flags/main.yaml': MANIFEST,
  });
  return {
    ...workspace,
    world,
    run: async (options, ...argv) => {
      const timers = holdTimers();
      let ended = false;
      const running = runCli(argv, { cwd: workspace.root, env: ENV, ...options }).finally(() => (ended = true));
      for (let attempt = 1; !ended; attempt += 1) {
        await until(() => {
          // The pause before an attempt.
          timers.pass(20);
          if (!ended && hanging < attempt) throw new Error(`attempt ${attempt} of ${argv.join(' ')} has not hung`);
        });
        timers.pass(29_000);
        await turns();
        expect(ended || hanging === attempt).toBe(true);
        timers.pass(1000);
      }
      return { ...(await running), attempts: hanging };
    },
  };
}

const SAID =
  /error {2}No complete answer arrived from http:\S+ within 30 s \(GET \/api\/projects\/1\/cohorts\/, 5 requests\)\.$/gm;

describe.each(Object.entries(HANGS))('%s', (_, hang) => {
  test.each([
    ['plan', /\/cohorts\/\?/],
    ['plan', /\/cohorts\/.*offset=/],
    ['drift', /\/cohorts\/\?/],
    ['catalog', /\/cohorts\/\?/],
    ['export', /\/cohorts\/.*offset=/],
    ['apply --yes', /\/cohorts\/\?/],
  ])('ends %s after five attempts on %s, and nothing is written', async (command, page) => {
    const { run, root, world } = await hungStage(hang, { page });
    const before = filesOf(root);
    const ran = await run({}, ...command.split(' '));
    expect([ran.code, ran.stdout, ran.attempts]).toEqual([1, '', 5]);
    expect(ran.stderr.match(SAID)).toHaveLength(1);
    expect(filesOf(root)).toEqual(before);
    expect((await world.client.listFlags())[0]).toMatchObject({ version: 1 });
  });

  test('is a gap of the catalog, which has the other project', async () => {
    const { url } = await openWorld('posthog', SEED);
    const { run } = await hungStage(hang, {
      page: /\/cohorts\/\?/,
      calm: `  calm: { host: "${url}", project_id: "1" }\n`,
    });
    let shown = '';
    const terminal = { answer: { line: undefined }, onStderr: (text: string) => void (shown = text) };
    const ran = await run({ ...terminal, env: { ...ENV, TERM: 'xterm' } }, 'catalog', '-f', 'json');
    const { projects, flags } = ran.document() as unknown as CatalogView;
    expect([ran.code, projects.map(({ source }) => source)]).toEqual([1, ['unread', 'live']]);
    expect(projects[0]?.reason).toContain('No complete answer arrived');
    expect(flags[0]?.states.map(({ word }) => word)).toEqual(['unknown', 'some']);
    expect(shown).toContain('catalog · 1 of 2 projects done · main: reading');
  });

  test('is a gap of the catalog past the deadline, after which its page is made', async () => {
    const timers = holdTimers();
    const { url } = await openWorld('posthog', SEED);
    const stage = await hungStage(hang, {
      page: /\/cohorts\/\?/,
      calm: `  calm: { host: "${url}", project_id: "1" }\n`,
    });
    const { env } = committing(stage);
    let shown = '';
    const terminal = { answer: { line: undefined }, onStderr: (text: string) => void (shown = text) };
    const running = runCli(['catalog', '-f', 'json', '--deadline', '20s'], {
      ...terminal,
      cwd: stage.root,
      env: { ...ENV, ...env, TERM: 'xterm' },
    });
    await until(() => {
      timers.pass(1);
      expect(shown).toContain('catalog · 1 of 2 projects done · main: reading');
    });
    timers.pass(20_000);
    const ran = await running;
    const { projects, flags } = ran.document() as unknown as CatalogView;
    expect([ran.code, projects.map(({ source }) => source)]).toEqual([1, ['unread', 'live']]);
    expect(projects[0]?.reason).toContain('The deadline has passed while waiting for');
    expect(flags[0]?.states.map(({ word }) => word)).toEqual(['unknown', 'some']);
    // git and code are looked up after it.
    expect(flags[0]).toMatchObject({ changed: { by: 'Ana', source: 'git' } });
    expect(ran.stderr).toContain('Allow more time with --deadline.');
  });

  test('does not hold up off, which reads no cohorts', async () => {
    const { run, world } = await hungStage(hang, { page: /\/cohorts\/\?/ });
    expect(await run({}, 'off', 'checkout', '--yes')).toMatchObject({ code: 0, attempts: 0 });
    expect((await world.client.listFlags())[0]).toMatchObject({ active: false });
  });
});

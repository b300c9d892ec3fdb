/** Changes that need an approval in the service: the command over HTTP, against the gate of the embedded service. */

// @module-tag untimely
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { cli, type CliResult } from '../helpers/cli.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';

const ANN = 'phx_ann_approves';
const OWN = 'phx_the_pipeline';

interface Staged {
  readonly write: (manifest: string) => void;
  readonly run: (...argv: string[]) => Promise<Ran>;
  /** The same with the built command in a process. */
  readonly runBuilt: (...argv: string[]) => Promise<CliResult>;
  /** The document of a run, checked against its schema. */
  readonly document: (...argv: string[]) => Promise<JsonObject>;
  /** A request beside the command, and the answer. */
  readonly ask: (method: string, path: string, body?: JsonValue, key?: string) => Promise<JsonObject>;
  /** The paths that the command asked for, without those of `ask`; empties the list. */
  readonly asked: () => string[];
  readonly page: (id: string) => string;
}

const policy = (action: string, more: JsonObject = {}): JsonObject => ({
  action_key: `feature_flag.${action}`,
  ...more,
});

async function stage(policies: readonly JsonObject[], flag: JsonObject = {}, faults?: JsonValue): Promise<Staged> {
  let paths: string[] = [];
  const seed: JsonValue = {
    flags: [{ id: 1, key: 'checkout', filters: { groups: [{ properties: [], rollout_percentage: 25 }] }, ...flag }],
    members: [{ email: 'ann@example.org', api_key: ANN }],
    approval_policies: [...policies],
  };
  const onRequest = ({ method, path }: { readonly method: string; readonly path: string }): void =>
    void paths.push(`${method} ${path.replace('/api/projects/1/', '')}`);
  const world = await openWorld('posthog', seed, { onRequest, ...(faults === undefined ? {} : { faults }) });
  const workspace = createWorkspace({ 'flags/main.yaml': '' });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: OWN };
  const run: Staged['run'] = async (...argv) => runCli(argv, { cwd: workspace.root, env });
  const ask: Staged['ask'] = async (method, path, body, key = OWN) => {
    const response = await fetch(`${world.url}/api/projects/1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    paths.pop();
    return (await response.json()) as JsonObject;
  };
  return {
    write: (manifest) => workspace.write('flags/main.yaml', manifest),
    run,
    runBuilt: async (...argv) => cli(argv, { cwd: workspace.root, env }),
    document: async (command = '', ...argv) => {
      const document = JSON.parse((await run(command, ...argv, '--format', 'json')).stdout) as JsonObject;
      expect(schemaErrors(command === 'apply' ? 'result' : 'plan', document)).toEqual([]);
      return document;
    },
    ask,
    asked: () => {
      const found = paths;
      paths = [];
      return found;
    },
    page: (id) => `${world.url}/project/1/approvals/${id}`,
  };
}

const at = (percent: number, more = 'active: true'): string =>
  `flags:\n  checkout: { rollout_percentage: ${percent}, ${more} }\n`;

async function requestsOf({ ask }: Staged, state = 'pending'): Promise<readonly { readonly id: string }[]> {
  return (await ask('GET', `change_requests/?state=${state}`))['results'] as unknown as readonly {
    readonly id: string;
  }[];
}

async function onlyRequest(staged: Staged): Promise<string> {
  const found = await requestsOf(staged);
  expect(found).toHaveLength(1);
  return found[0]?.id ?? '';
}

const decide = async ({ ask }: Staged, id: string, decision: string, key: string = ANN): Promise<JsonObject> =>
  ask('POST', `change_requests/${id}/${decision}/`, { reason: 'too fast' }, key);

test('apply asks once, plan and drift say that it waits, and an approval leaves nothing to plan', async () => {
  const staged = await stage([policy('update')]);
  staged.write(at(60));
  expect((await staged.run('plan')).stdout).not.toContain('change request');
  const first = await staged.runBuilt('apply', '--yes');
  const id = await onlyRequest(staged);
  expect(first.code).toBe(3);
  expect(first.stdout).toContain(`change request ${id} waits for approval`);
  expect(first.stdout).toContain(staged.page(id));

  const preview = (await staged.run('apply', '--yes')).stderr;
  expect(preview).toContain(`waits for approval: change request ${id}`);
  expect(preview).toContain(staged.page(id));

  expect(await staged.document('apply', '--yes')).toMatchObject({
    outcomes: { pending: 1, applied: 0 },
    changes: [
      { outcome: 'pending', change_request: { id, url: staged.page(id), was_open: true, asks: 'this_change' } },
    ],
  });
  expect(await onlyRequest(staged)).toBe(id);

  const said = `waits for approval: change request ${id} of embedded@example.org asks for this change`;
  for (const [command, code] of [
    ['plan', 0],
    ['drift', 2],
  ] as const) {
    const ran = await staged.runBuilt(command);
    expect(ran.code).toBe(code);
    expect(ran.stdout).toMatch(new RegExp(`\\n +${said}\\n +${staged.page(id)}\\n`));
    expect(ran.stdout).toContain('\n1 change waits for approval.\n');
    expect((await staged.document(command))['approvals']).toEqual([
      {
        ref: 'flag:checkout',
        key: 'checkout',
        change_request: { id, url: staged.page(id), action: 'feature_flag.update' },
        state: 'open',
        asks: 'this_change',
        by: 'embedded@example.org',
        text: said,
      },
    ]);
  }
  const { stdout: markdown } = await staged.run('plan', '--format', 'markdown');
  expect(markdown).toContain(`[\`checkout\`](${staged.page(id)}): waits for approval: change request`);
  expect(markdown).toContain('1 change waits for approval');

  expect(await decide(staged, id, 'approve')).toMatchObject({ status: 'applied' });
  expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
  expect(await staged.document('plan')).not.toHaveProperty('approvals');
});

test('a change of release conditions waits like one of percentages, and is recognised', async () => {
  const staged = await stage([policy('update', { conditions: { type: 'any_change', field: 'release_conditions' } })]);
  staged.write(`flags:
  checkout:
    active: true
    filters: { groups: [{ rollout_percentage: 25, properties: [{ key: country, type: person, value: [US], operator: exact }] }] }
`);
  expect((await staged.run('apply', '--yes')).code).toBe(3);
  const id = await onlyRequest(staged);
  expect((await staged.document('plan'))['approvals']).toMatchObject([{ change_request: { id }, asks: 'this_change' }]);
  const again = await staged.document('apply', '--yes');
  expect(again).toMatchObject({ changes: [{ outcome: 'pending', change_request: { id, was_open: true } }] });
  await decide(staged, id, 'approve');
  expect(await staged.document('plan')).toMatchObject({ changes: [] });
});

test('after a rejection plan says by whom and why, and apply asks again', async () => {
  const staged = await stage([policy('update')]);
  staged.write(at(60));
  await staged.run('apply', '--yes');
  const id = await onlyRequest(staged);
  await decide(staged, id, 'reject');
  expect((await staged.run('plan')).stdout).toContain(
    `change request ${id} asked for this change and was rejected by ann@example.org (too fast); apply asks again`,
  );
  expect((await staged.document('plan'))['approvals']).toMatchObject([
    { state: 'rejected', by: 'ann@example.org', reason: 'too fast' },
  ]);
  expect((await staged.run('apply', '--yes')).code).toBe(3);
  const again = await onlyRequest(staged);
  expect(again).not.toBe(id);
  expect((await staged.document('plan'))['approvals']).toMatchObject([
    { state: 'open', change_request: { id: again } },
  ]);
  await decide(staged, again, 'cancel', OWN);
  expect((await staged.document('plan'))['approvals']).toMatchObject([
    { state: 'withdrawn', by: 'embedded@example.org' },
  ]);
  staged.write(at(70));
  expect(await staged.document('plan')).not.toHaveProperty('approvals');
});

test('a request of an earlier version is recognised as one that cannot be made', async () => {
  const staged = await stage([policy('update')]);
  staged.write(at(60));
  await staged.run('apply', '--yes');
  const id = await onlyRequest(staged);
  await staged.ask('PATCH', 'feature_flags/1/', { name: 'Edited meanwhile' });
  expect((await staged.run('plan')).stdout).toContain(
    `change request ${id} of embedded@example.org is open for an earlier version of the flag: have it rejected or withdrawn`,
  );
  expect((await staged.document('apply', '--yes'))['changes']).toMatchObject([
    { outcome: 'pending', change_request: { id, asks: 'outdated_version' } },
  ]);
  expect(await decide(staged, id, 'approve')).toMatchObject({ status: 'failed' });
  expect((await staged.document('plan'))['approvals']).toMatchObject([{ state: 'failed' }]);
  await staged.run('apply', '--yes');
  expect(await decide(staged, await onlyRequest(staged), 'approve')).toMatchObject({ status: 'applied' });
  expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('other values and an expired request are told apart', async () => {
  const staged = await stage([policy('update', { expires_after: 0 })]);
  staged.write(at(60));
  await staged.run('apply', '--yes');
  expect((await staged.document('plan'))['approvals']).toMatchObject([{ state: 'expired' }]);
  const other = await stage([policy('update')]);
  other.write(at(60));
  await other.run('apply', '--yes');
  other.write(at(50));
  expect((await other.document('plan'))['approvals']).toMatchObject([{ state: 'open', asks: 'other_values' }]);
  expect((await other.run('plan')).stdout).not.toContain('waits for approval');
});

test('a change of two gated actions is requested in parts, one after the other', async () => {
  const staged = await stage([policy('enable'), policy('update')], { active: false });
  staged.write(at(60));
  const first = await staged.document('apply', '--yes');
  expect(first['changes']).toMatchObject([
    { outcome: 'pending', parts: { written: [], waiting: ['filters'], unsent: ['active'] } },
  ]);
  const part = await onlyRequest(staged);
  expect((await staged.document('plan'))['approvals']).toMatchObject([{ state: 'open', asks: 'part_of_this_change' }]);
  await decide(staged, part, 'approve');
  await staged.run('apply', '--yes');
  const rest = await onlyRequest(staged);
  expect((await staged.document('plan'))['approvals']).toMatchObject([
    { asks: 'this_change', change_request: { id: rest, action: 'feature_flag.enable' } },
  ]);
  await decide(staged, rest, 'approve');
  expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('of a change in parts of which the conditions of a policy cover one, the other is written', async () => {
  const over = { conditions: { type: 'before_after', field: 'rollout_percentage', operator: '>', value: 80 } };
  const staged = await stage([policy('enable'), policy('update', over)], { active: false });
  staged.write(at(60));
  expect((await staged.document('apply', '--yes'))['changes']).toMatchObject([
    { outcome: 'pending', parts: { written: ['filters'], waiting: ['active'], unsent: [] } },
  ]);
  await decide(staged, await onlyRequest(staged), 'approve');
  expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('a new flag waits, and another one waits until it is decided', async () => {
  const staged = await stage([policy('enable')]);
  const one = 'flags:\n  checkout: { rollout_percentage: 25 }\n  new: { active: true, rollout_percentage: 5 }\n';
  staged.write(one);
  expect((await staged.run('apply', '--yes')).code).toBe(3);
  expect((await staged.document('plan'))['approvals']).toMatchObject([{ key: 'new', asks: 'this_change' }]);
  staged.write(`${one}  later: { active: true, rollout_percentage: 5 }\n`);
  const { stdout } = await staged.run('plan');
  expect(stdout).toContain('is open for the creation of new: the service takes one creation at a time');
  expect((await staged.document('plan'))['approvals']).toMatchObject([
    { key: 'later', asks: 'other_resource', for: 'new' },
    { key: 'new', asks: 'this_change' },
  ]);
  await decide(staged, await onlyRequest(staged), 'approve');
  expect((await staged.document('plan'))['summary']).toMatchObject({ create: 1 });
});

test('an undo of a gated change asks too, and is applied by the approval', async () => {
  const gated = { conditions: { type: 'change_amount', field: 'rollout_percentage', operator: '<', value: 0 } };
  const staged = await stage([policy('update', gated)]);
  staged.write(at(60));
  expect((await staged.run('apply', '--yes')).code).toBe(0);
  const undone = await staged.run('undo', '--yes');
  expect(undone.code).toBe(3);
  const id = await onlyRequest(staged);
  expect(undone.stdout).toContain(`change request ${id} waits for approval`);
  await decide(staged, id, 'approve');
  staged.write(at(25));
  expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('an undo names the requests of the run that it does not withdraw, also in a saved plan', async () => {
  const staged = await stage([policy('update')]);
  const both =
    'flags:\n  checkout: { rollout_percentage: 60 }\n  new: { active: false, tags: [a], filters: { groups: [] } }\n';
  staged.write(both);
  expect((await staged.document('apply', '--yes'))['outcomes']).toMatchObject({ applied: 1, pending: 1 });
  const id = await onlyRequest(staged);
  const words = `checkout: change request ${id} was open when the run ended, and undo does not withdraw it`;
  for (const argv of [
    ['undo', '--out', 'undo.json'],
    ['undo', '--yes', '--quiet', '--allow-deletes', '1'],
  ]) {
    const { code, stderr } = await staged.run(...argv);
    expect({ code, isNamed: stderr.includes(words), hasPage: stderr.includes(staged.page(id)) }).toEqual({
      code: 0,
      isNamed: true,
      hasPage: true,
    });
  }
  expect(await onlyRequest(staged)).toBe(id);
});

test('plan, drift and apply ask for the requests once, a saved plan and one without changes do not', async () => {
  const staged = await stage([policy('update')]);
  const count = (): number => staged.asked().filter((line) => line === 'GET change_requests/').length;
  staged.write(at(60));
  for (const [command, expected] of [
    [['plan'], 1],
    [['drift'], 1],
    [['plan', '--out', 'plan.json'], 1],
    [['apply', 'plan.json'], 0],
    [['apply', '--yes'], 1],
  ] as const) {
    await staged.run(...command);
    expect(count(), command.join(' ')).toBe(expected);
  }
  staged.write(at(25));
  await staged.run('plan');
  expect(count()).toBe(0);
  expect(staged.asked()).toEqual([]);
});

test.each([402, 403, 404])('an answer %i changes nothing else', async (status) => {
  const faults = { faults: [{ match: { operation: 'listChangeRequests' }, count: 2, answer: { status } }] };
  const staged = await stage([policy('update')], {}, faults);
  staged.write(at(60));
  await staged.run('apply', '--yes');
  const ran = await staged.run('plan');
  expect(ran.code).toBe(0);
  expect(ran.stdout + ran.stderr).not.toMatch(/approval|change request/);
});

/** Two actions of a creation need approvals; the percentage only above 80, so the flag is created disabled. */
const GATED_CREATE = [
  policy('enable'),
  policy('update', { conditions: { type: 'before_after', field: 'rollout_percentage', operator: '>', value: 80 } }),
];
const NEW = 'flags:\n  checkout: { rollout_percentage: 25 }\n  new: { rollout_percentage: 60 }\n';

async function created(manifest: string = NEW): Promise<{ staged: Staged; id: string }> {
  const staged = await stage(GATED_CREATE);
  staged.write(manifest);
  expect((await staged.document('apply', '--yes'))['changes']).toMatchObject([
    { outcome: 'pending', parts: { waiting: ['active'], unsent: [], id: expect.any(Number) as number } },
  ]);
  return { staged, id: await onlyRequest(staged) };
}

const liveKeys = async ({ ask }: Staged): Promise<unknown[]> =>
  ((await ask('GET', 'feature_flags/'))['results'] as JsonObject[]).map(({ key }) => key);

test.each<[string, string]>([
  ['that no manifest decides', NEW],
  ['that others decide', NEW.replace('60 }', '60, active: true, ownership: { active: initial } }')],
])(
  'while the enabling of a new flag waits, and once it was rejected, a plan does not say in sync: active %s',
  async (_, manifest) => {
    const { staged, id } = await created(manifest);
    for (const command of ['plan', 'drift'] as const) {
      const { stdout } = await staged.run(command);
      expect(stdout).toContain(`new is disabled: change request ${id} of embedded@example.org asks to enable it`);
      expect(stdout).toContain(staged.page(id));
      expect(stdout).toContain('1 differs in ways that no plan can change');
      expect(stdout).not.toContain('In sync');
      expect((await staged.document(command))['warnings']).toMatchObject([
        { code: 'not_enabled', key: 'new', state: 'open' },
      ]);
    }
    await decide(staged, id, 'reject');
    const { stdout } = await staged.run('plan');
    expect(stdout).toContain(`change request ${id} asked to enable it, and was rejected by ann@example.org (too fast)`);
    expect(stdout).toContain('declare active: true to ask, or active: false to keep it disabled');
    expect(stdout).not.toContain('In sync');
    staged.write(NEW.replace('60 }', '60, active: false }'));
    expect((await staged.run('plan')).stdout).toContain('In sync');
    staged.write(NEW.replace('60 }', '60, active: true }'));
    expect((await staged.document('plan'))['approvals']).toMatchObject([{ key: 'new', state: 'rejected' }]);
  },
);

test('a plan beside a flag whose enabling waits is saved, applied, recorded and found again', async () => {
  const { staged } = await created();
  staged.write(NEW.replace('rollout_percentage: 25', 'rollout_percentage: 30'));
  expect(await staged.run('plan', '--out', 'saved.json')).toMatchObject({ code: 0 });
  expect(await staged.run('apply', 'saved.json')).toMatchObject({ code: 0 });
  // The journals say who turned the new flag off.
  expect(await staged.run('plan')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('new is disabled') as string,
  });
  expect(await staged.run('history')).toMatchObject({ code: 0, stderr: '' });
  expect((await staged.document('plan'))['changes']).toEqual([]);
});

test('once the enabling of a new flag is approved, the plan is in sync and says nothing of it', async () => {
  const { staged, id } = await created();
  await decide(staged, id, 'approve');
  expect((await staged.document('plan'))['warnings']).toEqual([]);
  expect((await staged.run('plan')).stdout).toContain('In sync');
});

test('a creation that was approved alone is disabled, which plans say', async () => {
  const staged = await stage([policy('enable'), policy('update')]);
  staged.write(NEW);
  const { stdout } = await staged.run('apply', '--yes');
  expect(stdout).toContain('the rest is not requested yet. That takes active: true in the manifests.');
  await decide(staged, await onlyRequest(staged), 'approve');
  expect((await staged.document('plan'))['warnings']).toMatchObject([{ code: 'not_enabled', state: 'not_requested' }]);
  expect((await staged.run('plan')).stdout).toContain('created it so, and nobody asked to enable it since');
});

test('undo removes a flag that was created in parts, whether its enabling waits, was rejected or approved', async () => {
  for (const decision of [undefined, 'reject', 'approve']) {
    const { staged, id } = await created();
    const { runs } = (await staged.run('history', '-f', 'json')).document() as { runs: { undoable: boolean }[] };
    expect(runs[0]?.undoable).toBe(true);
    if (decision !== undefined) await decide(staged, id, decision);
    const undone = await staged.run('undo', '-y');
    expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining('1 to delete') as string]);
    expect(await liveKeys(staged)).toEqual(['checkout']);
  }
});

test('undo reverts the written part of an update of which the other part waits', async () => {
  const over = { conditions: { type: 'before_after', field: 'rollout_percentage', operator: '>', value: 80 } };
  const staged = await stage([policy('enable'), policy('update', over)], { active: false });
  staged.write(at(60));
  expect((await staged.run('apply', '--yes')).code).toBe(3);
  expect((await staged.run('undo', '-y')).code).toBe(0);
  staged.write(at(25, 'active: false'));
  expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('a run whose new flag is disabled is not resumed as if it were enabled', async () => {
  const { staged, id } = await created();
  await decide(staged, id, 'reject');
  expect((await staged.document('apply', '--resume'))['outcomes']).toMatchObject({ applied: 0 });
});

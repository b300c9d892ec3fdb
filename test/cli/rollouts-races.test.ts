/** Two runs of the built command at once: one that was planned by a record which another run replaced makes no step. */

import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { fingerprintOf, PLAN_FORMAT_VERSION } from '../../src/core/engine/plan-document.ts';
import { parsePlan } from '../../src/core/engine/read-plan-document.ts';
import { startCli } from '../helpers/cli.ts';
import { startFront } from '../helpers/front.ts';
import { startGate } from '../helpers/gate.ts';
import { CONFIG, gitStage, onRepository, REF, type GitStage } from '../helpers/git-stage.ts';
import { cloneOf, createBare, GIT_ENV } from '../helpers/repository.ts';
import { KEY } from '../helpers/stage.ts';
import { hour as at, timedStage } from '../helpers/timed-stage.ts';

const hoursFromNow = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

const FLAGS = `flags:
  checkout:
    active: true
    rollout_percentage:
      steps:
        - { at: "${hoursFromNow(-9)}", to: 10 }
        - { at: "${hoursFromNow(-6)}", to: 50 }
        - { at: "${hoursFromNow(90)}", to: 100 }
  search: { active: false }
`.replaceAll(/\.\d+Z/g, 'Z');

interface Started {
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

function start({ root }: GitStage, ...argv: string[]): Started {
  const { child, ended } = startCli(argv, { cwd: root, env: { ...GIT_ENV, HOME: root, POSTHOG_API_KEY: KEY } });
  onTestFinished(() => void child.kill());
  return { ended };
}

/** Two clones that share the record. The second step is due: what was applied is recorded as of the first one. */
async function twoRunners(): Promise<{
  first: GitStage;
  second: GitStage;
  gate: Awaited<ReturnType<typeof startGate>>;
}> {
  const staged = await gitStage(`${CONFIG}base: { push: origin }\n`, { manifest: FLAGS });
  const gate = await startGate(staged.world.url);
  const bare = createBare();
  staged.git('remote', 'add', 'origin', `file://${bare.root}`);
  staged.commit({ 'flagwright.yaml': staged.read('flagwright.yaml').replace(staged.world.url, gate.host) });
  staged.git('push', '--quiet', 'origin', 'main');
  expect(await start(staged, 'apply', '--yes').ended).toMatchObject({ code: 0 });
  await staged.world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 10 }] } });
  const record = staged
    .git('cat-file', 'commit', REF)
    .replace(/"step":1,"at":"[^"]*"/, `"step":0,"at":"${hoursFromNow(-9)}"`);
  staged.write('record.json', `${record}\n`);
  staged.git('update-ref', REF, staged.git('hash-object', '-t', 'commit', '-w', '--no-filters', 'record.json'));
  staged.git('push', '--quiet', '--force', 'origin', REF);
  return { first: staged, second: onRepository(cloneOf(bare), staged), gate };
}

async function percentage({ world }: GitStage): Promise<unknown> {
  const flag = (await world.client.listFlags()).find(({ key }) => key === 'checkout');
  return flag?.filters?.groups?.[0]?.rollout_percentage;
}

test('a schedule that runs twice at once makes a step once, and the run that is later writes nothing', async () => {
  const { first, second, gate } = await twoRunners();
  let held = 0;
  // It has read the record, and asks for change requests before it writes.
  const hold = gate.hold(({ url }) => url.includes('change_requests') && (held += 1) === 1);
  const slow = start(first, 'apply', '--due');
  await hold.arrived(1);
  expect(await start(second, 'apply', '--due').ended).toMatchObject({ code: 0 });
  expect(await percentage(first)).toBe(50);
  const recorded = second.git('rev-parse', REF);
  hold.open();
  const { code, stderr } = await slow.ended;
  expect(code).toBe(5);
  expect(stderr).toContain('Another run has recorded what it applied to main since the plan was made');
  expect(first.git('ls-remote', 'origin', REF)).toContain(recorded);
  expect(await start(first, 'apply', '--due').ended).toMatchObject({ code: 0 });
  expect(first.git('ls-remote', 'origin', REF)).toContain(recorded);
});

test('a due run makes no step of a commit when a newer one was applied since it was planned', async () => {
  const { first, second, gate } = await twoRunners();
  let held = 0;
  const hold = gate.hold(({ url }) => url.includes('change_requests') && (held += 1) === 1);
  const slow = start(first, 'apply', '--due');
  await hold.arrived(1);
  // Stops the rollout where it is.
  second.commit({ 'flags/main.yaml': FLAGS.replace(/\n {6}steps:(?:\n {8}-.*)+/, ' 10') });
  expect(await start(second, 'apply', '--yes').ended).toMatchObject({ code: 0 });
  hold.open();
  expect(await slow.ended).toMatchObject({ code: 5 });
  expect(await percentage(first)).toBe(10);
  second.git('push', '--quiet', 'origin', 'main');
  first.git('pull', '--quiet', 'origin', 'main');
  expect(await start(first, 'apply', '--due').ended).toMatchObject({ code: 0 });
  expect(await percentage(first)).toBe(10);
});

const STEPPED = `flags:
  checkout:
    active: true
    rollout_percentage: { steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(2)}, to: 50 }, { at: ${at(5)}, to: 100 }] }
  search: { active: false }
`;

test('a saved plan makes no step once another commit was applied, although the flag is as it was', async () => {
  const { runAt, commit, percentages } = await timedStage(STEPPED);
  await runAt(1, 'apply', '--yes');
  await runAt(2, 'plan', '--out', 'plan.json');
  commit({ 'flags/main.yaml': STEPPED.replace('{ at: 2026-12-01T10', '{ at: 2026-12-01T12') });
  expect((await runAt(2.1, 'apply', '--yes')).code).toBe(0);
  expect(await runAt(2.2, 'apply', 'plan.json')).toMatchObject({ code: 5 });
  expect(await percentages()).toMatchObject({ checkout: 10 });
});

test('a plan with due steps that knows no record makes them only where still none is', async () => {
  const { runAt, root, git, read, write, percentages } = await timedStage(STEPPED);
  await runAt(1, 'apply', '--yes');
  await runAt(2, 'plan', '--out', 'plan.json');
  const { fingerprint: _, ...plan } = parsePlan(read('plan.json')).plan;
  const content = { ...plan, base: { kind: 'none', reason: { code: 'not_recorded' } } } as unknown as JsonObject;
  const document = { format_version: PLAN_FORMAT_VERSION, ...content, fingerprint: fingerprintOf(content) };
  write('plan.json', JSON.stringify(document));
  const refused = await runAt(2.1, 'apply', 'plan.json');
  expect(refused).toMatchObject({ code: 5 });
  expect(refused.stderr).toContain('Another run has recorded what it applied to main since the plan was made');
  expect(await percentages()).toMatchObject({ checkout: 10 });
  git('update-ref', '-d', REF);
  rmSync(path.join(root, '.flagwright'), { recursive: true });
  expect(await runAt(2.2, 'apply', 'plan.json')).toMatchObject({ code: 0 });
  expect(await percentages()).toMatchObject({ checkout: 50 });
});

test('a run that is resumed makes no step once another commit was applied', async () => {
  const front = await startFront();
  const { world, runAt, commit, percentages } = await timedStage(STEPPED, {
    config: CONFIG.replace('$HOST', front.url),
  });
  front.target = world.url;
  await runAt(1, 'apply', '--yes');
  front.refuses = (method) => (method === 'PATCH' ? 400 : undefined);
  expect((await runAt(2, 'apply', '--yes')).code).not.toBe(0);
  front.refuses = () => undefined;
  commit({ 'flags/main.yaml': STEPPED.replace('{ at: 2026-12-01T10', '{ at: 2026-12-01T12') });
  expect((await runAt(2.1, 'apply', '--yes')).code).toBe(0);
  expect(await runAt(2.2, 'apply', '--resume')).toMatchObject({ code: 5 });
  expect(await percentages()).toMatchObject({ checkout: 10 });
});

test('what is recorded of a rollout does not go back by a plan that was saved before a step', async () => {
  const { runAt, commit, git } = await timedStage(STEPPED);
  await runAt(1, 'apply', '--yes');
  commit({ 'flags/main.yaml': STEPPED.replace('search: { active: false }', 'search: { active: true }') });
  await runAt(1.5, 'plan', '--out', 'plan.json');
  await runAt(2, 'apply', '--due');
  expect((await runAt(2.2, 'apply', 'plan.json')).code).toBe(0);
  expect(git('log', '-1', '--format=%B', REF)).toContain('"step":1,"at":"2026-12-01T10:00:00.000Z"');
});

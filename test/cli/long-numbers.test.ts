/** Numbers that no double can hold, from a manifest to the service and back, on the command line. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { stage, type Stage } from '../helpers/stage.ts';

const LONG = '9007199254740993';
const DECIMAL = '0.12345678901234567890123';

const manifest = (rollout: number): string => `flags:
  limits:
    active: true
    filters:
      groups:
        - properties: [{ key: account, type: person, operator: exact, value: [${LONG}, x] }]
          rollout_percentage: ${rollout}
      payloads: { true: { account: ${LONG}, text: "${LONG}" } }
`;

/** The conditions and payloads of the flag as sent over HTTP. */
async function wire({ world }: Stage): Promise<string> {
  const answer = await fetch(`${world.url}/api/projects/1/feature_flags/`, {
    headers: { authorization: 'Bearer phx_test' },
  });
  const text = await answer.text();
  return text.slice(text.indexOf('"filters"'), text.indexOf('"deleted"')).replace(/"rollout_percentage":\d+/, '');
}

const EXPECTED = [`"value":[${LONG},"x"]`, `{\\"account\\": ${LONG}, \\"text\\": \\"${LONG}\\"}`];

async function expectExact(staged: Stage): Promise<void> {
  const text = await wire(staged);
  for (const part of EXPECTED) expect(text).toContain(part);
}

async function applied(rollout: number): Promise<Stage> {
  const staged = await stage(manifest(rollout));
  expect(await staged.run('apply', '-y')).toMatchObject({ code: 0 });
  await expectExact(staged);
  return staged;
}

test('are in sync once applied, and are shown exactly', async () => {
  const staged = await applied(10);
  expect((await staged.run('drift')).code).toBe(0);
  staged.workspace.write('flags/main.yaml', manifest(10).replace(`value: [${LONG}`, 'value: [9007199254740992'));
  const { stdout, code } = await staged.run('plan');
  expect(code).toBe(0);
  expect(stdout).toContain(LONG);
  expect(stdout).toContain('9007199254740992');
});

test('go through a saved plan, an undo and a resume', async () => {
  const staged = await applied(10);
  staged.workspace.write('flags/main.yaml', manifest(20));
  expect((await staged.run('plan', '--out', 'plan.json')).code).toBe(0);
  expect((await staged.run('apply', 'plan.json', '-y')).code).toBe(0);
  await expectExact(staged);
  expect((await staged.run('undo', '-y')).code).toBe(0);
  await expectExact(staged);

  // The journal of the undo without its outcomes, and the flag in its former state.
  const folder = path.join(staged.workspace.root, '.flagwright', 'journal');
  const newest = path.join(
    folder,
    readdirSync(folder)
      .filter((file) => file.endsWith('.jsonl'))
      .sort()
      .at(-1) ?? '',
  );
  writeFileSync(newest, `${readFileSync(newest, 'utf8').split('\n')[0]}\n`);
  expect((await staged.run('apply', '-y', '--no-journal')).code).toBe(0);
  expect((await staged.run('apply', '--resume', '-y')).code).toBe(0);
  await expectExact(staged);
  expect((await staged.run('drift')).code).toBe(2);
});

test('are exported exactly', async () => {
  const staged = await applied(10);
  rmSync(path.join(staged.workspace.root, 'flags/main.yaml'));
  expect((await staged.run('export', '--dir', 'flags')).code).toBe(0);
  expect(staged.workspace.read('flags/misc.yaml')).toContain(`value: [${LONG}, x]`);
  expect(await staged.run('validate')).toMatchObject({ code: 0 });
  expect((await staged.run('drift')).code).toBe(0);
});

test('appear in tables, CSV and JSON with all their digits', async () => {
  const staged = await applied(10);
  for (const format of ['json', 'jsonl', 'csv']) {
    expect((await staged.run('flags', 'list', '-f', format, '--columns', 'key,filters')).stdout).toContain(LONG);
  }
});

test('are left out of an export and named if YAML cannot express them', async () => {
  const staged = await applied(10);
  const body = `{"key":"precise","filters":{"groups":[{"properties":[{"key":"x","type":"person","operator":"exact","value":[${DECIMAL}]}]}]}}`;
  const created = await fetch(`${staged.world.url}/api/projects/1/feature_flags/`, {
    method: 'POST',
    headers: { authorization: 'Bearer phx_test', 'content-type': 'application/json' },
    body,
  });
  expect(created.status).toBe(201);
  const exported = await staged.run('export', '--dir', 'out');
  expect(exported.code).toBe(3);
  expect(exported.stderr).toContain('precise');
  expect(staged.workspace.read('out/misc.yaml')).not.toContain('precise');
  expect(readdirSync(path.join(staged.workspace.root, 'out'))).toEqual(['misc.yaml']);
});

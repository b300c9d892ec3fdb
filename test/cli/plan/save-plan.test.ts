import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { savePlan } from '../../../src/cli/plan/confirmation.ts';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';
import type { Judgement } from '../../../src/review/policy/finding.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const KEY = 'phx_planted_key_0123456789';
const finding = {
  ...{ rule: 'naming', level: 'error', resource: 'flag', key: 'a', ref: 'flag:a' },
  ...{ policy: { file: 'flagwright.yaml', line: 1, column: 1 }, facts: { what: 'own', message: 'No.' } },
};
const judgement = {
  source: { from: 'checkout', why: 'no_base' },
  findings: [finding],
  idle: [],
} as unknown as Judgement;

async function save(given: { name?: string; judgement?: Judgement } = {}): Promise<{
  readonly file: string;
  readonly document: () => Readonly<Record<string, unknown>>;
}> {
  const workspace = createWorkspace();
  const secrets = createSecrets();
  secrets.add(KEY);
  const { session } = watchSession({ context: { cwd: workspace.root, randomUuid: () => 'draft' } });
  session.places.root = workspace.root;
  const desired = desiredState(declared('a', { name: given.name ?? 'A' }));
  const plan = planFor(desired, liveState([liveFlag(1, 'a')]));
  const file = path.join(workspace.root, 'plan.json');
  const saving = savePlan(
    { ...session, secrets },
    { plan, ...(given.judgement === undefined ? {} : { judgement: given.judgement }) },
    'plan.json',
  );
  await saving.catch((error: unknown) => {
    expect(existsSync(file)).toBe(false);
    throw error;
  });
  return { file, document: () => JSON.parse(workspace.read('plan.json')) as Readonly<Record<string, unknown>> };
}

test('only its owner may read it, and without policies it has none', async () => {
  const { file, document } = await save();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(document()).toMatchObject({ changes: [{ key: 'a' }], broken_rules: [] });
  expect(document()).not.toHaveProperty('policy');
});

test('it has what the policies say, and the rules that it breaks', async () => {
  const { document } = await save({ judgement });
  expect(document()).toMatchObject({ policy: { findings: [{ rule: 'naming' }] }, broken_rules: [{ rule: 'naming' }] });
});

test('a plan with the key is not saved', async () => {
  await expect(save({ name: `x ${KEY}` })).rejects.toMatchObject({
    code: 'refused',
    message: 'The plan was not saved: it would contain the API key.',
    remedy: 'Find the key in descriptions and payloads of the manifests and of the live flags, and replace it.',
  });
});

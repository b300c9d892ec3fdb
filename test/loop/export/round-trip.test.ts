/** Exported files load and plan to no change. */

import { allowing } from '../../helpers/states.ts';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { JsonObject } from '../../../src/base/json.ts';
import { readManifests, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import { writeManifests } from '../../../src/loop/export/write-manifests.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';

const NAMES = { roles: { engineering: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11' }, cohorts: { 'beta-testers': 42 } };

/** The diagnostics and the changes of an export that is read back. */
async function roundTrip(flags: readonly Flag[]): Promise<Readonly<Record<keyof typeof CLEAN, unknown>>> {
  const root = await mkdtemp(join(tmpdir(), 'flagwright-export-'));
  const entry = { id: 1, role: { id: NAMES.roles.engineering, name: 'Engineering' } };
  const roleAccess = Object.fromEntries(flags.slice(0, 3).map((flag, index) => [flag.id, index === 0 ? [] : [entry]]));
  const { unchecked, notExported, ...exported } = writeManifests({ flags, roleAccess, names: NAMES });
  for (const { path, text } of exported.files) {
    await writeFile(join(root, path), text, { flag: 'wx' });
  }
  const { files, diagnostics } = await readManifests({ root, patterns: ['*.yaml'] });
  await rm(root, { recursive: true });
  const resolved = resolveManifests(files, { name: 'p', ...NAMES }, ['p']);
  const plan = buildPlan(
    resolved.desired,
    { flags, roleAccess },
    {
      project: { name: 'p', host: 'https://example.org', project_id: '1' },
      scope: { include: ['*'], exclude: [] },
      limits: { deletes: 0, deletes_percent: 0, updates_percent: 0 },
      protected: [],
      exceptions: allowing(),
      prune: true,
    },
  );
  // A live flag without conditions is exported without them, which is a warning.
  const found = [...diagnostics, ...resolved.diagnostics].filter(({ severity }) => severity === 'error');
  return { diagnostics: found, changes: plan.changes, unmanaged: plan.unmanaged, unchecked, notExported };
}

const CLEAN = { diagnostics: [], changes: [], unmanaged: [], unchecked: [], notExported: [] };

test.each(['flags-today.json', 'flags-2023.json'])('an export of %s plans no change', async (fixture) => {
  const text = readFileSync(new URL(`../../fixtures/${fixture}`, import.meta.url), 'utf8');
  expect(await roundTrip((JSON.parse(text) as { results: Flag[] }).results)).toEqual(CLEAN);
});

test('an export of hard cases plans no change', async () => {
  const payloads = [
    '{"<<": {"a": 1}}',
    '[12345678901234.5678]',
    '1e400',
    '"on"',
    'null',
    '-0',
    '{"__proto__": {"a": 1}, "constructor": 2}',
    '{"id": "1234567890123456"}',
    '"\\u001b[31m\\u202e"',
    '[]',
    '{}',
    '""',
    '"line\\nline"',
    '{"text": "one\\ntwo\\n"}',
    `[${'"long text",'.repeat(40)}1]`,
  ];
  const boolean = payloads.map((payload, index): JsonObject => ({
    key: `payload-${index}`,
    filters: { groups: [], payloads: { true: payload } },
  }));
  const rest: readonly JsonObject[] = [
    { key: 'yes', name: 'null' },
    { key: '007', name: '\u{202e}hidden\u{1b}[1m', tags: ['on', '1e3', 'B'] },
    { key: 'constructor', name: ' a \n b \n', active: false },
    {
      key: 'needs',
      filters: { groups: [{ properties: [{ key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true }] }] },
    },
    { key: 'archived', active: false, archived: true, evaluation_runtime: 'server', filters: { groups: [] } },
    {
      key: 'grouped',
      filters: {
        aggregation_group_type_index: 1,
        holdout: { id: 3 },
        early_exit: true,
        groups: [
          { aggregation_group_type_index: 1, properties: null, variant: 'on', rollout_percentage: null },
          { aggregation_group_type_index: 1, description: '', exposure_frozen: true, rollout_percentage: 33.3 },
        ],
        multivariate: {
          variants: [
            { key: 'on', name: null, rollout_percentage: 33.34 },
            { key: 'off', name: '', rollout_percentage: 66.66 },
          ],
        },
      },
    },
  ];
  const flags = [...boolean, ...rest].map((fields, index) => ({ id: index + 1, active: true, ...fields }) as Flag);
  expect(await roundTrip(flags)).toEqual(CLEAN);
});

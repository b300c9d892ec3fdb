/** After a full export, drift reports a change of every field that a manifest can manage; the others say what they omit. */

import { onTestFinished, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAG_FIELDS } from '../../../src/posthog/flag/model/fields.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { openWorld, startWorld } from '../../helpers/world.ts';

/** An edit of a flag that has the values of a new one. */
interface Edit {
  readonly set: JsonObject;
  /** What takes the edit back. */
  readonly unset: JsonObject;
}

const everybody = { groups: [{ properties: [], rollout_percentage: 100 }] };

const EDITS: Readonly<Record<'posthog' | 'documented', Readonly<Record<string, Edit>>>> = {
  posthog: {
    key: { set: { key: 'renamed' }, unset: { key: 'subject' } },
    name: { set: { name: 'x' }, unset: { name: '' } },
    active: { set: { active: false }, unset: { active: true } },
    filters: { set: { filters: { ...everybody, payloads: { true: '1' } } }, unset: { filters: { payloads: null } } },
    ensure_experience_continuity: {
      set: { ensure_experience_continuity: true },
      unset: { ensure_experience_continuity: false },
    },
    tags: { set: { tags: ['x'] }, unset: { tags: [] } },
    archived: { set: { archived: true, active: false }, unset: { archived: false, active: true } },
    bucketing_identifier: {
      set: { bucketing_identifier: 'device_id' },
      unset: { bucketing_identifier: 'distinct_id' },
    },
    evaluation_contexts: { set: { evaluation_contexts: ['web'] }, unset: { evaluation_contexts: [] } },
    evaluation_runtime: { set: { evaluation_runtime: 'server' }, unset: { evaluation_runtime: 'all' } },
    is_remote_configuration: { set: { is_remote_configuration: true }, unset: { is_remote_configuration: false } },
    has_encrypted_payloads: {
      set: {
        is_remote_configuration: true,
        has_encrypted_payloads: true,
        filters: { ...everybody, payloads: { true: '"secret"' } },
      },
      unset: { is_remote_configuration: false, has_encrypted_payloads: false, filters: { payloads: null } },
    },
    deleted: { set: { deleted: true }, unset: { deleted: false } },
  },
  documented: {
    rollback_conditions: { set: { rollback_conditions: [{ threshold: 5 }] }, unset: { rollback_conditions: [] } },
  },
};

/** Served by no profile, and by no release that is still in use beside the others. */
const SERVED_NOWHERE = ['evaluation_tags'];

test('every field that a manifest can manage has an edit, or export says that it is never declared', () => {
  const edited = Object.values(EDITS).flatMap((edits) => Object.keys(edits));
  const never = FLAG_FIELDS.flatMap((field) =>
    field.ownership === 'managed' &&
    field.write === undefined &&
    field.declaredBy === undefined &&
    field.api !== 'filters'
      ? [field.api]
      : [],
  );
  expect(never).toEqual(['performed_rollback', 'created_at']);
  const managed = FLAG_FIELDS.flatMap(({ api, ownership }) => (ownership === 'managed' ? [api] : []));
  expect([...edited, ...never, ...SERVED_NOWHERE].toSorted()).toEqual(managed.toSorted());
});

for (const profile of ['posthog', 'documented'] as const) {
  test(`drift reports each edit after a full export, and the others name what they omit (${profile})`, async () => {
    const world = await openWorld(profile);
    const { id } = await world.client.createFlag({ key: 'subject', name: '', filters: everybody });
    const whole = await exportTo(world.url, '--full');
    const others = await Promise.all([exportTo(world.url), exportTo(world.url, '--minimal')]);
    for (const [field, { set, unset }] of Object.entries(EDITS[profile])) {
      await world.client.updateFlag(id, set);
      expect([field, (await whole.drift()).code]).toEqual([field, 2]);
      for (const { exported, drift } of others) {
        const omitted = (exported.document()['unmanaged'] as { member: string }[]).map(({ member }) => member);
        const seen = (await drift()).code === 2;
        expect([field, seen || omitted.some((member) => OMITTED_AS[field] === member)]).toEqual([field, true]);
      }
      await world.client.updateFlag(id, unset);
      expect([field, (await whole.drift()).code]).toEqual([field, 0]);
    }
  });
}

/** The names in manifests of the fields that an export may omit. */
const OMITTED_AS: Readonly<Record<string, string>> = {
  name: 'description',
  ...Object.fromEntries(['ensure_experience_continuity', 'tags', 'rollback_conditions'].map((field) => [field, field])),
  ...Object.fromEntries(
    FLAG_FIELDS.flatMap((field) =>
      field.ownership === 'managed' && field.manifest === undefined && field.write !== undefined
        ? [[field.api, `fields.${field.api}`]]
        : [],
    ),
  ),
};

test('the notes say what drift does not report', async () => {
  const world = await openWorld('posthog');
  await world.client.createFlag({ key: 'subject', name: '', filters: everybody });
  const { exported } = await exportTo(world.url, '--minimal');
  expect(exported.stderr).toContain(
    'note  Not managed: description, ensure_experience_continuity, tags, fields.archived, fields.bucketing_identifier,',
  );
  expect(exported.stderr).toContain(
    'note  Not managed: role_access (1 flag). To manage it, export with --role-access, and --force over these files.\n',
  );
  const { exported: rich } = await exportTo(world.url, '--role-access');
  // A slow run also prints its progress.
  expect(rich.stderr.match(/^note .*$/gm)).toEqual([
    'note  Not managed: fields.archived, fields.bucketing_identifier, fields.evaluation_contexts, fields.evaluation_runtime, fields.has_encrypted_payloads, fields.is_remote_configuration (1 flag). These have defaults; --full declares them, so that drift reports edits.',
  ]);
  expect(rich.stderr).toContain('\nExported 1 flag to 1 file; 0 left out.\n');
  const { exported: full } = await exportTo(world.url, '--role-access', '--full');
  expect(full.stderr).not.toContain('note');
});

test.each([
  ['posthog', 'documented'],
  ['documented', 'posthog'],
] as const)('an export of a %s project converges in a %s one, which has other fields', async (from, to) => {
  const [source, target] = [await startWorld(from), await startWorld(to)];
  onTestFinished(async () => source.close());
  onTestFinished(async () => target.close());
  await source.client.createFlag({ key: 'subject', name: '', filters: everybody });
  const { cwd } = await exportTo(source.url);
  const env = { POSTHOG_HOST: target.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_test' };
  expect((await runCli(['apply', '--yes'], { cwd, env })).code).toBe(0);
  expect((await runCli(['plan', '--detailed-exitcode'], { cwd, env })).code).toBe(0);
});

interface ExportedTo {
  readonly cwd: string;
  readonly exported: Ran;
  readonly drift: () => Promise<Ran>;
}

async function exportTo(url: string, ...options: readonly string[]): Promise<ExportedTo> {
  const { root: cwd } = createWorkspace();
  const env = { POSTHOG_HOST: url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_test' };
  const exported = await runCli(['export', '-f', 'json', ...options], { cwd, env });
  expect(exported.code).toBe(0);
  return { cwd, exported, drift: async () => runCli(['drift'], { cwd, env }) };
}

/** The journal of a run from its first record to its last, and whatever a crash leaves of it. */

import { mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyPlan } from '../../../src/loop/apply/apply-plan.ts';
import { appliedChanges, mayBeUndone, selectionForUndo } from '../../../src/loop/journal/undo.ts';
import { isComplete, isWhole, readRun } from '../../../src/loop/journal/read.ts';
import { listRuns } from '../../../src/loop/journal/run-order.ts';
import { beginJournal, continueJournal, journalFile } from '../../../src/loop/journal/write.ts';
import type { Change, Plan } from '../../../src/posthog/plan.ts';
import { invertPlan, type Inversion } from '../../../src/posthog/planning/invert-plan.ts';
import { readLiveState } from '../../../src/posthog/reading/live-state.ts';
import { declared, desiredState, liveFlag, liveState, planFor, planOptions, retired } from '../../helpers/states.ts';
import { revokeRole, rolesOf } from '../../helpers/access.ts';
import { ROLE_IDS, startWorld, type World } from '../../helpers/world.ts';

let folder: string;
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'flagwright-journal-')), 'journal');
});
afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

let clock = 0;
const options = (): Parameters<typeof beginJournal>[1] => ({
  folder,
  now: () => new Date(Date.UTC(2026, 0, 1) + (clock += 1000)),
  random: () => 0.5,
});

const plan: Plan = planFor(
  desiredState(declared('a', { active: false }), declared('b', { name: 'B' })),
  liveState([liveFlag(1, 'a')]),
);
const [createB, updateA] = plan.changes as [Change, Change];

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

describe('the journal', () => {
  it('is whole from its plan to its last record, and not if either is missing or cut', async () => {
    const journal = await beginJournal(plan, options());
    await journal.sending(createB);
    journal.settled(createB, { outcome: 'applied', id: 9 });
    expect(await isWhole(folder, journal.run)).toBe(false);
    await journal.end({ applied: 1, failed: 0, skipped: 0, pending: 0, unknown: 0 });
    expect(await isWhole(folder, journal.run)).toBe(true);
    const text = await readFile(journal.file, 'utf8');
    for (const part of [text.slice(0, -3), text.slice(text.indexOf('\n') + 1), '']) {
      await writeFile(journal.file, part);
      expect(await isWhole(folder, journal.run)).toBe(false);
    }
    await rm(journal.file);
    await expect(isWhole(folder, journal.run)).rejects.toMatchObject({ code: 'file' });
  });

  it('records what is known of each change', async () => {
    const journal = await beginJournal(plan, options());
    await journal.sending(createB);
    journal.settled(createB, { outcome: 'applied', id: 9 });
    await journal.sending(updateA);
    await journal.end(undefined);
    const run = await readRun(folder, journal.run);
    expect(run.plan).toEqual(plan);
    expect([...run.applied]).toEqual([[createB.ref, { outcome: 'applied', id: 9 }]]);
    expect([...run.sent]).toEqual([updateA.ref]);
    expect(run.endedAt).toBeUndefined();
    expect(isComplete(run)).toBe(false);
  });

  it('is on disk before a request is sent', async () => {
    const journal = await beginJournal(plan, options());
    await journal.sending(createB);
    expect(await readFile(journal.file, 'utf8')).toContain(`"sending","ref":"${createB.ref}"`);
    await journal.end(undefined);
  });

  it('is readable by its owner only', async () => {
    const journal = await beginJournal(plan, options());
    await journal.end(undefined);
    expect((await stat(journal.file)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('keeps records of concurrent writers whole and in order', async () => {
    const journal = await beginJournal(plan, options());
    await Promise.all(Array.from({ length: 200 }, () => journal.sending(createB)));
    await journal.end({ applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 });
    const lines = (await readFile(journal.file, 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(202);
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect((await readRun(folder, journal.run)).endedAt).toBeDefined();
  });

  it('ignores a truncated record and continues after it', async () => {
    const journal = await beginJournal(plan, options());
    await journal.sending(createB);
    journal.settled(createB, { outcome: 'applied', id: 9 });
    await journal.end(undefined);
    await truncate(journal.file, (await stat(journal.file)).size - 7);
    expect([...(await readRun(folder, journal.run)).sent]).toEqual([createB.ref]);
    const again = await continueJournal(journal.run, options());
    again.settled(createB, { outcome: 'applied', id: 9 });
    await again.end(undefined);
    expect((await readRun(folder, journal.run)).applied.size).toBe(1);
    const broken = (await readFile(journal.file, 'utf8')).split('\n').filter((line) => line !== '' && !isJson(line));
    expect(broken).toHaveLength(1);
  });

  it('lists runs, newest first, and no other files', async () => {
    expect(await listRuns(folder)).toEqual([]);
    const first = await beginJournal(plan, options());
    const second = await beginJournal(plan, options());
    await writeFile(path.join(folder, 'notes.txt'), 'mine');
    expect(await listRuns(folder)).toEqual([second.run, first.run]);
    await first.end(undefined);
    await second.end(undefined);
  });

  it('refuses a journal whose plan was edited, and one that is a link', async () => {
    const journal = await beginJournal(plan, options());
    await journal.end(undefined);
    const text = await readFile(journal.file, 'utf8');
    await writeFile(journal.file, text.replace('"after":false', '"after":true '));
    await expect(readRun(folder, journal.run)).rejects.toThrow('edited or truncated');
    const linked = '20260101T000000000Z-beef';
    await symlink(journal.file, journalFile(folder, linked));
    await expect(readRun(folder, linked)).rejects.toThrow('cannot be read');
    await expect(continueJournal(linked, options())).rejects.toThrow('cannot be written');
  });

  it('does not send a write that cannot be recorded', async () => {
    const world = await startWorld('posthog');
    const made = await world.plan(desiredState(declared('x', { active: true })));
    const journal = await beginJournal(made, options());
    const broken = { ...journal, sending: () => Promise.reject(new Error('disk full')) };
    const result = await applyPlan(made, world.client, { concurrency: 1, recorder: broken });
    expect(result.changes.map((change) => change.result)).toEqual([
      { outcome: 'skipped', reason: { code: 'not_recorded' } },
    ]);
    expect((await world.live()).flags).toEqual([]);
    await journal.end(undefined);
    await world.close();
  });
});

describe.each(['documented', 'posthog'] as const)('resume and undo in profile %s', (profile) => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld(profile);
  });
  afterEach(() => world.close());

  const BEFORE = [
    declared('changed', { name: 'before', active: true, tags: [], filters: { groups: [{ rollout_percentage: 10 }] } }),
    declared('doomed', { name: 'to be deleted' }),
    declared('granted', { active: true }, { roles: ROLE_IDS.slice(0, 1) }),
  ];
  const AFTER = [
    declared('changed', {
      name: 'after',
      active: false,
      tags: ['x'],
      filters: { groups: [{ rollout_percentage: 90 }] },
    }),
    retired('doomed'),
    declared('granted', { active: true }, { roles: ROLE_IDS.slice(1, 3) }),
    declared('new', { name: 'new' }, { roles: ROLE_IDS.slice(0, 1) }),
  ];

  async function run(recorded: Plan): Promise<string> {
    const journal = await beginJournal(recorded, options());
    const result = await applyPlan(recorded, world.client, { concurrency: 4, recorder: journal });
    expect(result.outcomes.applied).toBe(recorded.changes.length);
    await journal.end(result.outcomes);
    return journal.run;
  }

  async function invert(name: string): Promise<Inversion> {
    const recorded = await readRun(folder, name);
    const live = await readLiveState(world.client, selectionForUndo(recorded));
    return invertPlan(appliedChanges(recorded, live), live, planOptions());
  }

  it('undoes every change, and undoes the undo', async () => {
    await world.apply(await world.plan(desiredState(...BEFORE)));
    const name = await run(await world.plan(desiredState(...AFTER)));
    const undo = await invert(name);
    expect(undo.refused).toEqual([]);
    expect(undo.plan.summary).toMatchObject({ update: 1, delete: 1, restore: 1, grant: 1, adjust: 0, revoke: 2 });
    const undone = await run(undo.plan);
    expect((await world.plan(desiredState(...BEFORE, retired('new')))).changes).toEqual([]);
    const redo = await invert(undone);
    expect(redo.refused).toEqual([]);
    await run(redo.plan);
    expect((await world.plan(desiredState(...AFTER))).changes).toEqual([]);
  });

  it('does not undo what was already in effect', async () => {
    await world.apply(await world.plan(desiredState(...BEFORE)));
    const made = await world.plan(desiredState(...AFTER));
    await world.edit('changed', {
      name: 'after',
      active: false,
      tags: ['x'],
      filters: { groups: [{ rollout_percentage: 90 }] },
    });
    const undo = await invert(await run(made));
    expect(undo.refused).toEqual([]);
    expect(undo.plan.changes.map((change) => change.key)).not.toContain('changed');
  });

  it('undoes a rename with its role access, and undoes the undo', async () => {
    const before = declared('old', { active: true }, { roles: ROLE_IDS.slice(0, 1) });
    const after = declared('new', { active: true }, { roles: ROLE_IDS.slice(1, 2), previousKeys: ['old'] });
    await world.apply(await world.plan(desiredState(before)));
    const undo = await invert(await run(await world.plan(desiredState(after))));
    expect(undo.refused).toEqual([]);
    expect(new Set(undo.plan.changes.map((change) => change.key))).toEqual(new Set(['old']));
    const redo = await invert(await run(undo.plan));
    expect((await world.plan(desiredState(before))).changes).toEqual([]);
    expect(redo.refused).toEqual([]);
    await run(redo.plan);
    expect((await world.plan(desiredState(after))).changes).toEqual([]);
  });

  it('does not revoke the access to a flag that it deletes', async () => {
    const made = await world.plan(desiredState(declared('granted', {}, { roles: ROLE_IDS.slice(0, 1) })));
    const { plan } = await invert(await run(made));
    expect(plan.changes.map((change) => change.action)).toEqual(['delete']);
    expect(plan.hazards).toEqual([]);
  });

  it('skips a run that changed nothing', async () => {
    const made = await world.plan(desiredState(...BEFORE));
    expect(mayBeUndone(await readRun(folder, await run(made)))).toBe(true);
    expect(mayBeUndone(await readRun(folder, await run(made)))).toBe(false);
  });

  if (profile === 'documented')
    it('does not revoke an entry that another user granted again', async () => {
      await world.apply(await world.plan(desiredState(declared('granted', { active: true }, { roles: [] }))));
      const name = await run(
        await world.plan(desiredState(declared('granted', { active: true }, { roles: ROLE_IDS.slice(0, 1) }))),
      );
      const id = (await world.live()).flags[0]?.id ?? 0;
      const [entry] = await world.client.listRoleAccess(id);
      await world.client.deleteRoleAccess(id, entry?.id ?? 0);
      await world.client.createRoleAccess(id, ROLE_IDS[0] ?? '');
      expect((await invert(name)).refused).toMatchObject([{ refusal: 'moved' }]);
    });

  it('restores the former value, not its canonical form', async () => {
    const filters = {
      groups: [{ properties: [], rollout_percentage: 10, sort_key: 'k' }],
      payloads: { true: '{"a":  1}' },
    };
    await world.apply(await world.plan(desiredState(declared('raw', { name: 'x', filters }))));
    const before = (await world.live()).flags[0]?.filters;
    const undo = await invert(await run(await world.plan(desiredState(declared('raw', { filters: { groups: [] } })))));
    await world.apply(undo.plan);
    expect((await world.live()).flags[0]?.filters).toMatchObject(before ?? {});
  });

  it('undoes many updates under the rules of the run itself', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `f${index}`);
    const others = Array.from({ length: 12 }, (_, index) => declared(`other${index}`, { name: 'x' }));
    await world.apply(await world.plan(desiredState(...keys.map((key) => declared(key, { name: 'a' })), ...others)));
    const made = await world.plan(desiredState(...keys.map((key) => declared(key, { name: 'b' })), ...others));
    expect(made.hazards).toEqual([]);
    expect((await invert(await run(made))).plan.hazards).toEqual([]);
  });

  it('refuses to undo what changed since, and names it', async () => {
    await world.apply(await world.plan(desiredState(...BEFORE)));
    const name = await run(await world.plan(desiredState(...AFTER)));
    await world.edit('changed', { name: 'another user' });
    const { plan: undo, refused } = await invert(name);
    expect(refused).toMatchObject([
      { key: 'changed', refusal: 'moved', moved: [{ path: '/name', before: 'after', after: 'another user' }] },
    ]);
    expect(undo.changes.map((change) => change.key)).not.toContain('changed');
  });

  it.each([0, 1, 2, 3, 5, 7])(
    'finishes a run that was cut off after %i outcomes, and repeats nothing',
    async (known) => {
      await world.apply(await world.plan(desiredState(...BEFORE)));
      const made = await world.plan(desiredState(...AFTER));
      const journal = await beginJournal(made, options());
      let settled = 0;
      const dying = {
        ...journal,
        // The machine crashes: later outcomes are not recorded, although their writes were sent.
        settled: (...record: Parameters<typeof journal.settled>) => {
          settled += 1;
          if (settled <= known) journal.settled(...record);
        },
      };
      await applyPlan(made, world.client, { concurrency: 1, recorder: dying });
      await journal.end(undefined);
      const activity = JSON.stringify(await world.client.projectFlagActivity({ limit: 100 }));

      const earlier = await readRun(folder, journal.run);
      const again = await continueJournal(journal.run, options());
      const result = await applyPlan(made, world.client, { concurrency: 4, recorder: again, earlier });
      await again.end(result.outcomes);
      expect(result).toMatchObject({ outcomes: { applied: made.changes.length }, remainder: [] });
      expect(JSON.stringify(await world.client.projectFlagActivity({ limit: 100 }))).toBe(activity);
      expect(isComplete(await readRun(folder, journal.run))).toBe(true);
      expect((await world.plan(desiredState(...AFTER))).changes).toEqual([]);
    },
  );

  it("does not blame the service for another user's edit of a value that the first run wrote", async () => {
    await world.apply(await world.plan(desiredState(...BEFORE)));
    const made = await world.plan(desiredState(...AFTER));
    const journal = await beginJournal(made, options());
    const first = await applyPlan(made, world.client, { concurrency: 1, recorder: journal });
    expect(first).toMatchObject({ outcomes: { applied: made.changes.length }, remainder: [] });
    await journal.end(undefined);
    await world.edit('changed', { name: 'theirs', tags: [] });
    await world.edit('new', { deleted: true });
    const id = (await world.live()).flags.find(({ key }) => key === 'granted')?.id ?? 0;
    for (const role of await rolesOf(world.client, id)) await revokeRole(world.client, id, role);

    const again = await continueJournal(journal.run, options());
    const earlier = await readRun(folder, journal.run);
    const { remainder } = await applyPlan(made, world.client, { concurrency: 4, recorder: again, earlier });
    await again.end(undefined);
    const access = profile === 'documented' ? 'role_access' : 'access';
    expect(new Set(remainder.map(({ key, path: at, reason }) => `${key} ${at.split('/')[1] ?? ''} ${reason}`))).toEqual(
      new Set([
        'changed name changed_afterwards',
        'changed tags changed_afterwards',
        'new  not_found',
        `granted ${access} changed_afterwards`,
        `new ${access} changed_afterwards`,
      ]),
    );
  });

  it('sends a write that was recorded as sent but never arrived', async () => {
    const made = await world.plan(desiredState(...BEFORE));
    const journal = await beginJournal(made, options());
    for (const change of made.changes) await journal.sending(change);
    await journal.end(undefined);
    const earlier = await readRun(folder, journal.run);
    const result = await applyPlan(made, world.client, { concurrency: 4, earlier });
    expect(result).toMatchObject({ outcomes: { applied: made.changes.length }, remainder: [] });
    expect((await world.plan(desiredState(...BEFORE))).changes).toEqual([]);
    expect(await readdir(folder)).toEqual(['.gitignore', expect.stringMatching(/\.jsonl$/)]);
  });
});

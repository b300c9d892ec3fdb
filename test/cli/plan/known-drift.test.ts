/** Which differences a run ignores: those that an option names, and those that a file knows, until it expires or the value moves on. */

import { randomUUID as randomUuid } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { readIgnoring, writeExceptions, type IgnoringOptions } from '../../../src/cli/plan/known-drift.ts';
import type { LoadedProject } from '../../../src/cli/project/load-project.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { kindFor } from '../../../src/posthog/kinds.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { liveFlag, planFor, planOptions } from '../../helpers/states.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-03-01T10:00:00Z');
const FILTERS = {
  properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] },
};
const DESIRED = desiredOf({
  flags: { a: { active: true, description: 'git' }, missing: {}, gone: { deleted: true } },
  cohorts: { beta: { name: 'Beta', description: 'git', filters: FILTERS } },
  early_access: { share: { flag: 'a', stage: 'beta', name: 'git' } },
});
const ALL = [
  'a /active',
  'a /name',
  'cohort:beta /description',
  'early_access:share /name',
  'early_access:share /stage',
  'gone',
  'missing',
];

function live(more: JsonObject = {}): LiveState {
  return {
    flags: [liveFlag(1, 'a', { active: false, name: 'by hand', ...more }), liveFlag(2, 'gone')],
    roleAccess: {},
    cohorts: [cohort(7, 'Beta', { description: 'by hand', filters: FILTERS })],
    early_access: [{ id: 1, feature_id: 'f', name: 'by hand', stage: 'draft', description: '', documentation_url: '' }],
  };
}

interface Run {
  readonly root?: string;
  readonly now?: number;
  readonly project?: string;
  readonly live?: LiveState;
  readonly approvers?: readonly string[];
}

/** The file that has the exceptions of a run. */
const FILE = 'exceptions.yaml';

const loadedOf = ({ root = '/nowhere', project = 'eu', approvers }: Run): LoadedProject =>
  ({
    project: { name: project },
    config: { root, exceptions: FILE, projects: { eu: {}, us: {} }, policies: { rules: [], approvers } },
  }) as unknown as LoadedProject;

const sessionOf = ({ root = '/', now = NOW }: Run): Session =>
  ({ context: { cwd: root, now: () => now, randomUuid } }) as unknown as Session;

/** The differences that count, and what the run says of the options. */
async function counted(
  options: IgnoringOptions,
  run: Run = {},
): Promise<{ parts: string[]; notes: readonly string[] }> {
  const ignoring = await readIgnoring(sessionOf(run), loadedOf(run), options);
  const { changes } = buildPlan(DESIRED, run.live ?? live(), {
    ...planOptions(),
    ...(ignoring && { leaving: [ignoring.leaving] }),
  });
  return { parts: partsOf(changes), notes: ignoring?.notes() ?? [] };
}

function partsOf(changes: Plan['changes']): string[] {
  return changes
    .flatMap((change) => {
      const name = kindFor(change).family === undefined || change.resource === 'flag' ? change.key : change.ref;
      const isWhole = change.action === 'create' || change.action === 'delete';
      return isWhole
        ? [name]
        : kindFor(change)
            .parts(change)
            .map(({ path }) => `${name} ${path}`);
    })
    .toSorted();
}

describe('--ignore', () => {
  test.each<[string, readonly string[]]>([
    ['a', ['a /active', 'a /name']],
    ['a:active', ['a /active']],
    ['a:/name', ['a /name']],
    ['?', ['a /active', 'a /name']],
    ['missing', ['missing']],
    ['gone', ['gone']],
    ['cohort:beta', ['cohort:beta /description']],
    ['cohort:*', ['cohort:beta /description']],
    ['cohort:beta:description', ['cohort:beta /description']],
    ['early_access:share', ['early_access:share /name', 'early_access:share /stage']],
    ['early_access:*:stage', ['early_access:share /stage']],
  ])('%s leaves out what it names, and nothing else', async (ignore, left) => {
    expect(await counted({ ignore: [ignore] })).toEqual({
      parts: ALL.filter((part) => !left.includes(part)),
      notes: [],
    });
  });

  test.each(['beta', 'share', 'cohort:a', 'early_access:a', 'a:tags'])(
    '%s matches nothing, and says so',
    async (ignore) => {
      const notes = [`--ignore ${ignore} matches no difference.`];
      expect(await counted({ ignore: [ignore] })).toEqual({ parts: ALL, notes });
    },
  );

  test.each([
    ['', /^--ignore {2}names no flag, cohort or early access feature\.$/],
    [':active', /^--ignore :active names no flag/],
    ['cohort:', /^--ignore cohort: names no flag/],
    ['early_access::stage', /^--ignore early_access::stage names no flag/],
    ['!a', /names no flag/],
    ['a:activ', /^A flag has no part "activ"/],
    ['cohort:beta:descripton', /^A cohort has no part "descripton"/],
    ['early_access:share:stages', /^An early access feature has no part "stages"/],
    ['a:', /empty/],
  ])('%j is refused', async (ignore, message) => {
    await expect(counted({ ignore: [ignore] })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message) as string,
    });
  });

  test('nothing without the option', async () => {
    expect(await counted({})).toEqual({ parts: ALL, notes: [] });
    expect(await readIgnoring(sessionOf({}), loadedOf({}), {})).toBeUndefined();
  });
});

describe('exceptions from drift', () => {
  async function written(
    root = createWorkspace({}).root,
  ): Promise<{ readonly root: string; readonly text: string; readonly count: number }> {
    const { changes } = planFor(DESIRED, live());
    const differences = changes.flatMap((change) => {
      const parts = kindFor(change).parts(change);
      return (parts.length === 0 ? [{ path: '' }] : parts).map((part) => ({ change, part }));
    });
    const count = await writeExceptions(sessionOf({ root }), differences, { file: FILE, project: 'eu' });
    return { root, text: readFileSync(path.join(root, FILE), 'utf8'), count };
  }

  test('that were written of all drift leave all of it out, for thirty days, and in their project', async () => {
    const { root, count } = await written();
    expect(count).toBe(ALL.length);
    expect(await counted({}, { root })).toEqual({ parts: [], notes: [] });
    expect((await counted({}, { root, now: NOW + 29 * DAY })).parts).toEqual([]);
    expect(await counted({}, { root, project: 'us' })).toEqual({ parts: ALL, notes: [] });
    const late = await counted({}, { root, now: NOW + 32 * DAY });
    expect(late.parts).toEqual(ALL);
    expect(late.notes).toHaveLength(ALL.length);
    expect(late.notes[0]).toMatch(
      /^The known drift of \S+ \(exceptions\.yaml:\d+:\d+\) expired on 2026-03-31 and counts again\.$/,
    );
  });

  test('know each value only as it was', async () => {
    const { root } = await written();
    const moved = await counted({}, { root, live: live({ name: 'by another hand' }) });
    expect(moved.parts).toEqual(['a /name']);
    expect(moved.notes).toEqual([
      expect.stringMatching(
        /^The known drift of a \(exceptions\.yaml:.*\) matches no difference\. Remove the exception\.$/,
      ),
    ]);
  });

  test('are written once, and without drift not at all', async () => {
    const { root, text } = await written();
    await expect(written(root)).rejects.toMatchObject({
      code: 'file',
      message: 'exceptions.yaml exists; no exceptions were written.',
    });
    expect(text).toMatch(/^# yaml-language-server: .*\nexceptions:\n {2}- rule: "drift"\n {4}keys: \["/);
    const other = createWorkspace({});
    expect(await writeExceptions(sessionOf({ root: other.root }), [], { file: FILE, project: 'eu' })).toBe(0);
    expect(readdirSync(other.root)).toEqual([]);
  });

  const ENDING = 'reason: a ramp, until: 2026-04-01, granted_by: ann';

  test('count only if who grants them is one of the approvers', async () => {
    const { root } = createWorkspace({ [FILE]: `exceptions: [{ rule: drift, keys: [a], ${ENDING} }]\n` });
    expect((await counted({}, { root, approvers: ['ann'] })).parts).not.toContain('a /name');
    const { parts, notes } = await counted({}, { root, approvers: ['bob'] });
    expect(parts).toEqual(ALL);
    expect(notes).toEqual([
      'The known drift of a (exceptions.yaml:1:14) counts: ann, who grants the exception, is not one of `approvers`.',
    ]);
  });

  test('are used if one of their keys is', async () => {
    const { root } = createWorkspace({ [FILE]: `exceptions: [{ rule: drift, keys: [other, a], ${ENDING} }]\n` });
    const { parts, notes } = await counted({}, { root });
    expect([parts.includes('a /name'), notes]).toEqual([false, []]);
  });

  test('from other rules know no drift', async () => {
    const { root } = createWorkspace({ [FILE]: `exceptions: [{ rule: conflict, keys: [a], ${ENDING} }]\n` });
    expect(await counted({}, { root })).toEqual({ parts: ALL, notes: [] });
  });

  test('that name a place which does not exist are refused', async () => {
    const entry = `exceptions: [{ rule: drift, keys: [a], path: activ, ${ENDING} }]\n`;
    const { root } = createWorkspace({ [FILE]: entry });
    await expect(counted({}, { root })).rejects.toMatchObject({
      code: 'config_invalid',
      diagnostics: [{ code: 'exception-path-invalid', place: { line: 1, column: 40 } }],
    });
  });
});

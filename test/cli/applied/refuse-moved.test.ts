/** Due steps are planned by a record. In a folder without git there is none any more: only a plan that knew of none may be made. */

import { expect, test } from 'vitest';
import { refuseMoved } from '../../../src/cli/applied/find-base.ts';
import type { LoadedProject } from '../../../src/cli/project/load-project.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { BaseFacts } from '../../../src/core/engine/base.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const DUE = { step: 1, applied: { step: 0, at: '2026-12-01T08:00:00.000Z' } };
const MADE = { ...DUE, step: 0 };
const commit = (more: object): BaseFacts =>
  ({ kind: 'commit', commit: 'c'.repeat(40), from: 'ref', ...more }) as BaseFacts;
const none: BaseFacts = { kind: 'none', reason: { code: 'no_repository' } };

async function refusal(plan: object): Promise<unknown> {
  const { root } = createWorkspace();
  const session = { context: { env: {} }, interrupts: { stop: new AbortController().signal } } as unknown as Session;
  const loaded = { config: { root, projects: {} }, project: { name: 'main' } } as unknown as LoadedProject;
  try {
    await refuseMoved(session, loaded, { changes: [{}], rollouts: [MADE, DUE], ...plan } as unknown as Plan);
    return undefined;
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return `${code}: ${message}`;
  }
}

test.each<[string, object]>([
  ['changes nothing', { base: commit({}), changes: [] }],
  ['makes no step', { base: commit({}), rollouts: [MADE] }],
  ['has no rollouts', { base: commit({}), rollouts: undefined }],
  ['was compared with nothing', { base: undefined }],
  ['was compared with a commit that the user named', { base: commit({ from: 'option' }) }],
  ['knew of no record', { base: none }],
])('a plan that %s is made', async (_, plan) => {
  expect(await refusal(plan)).toBeUndefined();
});

test('a plan by a record that cannot be read any more is refused, since another run may have made its steps', async () => {
  const start = 'The steps that are due were not made, and nothing else was written:';
  expect(await refusal({ base: commit({}) })).toMatch(
    new RegExp(`^base_unreadable: ${start} .+, so it is not known whether another run made them\\.$`),
  );
  // The plan was made although the remote could not be read, so that only a record that differs is a reason.
  expect(await refusal({ base: commit({ unread: { remote: 'origin', detail: 'x' } }) })).toBe(
    `plan_stale: ${start} Another run has recorded what it applied to main since the plan was made.`,
  );
});

/** A project at the steps that an apply recorded. */

import { expect, test } from 'vitest';
import { recordText } from '../../../src/cli/applied/applied-record.ts';
import { atRecord } from '../../../src/cli/applied/find-base.ts';
import type { LoadedProject } from '../../../src/cli/project/load-project.ts';
import { createRepository, GIT_ENV, type TestRepository } from '../../helpers/repository.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const MOMENT = { now: 1, progress: [], reach: 'planned', every: 900_000 };
const PROGRESS = {
  ...{ key: 'a', pointer: '/rollout_percentage', from: 0, steps: [{ at: '2026-12-01T08:00:00.000Z', to: 10 }] },
  ...{ step: 0, at: '2026-12-01T08:00:00.000Z' },
};

function loadedIn(root: string, moment: object | undefined): LoadedProject {
  const project = { service: 'remote', name: 'main', host: 'https://x.example', projectId: '1' };
  const timed = { ...project, ...(moment === undefined ? {} : { moment }) };
  const projects = { main: timed, other: { ...project, name: 'other' } };
  const config = { root, file: `${root}/flagwright.yaml`, projects, base: {} };
  return { config, project: timed } as unknown as LoadedProject;
}

async function at(root: string, loaded: LoadedProject): Promise<LoadedProject> {
  const { session } = watchSession({ context: { cwd: root, env: { ...GIT_ENV, HOME: root } } });
  session.places.root = root;
  return atRecord(session, loaded, { reach: 'applied' });
}

/** A repository whose record says how far a rollout has come, or a commit alone. */
function recorded(rollouts: readonly object[]): TestRepository {
  const repository = createRepository({ a: '1' });
  const commit = repository.git('rev-parse', 'HEAD');
  const stored = { id: commit, bytes: Buffer.from(`${repository.git('cat-file', 'commit', commit)}\n`) };
  const beside = { earlier: [], rollouts } as never;
  const text = recordText(stored as never, beside, { project: 'main', seconds: 1 });
  if (text !== undefined) repository.write('record', text);
  const id =
    text === undefined ? commit : repository.git('hash-object', '-t', 'commit', '-w', '--no-filters', 'record');
  repository.write('.git/refs/flagwright/applied/main', `${id}\n`);
  return repository;
}

test('declares what was recorded, in the configuration too, and leaves other projects', async () => {
  const { root } = recorded([PROGRESS]);
  const loaded = loadedIn(root, MOMENT);
  const found = await at(root, loaded);
  expect(found.project.moment).toEqual({ ...MOMENT, progress: [PROGRESS], reach: 'applied' });
  expect(found.config.projects['main']).toBe(found.project);
  expect(found.config.projects['other']).toBe(loaded.config.projects['other']);
});

test('is as it is without a moment, without steps in the record, and outside of a repository', async () => {
  const [stepped, plain, none] = [recorded([PROGRESS]), recorded([]), createWorkspace()];
  const cases: readonly [string, object | undefined][] = [
    [stepped.root, undefined],
    [plain.root, MOMENT],
    [none.root, MOMENT],
  ];
  for (const [root, moment] of cases) {
    const loaded = loadedIn(root, moment);
    expect(await at(root, loaded)).toBe(loaded);
  }
});

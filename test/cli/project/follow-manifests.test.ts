/** What the embedded service is told of manifests, and when they count as changed. */

import { utimesSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { loadManifests, POLL_MS, type Following } from '../../../src/cli/project/follow-manifests.ts';
import { loadProject, type LoadedProject } from '../../../src/cli/project/load-project.ts';
import { pause } from '../../../src/base/timer.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const FILES = {
  'flagwright.yaml': `projects: { local: { service: embedded, roles: { engineering: ${ROLE} } } }\n`,
  'flags/a.yaml': 'flags: { a: {} }\n',
};
const SERVING = (count: string): string => `note Serving ${count} from flags/**/*.{yaml,yml}.\n`;

/** Follows the manifests of a folder. `load`: in place of the usual loading. */
async function follow(
  files: Readonly<Record<string, string>> = {},
  load?: (usual: Following['load']) => Following['load'],
) {
  const workspace = createWorkspace({ ...FILES, ...files });
  const stop = new AbortController();
  let now = 0;
  const { session: watched, said, reports } = watchSession({ context: { cwd: workspace.root, now: () => (now += 1) } });
  const session = { ...watched, interrupts: { ...watched.interrupts, stop: stop.signal } };
  const usual: Following['load'] = async () => loadProject(session);
  const declareLoaded = await loadManifests(session, { projectId: '7', load: load?.(usual) ?? usual });
  const declared: object[] = [];
  const run = await declareLoaded({ declare: (one: object) => void declared.push(one) } as never);
  const ended = run();
  return { workspace, said, reports, declared, end: async () => (stop.abort(), ended), ended };
}

/** Long enough for `count` looks. */
const looks = async (count: number): Promise<void> => pause(count * (POLL_MS + 60));

/** Writes a file anew, with a time of its own. */
function edit({ root, write }: Workspace, file: string, text: string): void {
  write(file, text);
  const time = new Date(Date.now() - Math.floor(Math.random() * 1e9));
  utimesSync(path.join(root, file), time, time);
}

describe('the declaration', () => {
  test('has the flags with their roles, and names those that the manifests retire', async () => {
    const { declared, said, end } = await follow({
      'flags/a.yaml': `flags:
  a: { previous_keys: [former], role_access: [engineering] }
  b: { previous_keys: [back], active: false }
  gone: { deleted: true }
`,
    });
    await end();
    expect(declared).toEqual([
      {
        projectId: '7',
        flags: [
          expect.objectContaining({ key: 'a', previousKeys: ['former'], everyone: null }),
          expect.objectContaining({ key: 'b', previousKeys: ['back'], roles: [], everyone: null }),
        ],
        removed: ['gone'],
      },
    ]);
    expect(declared).toMatchObject([{ flags: [{ roles: [{ id: ROLE }] }, {}] }]);
    expect(said).toEqual([SERVING('2 flags')]);
  });
});

test('manifests with mistakes are refused before anything is declared', async () => {
  await expect(follow({ 'flags/a.yaml': 'flags: { a: { activ: true }, b: { activ: true } }\n' })).rejects.toMatchObject(
    {
      code: 'manifest_invalid',
    },
  );
});

test('loading at another time is no change, and an error that is none of ours ends it', async () => {
  let isBroken = false;
  const { declared, ended, end } = await follow({}, (usual) => async () => {
    if (isBroken) throw new TypeError('x');
    return usual();
  });
  await looks(3);
  expect(declared).toHaveLength(1);
  isBroken = true;
  await expect(ended).rejects.toThrow('x');
  await end().catch(() => undefined);
});

test('an error of resolving that is none of ours ends it too', async () => {
  let isBroken = false;
  const { ended } = await follow({}, (usual) => async () => {
    const loaded = await usual();
    return isBroken ? ({ ...loaded, project: undefined } as unknown as LoadedProject) : loaded;
  });
  isBroken = true;
  await expect(ended).rejects.toThrow(TypeError);
});

test('every pattern is named', async () => {
  const config = `manifests: [flags/*.yaml, more/*.yaml]\n${FILES['flagwright.yaml']}`;
  const { said, end } = await follow({ 'flagwright.yaml': config });
  await end();
  expect(said).toEqual(['note Serving 1 flag from flags/*.yaml, more/*.yaml.\n']);
});

test('each problem is told once with its place, another one again, and the state before stays', async () => {
  let problem: FlagwrightError | undefined;
  const { workspace, declared, said, reports, end } = await follow({}, (usual) => async () => {
    if (problem !== undefined) throw problem;
    return usual();
  });
  edit(workspace, 'flags/a.yaml', 'flags: { a: { activ: true }, b: { activ: true } }\n');
  await expect.poll(() => said.length).toBe(2);
  const told = (): unknown => reports.map((report) => (report.kind === 'failure' ? report.error : report));
  expect(told()).toMatchObject([{ diagnostics: [{ place: { file: 'flags/a.yaml', line: 1 } }] }]);
  await looks(2);
  expect([said.length, declared.length]).toEqual([2, 1]);
  for (const [times, next] of [
    new FlagwrightError('file', 'One\u0007.'),
    new FlagwrightError('config_invalid', 'Two.'),
    new FlagwrightError('config_invalid', 'Two.', { cause: Object.assign(new Error('x'), { code: 'EACCES' }) }),
  ].entries()) {
    problem = next;
    await expect.poll(() => said.length).toBe(3 + times);
  }
  expect(told()).toMatchObject([{}, { message: 'One\u0007.' }, { message: 'Two.' }, { message: 'Two.' }]);
  expect(said.slice(1)).toEqual([
    'print failureThis is the first of 2 problems. The flags are unchanged.\n',
    ...Array.from({ length: 3 }, () => 'print failureThe flags are unchanged.\n'),
  ]);
  problem = undefined;
  edit(workspace, 'flags/a.yaml', 'flags: { a: {}, b: {} }\n');
  await expect.poll(() => declared.length).toBe(2);
  await end();
  expect(said.at(-1)).toBe(SERVING('2 flags'));
});

/** Why the rollouts that were applied are not continued, where no process is needed to know it. */

import { expect, test } from 'vitest';
import { loadRecorded } from '../../../src/cli/applied/load-recorded.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const [FIRST, LOST] = ['a', 'e'].map((digit) => digit.repeat(40)) as [string, string];
const commit = (id: string): object => ({
  id,
  bytes: Buffer.from(`tree ${LOST}\nparent ${LOST}\nauthor A <a@x> 1 +0000\n\nx\n`),
});
const END = 'Only the rollouts that were applied may be continued.';
const APPLY = 'Apply committed manifests once with `flagwright apply`.';

async function load(opened: object, snapshot: object): ReturnType<typeof loadRecorded> {
  const { root } = createWorkspace({ '.git/HEAD': 'ref: refs/heads/main\n' });
  const objects: Readonly<Record<string, object>> = { [`${FIRST}^{commit}`]: commit(FIRST) };
  const project = { service: 'remote', name: 'main', host: 'https://x.example', projectId: '1' };
  const checkout = {
    opened: Promise.resolve({
      repository: { folder: root, top: root, prefix: '', caller: { folder: root } },
      ...opened,
    }),
    objectsOf: () => ({ read: async (name: string) => Promise.resolve(objects[name]) }),
  };
  const { session } = watchSession({ context: { cwd: root } });
  session.places.root = root;
  return loadRecorded(session, { loaded: { config: { root, base: {} }, project }, checkout, snapshot } as never);
}

test.each<[string, object, object, object]>([
  [
    'outside of a repository',
    { kind: 'none' },
    {},
    {
      code: 'base_unreadable',
      message: expect.stringMatching(/^The last apply is unknown \(.+\)\. /) as string,
      remedy: APPLY,
    },
  ],
  [
    'where nothing is recorded',
    { kind: 'open' },
    {},
    { code: 'base_unreadable', message: `The last apply is unknown. ${END}`, remedy: APPLY },
  ],
  [
    'of a commit in a repository without one',
    { kind: 'open' },
    { commit: FIRST },
    {
      code: 'refused',
      message:
        'Commit aaaaaaaaaaaa, which is recorded as applied to main, is not in the history of what is checked out. No step is made: only a commit that was merged is known to be reviewed.',
      remedy: expect.stringMatching(/^Check out the branch that is applied, as it is now\./) as string,
    },
  ],
])('%s', async (_, opened, snapshot, refusal) => {
  await expect(load(opened, snapshot)).rejects.toMatchObject(refusal);
});

/** What a ref of this clone names, without a process: objects and the files of a repository are enough. */

import { describe, expect, test } from 'vitest';
import { findRef, idOf, readAt, type InRepository, recordText } from '../../../src/cli/applied/applied-record.ts';
import { BLOB, FIRST, LOST, plainCommit, RECORD, SECOND } from '../../helpers/stored-commits.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

function within(
  objects: Readonly<Record<string, object>>,
  folder = '/nowhere',
): InRepository & { readonly asked: string[] } {
  const asked: string[] = [];
  const read = async (name: string): Promise<object | undefined> => {
    asked.push(name);
    return Promise.resolve(objects[name]);
  };
  const repository = { folder, top: folder, shallow: false, caller: { folder, env: {} } };
  return { asked, checkout: { objectsOf: () => ({ read }) }, repository } as never;
}

/** A record of `FIRST` that left a part, which was applied at `SECOND`. */
const record = {
  id: RECORD,
  bytes: Buffer.from(
    recordText(
      plainCommit(FIRST),
      { earlier: [{ key: 'a', commit: SECOND }, { key: 'b' }], rollouts: [] },
      { project: 'main', seconds: 1 },
    ) ?? '',
  ),
};
const commits = {
  [`${FIRST}^{commit}`]: plainCommit(FIRST),
  [`${SECOND}^{commit}`]: plainCommit(SECOND),
  [`${RECORD}^{commit}`]: record,
};

describe('an object that a ref names', () => {
  test.each<[string, string, Readonly<Record<string, object>>, object]>([
    ['a commit of people', FIRST, commits, { kind: 'commit', commit: FIRST, earlier: [], rollouts: [] }],
    [
      'a record',
      RECORD,
      commits,
      { kind: 'commit', commit: FIRST, earlier: [{ key: 'a', commit: SECOND }, { key: 'b' }] },
    ],
    ['a record of a lost commit', RECORD, { [`${RECORD}^{commit}`]: record }, { kind: 'missing', commit: FIRST }],
    [
      'a record that names a lost commit beside',
      RECORD,
      { [`${RECORD}^{commit}`]: record, [`${FIRST}^{commit}`]: plainCommit(FIRST) },
      { kind: 'missing', commit: SECOND },
    ],
    ['something lost', LOST, commits, { kind: 'missing', commit: LOST }],
    ['no commit', BLOB, { [BLOB]: {} }, { kind: 'not_a_commit' }],
  ])('is %s', async (_, id, objects, expected) => {
    expect(await readAt(id, within(objects))).toMatchObject(expected);
  });

  test('that resets the record names nothing, and nothing else is asked for', async () => {
    const empty = {
      id: FIRST,
      bytes: Buffer.from('tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@x> 1 +0000\n\n'),
    };
    const place = within({ [`${FIRST}^{commit}`]: empty });
    expect(await readAt(FIRST, place)).toEqual({ kind: 'nothing' });
    expect(place.asked).toEqual([`${FIRST}^{commit}`]);
  });
});

const REF = 'refs/flagwright/applied/main';

test('a ref has the id of its object, and none where no file of the repository may name it', async () => {
  expect(await idOf(REF, within({ [REF]: { id: FIRST } }))).toBe(FIRST);
  const { root } = createWorkspace({ '.git/HEAD': 'ref: refs/heads/main\n' });
  expect(await idOf(REF, within({}, root))).toBeUndefined();
});

test('without remotes, the ref is the one of this clone', async () => {
  expect(await findRef(REF, { remotes: [], local: FIRST }, within({}))).toEqual({ kind: 'found', id: FIRST });
  expect(await findRef(REF, { remotes: [], local: undefined }, within({}))).toEqual({ kind: 'none' });
});

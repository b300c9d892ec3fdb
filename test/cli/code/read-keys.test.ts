/** The keys that a file names, in each form in which such a file comes. */

import { describe, expect, test } from 'vitest';
import { readKeys } from '../../../src/cli/code/refs.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const sessionIn = (cwd: string): Session => ({ context: { cwd } }) as unknown as Session;

async function keysIn(text: string): Promise<readonly string[]> {
  const { root } = createWorkspace({ 'keys/a.txt': text });
  return readKeys(sessionIn(root), 'keys/a.txt');
}

describe('the keys', () => {
  test.each<[what: string, text: string, keys: readonly string[]]>([
    ['one on each line', 'a\nb\n', ['a', 'b']],
    ['lines of Windows, with spaces and empty lines', ' a \r\n\r\n\tb', ['a', 'b']],
    ['a list of them', '["a", "b"]', ['a', 'b']],
    ['a list of flags, and others are left out', ' [{"key": "a"}, {"key": 7}, "b", null, {}]', ['a', 'b']],
    ['a document with flags', '\n{"flags": [{"key": "a"}]}', ['a']],
    ['a list of the service', '{"results": [{"key": "a"}]}', ['a']],
    ['a document with both', '{"results": [{"key": "b"}], "flags": [{"key": "a"}]}', ['a']],
    ['a document in a document', '{"flags": {"results": ["a"]}}', ['a']],
  ])('are read from %s', async (_what, text, keys) => {
    expect(await keysIn(text)).toEqual(keys);
  });

  test.each(['', '\n \n', '[]', '{}', '{"flags": 7}', '[1, 2', '{"flags": null}', '{"results": {}}'])(
    'are none in %j',
    async (text) => {
      await expect(keysIn(text)).rejects.toMatchObject({
        code: 'file',
        message: 'keys/a.txt has no keys of flags.',
        remedy: expect.stringContaining('one key on each line') as string,
      });
    },
  );

  test('of a file that is not there, or is a folder, are an error with its reason', async () => {
    const { root } = createWorkspace({ 'keys/a.txt': 'a' });
    const reading = async (name: string): Promise<unknown> => readKeys(sessionIn(root), name);
    await expect(reading('none')).rejects.toMatchObject({ code: 'file', message: 'none cannot be read: ENOENT.' });
    await expect(reading('keys')).rejects.toMatchObject({ code: 'file', message: 'keys cannot be read: EISDIR.' });
  });
});

/** What is shown of edits of manifests, what is refused, and what is written. */

import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { noteNext, saveEdits, type Edits } from '../../../src/cli/manifests/save-edits.ts';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { PLAIN } from '../../../src/report/view.ts';
import { watchSession, type Watched } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const BEFORE = 'flags:\n  a: { active: true }\n';
const AFTER = 'flags:\n  a: { active: false }\n';

interface Saving {
  readonly cwd?: string;
  readonly root?: string;
  /** The user types it; absent: there is no terminal. */
  readonly answer?: string;
}

function begin({ cwd = '', root: inside = '', answer }: Saving = {}) {
  const { root: top, read } = createWorkspace({ 'x/flags/a.yaml': BEFORE, 'flags/a.yaml': BEFORE });
  const isTerminal = answer !== undefined;
  const watched = watchSession({
    context: {
      cwd: path.join(top, cwd),
      randomUuid: () => '00000000-0000-4000-8000-000000000000',
      stdin: { isTerminal, readLine: async () => Promise.resolve(undefined) },
      stderr: { isTerminal, columns: 80, write: async () => Promise.resolve() },
    },
  });
  const secrets = createSecrets();
  secrets.add('12345678');
  const root = path.join(top, inside);
  const palette = { ...PLAIN, add: (text: string) => `<${text}>`, remove: (text: string) => `[${text}]` };
  const life = { holder: { pid: 1, host: 'here' }, isAlive: () => false };
  const ask = async (question: string) => Promise.resolve((void watched.said.push(`ask ${question}`), answer));
  const session = { ...watched.session, ask, secrets, palette, life, places: { root } } as Session;
  const save = async (edits: Partial<Edits>) =>
    saveEdits(session, {
      config: { root } as Edits['config'],
      manifests: [{ file: 'flags/a.yaml', text: BEFORE }],
      edited: [{ file: 'flags/a.yaml', text: AFTER }],
      created: [],
      options: {},
      ...edits,
    });
  return { top, root, read, session, save, said: watched.said as Watched['said'] };
}

const NEW = { file: 'flags/b.yaml', text: 'flags:\n  b: {}\n' };

test('a patch has names from the top of the checkout, tells new files from others, and nothing is written', async () => {
  const { top, read, save, said } = begin({ root: 'x' });
  mkdirSync(path.join(top, '.git'));
  const { files, patch } = await save({ created: [NEW], options: { patch: true } });
  expect(files).toEqual([
    { file: 'x/flags/a.yaml', status: 'to_edit' },
    { file: 'x/flags/b.yaml', status: 'to_write' },
  ]);
  expect(patch).toContain('--- a/x/flags/a.yaml\n+++ b/x/flags/a.yaml\n');
  expect(patch).toContain('--- /dev/null\n+++ b/x/flags/b.yaml\n');
  expect(patch).toContain('-  a: { active: true }\n+  a: { active: false }\n');
  expect([read('x/flags/a.yaml'), said]).toEqual([BEFORE, []]);
});

test('a patch without a change says so', async () => {
  const { save, said } = begin();
  expect(await save({ edited: [], options: { patch: true } })).toEqual({ files: [], patch: '' });
  expect(said).toEqual(['note The patch is empty: there is nothing to change.\n']);
});

test('a patch that a build log would obey is refused, and the same edit without it is not', async () => {
  const edited = [{ file: 'flags/a.yaml', text: `${AFTER}##vso[task.setvariable]x\n::error::x\n` }];
  const { save, read } = begin();
  await expect(save({ edited, options: { patch: true } })).rejects.toMatchObject({
    code: 'refused',
    message: 'The patch has a line that a build log would read as a command; it is not printed.',
    remedy: 'Run the command without --patch.',
  });
  await save({ edited, options: { yes: true } });
  expect(read('flags/a.yaml')).toBe(edited[0]?.text);
});

test.each([{ patch: true }, { yes: true }])('a text with the key is refused, with %j', async (options) => {
  const { save, read } = begin();
  await expect(save({ created: [{ ...NEW, text: '# 12345678\n' }], options })).rejects.toMatchObject({
    code: 'refused',
    message: 'Nothing was written: flags/b.yaml would contain the API key.',
    remedy: 'Find the key in descriptions and payloads of the live flags, and replace it.',
  });
  expect(read('flags/a.yaml')).toBe(BEFORE);
});

test('changes are shown in their colours and escaped, and are written once they are confirmed', async () => {
  const { root, read, save, said } = begin({ answer: 'yes', cwd: 'x' });
  const text = `${AFTER}# \u0007\n`;
  const { files, patch } = await save({ edited: [{ file: 'flags/a.yaml', text }], created: [NEW] });
  expect([files, patch]).toEqual([
    [
      { file: '../flags/a.yaml', status: 'edited' },
      { file: '../flags/b.yaml', status: 'written' },
    ],
    undefined,
  ]);
  const [shown = '', question] = said;
  expect(shown.split('\n')).toEqual(
    expect.arrayContaining([' flags:', '[-  a: { active: true }]', '<+  a: { active: false }>', '<+# \\u0007>']),
  );
  expect(shown.endsWith('>\n')).toBe(true);
  expect(question).toMatch(/^ask Write these changes to 2 files\? /);
  expect([read('flags/a.yaml'), existsSync(path.join(root, 'flags/b.yaml'))]).toEqual([text, true]);
});

test.each([
  ['no', 'Not confirmed; nothing was written.', undefined],
  [undefined, expect.stringContaining('nothing was written.'), expect.stringContaining('--patch')],
] as const)('with the answer %j nothing is written', async (answer, message, remedy) => {
  const { read, save } = begin(answer === undefined ? {} : { answer });
  const refused = {
    code: 'refused',
    message: message as string,
    ...(remedy === undefined ? {} : { remedy: remedy as string }),
  };
  await expect(save({})).rejects.toMatchObject(refused);
  expect(read('flags/a.yaml')).toBe(BEFORE);
});

test('without an edit nothing is asked', async () => {
  const { save, said } = begin();
  expect([await save({ edited: [] }), said]).toEqual([{ files: [] }, []]);
});

test('a file that changed since it was read is not written', async () => {
  const { save, read } = begin();
  const manifests = [{ file: 'flags/a.yaml', text: 'other' }];
  await expect(save({ manifests, options: { yes: true } })).rejects.toMatchObject({ code: 'file' });
  const created = [{ ...NEW, file: 'flags/a.yaml' }];
  await expect(save({ manifests: [], edited: [], created, options: { yes: true } })).rejects.toMatchObject({
    code: 'file',
  });
  expect(read('flags/a.yaml')).toBe(BEFORE);
});

test('the next step is told in a checkout where something was written', async () => {
  const { top, session, said } = begin();
  const files = [{ file: 'a.yaml', status: 'edited' }] as const;
  const note = async (saved: Parameters<typeof noteNext>[2]['saved']): Promise<void> =>
    noteNext(session, { root: top }, { saved, next: 'Commit.' });
  await note({ files });
  mkdirSync(path.join(top, '.git'));
  await note({ files: [] });
  await note({ files, patch: '' });
  expect(said).toEqual([]);
  await note({ files });
  expect(said).toEqual(['note \n→ Commit.\n']);
});

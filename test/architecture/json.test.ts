/** JSON is read and written by `base/json-text.ts`: JavaScript's own functions round long numbers. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

/** Files that read or write only strings and numbers of our own. */
const FREE: readonly string[] = [
  'service/src/seed/flags.ts',
  'service/src/seed/load.ts',
  'src/base/api-key.ts',
  'src/base/diagnostic.ts',
  'src/base/json-text.ts',
  'src/base/json.ts',
  'src/cli/line/version.ts',
  'src/cli/line/version.ts',
  'src/cli/session/compile-cache.ts',
  'src/report/words/exported.ts',
  'src/cli/project/follow-manifests.ts',
  'src/loop/export/notes.ts',
  'src/loop/journal/lock.ts',
  'src/core/manifest/write/layout.ts',
  'src/posthog/client/answer.ts',
  'src/posthog/flag/checks/filters.ts',
];

it('is read and written without rounding', () => {
  const files = ['src', 'service/src'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
      .map((file) => path.join(folder, file)),
  );
  const direct = files.filter((file) =>
    /\bJSON\.(?:parse|stringify)\(/.test(readFileSync(path.join(root, file), 'utf8')),
  );
  expect(direct.filter((file) => !FREE.includes(file))).toEqual([]);
});

/** JSON is read and written by `base/json-text.ts`: JavaScript's own functions round long numbers. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const src = path.join(import.meta.dirname, '../../src');

/** Files that read or write only strings and numbers of our own. */
const FREE: readonly string[] = [
  'base/api-key.ts',
  'base/diagnostic.ts',
  'base/json-text.ts',
  'base/json.ts',
  'cli/line/version.ts',
  'report/words/exported.ts',
  'cli/project/follow-manifests.ts',
  'embedded/seed/flags.ts',
  'embedded/seed/load.ts',
  'embedded/seed/persons.ts',
  'export/notes.ts',
  'journal/claims.ts',
  'manifest/write/layout.ts',
  'posthog/client/redact.ts',
  'posthog/flag/checks/payloads.ts',
];

it('is read and written without rounding', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.includes('generated'),
  );
  const direct = files.filter((file) =>
    /\bJSON\.(?:parse|stringify)\(/.test(readFileSync(path.join(src, file), 'utf8')),
  );
  expect(direct.filter((file) => !FREE.includes(file))).toEqual([]);
});

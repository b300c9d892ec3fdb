/** Loads libsql, the database engine: an optional dependency, since only the embedded service needs it. */

import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import type Database from 'libsql';
import { FlagwrightError } from '../../../src/base/errors.ts';

/**
 * `from`: the module that looks for it. Throws `FlagwrightError` with code `file` if libsql or its binary for this machine
 * is not installed.
 */
export function loadLibsql(from: string = import.meta.url): typeof Database {
  try {
    // `import()` would not do: if the binary is missing, Node 20 terminates with an error that cannot be caught.
    return createRequire(from)('libsql') as typeof Database;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const [, missing] = /^Cannot find module '(libsql|@libsql\/[^']+)'/.exec(message) ?? [];
    if (code !== 'MODULE_NOT_FOUND' || missing === undefined) throw cause;
    const what = missing === 'libsql' ? 'which' : `whose binary for ${platform()}-${arch()}`;
    throw new FlagwrightError('file', `The embedded service needs the package libsql, ${what} is not installed.`, {
      remedy: 'Install it next to flagwright: npm install libsql',
      cause,
    });
  }
}

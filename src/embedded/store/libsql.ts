/** Loads libsql, the engine of the database: an optional dependency, since no run against a remote service needs it. */

import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import type Database from 'libsql';
import { FlagwrightError } from '../../base/errors.ts';

/** Throws `FlagwrightError` with code `file` where libsql is not installed, or has no binary for this machine. */
export function loadLibsql(): typeof Database {
  try {
    // Not `import()`: where the binary is missing, Node 20 ends the process with an error that no code can catch.
    return createRequire(import.meta.url)('libsql') as typeof Database;
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

/**
 * Loads the modules of the room that Stryker measures before the first test. A command is otherwise loaded by the first test that runs it, so
 * that a fault in a table would count for that test alone.
 */

import fs, { readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';

const { MUTATED_ROOM: room } = process.env;
if (room !== undefined) protectDevices();
if (room?.startsWith('cli/') === true) {
  const folder = resolve(import.meta.dirname, '../../src', room);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts')) await import(join(folder, file));
  }
}

/** A fault that takes a device for a file has a test of root put a file in the place of `/dev/null`, of the whole machine. */
function protectDevices(): void {
  const { rename, rm } = fs.promises;
  const refuse = (file: unknown): void => {
    if (dirname(String(file)) === '/dev') throw Object.assign(new Error(`${String(file)} stays.`), { code: 'EPERM' });
  };
  Object.assign(fs.promises, {
    rename: async (...[from, to]: Parameters<typeof rename>) => {
      refuse(to);
      return rename(from, to);
    },
    rm: async (...[file, options]: Parameters<typeof rm>) => {
      refuse(file);
      return rm(file, options);
    },
  });
  syncBuiltinESMExports();
}

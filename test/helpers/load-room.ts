/**
 * Loads the modules of the room that Stryker measures before the first test. A command is otherwise loaded by the first test that runs it, so
 * that a fault in a table would count for that test alone.
 */

import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';

const { MUTATED_ROOM: room } = process.env;
if (room?.startsWith('cli/') === true) {
  const folder = resolve(import.meta.dirname, '../../src', room);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts')) await import(join(folder, file));
  }
}

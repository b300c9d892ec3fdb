/** Searches everything that a run wrote for its keys: stdout, stderr and every file in its folder. */

import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** In the environment of every run, though nothing needs it: finds code that dumps its environment. */
export const PLANTED: Environment = { PLANTED_KEY: `phx_${randomBytes(20).toString('hex')}` };

/** `check` throws if the output contains a key, or a file that contained none before the run. */
export function watchForKeys(env: Environment, folder: string): { readonly check: (output: string) => void } {
  const spellings = Object.values(env).flatMap((value) => (value?.startsWith('phx_') ? spellingsOf(value) : []));
  const leaks = (text: string): boolean => spellings.some((spelling) => text.includes(spelling));
  const holders = (): string[] =>
    filesBelow(folder).filter((file) => leaks(ifThere(() => readFileSync(file, 'latin1'), '')));
  const before = new Set(holders());
  return {
    check: (output) => {
      if (leaks(output)) throw new Error(`The output contains a key:\n${output}`);
      const [file] = holders().filter((holder) => !before.has(holder));
      if (file !== undefined) throw new Error(`${file} contains a key.`);
    },
  };
}

function spellingsOf(key: string): string[] {
  // The middle of a string has three possible forms in base64, one for each offset.
  const shifted = ['', ' ', '  '].map((before) =>
    Buffer.from(before + key)
      .toString('base64')
      .slice(4, -4),
  );
  return [key, encodeURIComponent(key), Buffer.from(key).toString('hex'), ...shifted];
}

/** Packages, and what git compresses, in which no text would be found. */
const PASSED_OVER = /[\\/](?:node_modules|[^\\/]*\.git[\\/]objects)$/;

function filesBelow(folder: string): string[] {
  return ifThere(() => readdirSync(folder), []).flatMap((name) => {
    const file = path.join(folder, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return PASSED_OVER.test(file) ? [] : filesBelow(file);
    return found?.isFile() === true && found.size < 20_000_000 ? [file] : [];
  });
}

/** Another run may remove a file that was found, and a test may close it to its user. */
function ifThere<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'EACCES'].includes(String(error.code)))
      return otherwise;
    throw error;
  }
}

/** Reads a file of keys to search for, in a repository that has no manifests. */

import { readFile } from 'node:fs/promises';

import path from 'node:path';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { parseJson } from '../../base/json-text.ts';
import { isJsonArray, isJsonObject, memberOf, type JsonValue } from '../../base/json.ts';
import { quoteShort } from '../../report/escape.ts';
import type { Session } from '../session/session.ts';

/** @throws {FlagwrightError} `file` if it cannot be read, or has no key. */
export async function readKeys({ context }: Session, file: string): Promise<readonly string[]> {
  const text = await readFile(path.resolve(context.cwd, file), 'utf8').catch((error: unknown) => {
    throw new FlagwrightError('file', `${quoteShort(file)} cannot be read: ${systemCode(error)}.`);
  });
  const keys = keysIn(text);
  if (keys.length > 0) return keys;
  throw new FlagwrightError('file', `${quoteShort(file)} has no keys of flags.`, {
    remedy:
      'Write one key on each line, or what `flagwright refs --format json` or `flagwright flags list --format json` prints.',
  });
}

function keysIn(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text))
    return text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
  try {
    return keysOf(parseJson(text));
  } catch {
    return [];
  }
}

/** A list of keys or of flags, or an object that has one. */
function keysOf(value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return [];
  if (isJsonObject(value)) return keysOf(value['flags'] ?? value['results']);
  if (!isJsonArray(value)) return [];
  return value.flatMap((element) => {
    const key = isJsonObject(element) ? memberOf(element, 'key') : element;
    return typeof key === 'string' ? [key] : [];
  });
}

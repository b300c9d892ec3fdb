/** Finds and reads flaghoist.yaml: the file that is named, or the nearest one from the working directory upward. */

import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Diagnostic } from '../base/diagnostic.ts';
import { decodeUtf8, notUtf8 } from '../base/yaml/decode.ts';

const CONFIG_NAME = 'flaghoist.yaml';

/** Bytes that a configuration may have. */
const MAX_CONFIG_BYTES = 1_000_000;

export interface FoundConfig {
  /** Absolute. */
  readonly path: string;
  /** As shown to people: as it was named, or relative to the working directory with `/` between folders. */
  readonly file: string;
}

export async function findConfig(cwd: string, named: string | undefined): Promise<FoundConfig | undefined> {
  const path = named === undefined ? await searchUpward(cwd) : resolve(cwd, named);
  return path === undefined ? undefined : { path, file: named ?? relative(cwd, path).split(sep).join('/') };
}

/** The text of the configuration, or the one problem that keeps it from being read. */
export async function readConfigText({ path, file }: FoundConfig): Promise<{ text: string } | { problem: Diagnostic }> {
  const place = { file, line: 1, column: 1 };
  try {
    const { size } = await stat(path);
    if (size > MAX_CONFIG_BYTES) {
      const args = { bytes: size, limit: MAX_CONFIG_BYTES };
      return { problem: { code: 'file-too-large', severity: 'error', place, args } };
    }
    const decoded = decodeUtf8(await readFile(path));
    if ('text' in decoded) return decoded;
    return { problem: { code: 'file-not-utf8', severity: 'error', place, args: notUtf8(decoded) } };
  } catch (error) {
    return { problem: { code: 'file-unreadable', severity: 'error', place, args: { reason: codeOf(error) } } };
  }
}

async function searchUpward(cwd: string): Promise<string | undefined> {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, CONFIG_NAME);
    if (await exists(path)) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

// A file that is there but may not be looked at counts: reading it then says why it cannot be read.
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

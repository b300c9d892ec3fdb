/** Finds and reads the configuration: the file that the user names, or the nearest one from the working directory upward. */

import { createReadStream, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isMissing, systemCode } from '../base/errors.ts';
import { decodeUtf8, notUtf8 } from '../base/yaml/decode.ts';
import type { ConfigDiagnostic } from './problems.ts';

const CONFIG_NAMES = ['flagwright.yaml', 'flagwright.yml'];

/** The largest size of a configuration in bytes. */
const MAX_CONFIG_BYTES = 1_000_000;

export interface FoundConfig {
  /** Absolute. */
  readonly path: string;
  /** The path to show: as the user named it, or relative to the working directory with `/` between folders. */
  readonly file: string;
}

/** The configuration file; `undefined` if there is none; or the problem that makes it ambiguous. */
export function findConfig(
  cwd: string,
  named: string | undefined,
): FoundConfig | { problem: ConfigDiagnostic } | undefined {
  if (named !== undefined) return { path: resolve(cwd, named), file: named };
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const [name, second] = CONFIG_NAMES.filter((one) => exists(join(folder, one)));
    if (name !== undefined) {
      const path = join(folder, name);
      const file = relative(cwd, path).split(sep).join('/');
      if (second === undefined) return { path, file };
      const place = { file, line: 1, column: 1 };
      return { problem: { code: 'config-two-files', severity: 'error', place, args: { beside: second } } };
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** The text of the configuration, or why it cannot be read. */
export async function readConfigText({
  path,
  file,
}: FoundConfig): Promise<{ text: string } | { problem: ConfigDiagnostic }> {
  const place = { file, line: 1, column: 1 };
  try {
    const stats = await stat(path);
    // A pipe or a device does not tell its size, and may have no end.
    const known = stats.isFile() ? stats.size : 0;
    const bytes = known > MAX_CONFIG_BYTES ? Buffer.of() : await beginningOf(path);
    const size = Math.max(known, bytes.length);
    if (size > MAX_CONFIG_BYTES) {
      const args = { bytes: size, limit: MAX_CONFIG_BYTES };
      return { problem: { code: 'file-too-large', severity: 'error', place, args } };
    }
    const decoded = decodeUtf8(bytes);
    if ('text' in decoded) return decoded;
    return { problem: { code: 'file-not-utf8', severity: 'error', place, args: notUtf8(decoded) } };
  } catch (error) {
    return { problem: { code: 'file-unreadable', severity: 'error', place, args: { reason: systemCode(error) } } };
  }
}

async function beginningOf(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: MAX_CONFIG_BYTES })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * A file that exists but cannot be examined counts: reading it then reports the reason. A synchronous look costs less than waiting for an
 * asynchronous one.
 */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !isMissing(error);
  }
}

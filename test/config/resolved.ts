/** Reads a configuration from text, for tests of its mistakes. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FlagwrightError } from '../../src/base/errors.ts';
import { loadConfig } from '../../src/config/load.ts';

/** Its problems; none if it is valid. */
export async function resolveConfig(text: string): Promise<FlagwrightError['diagnostics']> {
  const cwd = await mkdtemp(path.join(tmpdir(), 'flagwright-'));
  try {
    await writeFile(path.join(cwd, 'flagwright.yaml'), text);
    await loadConfig({ cwd, env: {} });
    return [];
  } catch (error) {
    if (error instanceof FlagwrightError) return error.diagnostics;
    throw error;
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

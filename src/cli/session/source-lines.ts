/** The source lines that diagnostics show; each file is read once, and only if one of its lines is shown. */

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Place } from '../../base/place.ts';

const LARGEST_FILE = 16 * 1024 * 1024;

/** Finds lines of files below `root`; a file that cannot be read has none. */
export function sourceLines(root: string): (place: Place) => string | undefined {
  const files = new Map<string, readonly string[]>();
  return ({ file, line }) => {
    let lines = files.get(file);
    if (lines === undefined) {
      lines = readLines(path.resolve(root, file));
      files.set(file, lines);
    }
    return lines[line - 1];
  };
}

function readLines(file: string): readonly string[] {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > LARGEST_FILE) return [];
    return readFileSync(file, 'utf8').split(/\r\n|\r|\n/);
  } catch {
    return [];
  }
}

/** A folder for one test, with the files of a repository that uses flagwright; removed after the test. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

export interface Workspace {
  readonly root: string;
  readonly write: (file: string, text: string) => void;
  readonly read: (file: string) => string;
}

/** `parent`: where the folder is, instead of the folder of temporary files. */
export function createWorkspace(files: Readonly<Record<string, string>> = {}, parent: string = tmpdir()): Workspace {
  const root = mkdtempSync(path.join(parent, 'flagwright-test-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const workspace = workspaceIn(root);
  for (const [file, text] of Object.entries(files)) workspace.write(file, text);
  return workspace;
}

/** A folder in memory, where the system has one: flushing costs nothing there. */
export const MEMORY: string = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** The functions of a workspace for a folder that exists already. */
export function workspaceIn(root: string): Workspace {
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  return { root, write, read: (file) => readFileSync(path.join(root, file), 'utf8') };
}

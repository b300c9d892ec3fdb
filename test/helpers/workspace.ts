/** A folder for one test, with the files of a repository that uses flagwright; removed after the test. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

export interface Workspace {
  readonly root: string;
  readonly write: (file: string, text: string) => void;
  readonly read: (file: string) => string;
}

export function createWorkspace(files: Readonly<Record<string, string>> = {}): Workspace {
  const root = mkdtempSync(path.join(tmpdir(), 'flagwright-test-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const workspace = workspaceIn(root);
  for (const [file, text] of Object.entries(files)) workspace.write(file, text);
  return workspace;
}

/** The functions of a workspace for a folder that exists already. */
export function workspaceIn(root: string): Workspace {
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  return { root, write, read: (file) => readFileSync(path.join(root, file), 'utf8') };
}

/** Has git ignore a file in this clone alone, without a change of any file of the repository. */

import { appendFile, mkdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { openRepository } from './repository.ts';
import { runGit, type GitCaller } from './run-git.ts';

/**
 * `file`: absolute; it exists. A file that is committed or ignored, or in no repository, stays as it is.
 * @returns The file that has the new line; `undefined` if there is none.
 */
export async function excludeFile(caller: Omit<GitCaller, 'folder'>, file: string): Promise<string | undefined> {
  const folder = await realpath(dirname(file));
  const opened = await openRepository({ ...caller, folder });
  if (opened.kind !== 'open') return undefined;
  const { caller: own, top } = opened.repository;
  const target = join(folder, basename(file));
  const listed = await runGit(own, { args: ['ls-files', '--others', '--exclude-standard', '--', target] });
  if (listed.kind !== 'done' || listed.stdout.length === 0) return undefined;
  const place = await runGit(own, { args: ['rev-parse', '--git-path', 'info/exclude'] });
  if (place.kind !== 'done') return undefined;
  const excludes = resolve(own.folder, place.stdout.toString().replace(/\n$/, ''));
  await mkdir(dirname(excludes), { recursive: true });
  const before = await readFile(excludes, 'utf8').catch(() => '');
  const pattern = `/${escapePattern(relative(top, target).split(sep).join('/'))}`;
  await appendFile(excludes, `${before === '' || before.endsWith('\n') ? '' : '\n'}${pattern}\n`);
  return excludes;
}

/** A path as a pattern that matches it alone. */
function escapePattern(path: string): string {
  return path.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`);
}

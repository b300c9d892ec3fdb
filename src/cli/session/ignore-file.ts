/** Keeps a document of a run, such as a saved plan, out of commits: it has payloads and e-mail addresses of people. */

import path, { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { gitEnvironment, runGit, type GitCaller } from '../../loop/git/run-git.ts';
import { DATA_FOLDER, PRIVATE_MODE, writeDocument, writeNewFile } from './files.ts';
import type { Session } from './session.ts';
import { appendFile, mkdir, readFile, realpath } from 'node:fs/promises';
import { openRepository } from '../../loop/git/repository.ts';

/**
 * Only its owner may read the file until somebody publishes it. In our own folder, git ignores everything; elsewhere, the file in this clone.
 * @throws {FlagwrightError} `refused` where the text contains a key; `refusal`: see `Secrets`.
 */
export async function writePrivate(
  session: Session,
  file: string,
  { text, ...refusal }: { readonly text: string } & Parameters<Session['secrets']['refuse']>[1],
): Promise<void> {
  session.secrets.refuse(text, refusal);
  await writeDocument(session, file, { text, mode: PRIVATE_MODE });
  await ignoreFile(session, file);
}

/** `file`: written already. */
export async function ignoreFile(session: Session, file: string): Promise<void> {
  const { context, interrupts, secrets } = session;
  const target = path.resolve(context.cwd, file);
  const parts = target.split(path.sep);
  const own = parts.lastIndexOf(DATA_FOLDER);
  if (own > 0) {
    await writeNewFile(session, path.join(parts.slice(0, own + 1).join(path.sep), '.gitignore'), '*\n');
    return;
  }
  const keys = Object.entries(context.env).flatMap(([name, value = '']) =>
    secrets.redact(value) === value ? [] : [name],
  );
  const env = gitEnvironment(context.env, keys);
  // The document is written, which is what the user asked for.
  const excludes = await excludeFile({ env, signal: interrupts.stop }, target).catch(() => undefined);
  if (excludes !== undefined) await session.note(`git ignores ${file} in this clone now (${excludes}).\n`);
}

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

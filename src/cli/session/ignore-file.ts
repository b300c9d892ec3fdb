/** Keeps a document of a run, such as a saved plan, out of commits: it has payloads and e-mail addresses of people. */

import path from 'node:path';
import { gitEnvironment } from '../../git/environment.ts';
import { excludeFile } from '../../git/exclude.ts';
import { DATA_FOLDER, writeNewFile } from './files.ts';
import type { Session } from './session.ts';

/** `file`: written already. In our own folder, git ignores everything; elsewhere, the file in this clone. */
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

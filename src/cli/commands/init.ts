/** `flaghoist init`: writes the files of a new project, and leaves alone what is there. */

import path from 'node:path';
import type { ExitCode } from '../exit.ts';
import { writeNewFile } from '../files.ts';
import { refuseLinkOut } from '../links.ts';
import { filesDocument, filesText, type FileOutcome } from '../files-text.ts';
import type { Session } from '../session.ts';
import { TEMPLATES } from '../templates.ts';

export async function init(session: Session): Promise<ExitCode> {
  const files: FileOutcome[] = [];
  for (const template of TEMPLATES) {
    const target = path.resolve(session.context.cwd, template.path);
    await refuseLinkOut(session.context.cwd, path.dirname(target));
    const written = await writeNewFile(target, template.text);
    files.push({ file: template.path, status: written ? 'written' : 'kept' });
  }
  await session.publish({ text: (palette) => filesText(files, palette), json: () => filesDocument(files) });
  await session.note('\nNext: flaghoist validate, then flaghoist plan.\n');
  return 0;
}

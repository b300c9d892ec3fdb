/** Reads files of code one after the other, and counts the files that are not code. */

import type { ListedFile } from '../../git/code-files.ts';
import { isLockFile, readCode } from '../../references/code-text.ts';
import type { Collector, FurtherNames } from '../../references/collect.ts';
import type { SkippedFiles } from '../../references/reference.ts';
import type { Session } from '../session/session.ts';
import type { CodeFiles, CodeContent } from './code-files.ts';

export interface ReadCode {
  readonly code: readonly ReadCodeFile[];
  readonly lines: number;
  readonly skipped: SkippedFiles;
  /** The skipped ones that were not even searched as text. */
  readonly left: readonly ListedFile[];
}

/** A file that was searched. */
export type ReadCodeFile = ListedFile & { readonly isUtf16: boolean };

export async function readFiles(
  session: Session,
  { files, read }: Pick<CodeFiles, 'files' | 'read'>,
  into: FurtherNames & Partial<Pick<Collector, 'addGenerated'>>,
): Promise<ReadCode> {
  const skipped = { binary: [], generated: [], large: [], unreadable: [], submodules: [] } as Record<
    keyof SkippedFiles,
    string[]
  >;
  const locks = files.filter(({ file }) => isLockFile(file));
  skipped.generated.push(...locks.map(({ file }) => file));
  const code: ReadCodeFile[] = [];
  const left: ListedFile[] = [...locks];
  let lines = 0;
  const others = files.filter(({ file }) => !isLockFile(file));
  await eachFile(session, { files: others, read }, (listed, content) => {
    const { file } = listed;
    const text = content.kind === 'bytes' ? readCode(content.bytes, file) : content;
    if (text.kind === 'none') return;
    if (text.kind === 'code') {
      code.push({ ...listed, isUtf16: text.isUtf16 });
      lines += text.lines;
      into.add({ file, bytes: text.bytes });
      return;
    }
    skipped[text.kind].push(file);
    if (text.kind === 'generated' && text.bytes !== undefined) into.addGenerated?.({ file, bytes: text.bytes });
    else left.push(listed);
  });
  return { code, lines, skipped, left };
}

/** Some at a time: git answers in order, and a signal ends the search in between. */
export async function eachFile(
  session: Session,
  { files, read }: Pick<CodeFiles, 'files' | 'read'>,
  onFile: (file: ListedFile, content: CodeContent) => void,
): Promise<void> {
  for (let from = 0; from < files.length; from += AT_ONCE) {
    await session.interrupts.breathe();
    const some = files.slice(from, from + AT_ONCE);
    const contents = await Promise.all(some.map(read));
    for (const [index, content] of contents.entries()) onFile(some[index] as ListedFile, content);
  }
}

const AT_ONCE = 64;

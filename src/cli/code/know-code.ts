/** All code that may read the flags of a configuration: this repository, and those whose references it gets. */

import { readFile, stat } from 'node:fs/promises';

import path from 'node:path';
import { defined } from '../../base/optional.ts';
import { systemCode } from '../../base/errors.ts';
import type { RefsSource } from '../../config/config.ts';
import { blobName } from '../../git/attributes.ts';
import type { ReadSource } from '../../references/document.ts';
import type { FormerDocument, KnownCode } from '../../references/use.ts';
import type { CodePlace } from './find-files.ts';
import { searchCode, type CodeSearch } from './search-code.ts';

export interface FoundCode {
  readonly code: KnownCode;
  /** The top of the repository, absolute: places in its code are relative to it. */
  readonly top: string;
}

/** @throws {FlagwrightError} `usage` for an unknown commit, `file` if git fails. */
export async function knowCode(place: CodePlace, search: CodeSearch): Promise<FoundCode> {
  const { top, repository } = await searchCode(place, search);
  const base = search.change?.base;
  const { repositories, gaps } = await knowSources(place, async (source) =>
    base === undefined ? undefined : readFormer(place, source, base),
  );
  return { top, code: { repositories: [repository, ...repositories], gaps } };
}

/** The code of the other repositories. `findFormer`: what a document said before a change that edits it. */
export async function knowSources(
  place: Pick<CodePlace, 'session' | 'config'>,
  findFormer: (source: RefsSource) => Promise<FormerDocument | undefined> = async () => undefined,
): Promise<KnownCode> {
  const sources = await Promise.all(
    place.config.refs.sources.map(async (source) => {
      const read = await readSource(place, source);
      if (read.kind === 'gap') return read;
      return { ...read, repository: { ...read.repository, ...defined({ former: await findFormer(source) }) } };
    }),
  );
  return {
    repositories: sources.flatMap((source) => (source.kind === 'read' ? source.repository : [])),
    gaps: sources.flatMap(({ gap }) => gap ?? []),
  };
}

/** The author of a change can also write a document that names nothing. */
async function readFormer(
  { session, config, checkout }: CodePlace,
  source: RefsSource,
  base: string,
): Promise<FormerDocument | undefined> {
  const opened = await checkout.opened;
  if (opened.kind !== 'open') return undefined;
  const { file } = source;
  const full = path.resolve(config.root, file);
  const tree = checkout.treeOf(opened.repository, base);
  const blob = await tree.blobOf(full);
  if (blob === undefined || blob === blobName(await readFile(full), opened.repository)) return undefined;
  try {
    const { readReferences } = await import('../../references/document.ts');
    const text = Buffer.from(await tree.readFile(full)).toString('utf8');
    const read = readReferences(text, { ...source, maxAgeDays: Infinity }, session.context.now());
    // It proved nothing before either.
    return read.kind === 'gap' ? undefined : { file, code: read.repository.code };
  } catch {
    return { file };
  }
}

async function readSource(
  { session, config }: Pick<CodePlace, 'session' | 'config'>,
  source: RefsSource,
): Promise<ReadSource> {
  const { readReferences } = await import('../../references/document.ts');
  const { repository, file } = source;
  const full = path.resolve(config.root, file);
  try {
    const { size } = await stat(full);
    if (size > MOST_BYTES) return unreadable(`it has more than ${MOST_BYTES / 1_000_000} MB`);
    return readReferences(await readFile(full, 'utf8'), source, session.context.now());
  } catch (error) {
    const code = systemCode(error);
    return code === 'ENOENT' ? { kind: 'gap', gap: { code: 'source_missing', repository, file } } : unreadable(code);
  }

  function unreadable(detail: string): ReadSource {
    return { kind: 'gap', gap: { code: 'source_unreadable', repository, file, detail } };
  }
}

/** The limit of a document; those of the largest repositories have a tenth. */
const MOST_BYTES = 100_000_000;

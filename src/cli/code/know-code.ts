/** All code that may read the flags of a configuration: this repository, and those whose references it gets. */

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../base/system-code.ts';
import type { RefsSource } from '../../config/config.ts';
import type { ReadSource } from '../../references/document.ts';
import type { KnownCode } from '../../references/use.ts';
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
  const { repositories, gaps } = await knowSources(place);
  return { top, code: { repositories: [repository, ...repositories], gaps } };
}

/** The code of the other repositories. */
export async function knowSources(place: Pick<CodePlace, 'session' | 'config'>): Promise<KnownCode> {
  const sources = await Promise.all(place.config.refs.sources.map((source) => readSource(place, source)));
  return {
    repositories: sources.flatMap((source) => (source.kind === 'read' ? source.repository : [])),
    gaps: sources.flatMap(({ gap }) => gap ?? []),
  };
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

/** Of a document; those of the largest repositories have a tenth. */
const MOST_BYTES = 100_000_000;

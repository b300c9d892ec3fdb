/** Searches files that a test writes. */

import { createCollector } from '../../../src/code/references/collect.ts';
import { readCode } from '../../../src/code/references/code-text.ts';
import { nameKeys } from '../../../src/code/references/names.ts';
import { parsePattern } from '../../../src/code/references/casings.ts';
import type { CodeReferences } from '../../../src/code/references/reference.ts';

interface SearchOptions {
  readonly keys: readonly string[];
  readonly accessors?: readonly string[];
  readonly patterns?: readonly string[];
  readonly wrappers?: readonly string[];
}

/** `files`: names to texts, or to bytes. */
export function search(
  files: Readonly<Record<string, string | Uint8Array>>,
  { keys, accessors = keys, patterns = [], wrappers = [] }: SearchOptions,
): CodeReferences {
  const names = nameKeys(keys, { accessors, patterns: patterns.map((pattern) => parsePattern(pattern)!) });
  const collector = createCollector(names, (file) => wrappers.includes(file));
  const code = Object.entries(files).flatMap(([file, content]) => {
    const text = readCode(typeof content === 'string' ? new TextEncoder().encode(content) : content, file);
    return text.kind === 'code' ? [{ file, ...text }] : [];
  });
  for (const file of code) collector.add(file);
  const further = collector.further();
  if (further !== undefined) for (const file of code) further.add(file);
  return {
    keys,
    ...collector.finish(),
    files: code.length,
    lines: code.reduce((sum, { lines }) => sum + lines, 0),
    skipped: { binary: [], generated: [], large: [], unreadable: [], submodules: [] },
  };
}

/** `form` of what is found in one line of a file, with `?` where it is not certain. */
export function formsIn(
  line: string,
  { file = 'a.ts', ...options }: SearchOptions & { readonly file?: string },
): readonly string[] {
  return search({ [file]: line }, options).references.map(
    ({ key, form, certain, place }) => `${place.line}:${place.column} ${key} ${form}${certain ? '' : '?'}`,
  );
}

/** JSON files that declarations name, such as the schema of payloads: read with the manifests, from the same source. */

import { posix } from 'node:path';
import { parseAsDoubles } from '../base/json-text.ts';
import { memberOf } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import type { compileSchema } from '../base/shape/compile.ts';
import { TextMemo } from '../base/text-memo.ts';
import { membersIn, type Declaration, type ManifestFile, type NamedFile } from './declaration.ts';
import type { ManifestForm } from './section.ts';
import type { ManifestSource } from './source.ts';

/** The files by their names relative to the configuration's folder. */
export type NamedFiles = ReadonlyMap<string, NamedFile>;

/** Reads the files that the declarations of a manifest name, each once for all manifests. */
export function createNamedReader(
  source: ManifestSource,
): (file: ManifestFile, form: ManifestForm) => Promise<NamedFiles> {
  const reads = new Map<string, Promise<NamedFile>>();
  return async (file, form) => {
    const names = new Set(file.declarations.flatMap((one) => fileNamedBy(one, file.file, form) ?? []));
    for (const name of names) reads.set(name, reads.get(name) ?? readNamed(name, source));
    const read = await Promise.all([...names].map(async (name) => reads.get(name) as Promise<NamedFile>));
    return new Map(read.map((one) => [one.file, one]));
  };
}

/** The manifest with what its declarations name. Equal files give the same object. */
export function withNamed(file: ManifestFile, form: ManifestForm, named: NamedFiles): ManifestFile {
  if (named.size === 0) return file;
  const declarations = file.declarations.map((declaration) => {
    const name = fileNamedBy(declaration, file.file, form);
    const found = name === undefined ? undefined : named.get(name);
    return found === undefined ? declaration : joinNamed(declaration, found);
  });
  const known = joined.get(file);
  if (known?.declarations.every((one, index) => one === declarations[index]) === true) return known;
  const made = { ...file, declarations };
  joined.set(file, made);
  return made;
}

/** What the declarations of a manifest name. */
export function namedFilesOf({ declarations }: ManifestFile): NamedFiles {
  return new Map(declarations.flatMap(({ named }) => (named === undefined ? [] : [[named.file, named] as const])));
}

const joined = new WeakMap<ManifestFile, ManifestFile>();
const joinedDeclarations = new WeakMap<Declaration, Declaration>();

function joinNamed(declaration: Declaration, named: NamedFile): Declaration {
  const known = joinedDeclarations.get(declaration);
  if (known?.named === named) return known;
  const made = { ...declaration, named };
  joinedDeclarations.set(declaration, made);
  return made;
}

function fileNamedBy(declaration: Declaration, manifest: string, { sections }: ManifestForm): string | undefined {
  const member = sections.find(({ name }) => name === declaration.section)?.naming;
  const path = member === undefined ? undefined : memberOf(membersIn(declaration), member);
  if (typeof path !== 'string' || path === '') return undefined;
  return posix.isAbsolute(path) ? path : posix.join(posix.dirname(manifest), path);
}

/** The most bytes: a few times the schemas of a large repository. */
const parsed = new TextMemo<NamedFile>(4_000_000);

async function readNamed(file: string, source: ManifestSource): Promise<NamedFile> {
  // A file that does not exist has no real path to judge.
  if (file.startsWith('../') || posix.isAbsolute(file)) return { file, unreadable: 'file-outside' };
  const read = await source.read(file);
  if ('text' in read) {
    const { compileSchema } = await import('../base/shape/compile.ts');
    return parsed.get(file, read.text, () => parse(file, read.text, compileSchema));
  }
  return { file, unreadable: read.problem.code === 'file-unreadable' ? read.problem.args.reason : read.problem.code };
}

function parse(file: string, text: string, compile: typeof compileSchema): NamedFile {
  try {
    return { file, value: parseAsDoubles(text), compile };
  } catch (error) {
    // The message may quote the file, which may be the wrong one and hold secrets.
    const [, position] = / at position (\d+)/.exec((error as SyntaxError).message) ?? [];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    return { file, notJson: defined({ line }) };
  }
}

/** What an export leaves to be done: files that no plan reads, and files that declare the same flags once more. */

import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import { validateManifests } from '../../posthog/manifests/validate.ts';
import { count } from '../../report/words/count.ts';
import { quoteShort } from '../../report/escape.ts';

export interface ExportPlaces {
  readonly config: Config;
  /** Absolute names of the files that were written. */
  readonly written: readonly string[];
}

/** Sentences for notes; none when a plan from the manifests can be made. */
export async function exportCheckTexts({ config, written }: ExportPlaces): Promise<string[]> {
  const { files } = await readManifests({ root: config.root, patterns: config.manifests });
  const read = new Set(files.map(({ file }) => file));
  const exported = written.map((file) => path.relative(config.root, file).split(path.sep).join('/'));
  const unread = exported.filter((file) => !read.has(file));
  const repeating = new Map<string, Set<string>>();
  const unnamed = new Set<string>();
  for (const diagnostic of validateManifests(files, Object.values(config.projects))) {
    if (diagnostic.code === 'cohort-unknown' || diagnostic.code === 'role-unknown') {
      if (exported.includes(diagnostic.place?.file ?? '')) unnamed.add(diagnostic.args.project);
    }
    if (diagnostic.code !== 'flag-duplicate') continue;
    const { key, other } = diagnostic.args;
    for (const file of [diagnostic.place?.file, other.file]) {
      if (file !== undefined && !exported.includes(file))
        repeating.set(file, (repeating.get(file) ?? new Set()).add(key));
    }
  }
  return [
    ...unreadTexts(unread),
    ...[...repeating].map(([file, keys]) => repeatText(file, keys.size)),
    ...[...unnamed].sort().map(unnamedText),
  ];
}

function unreadTexts(files: readonly string[]): string[] {
  const [first] = files;
  if (first === undefined) return [];
  const others = files.length === 1 ? '' : ` and ${count(files.length - 1, 'other file')}`;
  return [`no plan reads ${quoteShort(first)}${others}: manifests in flagwright.yaml does not match.`];
}

function repeatText(file: string, flags: number): string {
  return `${quoteShort(file)} declares ${count(flags, 'flag')} that the export declares too, which no plan accepts: delete the file, or take them out of it.`;
}

function unnamedText(project: string): string {
  return `project ${quoteShort(project)} lacks aliases of cohorts or roles that the exported files use, which validate reports: add them in flagwright.yaml, or declare the flags with only_in.`;
}

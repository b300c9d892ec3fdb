/** Finds what must still be done after an export before a plan accepts its files. */

import { memberOf } from '../../base/json.ts';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { diskSource } from '../../manifest/tree-source.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import { validateManifests } from '../../posthog/manifests/load.ts';
import type { ExportProblem } from '../../report/words/exported.ts';

export interface ExportPlaces {
  readonly config: Config;
  /** Absolute names of the files that were written. */
  readonly written: readonly string[];
}

/** Keys and aliases that a file declares once more. */
interface Repeated {
  readonly flags: Set<string>;
  readonly cohorts: Set<string>;
}

export async function checkExport({ config, written }: ExportPlaces): Promise<ExportProblem[]> {
  if (written.length === 0) return [];
  const source = diskSource(config.root);
  const matched = new Set((await source.find(config.manifests)).files);
  const exported = written.map((file) => path.relative(config.root, file).split(path.sep).join('/'));
  const unread = exported.filter((file) => !matched.has(file));
  // What plans read is as it was before the export.
  if (unread.length === exported.length) return [{ code: 'not_read', files: unread }];
  const { files } = await readManifests({ root: config.root, patterns: config.manifests, source });
  const repeating = new Map<string, Repeated>();
  const unnamed = new Set<string>();
  for (const diagnostic of validateManifests(files, Object.values(config.projects))) {
    if (diagnostic.code === 'cohort-unknown' || diagnostic.code === 'role-unknown') {
      const { project, others = [] } = { others: undefined, ...diagnostic.args };
      const lacking = exported.includes(diagnostic.place?.file ?? '') ? [project, ...others] : [];
      // An embedded project need not know every name of the real ones.
      const checked = lacking.filter((name) => memberOf(config.projects, name)?.service !== 'embedded');
      for (const name of checked) unnamed.add(name);
    }
    if (diagnostic.code !== 'flag-duplicate' && diagnostic.code !== 'cohort-duplicate') continue;
    for (const file of [diagnostic.place?.file, diagnostic.args.other.file]) {
      if (file === undefined || exported.includes(file)) continue;
      const repeated = repeating.get(file) ?? { flags: new Set(), cohorts: new Set() };
      repeating.set(file, repeated);
      if (diagnostic.code === 'flag-duplicate') repeated.flags.add(diagnostic.args.key);
      else repeated.cohorts.add(diagnostic.args.alias);
    }
  }
  return [
    ...(unread.length === 0 ? [] : [{ code: 'not_read', files: unread } as const]),
    ...[...repeating].map(
      ([file, { flags, cohorts }]) =>
        ({ code: 'declared_twice', file, flags: flags.size, cohorts: cohorts.size }) as const,
    ),
    ...[...unnamed].sort().map((project) => ({ code: 'aliases_missing', project }) as const),
  ];
}

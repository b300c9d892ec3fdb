/** What `validate` checks: all manifests and test files of a configuration, or the files that the command line names. */

import { hasErrors } from '../../base/diagnostic.ts';
import { defined } from '../../base/optional.ts';
import type { Config } from '../../config/config.ts';
import { DEFAULT_TESTS } from '../../expectations/patterns.ts';
import type { TestFiles } from '../../expectations/read.ts';
import { diskSource } from '../../manifest/tree-source.ts';
import { readManifests, type ManifestFile } from '../../posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import type { Session } from '../session/session.ts';
import type { KnownFiles } from './known-files.ts';
import { relativeToRoot } from './resolve-projects.ts';

export interface Sources {
  /** The manifests that are checked. */
  readonly checked: readonly ManifestFile[];
  /** The other manifests, to which they may refer, and whether all of these could be read. */
  readonly others: readonly ManifestFile[];
  readonly othersSound: boolean;
  /** Of the manifests that are checked. */
  readonly diagnostics: readonly ManifestDiagnostic[];
  /** All test files; absent where none is checked. */
  readonly tests?: TestFiles;
  /** The names of the manifests and test files that are checked. */
  readonly names: ReadonlySet<string>;
}

interface Search {
  readonly config: Config;
  /** As the command line names them; none: all. */
  readonly files: readonly string[];
  readonly onRead: KnownFiles['remember'];
}

export async function readSources(session: Session, search: Search): Promise<Sources> {
  return search.files.length === 0 ? readAll(session, search) : readNamed(session, search);
}

async function readAll(session: Session, { config, onRead }: Search): Promise<Sources> {
  const { root, manifests: patterns } = config;
  const { checkpoint } = session.interrupts;
  const { files, diagnostics } = await readManifests({ root, patterns, reportUnmatched: true, checkpoint, onRead });
  const tests = await findTests(session, config);
  const names = new Set([...files.map(({ file }) => file), ...(tests?.files ?? [])]);
  return { checked: files, others: [], othersSound: true, diagnostics, ...defined({ tests }), names };
}

async function readNamed(session: Session, { config, files, onRead }: Search): Promise<Sources> {
  const { root, manifests } = config;
  const { checkpoint } = session.interrupts;
  const patterns = files.map((file) => relativeToRoot(session, config, file));
  const named = await readManifests({ root, patterns, checkpoint, onRead });
  const configured = await readManifests({ root, patterns: manifests, checkpoint });
  const known = new Set(configured.files.map(({ file }) => file));
  const strange = named.files.filter(({ file }) => !known.has(file)).map(({ file }) => file);
  const tests = strange.length === 0 ? undefined : await findTests(session, config);
  const isTest = new Set(strange.filter((file) => tests?.files.includes(file)));
  const names = new Set(named.files.map(({ file }) => file));
  return {
    checked: named.files.filter(({ file }) => !isTest.has(file)),
    others: configured.files.filter(({ file }) => !names.has(file)),
    othersSound: !hasErrors(configured.diagnostics.filter(({ place }) => !names.has(place?.file ?? ''))),
    diagnostics: [
      ...named.diagnostics.filter(({ place }) => place === undefined || !isTest.has(place.file)),
      ...strange.filter((file) => !isTest.has(file)).map((file) => unmatched(file, manifests)),
    ],
    ...(isTest.size === 0 ? {} : defined({ tests })),
    names,
  };
}

/** Most repositories have no test files: then nothing is loaded. */
async function findTests(session: Session, config: Config): Promise<TestFiles | undefined> {
  const found = await diskSource(config.root).find(config.tests ?? DEFAULT_TESTS);
  if (found.diagnostics.every(({ code }) => code === 'manifests-none') && found.files.length === 0) return undefined;
  const { readTestFiles } = await import('./check-tests.ts');
  const tests = await readTestFiles(session, config);
  return tests.diagnostics.some(({ code }) => code === 'tests-none') ? undefined : tests;
}

/** A named file that no pattern matches would pass here and then be ignored by every other command. */
function unmatched(file: string, patterns: readonly string[]): ManifestDiagnostic {
  return { code: 'file-unmatched', severity: 'error', place: { file, line: 1, column: 1 }, args: { patterns } };
}

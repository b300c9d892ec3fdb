/** Resolves a configuration document: shape, API keys in the file, projects, defaults. */

import { validateConfig } from '../base/generated/validators.ts';
import { objectOrEmpty } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type PlaceTree } from '../base/place.ts';
import { checkShape } from '../base/shape/check.ts';
import { nearest } from '../base/text.ts';
import type { YamlDocument } from '../base/yaml/read.ts';
import { DEFAULT_LIMITS, type SafetyOrigins, type WrittenOrigin } from '../engine/safety.ts';
import { DEFAULT_MANIFESTS, type Config, type Environment, type ProjectConfig } from './config.ts';
import { findKeysInFile } from './keys-in-file.ts';
import { checkKeyPatterns } from './key-patterns.ts';
import { resolveOwnership } from './ownership.ts';
import type { ConfigDiagnostic } from './problems.ts';
import { resolvePolicies } from './policies.ts';
import { embeddedProject, resolveProject } from './projects.ts';
import type { WrittenConfig } from './written.ts';

export interface ResolveOptions {
  readonly root: string;
  readonly file: string;
  readonly env: Environment;
  /** The run sends no requests, so a project may lack what the environment would fill in. */
  readonly offline?: boolean;
}

export function resolveConfig(
  document: YamlDocument,
  options: ResolveOptions,
): { readonly config?: Config; readonly diagnostics: readonly ConfigDiagnostic[] } {
  const diagnostics = checkDocument(document);
  if (diagnostics.length > 0) return { diagnostics };
  const written: WrittenConfig = objectOrEmpty(document.value);
  const report = (diagnostic: ConfigDiagnostic): number => diagnostics.push(diagnostic);
  const projects = resolveProjects(written, { document, options, report });
  const defaultProject = written.default_project ?? onlyOrLocal(Object.keys(projects));
  if (written.default_project !== undefined) checkDefault(written.default_project, { written, document, report });
  for (const found of checkKeyPatterns(written, document.places)) report(found);
  const ownership = resolveOwnership(written.ownership ?? [], Object.keys(projects), document.places);
  for (const found of ownership.diagnostics) report(found);
  const policies = written.policies && resolvePolicies(written.policies, Object.keys(projects), document.places);
  for (const found of policies?.diagnostics ?? []) report(found);
  const config: Config = {
    root: options.root,
    file: options.file,
    manifests: written.manifests ?? DEFAULT_MANIFESTS,
    ...defined({ tests: written.tests, defaultProject }),
    projects: withOwnership(projects, ownership.ownershipOf),
    scope: { include: written.scope?.include ?? ['*'], exclude: written.scope?.exclude ?? [] },
    limits: { ...DEFAULT_LIMITS, ...written.limits },
    protected: written.protected ?? [],
    origins: originsOf(written, document.places),
    drift: written.drift ?? 'revert',
    base: written.base ?? {},
    ...defined({ policies: policies?.policies }),
  };
  return { config, diagnostics };
}

// An API key in the file is reported only as that: other problems of its name or value would repeat it.
function checkDocument({ value, places }: YamlDocument): ConfigDiagnostic[] {
  const keys = findKeysInFile(value, places);
  const secret = new Set(keys.map(({ place }) => `${place?.line}:${place?.column}`));
  const shape = checkShape(validateConfig, value, places);
  return [...keys, ...shape.filter(({ place }) => !secret.has(`${place?.line}:${place?.column}`))];
}

interface Reading {
  readonly document: YamlDocument;
  readonly options: ResolveOptions;
  readonly report: (diagnostic: ConfigDiagnostic) => void;
}

function resolveProjects(
  written: WrittenConfig,
  { document, options, report }: Reading,
): Record<string, ProjectConfig> {
  const entries = Object.entries(written.projects ?? {});
  if (entries.length === 0) return { local: embeddedProject('local', options.root) };
  const context = {
    root: options.root,
    env: options.env,
    offline: options.offline === true,
    places: document.places,
    report,
  };
  return Object.fromEntries(
    entries.flatMap(([name, project]) => {
      const resolved = resolveProject(name, project ?? {}, context);
      return resolved === undefined ? [] : [[name, resolved]];
    }),
  );
}

/** Of a pattern that is there twice, the first. */
function originsOf({ limits = {}, protected: patterns = [] }: WrittenConfig, places: PlaceTree): SafetyOrigins {
  const originAt = (path: string): WrittenOrigin => ({ from: 'configuration', place: placeAt(places, path) });
  const ofPatterns = patterns.map((pattern, index) => [pattern, originAt(`/protected/${index}`)] as const);
  return {
    limits: Object.fromEntries(Object.keys(limits).map((name) => [name, originAt(`/limits/${name}`)])),
    protected: new Map(ofPatterns.toReversed()),
  };
}

function withOwnership(
  projects: Readonly<Record<string, ProjectConfig>>,
  ownershipOf: (project: string) => NonNullable<ProjectConfig['ownership']>,
): Record<string, ProjectConfig> {
  return Object.fromEntries(
    Object.entries(projects).map(([name, project]) => {
      const ownership = ownershipOf(name);
      return [name, ownership.length === 0 ? project : { ...project, ownership }];
    }),
  );
}

function onlyOrLocal(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : names.find((name) => name === 'local');
}

function checkDefault(
  name: string,
  { written, document, report }: { readonly written: WrittenConfig } & Omit<Reading, 'options'>,
): void {
  const names = Object.keys(written.projects ?? { local: null });
  if (names.includes(name)) return;
  const path = '/default_project';
  const suggestion = nearest(name, names);
  const args = { project: name, ...defined({ suggestion }) };
  report({ code: 'project-unknown', severity: 'error', place: placeAt(document.places, path), path, args });
}
